"""The figures of Finley & Joachims 2008 as printed, by table, row and column."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

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
        # Four losses out of four would give W = 10.
        "WebKB-N": {"Win": 0, "Tie": 0, "Lose": 4, "W": 4, "n_s/r": 4, "P_1-tail": ">0.05"},
        "News": {"Win": 8, "Tie": 3, "Lose": 10, "W": 30, "n_s/r": 18, "P_1-tail": 0.2611},
        # The exact probability of five wins of five is 0.031.
        "Synth": {"Win": 5, "Tie": 0, "Lose": 0, "W": 15, "n_s/r": 5, "P_1-tail": 0.05},
    },
}
"""The tables of Finley & Joachims 2008, Supervised k-Means Clustering.

"statistics" is Tables 1 and 2: the sizes of the data, and the range of C. Table 3 has the loss on
each clustering that is left out of training; its rows are named "Synth, 1" and so on. Table 4
counts how often Iterative won against Spect in Table 3.
"""
