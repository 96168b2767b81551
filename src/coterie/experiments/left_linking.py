"""Latent left-linking (Samdani, Chang & Roth 2014): its tables, on corpora like the paper's.

Every technique is trained for each of its settings; those that are best on the development sets
predict the test sets. A cell holds one technique on one division of a corpus, with its predictions,
from which all measures are taken.
"""

from coterie.experiments._left_controls import cccp, order, starts
from coterie.experiments._left_coreference import (
    GENRES,
    GUM,
    GUM_60,
    LITBANK,
    ONTOGUM,
    table1,
)
from coterie.experiments._left_forum import forum, irc
from coterie.experiments.cells import Context
from coterie.experiments.tables import Table


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


TABLES = {
    "coref-gum": coref_gum,
    "coref-genres": coref_genres,
    "coref-ontogum": coref_ontogum,
    "coref-litbank": coref_litbank,
    "coref-gum-60": coref_gum_60,
    "forum": forum,
    "irc": irc,
    "starts": starts,
    "cccp": cccp,
    "order": order,
}
