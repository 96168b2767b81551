"""Calibration of learners on held-out item sets: its tables, leaks and stated precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import ItemSet, Partition
from coterie.blocking import Window
from coterie.datasets import make_item_sets
from coterie.exceptions import FeatureError, InputError, ItemSetError
from coterie.features import AbsoluteDifferences
from coterie.learners import (
    PAV,
    Coarse,
    Fine,
    LatentLeftLinking,
    PairwiseClustering,
    Platt,
    Reliability,
    calibrate,
)
from coterie.learners.calibration.calibrated import true_shares
from coterie.learners.parts import random_folds
from coterie.model import Model

LEARNER = PairwiseClustering(classifier=LogisticRegression(), featurizer=AbsoluteDifferences())


def corpus(n_sets, seed=0, **changes):
    params = {"n_items": 20, "n_clusters": 8, "separation": 2.5, "n_nuisance": 2, **changes}
    return make_item_sets(n_sets=n_sets, random_state=seed, **params)


SETS, TRUTHS = corpus(12)


@given(label_pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=9))
def test_true_shares_are_those_of_a_plain_count(label_pairs):
    truth, predicted = (Partition([pair[k] for pair in label_pairs]) for k in (0, 1))
    expected = []
    for cluster in predicted.clusters:
        pairs = [(i, j) for i in cluster for j in cluster if i < j]
        together = [truth.labels[i] == truth.labels[j] for i, j in pairs]
        alone = truth.sizes[truth.labels[cluster[0]]] == 1
        expected.append(np.mean(together) if together else float(alone))
    assert np.allclose(true_shares(truth, predicted), expected)


def test_pairs_are_measured_by_curves_of_the_other_folds():
    calibrated = calibrate(LEARNER, SETS, TRUTHS, n_folds=3, random_state=4)
    folds = random_folds(len(SETS), 3, 4)
    scores, together = {}, {}
    for fold in folds:
        training = [k for k in range(len(SETS)) if k not in fold]
        model = LEARNER.fit([SETS[k] for k in training], [TRUTHS[k] for k in training]).to_model()
        for k in fold:
            scores[k], together[k] = model.scores(SETS[k]).scores, TRUTHS[k].together()
    probabilities, truths = [], []
    for fold in folds:
        training = [k for other in folds if other is not fold for k in other]
        curve = Platt().fit(
            np.concatenate([scores[k] for k in training]),
            np.concatenate([together[k] for k in training]),
        )
        probabilities += [curve(scores[k]) for k in fold]
        truths += [together[k] for k in fold]
    expected = Reliability.of(np.concatenate(probabilities), np.concatenate(truths))
    assert calibrated.reliability.pairs.log_loss == pytest.approx(expected.log_loss, rel=1e-9)
    assert np.allclose(calibrated.reliability.pairs.observed, expected.observed)
    final = Platt().fit(np.concatenate(list(scores.values())), np.concatenate([*together.values()]))
    assert calibrated.model.calibration.pairs.slope == pytest.approx(final.slope, rel=1e-6)


def test_the_model_is_that_of_all_sets_and_its_calibration_is_saved(tmp_path):
    calibrated = calibrate(LEARNER, SETS, TRUTHS)
    assert calibrated.model.predict(SETS) == LEARNER.fit(SETS, TRUTHS).predict(SETS)
    calibrated.model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    for item_set in SETS[:2]:
        confidences = [model.confidences(item_set) for model in (calibrated.model, loaded)]
        assert np.array_equal(confidences[0].clusters, confidences[1].clusters)
        assert np.array_equal(confidences[0].pairs, confidences[1].pairs)


@pytest.mark.parametrize("method", [Platt(), PAV()], ids=repr)
def test_two_runs_are_the_same_and_the_learner_stays_unfitted(method):
    learner = LatentLeftLinking()
    first, second = (calibrate(learner, SETS, TRUTHS, method=method) for _ in range(2))
    assert not hasattr(learner, "similarity_")
    for table, other_table in zip(first.reliability, second.reliability, strict=True):
        assert np.array_equal(table.predicted, other_table.predicted)
    clusters = [calibrated.model.confidences(SETS[0]).clusters for calibrated in (first, second)]
    assert np.array_equal(*clusters)


def test_listed_pairs_do():
    learner = PairwiseClustering(featurizer=AbsoluteDifferences(), blocker=Window(3))
    confidences = calibrate(learner, SETS, TRUTHS).model.confidences(SETS[0])
    assert confidences.pairs.shape == (len(Window(3)(SETS[0])),)
    assert np.all((confidences.clusters > 0) & (confidences.clusters < 1))


def smoothed_mean(shares):
    """Return the mean of Platt's targets."""
    n, ones = len(shares), sum(shares)
    return ones / n * (ones + 1) / (ones + 2) + (1 - ones / n) / (n - ones + 2)


@pytest.mark.parametrize(("method", "mean"), [(Platt(), smoothed_mean), (PAV(), np.mean)])
def test_learners_that_never_join_or_always_do_have_one_confidence(method, mean):
    fine = calibrate(Fine(), SETS, TRUTHS, method=method)
    assert len(fine.reliability.clusters.counts) == 0
    assert "clusters nan" in repr(fine)
    alone = np.concatenate([truth.sizes[truth.labels] == 1 for truth in TRUTHS])
    assert np.allclose(fine.model.confidences(SETS[0]).clusters, mean(alone))
    coarse = calibrate(Coarse(), SETS, TRUTHS, method=method)
    assert len(coarse.reliability.singletons.counts) == 0
    together = [truth.together().mean() for truth in TRUTHS]
    assert np.allclose(coarse.model.confidences(SETS[0]).clusters, mean(together))


