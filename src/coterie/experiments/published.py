"""The figures that the papers print, to stand beside ours: row → column → figure.

Each is as printed, also where the print is doubtful; a comment then says so. The papers' data are
not public, but for WebKB and Synth: figures on stand-ins for them can be compared in kind alone.
"""

from collections.abc import Mapping
from typing import TypeAlias

Figures: TypeAlias = Mapping[str, Mapping[str, float | str]]

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
        # The print leaves this row empty; two of its figures are known from Table 5.
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
    # It tells one figure for coreference, and does not say of which loss.
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

Mean losses on the test sets: Δ_M by the MITRE score, Δ_P by pairs. Then what section 7.5 says in
words on efficiency.
"""

_LOSSES = {
    "WebKB-L": {
        "Cornell": (45.3, 53.3, 79.7, 74.7),
        "Texas": (59.8, 56.7, 78.9, 72.8),
        "Washington": (53.1, 46.6, 60.6, 76.2),
        "Wisconsin": (47.3, 60.2, 81.1, 77.5),
    },
    "WebKB-N": {
        "Cornell": (63.0, 61.4, 74.8, 78.6),
        "Texas": (69.9, 56.8, 75.5, 78.7),
        "Washington": (68.8, 58.2, 74.9, 78.3),
        "Wisconsin": (72.6, 66.2, 77.0, 78.6),
    },
    "News 8-1": {
        "Business": (23.7, 20.6, 45.2, 49.5),
        "Entertainment": (12.7, 22.2, 53.0, 25.9),
        "Health": (28.1, 28.7, 57.4, 38.8),
        "Nation": (3.8, 3.8, 40.2, 14.6),
        "Sports": (15.2, 14.3, 47.6, 59.9),
        "Technology": (35.9, 30.4, 51.7, 37.3),
        "World": (3.7, 2.4, 41.7, 62.1),
    },
    "News 8-2": {
        "Business": (3.6, 4.6, 34.1, 63.8),
        "Entertainment": (22.7, 9.5, 40.1, 22.8),
        "Health": (20.4, 20.4, 48.4, 43.9),
        "Nation": (24.6, 23.7, 47.4, 60.6),
        "Sports": (20.2, 15.8, 59.3, 57.0),
        "Technology": (16.1, 13.8, 48.3, 41.3),
        "World": (12.2, 11.9, 50.5, 70.4),
    },
    "News 8-4": {
        "Business": (19.7, 14.9, 42.7, 33.5),
        "Entertainment": (4.6, 6.3, 46.8, 32.4),
        "Health": (15.0, 16.2, 51.7, 32.1),
        "Nation": (19.4, 20.3, 41.2, 30.0),
        "Sports": (19.0, 19.0, 55.6, 54.7),
        "Technology": (5.8, 11.6, 46.4, 37.6),
        "World": (4.8, 5.8, 39.6, 39.3),
    },
    "Synth": {
        "1": (43.3, 55.6, 48.1, 74.7),
        "2": (53.4, 58.7, 54.7, 74.7),
        "3": (56.0, 56.7, 55.2, 74.7),
        "4": (39.3, 59.5, 43.9, 74.7),
        "5": (40.3, 63.4, 49.1, 74.7),
    },
}

_TRAINERS = ("Iterative", "Spect", "Pair", "None")

_SIZES = ("n", "k", "mean m", "N_n", "N_p", "low C", "high C")

SUPERVISED_KMEANS: Mapping[str, Figures] = {
    "statistics": {
        name: dict(zip(_SIZES, figures, strict=True))
        for name, figures in {
            "WebKB-L": (4, 6, 1041, 50397, 100796, "1e-1", "1e4"),
            "WebKB-N": (4, 6, 1041, 41131, 0, "1e0", "1e5"),
            "News 8-1": (7, 10, 150, 0, 30, "1e0", "1e5"),
            "News 8-2": (7, 10, 150, 0, 30, "1e0", "1e5"),
            "News 8-4": (7, 10, 150, 0, 30, "1e0", "1e5"),
            "Synth": (5, 5, 100, 0, 750, "1e-2", "1e3"),
        }.items()
    },
    "table3": {
        f"{data}, {test}": dict(zip(_TRAINERS, losses, strict=True))
        for data, tests in _LOSSES.items()
        for test, losses in tests.items()
    },
    "table4": {
        "WebKB-L": {"Win": 2, "Tie": 0, "Lose": 2, "W": 4, "n_s/r": 4, "P_1-tail": ">0.05"},
        # Four losses of four make W = 10.
        "WebKB-N": {"Win": 0, "Tie": 0, "Lose": 4, "W": 4, "n_s/r": 4, "P_1-tail": ">0.05"},
        "News": {"Win": 8, "Tie": 3, "Lose": 10, "W": 30, "n_s/r": 18, "P_1-tail": 0.2611},
        # The exact probability of five wins of five is 0.031.
        "Synth": {"Win": 5, "Tie": 0, "Lose": 0, "W": 15, "n_s/r": 5, "P_1-tail": 0.05},
    },
}
"""Finley & Joachims 2008, Supervised k-Means Clustering, its tables.

