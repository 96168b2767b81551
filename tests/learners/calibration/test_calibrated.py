"""Calibrating learners on held-out item sets: honest tables, no leaks, and the promise kept."""

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
    known = {"n_items": 20, "n_clusters": 8, "separation": 2.5, "n_nuisance": 2, **changes}
    return make_item_sets(n_sets=n_sets, random_state=seed, **known)


SETS, TRUTHS = corpus(12)


@given(both=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=9))
def test_true_shares_are_those_of_a_plain_count(both):
    truth, predicted = (Partition([pair[k] for pair in both]) for k in (0, 1))
    expected = []
    for cluster in predicted.clusters:
        pairs = [(i, j) for i in cluster for j in cluster if i < j]
        own = [truth.labels[i] == truth.labels[j] for i, j in pairs]
        alone = truth.sizes[truth.labels[cluster[0]]] == 1
        expected.append(np.mean(own) if own else float(alone))
    assert np.allclose(true_shares(truth, predicted), expected)


def test_pairs_are_measured_by_curves_of_the_other_folds():
    found = calibrate(LEARNER, SETS, TRUTHS, n_folds=3, random_state=4)
    folds = random_folds(len(SETS), 3, 4)
    scores, together = {}, {}
    for fold in folds:
        rest = [k for k in range(len(SETS)) if k not in fold]
        model = LEARNER.fit([SETS[k] for k in rest], [TRUTHS[k] for k in rest]).to_model()
        for k in fold:
            scores[k], together[k] = model.scores(SETS[k]).scores, TRUTHS[k].together()
    said, true = [], []
    for fold in folds:
        rest = [k for other in folds if other is not fold for k in other]
        curve = Platt().fit(
            np.concatenate([scores[k] for k in rest]), np.concatenate([together[k] for k in rest])
        )
        said += [curve(scores[k]) for k in fold]
        true += [together[k] for k in fold]
    expected = Reliability.of(np.concatenate(said), np.concatenate(true))
    assert found.reliability.pairs.log_loss == pytest.approx(expected.log_loss, rel=1e-9)
    assert np.allclose(found.reliability.pairs.observed, expected.observed)
    final = Platt().fit(np.concatenate(list(scores.values())), np.concatenate([*together.values()]))
    assert found.model.calibration.pairs.slope == pytest.approx(final.slope, rel=1e-6)


def test_the_model_is_that_of_all_sets_and_its_calibration_is_saved(tmp_path):
    found = calibrate(LEARNER, SETS, TRUTHS)
    assert found.model.predict(SETS) == LEARNER.fit(SETS, TRUTHS).predict(SETS)
    found.model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    for item_set in SETS[:2]:
        sure, again = found.model.confidences(item_set), loaded.confidences(item_set)
        assert np.array_equal(sure.clusters, again.clusters)
        assert np.array_equal(sure.pairs, again.pairs)


@pytest.mark.parametrize("method", [Platt(), PAV()], ids=repr)
def test_two_runs_are_the_same_and_the_learner_stays_unfitted(method):
    learner = LatentLeftLinking()
    first, second = (calibrate(learner, SETS, TRUTHS, method=method) for _ in range(2))
    assert not hasattr(learner, "similarity_")
    for own, other in zip(first.reliability, second.reliability, strict=True):
        assert np.array_equal(own.predicted, other.predicted)
    sure = [found.model.confidences(SETS[0]).clusters for found in (first, second)]
    assert np.array_equal(*sure)


def test_listed_pairs_do():
    learner = PairwiseClustering(featurizer=AbsoluteDifferences(), blocker=Window(3))
    sure = calibrate(learner, SETS, TRUTHS).model.confidences(SETS[0])
    assert sure.pairs.shape == (len(Window(3)(SETS[0])),)
    assert np.all((sure.clusters > 0) & (sure.clusters < 1))


def smoothed_mean(shares):
    """The mean of Platt's targets."""
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
    """Item sets whose features tell nothing, a third of whose pairs are together."""
    sets = [ItemSet(rng.normal(size=(15, 4))) for _ in range(n_sets)]
    return sets, [Partition(rng.integers(3, size=15)) for _ in range(n_sets)]


def entropy(rate):
    return -(xlogy(rate, rate) + xlogy(1 - rate, 1 - rate))


def test_what_a_learner_knows_by_heart_makes_it_no_surer(rng):
    """A tree that overfits is sure of the pairs that it saw, and right about those alone."""
    learner = PairwiseClustering(
        classifier=DecisionTreeClassifier(random_state=0), featurizer=AbsoluteDifferences()
    )
    sets, truths = noise(30, rng)
    new_sets, new_truths = noise(30, rng)
    seen = learner.fit(sets, truths).to_model()
    by_heart = Platt().fit(
        np.concatenate([seen.scores(item_set).scores for item_set in sets]),
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
    """On noise a free curve finds something in its own points, but not in others."""
    sets, truths = noise(8, rng)
    found = calibrate(LEARNER, sets, truths, method=PAV(), n_folds=8)
    rate = np.concatenate([truth.together() for truth in truths]).mean()
    own_scores, own_truths = [], []
    for k, item_set in enumerate(sets):
        rest = [other for other in range(8) if other != k]
        model = LEARNER.fit([sets[j] for j in rest], [truths[j] for j in rest]).to_model()
        own_scores.append(model.scores(item_set).scores)
        own_truths.append(truths[k].together())
    scores, together = np.concatenate(own_scores), np.concatenate(own_truths)
    fitted_to = Reliability.of(PAV().fit(scores, together)(scores), together)
    assert fitted_to.log_loss < entropy(rate) < found.reliability.pairs.log_loss
    assert fitted_to.calibration_error < 0.005 < found.reliability.pairs.calibration_error


def judged(method, seeds):
    """Return confidence, true share and size of the clusters of unseen item sets."""
    rows = []
    for seed in seeds:
        sets, truths = corpus(90, seed)
        model = calibrate(LEARNER, sets[:40], truths[:40], method=method).model
        for item_set, truth in zip(sets[40:], truths[40:], strict=True):
            sure = model.confidences(item_set)
            shares = true_shares(truth, sure.partition)
            rows += list(zip(sure.clusters, shares, sure.partition.sizes, strict=True))
    return np.array(rows).T


def test_the_stated_precision_is_reached():
    """Of kept clusters, over several draws, within three standard errors."""
    confidences, shares, sizes = judged(Platt(), range(4))
    several = sizes > 1
    assert shares[several].mean() < 0.82  # so that there is something to leave out
    for precision in (0.8, 0.9):
        kept = several & (confidences >= precision)
        assert np.count_nonzero(kept) > 50
        own, pairs = shares[kept], sizes[kept] * (sizes[kept] - 1)
        error = own.std() / np.sqrt(len(own))
        assert own.mean() > precision - 3 * error
        pooled = own @ pairs / pairs.sum()
        assert pooled > precision - 3 * np.sqrt(pairs**2 @ (own - pooled) ** 2) / pairs.sum()
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
            "1 item set, so that none can be held out .* give at least 2, or divide it into",
        ),
        (
            {"item_sets": [*SETS[:11], np.zeros((20, 9))]},
            FeatureError,
            r"item sets \[.*\] held out: ",
        ),
    ],
)
def test_refusals(change, error, message):
    known = {"learner": LEARNER, "item_sets": SETS, "partitions": TRUTHS, **change}
    with pytest.raises(error, match=message):
        calibrate(**known)
