"""The check passes sound clusterers and catches broken ones."""

import itertools
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest

from coterie import PairScores, Partition, checks
from coterie.checks import check_clusterer
from coterie.clusterers._base import HeuristicClusterer, Solution, require_n_clusters
from coterie.clusterers.left_link import LeftLink
from coterie.clusterers.pivot import Pivot
from coterie.clusterers.spanning_forest import SpanningForest
from coterie.clusterers.sum_link import SumLink
from coterie.exceptions import InputError
from coterie.objectives import Correlation, KMeans


@dataclass(frozen=True)
class Sound(HeuristicClusterer):
    """A plain correlation clusterer; each broken class below differs from it in one fault."""

    @property
    def objective(self):
        return Correlation()

    def _labels(self, scores):
        return SpanningForest()._partition(scores).labels


@dataclass(frozen=True)
class InOrder(HeuristicClusterer):
    """Put items into k clusters of consecutive items, without an objective."""

    n_clusters: int | None = None

    @property
    def objective(self):
        return None

    def _labels(self, scores):
        k = require_n_clusters(self.n_clusters, scores)
        return np.minimum(np.arange(scores.n_items), k - 1)


@dataclass(frozen=True)
class TwoMeans(InOrder):
    """`InOrder` with the objective of k-means."""

    @property
    def objective(self):
        return KMeans()


MEMBERS = [LeftLink(), LeftLink(0.3), LeftLink(1.0), SumLink(), Pivot(), Pivot(3, n_init=3)]


@pytest.mark.parametrize("clusterer", MEMBERS, ids=repr)
@pytest.mark.parametrize("random_state", [0, 1])
def test_members_pass(clusterer, random_state):
    check_clusterer(clusterer, random_state=random_state)


def test_the_order_of_items_matters_for_online_clusterers_only():
    check_clusterer(SpanningForest(), order_free=True)
    check_clusterer(Sound(), order_free=True)
    for clusterer in MEMBERS[:-2]:
        with pytest.raises(AssertionError, match="the order of the items matters"):
            check_clusterer(clusterer, order_free=True)


def test_clusterers_of_k_clusters_pass():
    check_clusterer(InOrder(), n_clusters=2)
    check_clusterer(InOrder(n_clusters=3))
    check_clusterer(TwoMeans(), n_clusters=1)
    check_clusterer(TwoMeans(n_clusters=4))
    with pytest.raises(AssertionError, match="the number of clusters is not known"):
        check_clusterer(InOrder())


class ReturnsLabels(Sound):
    def __call__(self, scores):
        self._refuse(scores)
        return np.zeros(scores.n_items, dtype=np.intp)


class ForgetsAnItem(Sound):
    def _labels(self, scores):
        return super()._labels(scores)[: max(scores.n_items - 1, 1)]


class RenumbersClusters(Sound):
    """Labels that do not start from 0."""

    def __call__(self, scores):
        partition = super().__call__(scores)
        object.__setattr__(partition, "labels", partition.labels + 1)
        return partition


class FailsOnOneItem(Sound):
    def _labels(self, scores):
        if scores.n_items == 1:
            raise IndexError("no pair")
        return super()._labels(scores)


class FailsWithoutItems(Sound):
    def __call__(self, scores):
        self._refuse(scores)
        return Partition(np.full(scores.n_items, scores.scores.max() if scores.n_items != 1 else 0))


class SolvesDifferently(Sound):
    def _solve(self, scores):
        return self._solution(scores, Partition(np.arange(scores.n_items)))


class OverstatesItsValue(Sound):
    def _solve(self, scores):
        solution = super()._solve(scores)
        return replace(solution, value=solution.value + 1)


class BoundsTooLow(Sound):
    def _solve(self, scores):
        solution = super()._solve(scores)
        return replace(solution, bound=solution.value + 1e-3, status="bounded")


class BoundsBelowItsValue(Sound):
    def _solve(self, scores):
        return replace(super()._solve(scores), bound=-1e9, status="bounded")


class ClaimsToBeExact(Sound):
    def _solve(self, scores):
        solution = super()._solve(scores)
        return replace(solution, bound=solution.value, status="exact")


class IsBoundedWithoutBound(Sound):
    def _solve(self, scores):
        return replace(super()._solve(scores), status="bounded")


class HasAnUnknownStatus(Sound):
    def _solve(self, scores):
        return replace(super()._solve(scores), status="optimal")


class ReversesWeights(Sound):
    def _solve(self, scores):
        solution = super()._solve(scores)
        return ReversedSolution(
            solution.partition, solution.value, objective=self.objective, scores=scores
        )


