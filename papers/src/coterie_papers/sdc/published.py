"""The figures that Li & Roth 2005 print, as printed: row → column → figure."""

from collections.abc import Mapping

from coterie_papers.engine.tables import Figures

SDC: Mapping[str, Figures] = {
    "figure4": {"SDC": {"People": 92.7, "Locations": 92.4, "Organizations": 95.7}},
}
"""Li & Roth 2005, Discriminative Training of Clustering Functions, section 6.1.

The best F1 of SDC in percent: all other figures of the paper are plots.
"""
