"""The figures of Finley & Joachims 2005 as printed, by table, row and column."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

_EFFORT: Mapping[str, float | str] = {
    "constraints": "~1000",
    "QPs": 50,
    "% clustering": 1,
}

SVM_CLUSTER: Mapping[str, Figures] = {
    "table1": {
        "Test with C_G, Δ_M": {"C_G": 41.3, "PCC": 51.6, "Default": 51.0},
        "Test with C_G, Δ_P": {"C_G": 2.89, "PCC": 3.15, "Default": 3.59},
    },
    "table2": {
        # The printed row is empty; Table 5 has these two of its figures.
        "Test with C_G, Δ_P": {"C_G": 2.36, "C_R": 2.43},
        "Test with C_R*, Δ_P": {"C_G": 2.04, "C_R": 2.08, "PCC": 1.96, "Default": 9.45},
    },
    "table3": {
        "Performance on Δ_M": {"Opt. to Δ_M": 41.3, "Opt. to Δ_P": 42.8},
        "Performance on Δ_P": {"Opt. to Δ_M": 4.06, "Opt. to Δ_P": 2.89},
    },
    "table4": {
        "NP-coreference, Δ_M": {"w/ loss": 41.3, "w/o loss": 41.1},
        "NP-coreference, Δ_P": {"w/ loss": 2.89, "w/o loss": 2.81},
        "News, train C_G, test C_G": {"w/ loss": 2.36, "w/o loss": 2.42},
        "News, train C_R, test C_R*": {"w/ loss": 2.08, "w/o loss": 2.16},
    },
    "table5": {
        "Test C_G": {"Train C_G": 2.36, "Train C_R": 2.43},
        "Test C_R*": {"Train C_G": 2.04, "Train C_R": 2.08},
    },
    # The paper gives one figure for coreference, and does not name the loss.
    "efficiency": {
        "NP-coreference, Δ_M, N-slack": _EFFORT,
        "NP-coreference, Δ_P, N-slack": _EFFORT,
        "NP-coreference, PCC": {"constraints": "½ million", "seconds": "½ week"},
    },
    "times": {
        "SVM-cluster, N-slack": {"typical, s": "under 1 hour", "longest, s": "3 to 4 hours"},
    },
}
"""Finley & Joachims 2005, Supervised Clustering with Support Vector Machines, Tables 1 to 5.

Mean losses on the test sets: Δ_M by the MITRE score, Δ_P by pairs. "efficiency" and "times" are the
figures in the text of section 7.5.
"""
