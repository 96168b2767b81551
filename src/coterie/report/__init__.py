"""The report: what a model makes of a table, as one page that needs nothing from elsewhere.

A `ReportData` says in plain values what the page shows, and `coterie.report.page.page` writes it.
"""

from typing import TYPE_CHECKING

__all__ = [
    "Choice",
    "Curve",
    "FieldWeight",
    "Quality",
    "ReportData",
    "Row",
    "Sizes",
    "WorstCluster",
    "WorstClusters",
]

if TYPE_CHECKING:
    from coterie.report.data import Choice as Choice
    from coterie.report.data import Curve as Curve
    from coterie.report.data import FieldWeight as FieldWeight
    from coterie.report.data import Quality as Quality
    from coterie.report.data import ReportData as ReportData
    from coterie.report.data import Row as Row
    from coterie.report.data import Sizes as Sizes
    from coterie.report.data import WorstCluster as WorstCluster
    from coterie.report.data import WorstClusters as WorstClusters
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(__name__, {"data": __all__})