class ReversedSolution(Solution):
    @property
    def weights(self):
        return super().weights[::-1]


class JoinsApartPairs(Sound):
    keeps_apart: ClassVar[bool] = True


class TakesApartPairs(Sound):
    def _refuse(self, scores):
        if not isinstance(scores, PairScores):
            raise InputError("give PairScores")


class TakesAnything(Sound):
    def __call__(self, scores):
        return Partition([0]) if scores is None else super().__call__(scores)


class FailsOnAnything(Sound):
    def _refuse(self, scores):
        if scores.apart is not None:
            super()._refuse(scores)


class FollowsPairOrder(Sound):
    """Joins the two items of the first pair."""

    @property
    def objective(self):
        return None

    def _labels(self, scores):
        first = scores.pairs[:1]
        return Partition.from_links(first, scores.n_items).labels


class JoinsNothing(Sound):
    def _labels(self, scores):
        return np.arange(scores.n_items)


class JoinsEverything(Sound):
    def _labels(self, scores):
        return np.zeros(scores.n_items, dtype=np.intp)


@dataclass(frozen=True)
class Alternates(Sound):
    calls: itertools.count = field(default_factory=itertools.count)

    def _labels(self, scores):
        return np.arange(scores.n_items) * (next(self.calls) % 2)


@dataclass(frozen=True)
class HasWrongParameters(Sound):
    level: float = 1.0

    def get_params(self, deep=True):
        return {"level": self.level, "other": 0}


@dataclass(frozen=True)
class ChangesItsParameters(Sound):
    level: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "level", self.level / 2)


@dataclass(frozen=True)
class FrozenBase(Sound):
    level: float = 1.0


class IsNotFrozen(FrozenBase):
    """A class whose fields can be set."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


FAULTS = {
    ReturnsLabels: "returns ndarray, not Partition",
    ForgetsAnItem: "returns Partition",
    RenumbersClusters: "returns Partition",
    FailsOnOneItem: "fails on PairScores.1 items",
    FailsWithoutItems: "fails on PairScores.0 items",
    SolvesDifferently: "solve finds another partition",
    OverstatesItsValue: "the value is",
    BoundsTooLow: "with status bounded is below",
    BoundsBelowItsValue: "the value exceeds the bound",
    ClaimsToBeExact: "with status exact is below",
    IsBoundedWithoutBound: "the status is 'bounded'",
    HasAnUnknownStatus: "the status is 'optimal'",
    ReversesWeights: "the weights are not those of the objective",
    JoinsApartPairs: "which must be apart",
    TakesApartPairs: "without keeps_apart, cannot-link pairs: this must raise PairError",
    TakesAnything: "scores of type NoneType: this must raise InputError, but raises no error",
    FailsOnAnything: "must raise InputError, but raises AttributeError",
    FollowsPairOrder: "the order of the pairs matters",
    JoinsNothing: "positive, but not all items are together",
    JoinsEverything: "negative, but not all items are singletons",
    Alternates: "a second call finds another partition",
    HasWrongParameters: "cannot be created from its get_params",
    ChangesItsParameters: "has another level",
    IsNotFrozen: "is not frozen",
}


@pytest.mark.parametrize("broken", FAULTS, ids=lambda kind: kind.__name__)
def test_broken_clusterers_are_caught(broken):
    with pytest.raises(AssertionError, match=FAULTS[broken]):
        check_clusterer(broken())


class MakesOneTooMany(InOrder):
    def _labels(self, scores):
        k = require_n_clusters(self.n_clusters, scores)
        return np.minimum(np.arange(scores.n_items), k)


class MakesOneCluster(InOrder):
    def _labels(self, scores):
        require_n_clusters(self.n_clusters, scores)
        return np.zeros(scores.n_items, dtype=np.intp)


class TakesAnyNumber(InOrder):
    def _labels(self, scores):
        return np.arange(scores.n_items) % (self.n_clusters or scores.n_clusters)


class ValuesNothing(InOrder):
    def _solve(self, scores):
        return replace(super()._solve(scores), value=0.0)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (MakesOneTooMany, "clusters, not 2"),
        (MakesOneCluster, "makes 1 clusters, not 2"),
        (TakesAnyNumber, "more clusters than"),
        (ValuesNothing, "there is a value without an objective"),
    ],
)
def test_broken_clusterers_of_k_clusters_are_caught(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_clusterer(broken(), n_clusters=2)
    with pytest.raises(AssertionError):
        check_clusterer(broken(n_clusters=2))


def test_the_check_is_public():
    assert checks.check_clusterer is check_clusterer
