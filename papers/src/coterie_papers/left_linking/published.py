"""The figures of Samdani, Chang & Roth 2014 as printed, by table, row and column."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

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
    # Of the 3,145 training documents, 343 are used to choose settings.
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
            row: dict(zip(_SCORES, scores[number], strict=True))
            for row, scores in _COREFERENCE.items()
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

Table 1 by corpus, with F1 in percent; Table 2 (a) as "statistics"; the sizes of corpora in section
5.1; Table 2 (b) as "forum", with the variation of information times 100, for which the paper does
not state the base of the logarithm; and the figures in the text of sections 5.3 and 5.4.
"""
