"""What is known of a model of tables: what it was learned from, how, and what it reached.

Equal fits have equal facts: no times, and no names of files.
"""

import math
from collections.abc import Sequence
from typing import Any

from coterie import metrics
from coterie.blocking import LearnedBlocking
from coterie.learners import AutoLearner
from coterie.learners.auto.text import HEADINGS, cells
from coterie.tables.groups import Group


def learning_facts(groups: Sequence[Group], learner: AutoLearner) -> dict[str, Any]:
    """Say what was learned from, what was chosen, and what it reached on held-out entities."""
    choice = learner.choice_
    return {
        "rows": sum(len(group.rows) for group in groups),
        "clusters": sum(group.truth.n_clusters for group in groups if group.truth is not None),
        "sets": len(groups),
        "learner": choice.name + (" with context" if choice.context else ""),
        "held_out": held_out_metrics(learner),
        "choice": choice_facts(learner),
    }


def blocking_facts(blocking: LearnedBlocking, n_pairs: int) -> dict[str, Any]:
    """Say which pairs are looked at."""
    return {
        "all_pairs": blocking.all_pairs,
        "pairs": n_pairs,
        "keys": [str(row.key) for row in blocking.table if row.chosen],
        "recall": blocking.recall.pairs,
        "held_out_recall": _or_none(blocking.held_out_recall.pairs),
    }


def choice_facts(learner: AutoLearner) -> dict[str, Any]:
    """Return the table of what was compared, the row that was chosen, and why."""
    tried = [row for row in learner.table_ if row.clusterer is not None]
    return {
        "headings": list(HEADINGS),
        "rows": [list(cells(row)) for row in tried],
        "chosen": next(number for number, row in enumerate(tried) if row is learner.choice_),
        "reason": f"Chosen because {learner.reason_}.",
    }


def held_out_metrics(learner: AutoLearner) -> dict[str, float]:
    """Return what the choice reached on held-out entities: means over item sets."""
    if not learner.held_out_:
        return {}
    clusterer = learner.to_model().clusterer
    predicted = [clusterer(each.scores) for each in learner.held_out_]
    truths = [each.truth for each in learner.held_out_]
    found: dict[str, float] = {}
    for name in ("pair_scores", "b_cubed"):
        scores = metrics.macro(getattr(metrics, name), truths, predicted)
        found |= {f"{name}.{part}": float(value) for part, value in scores._asdict().items()}
    return found | {
        "adjusted_rand_score": float(metrics.macro(metrics.adjusted_rand_score, truths, predicted))
    }


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
