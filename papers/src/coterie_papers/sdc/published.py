"""The figures that Li & Roth 2005 print: row → column → figure."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

SDC: Mapping[str, Figures] = {
    "figure4": {"SDC": {"People": 92.7, "Locations": 92.4, "Organizations": 95.7}},
}
"""The best F1 of SDC in percent (section 6.1); all other results of the paper are plots."""
