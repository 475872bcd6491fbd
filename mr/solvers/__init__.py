"""Optimisation problems and their solvers: arrays in, solutions with a certificate out."""
