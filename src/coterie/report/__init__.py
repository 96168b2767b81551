"""The report: what a model makes of a table, as one page that needs nothing from elsewhere.

A `ReportData` says in plain values what the page shows, and `page` writes it.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
