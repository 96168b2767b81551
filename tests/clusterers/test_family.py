"""Every member of the family keeps its contract."""

import inspect

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

from coterie import clusterers
from coterie.checks import check_clusterer
from coterie.clusterers._base import PairClusterer
from coterie.exceptions import ItemSetError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from tests.clusterers.instances import best_value, keeps_apart, small_instances

MEMBERS = [
    member
    for member in (getattr(clusterers, name) for name in clusterers.__all__)
    if issubclass(member, PairClusterer) and member is not clusterers.EstimatorClusterer
]
ORDER_FREE = {
    clusterers.Greedy,
    clusterers.Exact,
    clusterers.SpanningForest,
    clusterers.SingleLinkage,
    clusterers.CompleteLinkage,
    clusterers.AverageLinkage,
}
CORRELATION = [member for member in MEMBERS if isinstance(member().objective, Correlation)]


def takes_k(member):
    return "n_clusters" in inspect.signature(member).parameters


def test_contract_of_an_estimator():
    average = AgglomerativeClustering(metric="precomputed", linkage="average")
    check_clusterer(clusterers.EstimatorClusterer(average), n_clusters=2, order_free=True)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.__name__)
def test_contract(member):
    n_clusters = 2 if takes_k(member) else None
    check_clusterer(member(), n_clusters=n_clusters, order_free=member in ORDER_FREE)


@pytest.mark.parametrize(
    "member", list(filter(takes_k, MEMBERS)), ids=lambda member: member.__name__
)
def test_contract_with_the_number_of_clusters_in_the_constructor(member):
    check_clusterer(member(n_clusters=3), order_free=member in ORDER_FREE)
    scores = PairScores(4, None, np.arange(6.0))
    with pytest.raises(ItemSetError, match="use at most"):
        member(n_clusters=5)(scores)


@pytest.mark.parametrize("member", CORRELATION, ids=lambda member: member.__name__)
def test_no_correlation_clusterer_exceeds_the_best(member):
    for scores in small_instances(60, seed=7, max_items=7):
        if scores.apart is None or member.keeps_apart:
            solution, best = member().solve(scores), best_value(scores)
            assert solution.value <= best + 1e-9
            assert solution.bound >= best - 1e-9
            assert keeps_apart(solution.partition, scores)


@pytest.mark.parametrize(
    "clusterer",
    [
        clusterers.Relaxation(),
        clusterers.KernelKMeans(2),
        clusterers.Spectral(2),
        clusterers.AverageLinkage(n_clusters=2),
        clusterers.KMedoids(2),
        clusterers.RepeatedBisection(2),
    ],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_what_needs_a_full_matrix_says_so_before_memory_runs_out(clusterer):
    scores = PairScores(2_000_000, [(0, 1)], [1.0])
    with pytest.raises(ItemSetError, match="more than the memory"):
        clusterer(scores)
