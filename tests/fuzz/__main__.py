"""Run one case again: ``python -m tests.fuzz LapRLS 1234``."""

import sys

import mr
from tests.fuzz.cases import draw_case
from tests.fuzz.rule import judge

case = draw_case(getattr(mr, sys.argv[1]), int(sys.argv[2]))
print(case)
outcome = judge(case)
print(outcome, outcome.trace, sep="\n")
