"""The candidates of the automatic choice: families of learners, with and without context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log1p
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from coterie._core.arguments import as_list
from coterie._core.arrays import Bools, Floats
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import AverageLinkage, Greedy, LeftLink
from coterie.exceptions import InputError
from coterie.features.given import GivenFeatures
from coterie.items import ItemSet
from coterie.learners.auto.families import FAMILIES, family_of
from coterie.learners.base import Examples, Learner
from coterie.learners.calibration.curve_fits import Platt
from coterie.learners.context import WithContext
from coterie.partition import Partition

N_FOLDS = 5
"""Number of folds of the first stage of a learner with context."""

LARGEST_LIMIT, MIN_CLUSTERS = 10, 5
"""The largest size of true clusters is a limit if it is at most 10, in at least 5 clusters."""


class Candidate(NamedTuple):
    """A family of learners, with or without features of context."""

    name: str
    context: bool = False

    def __str__(self) -> str:
        return f"{self.name} with context" if self.context else self.name


CANDIDATES = tuple(
    Candidate(family.name, context) for family in FAMILIES for context in (False, True)
)
"""All candidates, in the order of simplicity."""


def candidates_named(names: Iterable[str] | None) -> tuple[Candidate, ...]:
    """Return the candidates that have some names; None means all candidates."""
    if names is None:
        return CANDIDATES
    all_names = [str(candidate) for candidate in CANDIDATES]
    selected = tuple(as_list("candidates", names, "a list of names, or None for all candidates"))
    for name in selected:
        if name not in all_names:
            raise InputError(
                f"candidates has {name!r}, which is not a candidate; use some of "
                f"{', '.join(all_names)}"
            )
    if not selected:
        raise InputError(
            f"candidates is empty; use some of {', '.join(all_names)}, or None for all of them"
        )
    return tuple(candidate for candidate in CANDIDATES if str(candidate) in selected)


class SizeLimit(NamedTuple):
    """The largest size of a cluster, as training clusters show it.

    `max_size` is the size of the largest clusters, and `n_clusters` the number of all clusters. If
    it is infinite, larger clusters are never made.
    """

    max_size: int
    n_clusters: float = inf

    @classmethod
    def of(cls, truths: Sequence[Partition]) -> Self | None:
        """Return the limit, or None if true clusters give no evidence of one.

        Several clusters of the same small size, and none above it, are evidence.

        >>> SizeLimit.of([Partition([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])])
        SizeLimit(max_size=2, n_clusters=6)
        >>> SizeLimit.of([Partition([0, 0])])
        """
        sizes = np.concatenate([truth.sizes for truth in truths])
        largest = int(sizes.max(initial=1))
        n_largest = np.count_nonzero(sizes == largest)
        is_limit = 1 < largest <= LARGEST_LIMIT and n_largest >= MIN_CLUSTERS
        return cls(largest, len(sizes)) if is_limit else None

    def cost(self, scores: Floats, is_together: Bools) -> float:
        """Return how much more than the threshold a join beyond the limit has to score.

        None of n clusters was larger, so the odds of a larger one are taken to be 1 : n + 1
        (Laplace's rule of succession). The score makes up for them: by a logistic curve, log-odds
        are proportional to scores.
        """
        if np.isinf(self.n_clusters):
            return inf
        slope = Platt().fit(scores, is_together).slope
        return log1p(self.n_clusters) / slope if slope > 0.0 else 0.0


class Variant(NamedTuple):
    """A learner of a family, and the numbers of rounds or passes for which it is fitted.

    `lengths` are values of the parameter of the learner's `fit_path`, or (None,) for a learner
    without one. `gamma` is the temperature of left-linking, which processes the items in order;
    None means that the learner does not link to the left.
    """

    learner: Learner
    lengths: tuple[int | None, ...] = (None,)
    gamma: float | None = None


@dataclass(frozen=True, eq=False)
class Setup:
    """The settings that all candidates share.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; None means the features of the item sets.
    blocker
        Chooses the candidate pairs; None means all pairs.
    ordered
        Whether the order of the items is meaningful. If not, no prediction depends on it, and
        items are shuffled for learners that process them in order.
    random_state
        Seed of all learners.
    limit
        The largest size of clusters; None means that there is none.
    """

    featurizer: Featurizer | None = None
    blocker: Blocker | None = None
    ordered: bool = False
    random_state: int = 0
    limit: SizeLimit | None = None

    def variants(self, candidate: Candidate) -> list[Variant]:
        """Return the unfitted learners of a candidate; the first is the default."""
        variants = family_of(candidate.name).variants(self)
        if not candidate.context:
            return variants
        return [
            variant._replace(learner=WithContext(variant.learner, None, N_FOLDS, self.random_state))
            for variant in variants
        ]

    def clusterers(self, variant: Variant) -> list[Clusterer]:
        """Return the clusterers that can predict with a variant; the first is the default."""
        unordered: list[Clusterer] = [AverageLinkage(), Greedy()]
        if self.limit is not None:
            limited = AverageLinkage(max_size=self.limit.max_size)
            unordered = [limited] if np.isinf(self.limit.n_clusters) else [limited, *unordered]
        if self.ordered:
            return [LeftLink(variant.gamma or 0.0), *unordered]
        return unordered

    def fits(self, variant: Variant, examples: Examples, lengths: Sequence[Any]) -> list[Learner]:
        """Return the variant fitted for each of some lengths."""
        learner: Any = clone(variant.learner)
        if not self.ordered and variant.gamma is not None:
            examples = _shuffle_items(examples, self.random_state)
        if list(lengths) == [None]:
            return [learner.fit(*examples)]
        learners: list[Learner] = learner.fit_path(*examples, list(lengths))
        return learners

    @property
    def base(self) -> Featurizer:
        """The featurizer, or the features of the item sets if there is none."""
        return GivenFeatures() if self.featurizer is None else self.featurizer

    @property
    def shared_params(self) -> dict[str, Any]:
        """The blocker and the random state, as parameters of a learner."""
        return {"blocker": self.blocker, "random_state": self.random_state}


def _shuffle_items(examples: Examples, random_state: int) -> Examples:
    rng = np.random.default_rng(random_state)
    shuffled: tuple[list[ItemSet], list[Partition]] = ([], [])
    for item_set, truth in zip(*examples, strict=True):
        order = rng.permutation(len(item_set))
        shuffled[0].append(item_set.reordered(order))
        shuffled[1].append(Partition(truth.labels[order]))
    return Examples(*shuffled)
