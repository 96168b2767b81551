"""Latent left-linking (Samdani, Chang & Roth 2014): its tables, on corpora like the paper's.

Every technique is trained for each of its settings; those that are best on the development sets
predict the test sets. A cell holds one technique on one division of a corpus, with its predictions,
from which all measures are taken.
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
    """Show Table 1 on GUM, with a model for each genre."""
    return table1(context, GENRES)


def coref_ontogum(context: Context) -> list[Table]:
    """Show Table 1 on OntoGUM, where no mention is alone."""
    return table1(context, ONTOGUM)


def coref_litbank(context: Context) -> list[Table]:
    """Show Table 1 on LitBank, in ten folds."""
    return table1(context, LITBANK)


def coref_gum_60(context: Context) -> list[Table]:
    """Show Table 1 on 60 documents of GUM, with the features that come with them."""
    return table1(context, GUM_60)


def _noted(make: Callable[[Context], list[Table]]) -> Callable[[Context], list[Table]]:
    """Say below each table what a quick run left out for it."""

    @wraps(make)
    def made(context: Context) -> list[Table]:
        added = quick_notes(context)
        return [replace(table, notes=[*table.notes, *added]) for table in make(context)]

    return made


TABLES = {
    "statistics": statistics,
    "coref-gum": _noted(coref_gum),
    "coref-genres": _noted(coref_genres),
    "coref-ontogum": _noted(coref_ontogum),
    "coref-litbank": _noted(coref_litbank),
    "coref-gum-60": _noted(coref_gum_60),
    "forum": _noted(forum),
    "irc": _noted(irc),
    "starts": _noted(starts),
    "cccp": _noted(cccp),
    "order": _noted(order),
    "claims": _noted(claims),
}
