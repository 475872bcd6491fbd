"""One thread of BLAS for each worker of pytest-xdist.

Workers share the cores already. Two threads each on two cores wait for each other by spinning: a part of the suite took
six times the processor time.
"""

import os

if "PYTEST_XDIST_WORKER" in os.environ:  # before numpy is imported, which reads it once
    os.environ.setdefault("OMP_NUM_THREADS", "1")
