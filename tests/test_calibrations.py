"""Calibrations: curves from scores to probabilities, and the confidences of clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import PairScores, Partition
from coterie._saving import load_value, save_value
from coterie.calibrations import (
    PROBABILITY_MARGIN,
    Abstained,
    ClusterCalibration,
    Confidences,
    Isotonic,
    Logistic,
    cluster_evidence,
)
from coterie.exceptions import InputError
from coterie.model import _find_class

CURVES = [Logistic(2.0, -1.0), Isotonic([-1.0, 0.5, 2.0], [0.1, 0.1, 0.9])]
finite = st.floats(-1e6, 1e6)


def test_logistic_curves_have_the_textbook_probabilities():
    calibration = Logistic(2.0, 1.0)
    assert np.allclose(calibration([-0.5, 0.0]), [0.5, 1 / (1 + np.exp(-1))])
    assert calibration([-1e6, 1e6]).tolist() == [0.0, 1.0]
    assert calibration == Logistic(slope=2, intercept=1)
    with pytest.raises(InputError, match="slope is inf"):
        Logistic(np.inf)


def test_isotonic_curves_are_linear_between_knots_and_constant_beyond():
    curve = Isotonic([0.0, 1.0, 3.0], [0.2, 0.4, 0.4])
    expected = [0.2, 0.2, 0.3, 0.4, 0.4, 0.4]
    assert np.allclose(curve([-9.0, 0.0, 0.5, 1.0, 2.0, 99.0]), expected)
    assert Isotonic([5.0], [0.3])([-1.0, 5.0, 7.0]).tolist() == [0.3] * 3
    with pytest.raises(ValueError, match="read-only"):
        curve.scores[0] = 1.0


@pytest.mark.parametrize("curve", CURVES, ids=repr)
@given(scores=st.lists(finite, max_size=20))
def test_a_higher_score_is_never_less_probable(curve, scores):
    probabilities = curve(np.sort(np.array(scores, dtype=float)))
    assert np.all(np.diff(probabilities) >= 0)
    assert np.all((probabilities >= 0) & (probabilities <= 1))


@pytest.mark.parametrize(
    ("scores", "probabilities", "message"),
    [
        ([], [], "with at least one number"),
        ([0.0, 1.0], [0.5], r"scores have shape \(2,\) and probabilities \(1,\)"),
        ([[0.0]], [[0.5]], "give two lists of the same length"),
        ([1.0, 0.0], [0.1, 0.2], "not finite numbers in strictly ascending order"),
        ([1.0, 1.0], [0.1, 0.2], "not finite numbers in strictly ascending order"),
        ([0.0, np.nan], [0.1, 0.2], "not finite numbers in strictly ascending order"),
        ([0.0, np.inf], [0.1, 0.2], "not finite numbers in strictly ascending order"),
        ([0.0, 1.0], [0.1, 1.5], "numbers from 0 to 1"),
        ([0.0, 1.0], [np.nan, 0.5], "numbers from 0 to 1"),
        ([0.0, 1.0], [0.5, 0.1], "probabilities fall from one score to the next"),
        (["a"], [0.5], "scores must be real numbers"),
    ],
)
def test_invalid_isotonic_curves_are_refused(scores, probabilities, message):
    with pytest.raises(InputError, match=message):
        Isotonic(scores, probabilities)


def test_calibrations_are_saved_and_loaded(tmp_path, rng):
    calibration = ClusterCalibration(*CURVES, Logistic(3.0))
    save_value(tmp_path / "c", calibration, _find_class)
    loaded = load_value(tmp_path / "c", _find_class)
    scores = rng.normal(size=9)
    assert np.array_equal(loaded(scores), calibration(scores))
    assert np.array_equal(loaded.clusters(scores), calibration.clusters(scores))
    assert loaded.singletons == Logistic(3.0)


def test_a_file_with_a_curve_that_falls_is_refused(tmp_path):
    curve = Isotonic([0.0, 1.0], [0.1, 0.9])
    object.__setattr__(curve, "probabilities", np.array([0.9, 0.1]))
    save_value(tmp_path / "c", curve, _find_class)
    with pytest.raises(InputError, match=r"is damaged: Isotonic: probabilities fall from"):
        load_value(tmp_path / "c", _find_class)


@pytest.mark.parametrize("name", ["pairs", "clusters", "singletons"])
@pytest.mark.parametrize("value", [Logistic, None, "platt"])
def test_invalid_calibrations_of_clusters_are_refused(name, value):
    curves = dict.fromkeys(("pairs", "clusters", "singletons"), Logistic())
    with pytest.raises(InputError, match=f"{name} is .*; give a calibration, such as Logistic"):
        ClusterCalibration(**{**curves, name: value})


def plain_evidence(scores, partition, probabilities):
    """Compute the evidence of the clusters one at a time."""
    probability_of = {
        tuple(pair): p for pair, p in zip(scores.pairs.tolist(), probabilities, strict=True)
    }
    evidence = []
    for cluster in partition.clusters:
        if len(cluster) == 1:
            pair_probabilities = [p for pair, p in probability_of.items() if cluster[0] in pair]
            value = 1.0 - max(pair_probabilities, default=0.0)
        else:
            pair_probabilities = [
                probability_of[i, j] for i in cluster for j in cluster if (i, j) in probability_of
            ]
            value = sum(pair_probabilities) / len(pair_probabilities) if pair_probabilities else 0.0
        value = min(max(value, PROBABILITY_MARGIN), 1.0 - PROBABILITY_MARGIN)
        evidence.append(np.log(value / (1.0 - value)))
    return np.array(evidence)


@given(
    labels=st.lists(st.integers(0, 4), max_size=9),
    seed=st.integers(0, 999),
    share=st.sampled_from([None, 0.0, 0.5]),
)
def test_evidence_of_clusters_is_that_of_plain_loops(labels, seed, share):
    rng, partition = np.random.default_rng(seed), Partition(labels)
    all_scores = PairScores(len(labels), None, np.zeros(len(labels) * max(len(labels) - 1, 0) // 2))
    pairs = None if share is None else all_scores.pairs[rng.random(len(all_scores.scores)) < share]
    n_pairs = len(all_scores.scores) if pairs is None else len(pairs)
    scores = PairScores(len(labels), pairs, rng.normal(size=n_pairs))
    probabilities = rng.random(n_pairs)
    expected = plain_evidence(scores, partition, probabilities)
    assert np.allclose(cluster_evidence(scores, partition, probabilities), expected)


def test_evidence_of_many_items_is_that_of_listed_pairs(rng):
    n_items = 1200  # more than MAX_MASKED_ITEMS, so that pairs are compared row by row
    partition = Partition(rng.integers(700, size=n_items))
    all_scores = PairScores(n_items, None, np.zeros(n_items * (n_items - 1) // 2))
    probabilities = rng.random(len(all_scores.scores))
    order = rng.permutation(len(all_scores.scores))
    shuffled = PairScores(n_items, all_scores.pairs[order], all_scores.scores)
    first = cluster_evidence(all_scores, partition, probabilities)
    assert np.allclose(first, cluster_evidence(shuffled, partition, probabilities[order]))


def test_confidences_are_those_computed_by_hand():
    scores = PairScores(6, [(0, 1), (2, 3), (2, 4), (3, 4), (0, 5), (1, 5)], np.arange(6.0))
    partition = Partition([0, 0, 1, 1, 1, 2])
    pairs = Isotonic([0.0, 5.0], [0.2, 0.7])
    calibration = ClusterCalibration(pairs, Logistic(1.0, 0.5), Logistic(2.0))
    confidences = calibration.confidences(scores, partition)
    assert np.allclose(confidences.pairs, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    odds = [0.2 / 0.8 * np.exp(0.5), 0.4 / 0.6 * np.exp(0.5), (0.3 / 0.7) ** 2]
    assert np.allclose(confidences.clusters, np.array(odds) / (1 + np.array(odds)))
    assert np.array_equal(confidences.items, confidences.clusters[partition.labels])


def test_without_listed_pairs_clusters_are_least_and_single_items_most_probable():
    scores = PairScores(5, [(0, 1)], [0.0])
    identity = ClusterCalibration(Logistic(), Logistic(), Logistic())
    confidences = identity.confidences(scores, Partition([0, 0, 1, 1, 2]))
    assert np.allclose(
        confidences.clusters,
        [0.5, PROBABILITY_MARGIN, 1.0 - PROBABILITY_MARGIN],
        rtol=1e-9,
    )


def test_no_items_have_no_confidences():
    identity = ClusterCalibration(Logistic(), Logistic(), Logistic())
    confidences = identity.confidences(PairScores(0, None, []), Partition([]))
    assert (
        len(confidences.clusters),
        len(confidences.items),
        len(confidences.pairs),
    ) == (0, 0, 0)
    assert len(confidences.abstain(0.5).labels) == 0


@given(precisions=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_abstaining_keeps_whole_clusters_and_fewer_at_higher_precision(precisions):
    cluster_confidences = np.array([0.9, 0.2, 0.6])
    confidences = Confidences(Partition([0, 1, 0, 2, 2]), cluster_confidences, np.empty(0))
    low, high = (confidences.abstain(precision) for precision in sorted(precisions))
    assert not np.any(high.is_asserted & ~low.is_asserted)
    is_kept = cluster_confidences >= max(precisions)
    assert np.array_equal(high.is_asserted, is_kept[[0, 1, 0, 2, 2]])
    assert high.labels.tolist() == [k if is_kept[k] else -1 for k in [0, 1, 0, 2, 2]]


def test_a_precision_outside_0_to_1_is_refused():
    confidences = Confidences(Partition([0]), np.array([0.9]), np.empty(0))
    assert isinstance(confidences.abstain(1), Abstained)
    for precision in (-0.1, 90, np.nan, "high"):
        with pytest.raises(InputError, match=r"precision is .*; give a finite number from 0 to 1"):
            confidences.abstain(precision)
