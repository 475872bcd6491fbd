"""Where to look when a case ended the process."""

from tests.fuzz.rule import LOGS


def pytest_terminal_summary(terminalreporter):
    crashed = [report for report in terminalreporter.stats.get("failed", []) if "crashed" in str(report.longrepr)]
    if crashed:
        terminalreporter.write_line(f"fuzz: the case that ended a worker is in {LOGS}, in the file of its estimator")
