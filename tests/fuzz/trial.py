"""All cases of one estimator."""

import re
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.cases import draw_case
from tests.fuzz.points import Points
from tests.fuzz.profiles import profile
from tests.fuzz.rule import Case, judge

MOST_STALLS = 3
"""A case that stalls costs 20 seconds, so a few are enough."""


def warm_up(estimator):
    """Compile what ordinary cases need, outside any limit."""
    labels = draw_case(estimator, 0).labels
    for form in ("dense", "csr"):
        case = Case(estimator, {}, Points(n=40, d=3, form=form), type(labels)() if labels else None)
        model = case.model()
        model.fit(case.X(), case.y()) if labels else model.fit(case.X())


def try_estimator(estimator, draw=draw_case, warm_up=warm_up, profile=profile) -> str:
    """Run the cases of the profile; returns what is wrong, one paragraph per kind of fault, or nothing."""
    warm_up(estimator)
    faults = defaultdict(list)

    @profile()
    @given(st.integers(0, 2**63 - 1))
    def run(number):
        if len(faults[_STALLED]) >= MOST_STALLS:
            return
        case = draw(estimator, number)
        outcome = judge(case)
        if outcome.fault:
            faults[_kind(outcome.fault)].append((number, case, outcome))

    run()
    return "\n\n".join(_paragraph(found) for found in faults.values() if found)


_STALLED = "Stalled"


def _kind(fault):
    """Faults that differ in numbers only are one."""
    return _STALLED if fault.startswith(_STALLED) else re.sub(r"[-+]?\d[\d.e+-]*", "#", fault)[:150]


def _paragraph(found):
    """The shortest of the cases with one kind of fault."""
    number, case, outcome = min(found, key=lambda entry: len(repr(entry[1])))
    command = f"python -m tests.fuzz {case.estimator.__name__} {number}"
    return f"{outcome.fault}\n  {len(found)} cases, for example {case}\n  {command}"
