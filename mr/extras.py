"""Packages that only some calls need: imported when they are needed, and named when they are missing."""

import importlib

DISTRIBUTION = "manifold-regularization"


def require(module: str, extra: str, purpose: str):
    """Import a module of an extra, or say what is missing and how to install it.

    >>> require("no_such_module", "qp", 'LapSVM(solver="osqp")')
    Traceback (most recent call last):
    ImportError: LapSVM(solver="osqp") needs the package no_such_module, ...: pip install "manifold-regularization[qp]"
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        install = f'pip install "{DISTRIBUTION}[{extra}]"'
        raise ImportError(f"{purpose} needs the package {package}, which is not installed: {install}") from error
