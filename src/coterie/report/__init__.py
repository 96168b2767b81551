"""Reports about a clustered table, as one HTML page that loads no other file.

`report_of` collects the data of a report in a `ReportData`, and `page` writes the page.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