Tables 1 and 2 say how large the data are, and among which powers of ten C is chosen.
Table 3 has the loss on each clustering when it alone is left out of training; its rows are named
"Synth, 1" and so on. Table 4 counts there how often Iterative won against Spect.
"""

_SCORES = ("MUC", "B³", "CEAF-e", "average")

_COREFERENCE = {
    "Corr-Clustering": ((77.45, 81.1, 77.57, 78.71), (84.26, 75.03, 63.07, 74.12)),
    "Spanning Forest": ((73.31, 79.25, 74.66, 75.74), (84.75, 73.93, 60.47, 73.05)),
    "Sum-Link (1 pass)": ((69.61, 77.51, 73.86, 73.66), (80.32, 71.83, 62.64, 71.6)),
    "Sum-Link": ((72.7, 78.75, 76.42, 75.96), (82.26, 74.59, 64.8, 73.88)),
    "Bin-Left-Link (1 pass)": ((74.19, 79.3, 77.77, 77.09), (80.74, 72.15, 64.36, 72.42)),
    "Bin-Left-Link": ((76.02, 81.04, 77.6, 78.22), (81.57, 73.18, 65.54, 73.43)),
    "L³M (γ = 0) (1 pass)": ((76.7, 80.89, 78.02, 78.54), (84.45, 76.18, 66.41, 75.68)),
    "L³M (γ = 0)": ((77.57, 81.77, 78.15, 79.16), (85.14, 77.01, 67.6, 76.58)),
    "L³M (tuned γ) (1 pass)": ((76.7, 80.89, 78.02, 78.54), (85.07, 76.97, 67.17, 76.40)),
    "L³M (tuned γ)": ((78.18, 82.09, 79.21, 79.83), (85.73, 77.67, 68.13, 77.18)),
}

LEFT_LINKING: Mapping[str, Figures] = {
    "statistics": {
        "authors": {"posts": 18617},
        "item sets": {"posts": 1984},
        "posts": {"posts": 690498},
        "posts per author": {"posts": 37.09},
        "posts per item set": {"posts": 348},
        "tokens per post": {"posts": 53.64},
        "most posts of an author in an item set": {"posts": 72},
    },
    # Of 3,145 documents to train on, 343 are taken to choose by.
    "corpora": {
        "ACE 2004": {"documents": 442, "to train on": 268, "to choose by": 68, "to test on": 106},
        "OntoNotes-5.0": {
            "documents": 3493,
            "to train on": 2802,
            "to choose by": 343,
            "to test on": 348,
        },
    },
    **{
        corpus: {
            row: dict(zip(_SCORES, both[number], strict=True)) for row, both in _COREFERENCE.items()
        }
        for number, corpus in enumerate(("ACE 2004", "OntoNotes-5.0"))
    },
    "forum": {
        "Corr-Clustering": {"Author": 143.67, "Topic": 275.7},
        "Spanning Forest": {"Author": 134.44, "Topic": 274.70},
        "Sum-Link": {"Author": 133.12, "Topic": 245.44, "Topic, one pass": 249.75},
        "Bin-Left-Link": {"Author": 133.09, "Topic": 240.69, "Topic, one pass": 246.76},
        "L³M (γ = 0)": {"Author": 133.39, "Topic": 240.73, "Topic, one pass": 244.13},
        "L³M (tuned γ)": {"Author": 132.12, "Topic": 235.59, "Topic, one pass": 240.55},
    },
    # The deviations are printed as 1.8 × 10⁻² and 1.9 × 10⁻³.
    "starts": {
        "Coreference, average": {"mean": 72.11, "deviation": 0.17},
        "Author, VI × 100": {"mean": 143.2, "deviation": 0.018},
        "Topic, VI × 100": {"mean": 151.1, "deviation": 0.0019},
    },
    "order": {
        "Coreference, average: L³M (tuned γ)": {"worse by": "≈ 3"},
        "Author, VI × 100: L³M (tuned γ)": {"worse by": "< 1"},
        "Topic, VI × 100: L³M (tuned γ)": {"worse by": "≈ 10"},
    },
}
"""Samdani, Chang & Roth 2014, A Discriminative Latent Variable Model for Online Clustering.

