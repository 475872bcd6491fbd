"""Two moons: the grid of reduced LapSVM at every n, from which Figure 1's ``chosen at each n`` takes its parameters.

gamma_I is divided by n^2, so one number for all n fades as n grows, and a choice at 1000 points would be unfair.
"""

from experiments.tsang2006.map import datasets, run_task, summarise, tasks

__all__ = ["ID", "datasets", "run_task", "summarise", "tasks"]
ID = "tsang2006_reduced"
