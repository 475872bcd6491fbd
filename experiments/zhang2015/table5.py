"""zhang2015 Table V: LapRLS and LapSVMp with the unlabelled points replaced by k-means centres, against PVM.

Same protocol and draws as Table III (:mod:`experiments.zhang2015.table3`). Its PVM columns are printed again
here; they are not computed again (``TAKEN_OVER`` of :mod:`experiments.scoreboard.scoreboard`).
"""

from functools import partial

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015 import table3 as zhang2015_table3
from experiments.zhang2015.sweep import EACH

ID = "zhang2015_table5"
NAMES = zhang2015.NAMES
SETTING = "unlabelled"
EACH_SETTING = f"{SETTING} {EACH}"
datasets = zhang2015.datasets
tasks = zhang2015.sweep_tasks
run_task = zhang2015_table3.run_task
summarise = partial(zhang2015_table3.summarise, artifact=ID, setting=SETTING)
