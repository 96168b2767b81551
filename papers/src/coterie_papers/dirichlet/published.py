"""The figures of Daumé & Marcu 2004 as printed, by table, row and column."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

_PAIRS = ("RI", "P", "R", "F", "NES")

DIRICHLET: Mapping[str, Figures] = {
    "table1": {
        # In sets with equal numbers of five digits, RI and P are about .2 or more; .116 is the
        # value of ten digits.
        "Coarse": dict(zip(_PAIRS, (0.116, 0.116, 1.0, 0.207, 0.176), strict=True)),
        "Fine": dict(zip(_PAIRS, (0.885, 0.0, 0.0, 0.0, 0.053), strict=True)),
        "PT-SCM": dict(zip(_PAIRS, (0.886, 0.970, 0.016, 0.031, 0.0), strict=True)),
        "2 digits: SVM": dict(zip(_PAIRS, (0.911, 0.802, 0.304, 0.441, 0.394), strict=True)),
        "2 digits: SCM": dict(zip(_PAIRS, (0.893, 0.542, 0.501, 0.521, 0.476), strict=True)),
        "5 digits: SVM": dict(zip(_PAIRS, (0.921, 0.730, 0.497, 0.592, 0.537), strict=True)),
        "5 digits: SCM": dict(zip(_PAIRS, (0.937, 0.622, 0.658, 0.639, 0.618), strict=True)),
    },
    "table2": {
        # By its P and R, F is .211.
        "Coarse": dict(zip(_PAIRS, (0.118, 0.118, 1.0, 0.568, 0.010), strict=True)),
        "Fine": dict(zip(_PAIRS, (0.882, 0.0, 0.0, 0.0, 0.0), strict=True)),
        "PT-SCM": dict(zip(_PAIRS, (0.782, 0.141, 0.094, 0.113, 0.097), strict=True)),
        # By its P and R, F is .661; a mean of several F cannot be above that.
        "SVM": dict(zip(_PAIRS, (0.936, 0.714, 0.616, 0.686, 0.721), strict=True)),
        "SCM": dict(zip(_PAIRS, (0.977, 0.779, 0.884, 0.828, 0.749), strict=True)),
    },
}
"""Daumé & Marcu 2004, Supervised Clustering with the Dirichlet Process, Tables 1 and 2.

All measures are from 0 to 1. No definition of NES fits the last column: by the paper's own
definition, one cluster of all items has at least about ½, and PT-SCM could not be below Fine.
"""
