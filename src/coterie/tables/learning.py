"""Learning from the candidate pairs of a labelled table, with a chosen effort."""

import warnings
from collections.abc import Sequence
from math import isinf
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie._core.arrays import Bools, Ints
from coterie.blocking import LearnedBlocking
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners import AutoLearner
from coterie.learners.auto.choice import ChosenLearner
from coterie.learners.auto.families import AUTO, FAMILIES, SLUGS
from coterie.learners.auto.plan import plan_validation
from coterie.learners.base import Examples
from coterie.learners.sampled.efforts import SAMPLED
from coterie.learners.sampled.pools import PairPool
from coterie.learners.sampled.search import SampleSearch
from coterie.learners.sampled.settings import LearningSettings
from coterie.pairs import condensed_positions
from coterie.partition import Partition
from coterie.tables.cross_fitting import CrossFittedPairs, compare_cross_fitted


class LabelledPairs(NamedTuple):
    """The candidate pairs of labelled rows.

    `entities` has the entity of each row, for each set; equal numbers mean the same entity in all
    sets. `names` has their names.
    """

    sets: Sequence[ItemSet]
    truths: Sequence[Partition]
    entities: Sequence[Ints]
    names: Sequence[Sequence[str]]
    pairs: Sequence[Ints | None]
    blocking: LearnedBlocking


def learn(
    labelled: LabelledPairs, features: RecordFeatures, learner: str, settings: LearningSettings
) -> ChosenLearner:
    """Learn a similarity and a clusterer, from a sample of the pairs if the effort is low.

    A learner that needs all pairs, such as left-linking, gets them with any effort.
    """
    families = [family for family in FAMILIES if family.name in SLUGS[learner]]
    if settings.effort not in SAMPLED:
        return _learn_from_all(labelled, features, learner, settings)
    effort = SAMPLED[settings.effort]
    if learner == AUTO:
        families = [family for family in families if family.slug in effort.slugs]
    if any(family.sample_module is None for family in families):
        return _learn_from_all(labelled, features, learner, settings)
    examples = Examples(list(labelled.sets), list(labelled.truths))
    plan = plan_validation(
        examples, list(labelled.entities), effort.n_folds, settings.random_state, named=True
    )
    limit = settings.limit
    if not plan.folds and limit is not None and not isinf(limit.n_clusters):
        limit = None  # without held-out scores, nothing says what a limit would cost
    compared = CrossFittedPairs(features, labelled.sets, labelled.entities, labelled.pairs)
    search = SampleSearch(
        PairPool(labelled.truths, labelled.pairs, compared),
        np.concatenate(labelled.entities),
        plan,
        families,
        settings._replace(limit=limit),
    )
    return search.run(_are_similar(labelled))


def _are_similar(labelled: LabelledPairs) -> Bools:
    """Return for each candidate pair whether a blocking key finds it."""
    parts = []
    for item_set, pairs in zip(labelled.sets, labelled.pairs, strict=True):
        if pairs is not None:
            parts.append(np.ones(len(pairs), dtype=np.bool_))
            continue
        keys: Any = labelled.blocking.blocker.otherwise
        is_similar = np.zeros(len(item_set) * (len(item_set) - 1) // 2, dtype=np.bool_)
        is_similar[condensed_positions(keys.listed(item_set).pairs, len(item_set))] = True
        parts.append(is_similar)
    return np.concatenate(parts)


def _learn_from_all(
    labelled: LabelledPairs, features: RecordFeatures, learner: str, settings: LearningSettings
) -> ChosenLearner:
    """Learn from all candidate pairs, by `AutoLearner`."""
    auto = AutoLearner(
        metric=settings.metric,
        budget=settings.budget,
        # No candidates with context: their scores depend on all rows, so that an explanation could
        # not split the score of two rows by fields.
        candidates=SLUGS[learner],
        n_jobs=settings.n_jobs,
        random_state=settings.random_state,
    )
    compared = compare_cross_fitted(features, labelled.sets, labelled.entities, labelled.pairs)
    entities = labelled.names if len(labelled.sets) > 1 else None
    with warnings.catch_warnings():
        # Many pairs compare the same two values. Where L-BFGS has not yet separated such columns,
        # scores hardly change, and the result is measured on held-out entities in any case.
        warnings.simplefilter("ignore", ConvergenceWarning)
        auto.fit(compared, labelled.truths, entities=entities, limit=settings.limit)
    return auto.to_choice()
