"""zhang2015 Table V: LapRLS and LapSVMp with the unlabelled points replaced by k-means centres, against PVM.

Same protocol and draws as Table III (:mod:`mr.experiments.zhang2015_table3`). Its PVM columns are printed again
here; they are not computed again (``TAKEN_OVER`` of :mod:`mr.results.scoreboard`).
"""

from mr.experiments import zhang2015, zhang2015_table3
from mr.experiments.zhang2015_sweep import EACH, ONCE

ID = "zhang2015_table5"
NAMES = zhang2015.NAMES
SETTING = "unlabelled"
EACH_SETTING = "unlabelled, parameters draw by draw"
datasets = zhang2015.datasets
tasks = zhang2015.sweep_tasks
run_task = zhang2015_table3.run_task


def summarise(rows, params):
    tidy = zhang2015.error_rows(ID, rows[rows["rule"] == ONCE], SETTING)
    return zhang2015.frame(tidy + zhang2015.error_rows(ID, rows[rows["rule"] == EACH], EACH_SETTING))
