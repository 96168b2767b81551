"""Example data of a report with all sections, and an example curve."""

import numpy as np

from coterie.report import (
    Choice,
    Curve,
    FieldWeight,
    Quality,
    ReportData,
    Row,
    Sizes,
    WorstCluster,
    WorstClusters,
)
from coterie.tables import Figure

NAN = float("nan")


def make_curve(**changes):
    thresholds = np.linspace(0.0, 1.0, 11)
    values = {
        "thresholds": thresholds,
        "precision": 0.5 + 0.5 * thresholds,
        "recall": 1.0 - 0.9 * thresholds,
        "f1": np.full(11, 0.7),
        "b_cubed": np.full(11, 0.8),
        "chosen": 0.4,
    }
    return Curve(**(values | changes))


def make_data(**changes):
    rows = [
        Row("r1", ["John", "Smith", "Berlin"], "e1"),
        Row("r2", ["Jon", "Smith", ""], "e1", "r1", 0.9),
        Row("r3", ["John", "Smyth", "Bern"], "e2", "r1", 0.4),
    ]
    contents = {
        "title": "People & places",
        "facts": [("model", "people.coterie"), ("rows", "1,200")],
        "sizes": Sizes({1: 900, 2: 120, 3: 20}, {1: 850, 2: 130, 7: 5}),
        "worst": WorstClusters(
            ["given", "surname", "city"], [WorstCluster("17", 5, 0.31, 0.4, rows)]
        ),
        "quality": Quality(
            [
                Figure("pairwise F1", 0.957, 0.941, 0.969),
                Figure("edits", 12.25, 10.0, 14.0, higher_is_better=False),
                Figure("B-cubed F1", 0.968),
            ],
            make_curve(),
        ),
        "fields": [
            FieldWeight("city", "category", 0.5, -0.5),
            FieldWeight("surname", "name", 2.0, -1.0),
            FieldWeight("email", "code", None, NAN),
        ],
        "choice": Choice(
            ["candidate", "F1"],
            [["boosted", "0.957"], ["pairs", "0.940"]],
            chosen=0,
            reason="boosted is best.",
        ),
        "blocking": [("candidate pairs", "12,345")],
    }
    return ReportData(**(contents | changes))
