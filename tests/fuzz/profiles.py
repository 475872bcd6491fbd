"""How many cases: always the same ones in the suite, others every night.

``MR_FUZZ_CASES=5000`` (``make fuzz``) draws that many cases per estimator, different ones in every run.
"""

import os

from hypothesis import HealthCheck, Phase, settings

CASES = "MR_FUZZ_CASES"

_common = {"deadline": None, "database": None, "phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}
settings.register_profile("ci", max_examples=250, derandomize=True, **_common)
settings.register_profile("night", max_examples=int(os.environ.get(CASES, 5000)), **_common)


def profile() -> settings:
    return settings.get_profile("night" if CASES in os.environ else "ci")


def short_profile() -> settings:
    """For paths, whose estimators are tried themselves: 100 cases in the suite."""
    return profile() if CASES in os.environ else settings(profile(), max_examples=100)
