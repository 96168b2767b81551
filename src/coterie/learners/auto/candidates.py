"""The candidates of the automatic choice: families of learners, with and without context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import AverageLinkage, Greedy, LeftLink
from coterie.exceptions import InputError
from coterie.features.given import GivenFeatures
from coterie.items import ItemSet
from coterie.learners.auto.families import FAMILIES, family_of
from coterie.learners.base import Examples, Learner
from coterie.learners.context import WithContext
from coterie.partition import Partition

N_FOLDS = 5
"""Of the first stage of a learner with context, which is fitted as often in every fold."""

SMALL, SEVERAL = 10, 5
"""That clusters have a largest size shows where it is small, and several clusters have it."""


class Candidate(NamedTuple):
    """A family of learners, with features of context or without."""

    name: str
    context: bool = False

    def __str__(self) -> str:
        return f"{self.name} with context" if self.context else self.name


CANDIDATES = tuple(Candidate(each.name, context) for each in FAMILIES for context in (False, True))
"""All candidates, in the order of simplicity."""


def candidates_named(names: Iterable[str] | None) -> tuple[Candidate, ...]:
    """Return the candidates of some names, None for all."""
    if names is None:
        return CANDIDATES
    known = {str(each): each for each in CANDIDATES}
    wanted = tuple(names)
    for name in wanted:
        if name not in known:
            raise InputError(f"candidates has {name!r}; give some of {', '.join(known)}")
    if not wanted:
        raise InputError(f"candidates is empty; give some of {', '.join(known)}, or None")
    return tuple(each for each in CANDIDATES if str(each) in wanted)


def size_bound(truths: Sequence[Partition]) -> int | None:
    """Return how many items a cluster can have, None where the known ones do not tell.

    >>> size_bound([Partition([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])]), size_bound([Partition([0, 0])])
    (2, None)
    """
    sizes = np.concatenate([truth.sizes for truth in truths])
    largest = int(sizes.max(initial=1))
    told = 1 < largest <= SMALL and np.count_nonzero(sizes == largest) >= SEVERAL
    return largest if told else None


class Variant(NamedTuple):
    """One learner of a family, and for which lengths of its path it is fitted, in one go.

    `gamma` is the temperature of a learner of left links, which goes over the items in order.
    """

    learner: Learner
    lengths: tuple[int | None, ...] = (None,)
    gamma: float | None = None


@dataclass(frozen=True, eq=False)
class Setup:
    """What all candidates share.

    Parameters
    ----------
    featurizer
        Computes the features of pairs; None takes those of the item sets.
    blocker
        Says which pairs are looked at; None stands for all.
    ordered
        Whether the order of the items means something. If not, nothing that is predicted depends
        on it, and items are shuffled for learners that go over them in order.
    random_state
        Seed of all learners.
    max_size
        How many items a cluster can have, None where nothing is known of it.
    """

    featurizer: Featurizer | None = None
    blocker: Blocker | None = None
    ordered: bool = False
    random_state: int = 0
    max_size: int | None = None

    def variants(self, candidate: Candidate) -> list[Variant]:
        """Return the unfitted learners of a candidate; the first is the default."""
        plain = family_of(candidate.name).variants(self)
        if not candidate.context:
            return plain
        return [
            each._replace(learner=WithContext(each.learner, None, N_FOLDS, self.random_state))
            for each in plain
        ]

    def clusterers(self, variant: Variant) -> list[Clusterer]:
        """Return what may predict with a variant; the first is the default."""
        free: list[Clusterer] = [AverageLinkage(), Greedy()]
        if self.max_size is not None:
            free.insert(0, AverageLinkage(max_size=self.max_size))
        return [LeftLink(variant.gamma or 0.0), *free] if self.ordered else free

    def fits(self, variant: Variant, examples: Examples, lengths: Sequence[Any]) -> list[Learner]:
        """Fit a variant, once for each length of its path."""
        learner: Any = clone(variant.learner)
        if not self.ordered and variant.gamma is not None:
            examples = _shuffled(examples, self.random_state)
        if list(lengths) == [None]:
            return [learner.fit(*examples)]
        fitted: list[Learner] = learner.fit_path(*examples, list(lengths))
        return fitted

    @property
    def base(self) -> Featurizer:
        """The featurizer; that of the given features where there is none."""
        return GivenFeatures() if self.featurizer is None else self.featurizer

    @property
    def shared(self) -> dict[str, Any]:
        """The other parameters that all learners have."""
        return {"blocker": self.blocker, "random_state": self.random_state}


def _shuffled(examples: Examples, random_state: int) -> Examples:
    rng = np.random.default_rng(random_state)
    moved: tuple[list[ItemSet], list[Partition]] = ([], [])
    for item_set, truth in zip(*examples, strict=True):
        order = rng.permutation(len(item_set))
        moved[0].append(item_set.reordered(order))
        moved[1].append(Partition(truth.labels[order]))
    return Examples(*moved)