def noise(n_sets, rng):
    """Return item sets of random features, with a third of all pairs together."""
    sets = [ItemSet(rng.normal(size=(15, 4))) for _ in range(n_sets)]
    return sets, [Partition(rng.integers(3, size=15)) for _ in range(n_sets)]


def entropy(rate):
    return -(xlogy(rate, rate) + xlogy(1 - rate, 1 - rate))


def test_what_a_learner_knows_by_heart_makes_it_no_surer(rng):
    """A tree that overfits is sure about its training pairs, and right about only these."""
    learner = PairwiseClustering(
        classifier=DecisionTreeClassifier(random_state=0), featurizer=AbsoluteDifferences()
    )
    sets, truths = noise(30, rng)
    new_sets, new_truths = noise(30, rng)
    training_model = learner.fit(sets, truths).to_model()
    by_heart = Platt().fit(
        np.concatenate([training_model.scores(item_set).scores for item_set in sets]),
        np.concatenate([truth.together() for truth in truths]),
    )
    model = calibrate(learner, sets, truths).model
    together = np.concatenate([truth.together() for truth in new_truths])
    scores = np.concatenate([model.scores(item_set).scores for item_set in new_sets])
    leaky = Reliability.of(by_heart(scores), together)
    honest = Reliability.of(model.calibration(scores), together)
    assert leaky.calibration_error > 0.3
    assert honest.calibration_error < 0.03
    assert honest.log_loss < entropy(together.mean()) + 0.01 < leaky.log_loss


def test_the_tables_are_not_those_of_the_points_that_curves_were_fitted_to(rng):
    """On noise, a curve of any shape fits its training points well, but not other points."""
    sets, truths = noise(8, rng)
    calibrated = calibrate(LEARNER, sets, truths, method=PAV(), n_folds=8)
    rate = np.concatenate([truth.together() for truth in truths]).mean()
    score_parts, truth_parts = [], []
    for k, item_set in enumerate(sets):
        training = [other for other in range(8) if other != k]
        model = LEARNER.fit([sets[j] for j in training], [truths[j] for j in training]).to_model()
        score_parts.append(model.scores(item_set).scores)
        truth_parts.append(truths[k].together())
    scores, together = np.concatenate(score_parts), np.concatenate(truth_parts)
    fitted_to = Reliability.of(PAV().fit(scores, together)(scores), together)
    assert fitted_to.log_loss < entropy(rate) < calibrated.reliability.pairs.log_loss
    assert fitted_to.calibration_error < 0.005 < calibrated.reliability.pairs.calibration_error


def measure_new_sets(method, seeds):
    """Return confidence, true share and size of the clusters of new item sets."""
    rows = []
    for seed in seeds:
        sets, truths = corpus(90, seed)
        model = calibrate(LEARNER, sets[:40], truths[:40], method=method).model
        for item_set, truth in zip(sets[40:], truths[40:], strict=True):
            confidences = model.confidences(item_set)
            predicted = confidences.partition
            shares = true_shares(truth, predicted)
            rows += list(zip(confidences.clusters, shares, predicted.sizes, strict=True))
    return np.array(rows).T


def test_the_stated_precision_is_reached():
    """The mean share of kept clusters is as high as stated, within three standard errors."""
    confidences, shares, sizes = measure_new_sets(Platt(), range(4))
    several = sizes > 1
    assert shares[several].mean() < 0.82  # so that there is something to leave out
    for precision in (0.8, 0.9):
        is_kept = several & (confidences >= precision)
        assert np.count_nonzero(is_kept) > 50
        kept_shares, pairs = shares[is_kept], sizes[is_kept] * (sizes[is_kept] - 1)
        error = kept_shares.std() / np.sqrt(len(kept_shares))
        assert kept_shares.mean() > precision - 3 * error
        pooled = kept_shares @ pairs / pairs.sum()
        pooled_error = np.sqrt(pairs**2 @ (kept_shares - pooled) ** 2) / pairs.sum()
        assert pooled > precision - 3 * pooled_error
    for kind in (several, ~several):
        error = shares[kind].std() / np.sqrt(np.count_nonzero(kind))
        assert abs(confidences[kind].mean() - shares[kind].mean()) < 0.02 + 3 * error


def test_progress_is_told():
    steps = []
    with coterie.progress(steps.append):
        calibrate(Fine(), SETS[:4], TRUTHS[:4], n_folds=2)
    assert [(step.done, step.total) for step in steps if step.task == "calibrate"] == [
        (1, 2),
        (2, 2),
    ]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"learner": PairwiseClustering}, InputError, "the learner is <class .*; use a learner"),
        ({"learner": DecisionTreeClassifier()}, InputError, "the learner is DecisionTree"),
        ({"method": "platt"}, InputError, r"the method is 'platt'; use Platt\(\) or PAV\(\)"),
        ({"method": Platt}, InputError, r"the method is <class .*; use Platt\(\) or PAV\(\)"),
        ({"n_folds": 1}, InputError, "n_folds is 1; give a whole number of at least 2"),
        ({"random_state": -1}, InputError, "random_state is -1"),
        (
            {"item_sets": SETS[:1], "partitions": TRUTHS[:1]},
            ItemSetError,
            "only 1 item set, so none can be held out .* give at least 2, or divide it into",
        ),
        (
            {"item_sets": [*SETS[:11], np.zeros((20, 9))]},
            FeatureError,
            r"item sets \[.*\] held out: ",
        ),
    ],
)
def test_refusals(change, error, message):
    arguments = {"learner": LEARNER, "item_sets": SETS, "partitions": TRUTHS, **change}
    with pytest.raises(error, match=message):
        calibrate(**arguments)
