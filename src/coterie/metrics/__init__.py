"""Metrics: how close a predicted clustering is to the true one.

A metric is a function of (truth, predicted): partitions, label lists, or clusters of hashable
mentions, of which the two sides may then have different ones, as in coreference. Names in
`_score` are better when higher, in `_loss`, `_distance` and `_error` when lower; every metric
says so by `greater_is_better`. Scores of three parts are a named tuple of precision, recall and f1.
"""

from typing import TYPE_CHECKING

__all__ = [
    "Comparison",
    "Scores",
    "adjusted_rand_score",
    "b_cubed",
    "blanc",
    "bootstrap_interval",
    "ceaf_entity",
    "ceaf_mention",
    "cluster_edit_distance",
    "compare",
    "compare_all",
    "conll_score",
    "lea",
    "macro",
    "micro",
    "mitre_loss",
    "muc",
    "normalized_edit_score",
    "normalized_mutual_info_score",
    "pair_loss",
    "pair_scores",
    "rand_score",
    "scorer",
    "summary",
    "trace_loss",
    "v_measure",
    "variation_of_information",
    "weighted_clustering_error",
]

if TYPE_CHECKING:
    from coterie.metrics._metric import Scores as Scores
    from coterie.metrics.averages import macro as macro
    from coterie.metrics.averages import micro as micro
    from coterie.metrics.averages import scorer as scorer
    from coterie.metrics.averages import summary as summary
    from coterie.metrics.edits import cluster_edit_distance as cluster_edit_distance
    from coterie.metrics.edits import normalized_edit_score as normalized_edit_score
    from coterie.metrics.entities import b_cubed as b_cubed
    from coterie.metrics.entities import ceaf_entity as ceaf_entity
    from coterie.metrics.entities import ceaf_mention as ceaf_mention
    from coterie.metrics.entities import conll_score as conll_score
    from coterie.metrics.information import (
        normalized_mutual_info_score as normalized_mutual_info_score,
    )
    from coterie.metrics.information import trace_loss as trace_loss
    from coterie.metrics.information import v_measure as v_measure
    from coterie.metrics.information import variation_of_information as variation_of_information
    from coterie.metrics.links import blanc as blanc
    from coterie.metrics.links import lea as lea
    from coterie.metrics.links import mitre_loss as mitre_loss
    from coterie.metrics.links import muc as muc
    from coterie.metrics.pairs import adjusted_rand_score as adjusted_rand_score
    from coterie.metrics.pairs import pair_loss as pair_loss
    from coterie.metrics.pairs import pair_scores as pair_scores
    from coterie.metrics.pairs import rand_score as rand_score
    from coterie.metrics.pairs import weighted_clustering_error as weighted_clustering_error
    from coterie.metrics.significance import Comparison as Comparison
    from coterie.metrics.significance import bootstrap_interval as bootstrap_interval
    from coterie.metrics.significance import compare as compare
    from coterie.metrics.significance import compare_all as compare_all
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_metric": ["Scores"],
            "averages": ["macro", "micro", "scorer", "summary"],
            "edits": ["cluster_edit_distance", "normalized_edit_score"],
            "entities": ["b_cubed", "ceaf_entity", "ceaf_mention", "conll_score"],
            "information": [
                "normalized_mutual_info_score",
                "trace_loss",
                "v_measure",
                "variation_of_information",
            ],
            "links": ["blanc", "lea", "mitre_loss", "muc"],
            "pairs": [
                "adjusted_rand_score",
                "pair_loss",
                "pair_scores",
                "rand_score",
                "weighted_clustering_error",
            ],
            "significance": ["Comparison", "bootstrap_interval", "compare", "compare_all"],
        },
    )
