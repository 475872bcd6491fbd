"""Flags beside a verdict: what a reader has to know of a number before believing it.

They are computed from result rows. Keys of a tidy row's ``parameters`` (written by ``summarise``) that raise flags:

=====================  =====================================================================  ==================
key                    value                                                                  flag
=====================  =====================================================================  ==================
``one_sided``          mean share of the predictions on the more frequent side, percent       ``constant answer``
``majority``           share of the larger class among the scored points, percent             ``chance level``
``equals_supervised``  true: the chosen weight leaves the supervised machine's predictions    ``graph off``
``edge``               names of chosen parameters at the end of their grid                    ``edge of grid``
``read_from_print``    the choice that was made by comparing with printed numbers             ``read from print``
``reduced``            what is less than in the paper: draws, grid or points                  ``reduced``
=====================  =====================================================================  ==================

An empty value (false, "", []) raises nothing. ``unstable`` needs no key: our standard deviation is more than twice the
printed one.
"""

import math

FLAGS = ("constant answer", "chance level", "graph off", "unstable", "edge of grid", "read from print", "reduced")
DOUBTFUL = FLAGS[:2]  # a number with one of these says little about the method
CONSTANT = 95.0  # percent of the predictions
ABOVE_CHANCE = 1.0  # points above the larger class from which on an accuracy is more than chance
UNSTABLE = 2.0  # times the printed deviation
KEYS = {"equals_supervised": "graph off", "edge": "edge of grid", "read_from_print": "read from print",
        "reduced": "reduced"}  # fmt: skip


def flags(metric: str, mean: float, std: float, parameters: dict, reported_std: float) -> list[str]:
    """Flags of one of our numbers, in the order of :data:`FLAGS`."""
    found = {flag for key, flag in KEYS.items() if parameters.get(key)}
    if parameters.get("one_sided", 0.0) >= CONSTANT:
        found.add("constant answer")
    accuracy = {"accuracy_pct": mean, "error_pct": 100.0 - mean}.get(metric)
    if accuracy is not None and "majority" in parameters and accuracy <= parameters["majority"] + ABOVE_CHANCE:
        found.add("chance level")
    if not math.isnan(std) and not math.isnan(reported_std) and std > UNSTABLE * reported_std:
        found.add("unstable")
    return [flag for flag in FLAGS if flag in found]
