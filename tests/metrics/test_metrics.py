"""The contract of metrics, their peers, degenerate cases and averages."""

import functools
import pickle
import warnings

import numpy as np
import pytest
import sklearn.metrics as peer
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_val_score

from coterie import as_partition, checks, metrics
from coterie.exceptions import InputError, MetricError, PairError, PartitionError
from coterie.metrics import Scores

FAMILY = [
    getattr(metrics, name)
    for name in metrics.__all__
    if hasattr(getattr(metrics, name), "greater_is_better")
]


def unit_distances(truth, predicted):
    n = len(as_partition(truth))
    return metrics.weighted_clustering_error(truth, predicted, np.ones(n * (n - 1) // 2))


unit_distances.greater_is_better = False


@pytest.mark.parametrize("metric", FAMILY, ids=lambda metric: metric.__name__)
def test_contract(metric):
    checks.check_metric(unit_distances if metric is metrics.weighted_clustering_error else metric)


def test_every_metric_of_the_papers_is_there():
    assert {metric.__name__ for metric in FAMILY} == {
        "adjusted_rand_score", "b_cubed", "blanc", "ceaf_entity", "ceaf_mention",
        "cluster_edit_distance", "conll_score", "lea", "mitre_loss", "muc",
        "normalized_edit_score", "normalized_mutual_info_score", "pair_loss", "pair_scores",
        "rand_score", "trace_loss", "v_measure", "variation_of_information",
        "weighted_clustering_error",
    }  # fmt: skip


def test_a_false_metric_is_caught():
    def wrong(truth, predicted):
        return float(np.sum(as_partition(truth).labels == as_partition(predicted).labels))

    wrong.greater_is_better = False
    with pytest.raises(AssertionError, match="better than the truth"):
        checks.check_metric(wrong)


def random_sides(rng):
    n = int(rng.integers(1, 60))
    kinds = int(rng.integers(1, 12))
    return rng.integers(kinds, size=n), rng.integers(int(rng.integers(1, 12)), size=n)


@pytest.mark.parametrize(
    ("metric", "reference"),
    [
        (metrics.rand_score, peer.rand_score),
        (metrics.adjusted_rand_score, peer.adjusted_rand_score),
        (metrics.normalized_mutual_info_score, peer.normalized_mutual_info_score),
        (metrics.v_measure, peer.homogeneity_completeness_v_measure),
        (functools.partial(metrics.v_measure, beta=2.0),
         functools.partial(peer.homogeneity_completeness_v_measure, beta=2.0)),
        (metrics.pair_loss, lambda t, p: 100 * (1 - peer.rand_score(t, p))),
    ],
)  # fmt: skip
def test_scikit_learn_agrees(metric, reference, rng):
    for _ in range(200):
        truth, predicted = random_sides(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = reference(truth, predicted)
        np.testing.assert_allclose(metric(truth, predicted), expected, rtol=1e-12, atol=1e-12)


def test_large_counts_do_not_overflow():
    truth = np.zeros(3_000_000, dtype=int)
    predicted = np.arange(3_000_000) % 2
    assert metrics.pair_scores(truth, predicted).precision == 1.0
    assert metrics.adjusted_rand_score(truth, predicted) == pytest.approx(0.0)
    assert metrics.b_cubed(truth, predicted).recall == pytest.approx(0.5)


SINGLE, UNITED = [0, 1, 2], [0, 0, 0]
ONES, ZEROS = Scores(1.0, 1.0, 1.0), Scores(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("metric", "empty", "singletons", "one_cluster", "joined"),
    [
        (metrics.pair_loss, 0.0, 0.0, 0.0, 100.0),
        (metrics.rand_score, 1.0, 1.0, 1.0, 0.0),
        (metrics.adjusted_rand_score, 1.0, 1.0, 1.0, 0.0),
        (metrics.pair_scores, ONES, ONES, ONES, ZEROS),
        (metrics.muc, ZEROS, ZEROS, ONES, ZEROS),
        (metrics.mitre_loss, 0.0, 0.0, 0.0, 100.0),
        (metrics.b_cubed, ONES, ONES, ONES, Scores(1 / 3, 1.0, 0.5)),
        (metrics.ceaf_mention, ONES, ONES, ONES, Scores(1 / 3, 1 / 3, 1 / 3)),
        (metrics.ceaf_entity, ONES, ONES, ONES, Scores(0.5, 1 / 6, 0.25)),
        (metrics.conll_score, 2 / 3, 2 / 3, 1.0, 0.25),
        (metrics.lea, ONES, ONES, ONES, ZEROS),
        (metrics.blanc, ONES, ONES, ONES, ZEROS),
        (metrics.variation_of_information, 0.0, 0.0, 0.0, np.log(3)),
        (metrics.normalized_mutual_info_score, 1.0, 1.0, 1.0, 0.0),
        (metrics.v_measure, ONES, ONES, ONES, Scores(0.0, 1.0, 0.0)),
        (metrics.trace_loss, 0.0, 0.0, 0.0, 200 / 3),
        (metrics.cluster_edit_distance, 0, 0, 0, 2),
        (metrics.normalized_edit_score, 1.0, 1.0, 1.0, 1 / 3),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_degenerate_cases(metric, empty, singletons, one_cluster, joined):
    """No items; singletons on both sides; one cluster on both; singletons put in one cluster."""
    assert metric([], []) == pytest.approx(empty)
    assert metric(SINGLE, SINGLE) == pytest.approx(singletons)
    assert metric(UNITED, UNITED) == pytest.approx(one_cluster)
    assert metric(SINGLE, UNITED) == pytest.approx(joined)


@pytest.mark.parametrize("metric", FAMILY, ids=lambda metric: metric.__name__)
def test_empty_clusters_are_no_items(metric):
    extra = (np.ones(0),) if metric is metrics.weighted_clustering_error else ()
    assert metric([[]], [[], []], *extra) == metric([], [], *extra)


def test_one_side_may_be_empty_of_mentions():
    assert metrics.b_cubed([["a"]], []) == ZEROS
    assert metrics.lea([], [["a", "b"]]) == ZEROS
    assert metrics.ceaf_entity([["a"]], []) == ZEROS
    assert metrics.blanc([["a"]], [["b"]]) == ZEROS


@pytest.mark.parametrize(
    ("truth", "predicted", "message"),
    [
        ([0, 1, 2], [0, 1], "truth has 3 labels, but predicted has 2; give one label per item"),
        ([["a"], ["a"]], [["a"]], "truth has the mention 'a' twice"),
        ([["a"]], [["b", "b"]], "predicted has the mention 'b' twice"),
        ([["a"]], [[["b"]]], r"predicted has the mention \['b'\], which is not hashable"),
        ([["a"]], [np.zeros((2, 2))], r"predicted has a cluster of shape \(2, 2\)"),
        ([0, 0, 1], [["a", "b"], ["c"]], "one clustering has labels, but the other has clusters"),
    ],
)
def test_bad_input_is_refused(truth, predicted, message):
    with pytest.raises(MetricError, match=message):
        metrics.b_cubed(truth, predicted)


@pytest.mark.parametrize(
    "clustering",
    [{"e1": ["a", "b"], "e2": ["c"]}, {"a": 0, "b": 1}, {1, 2, 3}, 5, None, "abc", b"abc"],
)
def test_what_is_no_clustering_is_refused(clustering):
    """Above all what would be read as something else: a mapping as its keys, a set as labels."""
    with pytest.raises(PartitionError):
        metrics.b_cubed(clustering, clustering)


def test_ranges_are_clusters():
    truth, predicted = [range(3), range(3, 5)], [range(2), range(2, 5)]
    assert metrics.b_cubed(truth, predicted) == metrics.b_cubed([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])


def test_clusters_of_indices_meet_labels():
    assert metrics.b_cubed([[0, 1], [2]], ["x", "x", "y"]).f1 == 1.0


@pytest.mark.parametrize("offset", [0, 2**62, 2**63, 2**64 - 3])
def test_hashed_labels_of_any_size(offset):
    labels = np.array([offset, offset + 2, offset], dtype=np.uint64)
    assert metrics.pair_loss(labels, [0, 1, 0]) == 0.0
    assert metrics.pair_loss(np.array([-(2**63), 2**63 - 1, -(2**63)]), [0, 1, 0]) == 0.0
    assert metrics.pair_loss(np.array([-128, 127, -128], dtype=np.int8), [0, 1, 0]) == 0.0


def test_losses_never_leave_their_range(rng):
    for _ in range(200):
        truth, predicted = random_sides(rng)
        split = np.arange(len(truth))
        assert 0 <= metrics.trace_loss(truth, split) <= 100
        assert max(metrics.v_measure(truth, truth)) <= 1
        assert metrics.normalized_mutual_info_score(predicted, predicted) <= 1


@pytest.mark.parametrize(
    "metric",
    [metrics.rand_score, metrics.pair_loss, metrics.adjusted_rand_score, metrics.trace_loss,
     metrics.variation_of_information, metrics.v_measure, metrics.cluster_edit_distance,
     metrics.normalized_edit_score, metrics.normalized_mutual_info_score],
)  # fmt: skip
def test_metrics_of_equal_items_refuse_others(metric):
    with pytest.raises(MetricError, match="truth has 2 items, predicted has 3, and only 1 are in"):
        metric([["a", "b"]], [["b", "x", "y"]])


def test_distances_that_do_not_fit_are_refused():
    with pytest.raises(MetricError, match="give a symmetric matrix of shape"):
        metrics.weighted_clustering_error([0, 1, 1], [0, 1, 1], [1.0])
    with pytest.raises(MetricError, match="give a symmetric matrix of shape"):
        metrics.weighted_clustering_error([0, 1, 1], [0, 1, 1], np.zeros((2, 2)))
    with pytest.raises(PairError, match=r"S\[0, 1\] = 1.0 and S\[1, 0\] = 2.0"):
        metrics.weighted_clustering_error([0, 1], [0, 1], [[0.0, 1.0], [2.0, 0.0]])
    nearly = [[0.0, 1.0], [1.0 + 1e-13, 0.0]]
    assert metrics.weighted_clustering_error([0, 1], [0, 0], nearly) == 0.0
    with pytest.raises(MetricError, match="distances must be real numbers"):
        metrics.weighted_clustering_error([0, 1], [0, 1], ["far"])
    with pytest.raises(MetricError, match="NaN or an infinite"):
        metrics.weighted_clustering_error([0, 1], [0, 1], [np.nan])


def test_bad_base_and_beta_are_refused():
    with pytest.raises(MetricError, match="base is 1"):
        metrics.variation_of_information([0], [0], base=1)
    for wrong in ("2", np.nan, -1):
        with pytest.raises(InputError, match="give a finite number"):
            metrics.variation_of_information([0], [0], base=wrong)
        with pytest.raises(InputError, match="give a finite number"):
            metrics.v_measure([0], [0], beta=wrong)


TRUTHS = [[0, 0, 1], [0, 0, 0, 1, 1], [0, 1]]
PREDICTIONS = [[0, 1, 1], [0, 0, 1, 1, 1], [0, 0]]


def test_macro_is_the_mean():
    for metric in (metrics.pair_loss, metrics.adjusted_rand_score):
        values = [metric(t, p) for t, p in zip(TRUTHS, PREDICTIONS, strict=True)]
        assert metrics.macro(metric, TRUTHS, PREDICTIONS) == pytest.approx(np.mean(values))
    scores = metrics.macro(metrics.muc, TRUTHS, PREDICTIONS)
    assert isinstance(scores, Scores)
    parts = [metrics.muc(t, p) for t, p in zip(TRUTHS, PREDICTIONS, strict=True)]
    assert scores == pytest.approx(np.mean(parts, axis=0))


def test_micro_sums_the_counts():
    """MUC: 0 + 2 + 0 links of 1 + 3 + 0 true and 1 + 3 + 1 predicted ones."""
    assert metrics.micro(metrics.muc, TRUTHS, PREDICTIONS)[:2] == pytest.approx((2 / 5, 2 / 4))
    wrong = sum(metrics.pair_loss(t, p) * len(t) * (len(t) - 1) / 200
                for t, p in zip(TRUTHS, PREDICTIONS, strict=True))  # fmt: skip
    assert metrics.micro(metrics.pair_loss, TRUTHS, PREDICTIONS) == pytest.approx(
        100 * wrong / (3 + 10 + 1)
    )


def test_micro_blanc_counts_no_pairs_across_item_sets():
    inside, between = [0, 0], [0, 0]
    for truth, predicted in zip(TRUTHS, PREDICTIONS, strict=True):
        for i in range(len(truth)):
            for j in range(i):
                side = inside if truth[i] == truth[j] else between
                side[0] += (truth[i] == truth[j]) == (predicted[i] == predicted[j])
                side[1] += 1
    recall = (inside[0] / inside[1] + between[0] / between[1]) / 2
    assert metrics.micro(metrics.blanc, TRUTHS, PREDICTIONS).recall == pytest.approx(recall)


@pytest.mark.parametrize("metric", FAMILY, ids=lambda metric: metric.__name__)
def test_micro_of_one_item_set_is_the_metric_or_refused(metric):
    if getattr(metric, "summable", False):
        expected = metric(TRUTHS[1], PREDICTIONS[1])
        assert metrics.micro(metric, TRUTHS[1:2], PREDICTIONS[1:2]) == pytest.approx(expected)
    else:
        with pytest.raises(MetricError, match=r"use metrics\.macro|functools\.partial"):
            metrics.micro(metric, TRUTHS, PREDICTIONS)


def test_averages_refuse_what_does_not_pair():
    with pytest.raises(MetricError, match="3 truths and 1 predictions"):
        metrics.macro(metrics.muc, TRUTHS, PREDICTIONS[:1])
    with pytest.raises(MetricError, match="no item sets to average over"):
        metrics.micro(metrics.muc, [], [])
    for average in (metrics.macro, metrics.micro):
        with pytest.raises(
            MetricError, match="item set 1: truth has 5 labels, but predicted has 2"
        ):
            average(metrics.muc, TRUTHS[:2], [[0, 1, 1], [0, 1]])
        for wrong in (as_partition([0, 1]), {"d1": [0, 1]}, 5):
            with pytest.raises(MetricError, match="give a list with one clustering per item set"):
                average(metrics.muc, wrong, wrong)


class Uniter(BaseEstimator):
    """A learner that puts all items in one cluster."""

    def fit(self, item_sets, truths):
        return self

    def predict(self, item_sets):
        return [[0] * len(item_set) for item_set in item_sets]


def test_scorers_are_signed_and_run_in_scikit_learn():
    sets = [[[1.0]] * 3, [[1.0]] * 5, [[1.0]] * 2]
    loss = metrics.scorer(metrics.pair_loss)
    gain = metrics.scorer(metrics.b_cubed)
    united = [[0] * 3, [0] * 5, [0] * 2]
    assert loss(Uniter(), sets, TRUTHS) == -metrics.macro(metrics.pair_loss, TRUTHS, united)
    assert gain(Uniter(), sets, TRUTHS) == metrics.macro(metrics.b_cubed, TRUTHS, united).f1
    assert cross_val_score(Uniter(), sets, TRUTHS, scoring=loss, cv=3).shape == (3,)
    assert pickle.loads(pickle.dumps(loss)) == loss  # noqa: S301


@pytest.mark.parametrize("wrong", [metrics.weighted_clustering_error, len, "b_cubed", 5])
def test_other_values_than_metrics_are_refused(wrong):
    message = r"is not a function of \(truth, predicted\) alone"
    with pytest.raises(MetricError, match=message):
        metrics.scorer(wrong)
    for average in (metrics.micro, metrics.macro):
        with pytest.raises(MetricError, match=message):
            average(wrong, TRUTHS, PREDICTIONS)


def test_a_scorer_needs_a_direction():
    with pytest.raises(MetricError, match="has no attribute greater_is_better"):
        metrics.scorer(lambda truth, predicted: 1.0)


def test_summary_has_every_metric_of_two_clusterings():
    summary = metrics.summary(TRUTHS[1], PREDICTIONS[1])
    assert set(summary) == {m.__name__ for m in FAMILY} - {"weighted_clustering_error"}
    for name, value in summary.items():
        assert value == getattr(metrics, name)(TRUTHS[1], PREDICTIONS[1])


def test_help_shows_the_two_sides():
    import inspect

    assert list(inspect.signature(metrics.variation_of_information).parameters) == [
        "truth", "predicted", "base",
    ]  # fmt: skip
