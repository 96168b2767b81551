"""The tables of latent left-linking (Samdani, Chang & Roth 2014), on similar corpora.

Each technique is trained with each of its settings, and the settings that are best on the
development sets predict the test sets. A cell holds the predictions of one technique on one
division of a corpus; all measures are computed from them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from coterie_papers.engine.cells import Context
from coterie_papers.engine.tables import Table
from coterie_papers.left_linking.claims import claims
from coterie_papers.left_linking.controls import cccp, order, starts
from coterie_papers.left_linking.coreference import GENRES, GUM, GUM_60, LITBANK, ONTOGUM, table1
from coterie_papers.left_linking.forum import forum, irc
from coterie_papers.left_linking.protocol import quick_notes
from coterie_papers.left_linking.statistics import statistics


def coref_gum(context: Context) -> list[Table]:
    """Show Table 1 on GUM, with one model for all genres."""
    return table1(context, GUM)


def coref_genres(context: Context) -> list[Table]:
    """Show Table 1 on GUM, with one model per genre."""
    return table1(context, GENRES)


def coref_ontogum(context: Context) -> list[Table]:
    """Show Table 1 on OntoGUM, where each mention corefers with another."""
    return table1(context, ONTOGUM)


def coref_litbank(context: Context) -> list[Table]:
    """Show Table 1 on LitBank, in ten folds."""
    return table1(context, LITBANK)


def coref_gum_60(context: Context) -> list[Table]:
    """Show Table 1 on 60 documents of GUM, with the features that come with them."""
    return table1(context, GUM_60)


def _with_quick_notes(make: Callable[[Context], list[Table]]) -> Callable[[Context], list[Table]]:
    """Add notes on the limits of a quick run to the tables of a function."""

    @wraps(make)
    def with_notes(context: Context) -> list[Table]:
        quick = quick_notes(context)
        return [replace(table, notes=[*table.notes, *quick]) for table in make(context)]

    return with_notes


TABLES = {
    "statistics": statistics,
    "coref-gum": _with_quick_notes(coref_gum),
    "coref-genres": _with_quick_notes(coref_genres),
    "coref-ontogum": _with_quick_notes(coref_ontogum),
    "coref-litbank": _with_quick_notes(coref_litbank),
    "coref-gum-60": _with_quick_notes(coref_gum_60),
    "forum": _with_quick_notes(forum),
    "irc": _with_quick_notes(irc),
    "starts": _with_quick_notes(starts),
    "cccp": _with_quick_notes(cccp),
    "order": _with_quick_notes(order),
    "claims": _with_quick_notes(claims),
}
