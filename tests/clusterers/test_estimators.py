"""Clusterers of scikit-learn in the family, against our own linkage and by hand."""

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AffinityPropagation,
    AgglomerativeClustering,
    FeatureAgglomeration,
    KMeans,
    SpectralClustering,
)

from coterie.blocking import AllPairs
from coterie.clusterers import AverageLinkage, CompleteLinkage, SingleLinkage
from coterie.clusterers.estimators import EstimatorClusterer
from coterie.exceptions import InputError, ItemSetError, PairError, PartitionError
from coterie.features import GivenFeatures
from coterie.items import ItemSet
from coterie.learners import PairwiseClustering
from coterie.model import Model
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity

OURS = {"single": SingleLinkage, "complete": CompleteLinkage, "average": AverageLinkage}
GROUPS = Partition([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2])


def linkage(kind="average", **params):
    return AgglomerativeClustering(metric="precomputed", linkage=kind, **params)


def distinct(rng, n_items, n_clusters=None, share=1.0):
    """Make scores that all differ, of all pairs or of a share of them."""
    pairs = None if share == 1.0 else rng.permutation(all_pairs(n_items))
    pairs = pairs if pairs is None else pairs[: round(share * len(pairs))]
    scores = rng.normal(size=count_pairs(n_items, pairs))
    return PairScores(n_items, pairs, scores, n_clusters=n_clusters)


def grouped(noise=0, n_clusters=None):
    """Make scores of 4 to 5 inside `GROUPS`, 0 to 1 between them and with items of noise."""
    rng = np.random.default_rng(1)
    labels = np.concatenate([GROUPS.labels, 3 + np.arange(noise)])
    scores = 4.0 * Partition(labels).together() + rng.random(count_pairs(len(labels)))
    return PairScores(len(labels), None, scores, n_clusters=n_clusters)


class Recorder:
    """An estimator that keeps what its copies are given, and returns the labels that it has."""

    calls: ClassVar[list] = []

    def __init__(self, labels=None, **params):
        self.labels = labels
        self.params = {"metric": "precomputed"} | params

    def get_params(self, deep=True):
        return dict(self.params)

    def set_params(self, **params):
        self.params |= params
        return self

    def fit_predict(self, matrix):
        self.seen.append((self.params, matrix.copy()))
        matrix[:] = np.nan
        return self.labels