Table 1 by corpus, F1 in percent; Table 2 (a), and what section 5.1 tells of the corpora; Table 2
(b), the variation of information times 100, whose logarithm the paper does not tell; what sections
5.3 and 5.4 say in words.
"""

SDC: Mapping[str, Figures] = {
    "figure4": {"SDC": {"People": 92.7, "Locations": 92.4, "Organizations": 95.7}},
}
"""Li & Roth 2005, Discriminative Training of Clustering Functions, section 6.1.

The best F1 of SDC in percent: all other figures of the paper are plots.
"""

_PAIRS = ("RI", "P", "R", "F", "NES")

DIRICHLET: Mapping[str, Figures] = {
    "table1": {
        # Five digits in like numbers, of sets that are not small, have RI and P of about .2 or
        # more: .116 is what ten digits have.
        "Coarse": dict(zip(_PAIRS, (0.116, 0.116, 1.0, 0.207, 0.176), strict=True)),
        "Fine": dict(zip(_PAIRS, (0.885, 0.0, 0.0, 0.0, 0.053), strict=True)),
        "PT-SCM": dict(zip(_PAIRS, (0.886, 0.970, 0.016, 0.031, 0.0), strict=True)),
        "2 digits: SVM": dict(zip(_PAIRS, (0.911, 0.802, 0.304, 0.441, 0.394), strict=True)),
        "2 digits: SCM": dict(zip(_PAIRS, (0.893, 0.542, 0.501, 0.521, 0.476), strict=True)),
        "5 digits: SVM": dict(zip(_PAIRS, (0.921, 0.730, 0.497, 0.592, 0.537), strict=True)),
        "5 digits: SCM": dict(zip(_PAIRS, (0.937, 0.622, 0.658, 0.639, 0.618), strict=True)),
    },
    "table2": {
        # P and R make F = .211.
        "Coarse": dict(zip(_PAIRS, (0.118, 0.118, 1.0, 0.568, 0.010), strict=True)),
        "Fine": dict(zip(_PAIRS, (0.882, 0.0, 0.0, 0.0, 0.0), strict=True)),
        "PT-SCM": dict(zip(_PAIRS, (0.782, 0.141, 0.094, 0.113, 0.097), strict=True)),
        # P and R make F = .661, and a mean of several F cannot be above that.
        "SVM": dict(zip(_PAIRS, (0.936, 0.714, 0.616, 0.686, 0.721), strict=True)),
        "SCM": dict(zip(_PAIRS, (0.977, 0.779, 0.884, 0.828, 0.749), strict=True)),
    },
}
"""Daumé & Marcu 2004, Supervised Clustering with the Dirichlet Process, Tables 1 and 2.

Fractions. No definition of NES fits the last column: by the paper's own, all in one cluster has at
least about ½, and PT-SCM could not be below Fine.
"""
