"""zhang2015 Table VI: seconds of CB-LapRLS, CB-LapSVMp and PVM; see Table IV for the protocol."""

from functools import partial

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015 import table4 as zhang2015_table4

ID = "zhang2015_table6"
NAMES = zhang2015.NAMES
datasets = zhang2015.datasets
tasks = zhang2015_table4.tasks
needs = zhang2015_table4.needs
run_task = zhang2015_table4.run_task
summarise = partial(zhang2015_table4.summarise, artifact=ID)