@pytest.fixture
def calls():
    Recorder.seen = []
    return Recorder.seen


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_linkage_is_that_of_ours(kind, share, rng):
    missing = -9.0  # below all scores; joins that score this are equals
    for n_items in (2, 3, 7, 20, 40):
        scores = distinct(rng, n_items, share=share)
        fewest = OURS[kind](threshold=missing, missing=missing)(scores).n_clusters
        for k in {fewest, (fewest + n_items) // 2, n_items}:
            expected = OURS[kind](n_clusters=k, missing=missing)(scores)
            assert EstimatorClusterer(linkage(kind, n_clusters=k), missing)(scores) == expected
            with_n_clusters = PairScores(n_items, scores.listed, scores.scores, n_clusters=k)
            assert EstimatorClusterer(linkage(kind), missing)(with_n_clusters) == expected


def test_a_threshold_of_distance_is_one_of_scores(rng):
    scores = distinct(rng, 30)
    for threshold in np.quantile(scores.scores, [0.1, 0.5, 0.9]) + 0.01:
        reach = scores.scores.max() - threshold
        for kind, linkage_class in OURS.items():
            estimator = linkage(kind, n_clusters=None, distance_threshold=reach)
            assert EstimatorClusterer(estimator)(scores) == linkage_class(threshold)(scores)


@given(seed=st.integers(0, 10**6), n_items=st.integers(2, 12))
def test_the_order_of_items_does_not_matter(seed, n_items):
    rng = np.random.default_rng(seed)
    scores = distinct(rng, n_items, n_clusters=2)
    order = rng.permutation(n_items)
    moved = PairScores(n_items, np.argsort(order)[scores.pairs], scores.scores, n_clusters=2)
    partition = EstimatorClusterer(linkage())(scores)
    assert EstimatorClusterer(linkage())(moved) == Partition(partition.labels[order])


def test_items_of_noise_are_alone():
    near = {"metric": "precomputed", "min_samples": 3}
    for estimator in (DBSCAN(eps=1.5, **near), OPTICS(max_eps=1.5, **near)):
        partition = EstimatorClusterer(estimator)(grouped(noise=3))
        assert partition == Partition([*GROUPS.labels, 3, 4, 5])


def test_hdbscan_is_that_of_scikit_learn():
    scores = grouped(noise=6)
    estimator = HDBSCAN(metric="precomputed", min_cluster_size=3, copy=True)
    distances = scores.scores.max() - scores.to_matrix()
    np.fill_diagonal(distances, 0.0)
    labels = HDBSCAN(**estimator.get_params()).fit_predict(distances)
    assert 0 < np.count_nonzero(labels == -1) < len(labels)
    expected = [f"noise {item}" if label == -1 else label for item, label in enumerate(labels)]
    assert EstimatorClusterer(estimator)(scores) == Partition(list(map(str, expected)))


@pytest.mark.parametrize(
    "estimator",
    [
        SpectralClustering(affinity="precomputed"),
        AffinityPropagation(affinity="precomputed", random_state=5),
        linkage(n_clusters=None, distance_threshold=100.0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_plain_groups_are_found(estimator):
    clusterer = EstimatorClusterer(estimator)
    assert clusterer(grouped(n_clusters=3)) == GROUPS
    assert clusterer.solve(grouped(n_clusters=3)).partition == GROUPS


def test_distances_are_from_the_highest_score(calls):
    scores = PairScores(3, [(0, 2), (1, 2)], [5.0, -1.0], diagonal=7.0)
    partition = EstimatorClusterer(Recorder([3, 1, 3]), missing=2.0)(scores)
    assert partition == Partition([0, 1, 0])
    ((_, matrix),) = calls
    assert matrix.tolist() == [[0, 5, 2], [5, 0, 8], [2, 8, 0]]


def test_similarities_are_from_the_lowest_score(calls):
    scores = PairScores(3, [(0, 2), (1, 2)], [5.0, -1.0], diagonal=7.0)
    estimator = Recorder([0, 0, 0], metric="euclidean", affinity="precomputed")
    EstimatorClusterer(estimator)(scores)
    EstimatorClusterer(estimator)(PairScores(3, None, [-2.0] * 3))
    assert calls[0][1].tolist() == [[8, 1, 6], [1, 8, 0], [6, 0, 8]]
    assert calls[1][1].tolist() == [[1.0] * 3] * 3


def test_the_given_estimator_and_the_scores_stay_as_they_are(calls):
    estimator = Recorder([0, 0], n_clusters=7, distance_threshold=0.5, random_state=None)
    clusterer = EstimatorClusterer(estimator)
    scores = PairScores(2, None, [1.0], n_clusters=2)
    clusterer(scores)
    clusterer(PairScores(2, None, [1.0]))
    assert [params["n_clusters"] for params, _ in calls] == [2, 7]
    assert [params["distance_threshold"] for params, _ in calls] == [None, 0.5]
    assert [params["random_state"] for params, _ in calls] == [0, 0]
    assert estimator.params["n_clusters"] == 7
    assert estimator.params["random_state"] is None
    assert scores.scores.tolist() == [1.0]


def test_estimators_of_scikit_learn_are_never_fitted():
    for estimator in (linkage(), DBSCAN(metric="precomputed")):
        before = dict(vars(estimator))
        EstimatorClusterer(estimator)(grouped(n_clusters=3))
        assert vars(estimator) == before


def test_no_item_and_one_item_never_reach_the_estimator(calls):
    clusterer = EstimatorClusterer(Recorder())
    for n_items in (0, 1):
        assert clusterer(PairScores(n_items, None, [])) == Partition(range(n_items))
    assert not calls


def test_sets_without_differences():
    for scores in (PairScores(4, None, [2.0] * 6), PairScores(4, [], [])):
        assert EstimatorClusterer(linkage(n_clusters=3))(scores).n_clusters == 3
        assert EstimatorClusterer(DBSCAN(metric="precomputed", eps=0.1))(scores).n_clusters == 4
        few = DBSCAN(metric="precomputed", eps=0.1, min_samples=2)
        assert EstimatorClusterer(few)(scores).n_clusters == 1


def test_random_estimators_give_the_same_at_every_call(rng):
    clusterer = EstimatorClusterer(SpectralClustering(affinity="precomputed"))
    scores = distinct(rng, 30, n_clusters=12)
    assert len({clusterer(scores) for _ in range(5)}) == 1
    by_state = SpectralClustering(affinity="precomputed", random_state=np.random.RandomState(3))
    assert len({EstimatorClusterer(by_state)(scores) for _ in range(5)}) == 1


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (DBSCAN, r"estimator is the class DBSCAN; give DBSCAN\(\)"),
        (
            None,
            "of type NoneType, which lacks get_params and set_params and fit_predict; give a clus",
        ),
        (AverageLinkage(), "AverageLinkage, which lacks set_params and fit_predict"),
        (
            FeatureAgglomeration(metric="precomputed"),
            "FeatureAgglomeration, which lacks fit_predict",
        ),
        (DBSCAN(), r'has metric=\'euclidean\', but .* set metric to "precomputed"'),
        (SpectralClustering(affinity="rbf"), r"has affinity='rbf', but"),
        (SpectralClustering(affinity="precomputed_nearest_neighbors"), "_nearest_neighbors', but"),
        (KMeans(), "KMeans has no parameter metric or affinity, so"),
    ],
    ids=str,
)
def test_other_estimators_are_refused(estimator, message):
    with pytest.raises(InputError, match=message):
        EstimatorClusterer(estimator)


@pytest.mark.parametrize(
    "labels", [[0, 1], [[0, 1, 1]], [0.0, 1.0, 1.0], ["a", "b", "b"], 0, None], ids=str
)
def test_labels_that_do_not_fit_are_refused(labels):
    with pytest.raises(
        PartitionError, match=r"Recorder gives labels .* for 3 items; use an estimator that"
    ):
        EstimatorClusterer(Recorder(labels))(PairScores(3, None, [1.0, 2.0, 3.0]))


def test_what_the_estimator_refuses_is_told(rng):
    with pytest.raises(InputError, match=r"AgglomerativeClustering cannot cluster 3 items: .*; gi"):
        EstimatorClusterer(linkage(n_clusters=4))(distinct(rng, 3))
    with pytest.raises(InputError, match=r"HDBSCAN cannot cluster 3 items: .*min_samples"):
        EstimatorClusterer(HDBSCAN(metric="precomputed", copy=True))(distinct(rng, 3))


def test_other_input_is_refused(rng):
    with pytest.raises(InputError, match="missing is nan"):
        EstimatorClusterer(linkage(), missing=np.nan)
    with pytest.raises(PairError, match="EstimatorClusterer does not support cannot-link pairs"):
        EstimatorClusterer(linkage())(PairScores(2, None, [1.0], apart=[(0, 1)]))
    with pytest.raises(ItemSetError, match="more than the memory"):
        EstimatorClusterer(linkage())(PairScores(2_000_000, [(0, 1)], [1.0]))
    solution = EstimatorClusterer(linkage()).solve(distinct(rng, 5))
    assert np.isnan(solution.value)
    with pytest.raises(InputError, match="maximises no objective"):
        _ = solution.weights


def test_a_model_with_it_predicts_but_cannot_be_saved(tmp_path, rng):
    item_sets = [ItemSet(rng.normal(size=(6, 2)), n_clusters=2)]
    similarity = LinearSimilarity(GivenFeatures().fit(item_sets), [1.0, 1.0])
    model = Model(AllPairs(), similarity, EstimatorClusterer(linkage()))
    assert model.predict(item_sets)[0].n_clusters == 2
    with pytest.raises(InputError, match=r"clusterer\.estimator is a Agglo.*cannot be saved; a sa"):
        model.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_learners_set_the_parameters_of_the_estimator():
    learner = PairwiseClustering(EstimatorClusterer(DBSCAN(metric="precomputed")))
    learner.set_params(clusterer__estimator__eps=0.25)
    assert learner.get_params()["clusterer__estimator__eps"] == 0.25


def test_distances_count_from_what_items_score_with_themselves():
    near = EstimatorClusterer(DBSCAN(metric="precomputed", eps=0.5, min_samples=2))
    assert near(PairScores(2, None, [-100.0])).n_clusters == 1
    assert near(PairScores(2, None, [-100.0], diagonal=[0.0, 0.0])).n_clusters == 2
    assert near(PairScores(2, None, [-0.3], diagonal=[0.0, 0.0])).n_clusters == 1
