"""Methods that papers compare with. We do not recommend them.

With their default parameters they do not improve on regularised least squares on the labels alone (:class:`mr.RLS`) on
average, or lose to it on some data by more than they gain (docs/defaults.md has the numbers). :mod:`mr` has a
better method for each.

================= ================================================== ==========================
here              what it is                                         to use instead
================= ================================================== ==========================
NystromLGC        LGC on a low-rank graph (zhang2015, NYS-LGC)       AnchorGraph, LGC
NFI               function induction from a random subset            PVM, AnchorGraph
L1LRK             least squares with few kernel points (L1-LRK)      PVM
CentroidReduced   any machine on k-means centres (zhang2015, CB-...) LapRLS(basis=...), PVM
Eigenfunction     smooth functions of single coordinates             AnchorGraph
CVM               core vector machine on the labels (tsang2006)      SVM, SLapCVM
================= ================================================== ==========================
"""

from mr.estimators import CVM, L1LRK, NFI, CentroidReduced, Eigenfunction, NystromLGC

__all__ = ["CVM", "CentroidReduced", "Eigenfunction", "L1LRK", "NFI", "NystromLGC"]
