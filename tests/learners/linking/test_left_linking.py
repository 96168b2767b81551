"""The learners that go from item to item, as a user meets them."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import coterie
from coterie.blocking import Window
from coterie.clusterers import LeftLink, SumLink
from coterie.datasets import make_item_sets
from coterie.exceptions import FeatureError, InputError, InterruptedWarning
from coterie.features import DenseFeatures, GivenFeatures, Scaled, WithConstant
from coterie.items import ItemSet
from coterie.learners import (
    CCCP,
    SGD,
    BestLeftLinkLearner,
    FrankWolfe,
    LatentLeftLinking,
    SumLinkLearner,
)
from coterie.metrics import b_cubed, macro

SETS, TRUTHS = make_item_sets(n_sets=6)
LEARNERS = [
    LatentLeftLinking(),
    LatentLeftLinking(gamma=0.0),
    SumLinkLearner(),
    BestLeftLinkLearner(),
    BestLeftLinkLearner(teach_firsts=True),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


@each_learner
def test_learning_beats_both_trivial_partitions(learner):
    fitted = clone(learner).fit(SETS[:4], TRUTHS[:4])
    held_out = TRUTHS[4:]
    single = macro(b_cubed, held_out, [range(len(truth)) for truth in held_out]).f1
    whole = macro(b_cubed, held_out, [[0] * len(truth) for truth in held_out]).f1
    assert fitted.score(SETS[4:], held_out) > max(single, whole)


@each_learner
def test_a_path_of_passes_is_one_fit_after_the_other(learner):
    path = clone(learner).fit_path(SETS, TRUTHS, [3, 1])
    for fitted, n_passes in zip(path, (3, 1), strict=True):
        alone = clone(learner).set_params(n_passes=n_passes).fit(SETS, TRUTHS)
        assert fitted.n_passes == n_passes
        assert fitted.coef_.tobytes() == alone.coef_.tobytes()
        assert [step.objective for step in fitted.history_] == [
            step.objective for step in alone.history_
        ]
        assert fitted.predict(SETS) == alone.predict(SETS)


@each_learner
def test_learning_set_by_set_is_learning_all(learner):
    """Given the same featurizer, a pass over all sets is one partial fit after the other."""
    whole = clone(learner).set_params(n_passes=1).fit(SETS, TRUTHS)
    parts = clone(learner)
    for item_set, truth in zip(SETS, TRUTHS, strict=True):
        parts.partial_fit([item_set], [truth])
    assert np.array_equal(parts.coef_, whole.coef_)
    assert len(parts.history_) == len(SETS)


@each_learner
def test_learning_item_by_item_is_learning_the_set(learner):
    whole = clone(learner).set_params(n_passes=1).fit(SETS[:1], TRUTHS[:1])
    parts = clone(learner)
    for n_items in range(1, len(SETS[0]) + 1):
        known = ItemSet(SETS[0].items[:n_items])
        parts.partial_fit([known], [TRUTHS[0].labels[:n_items]], last=1)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=0, atol=1e-12)


def test_a_partial_fit_after_a_fit_goes_on_from_it():
    twice = LatentLeftLinking(n_passes=2).fit(SETS, TRUTHS)
    more = LatentLeftLinking(n_passes=1).fit(SETS, TRUTHS)
    before = more.to_model()
    kept = before.similarity.coef.copy()
    more.partial_fit(SETS, TRUTHS)
    assert np.array_equal(more.coef_, twice.coef_)
    assert np.array_equal(before.similarity.coef, kept)
    assert len(more.history_) == 2


def test_the_mean_of_the_weights_is_steadier_than_the_last_ones():
    def deviation(solver):
        coefs = [
            LatentLeftLinking(n_passes=n_passes, solver=solver).fit(SETS, TRUTHS).coef_
            for n_passes in (5, 6, 7)
        ]
        return np.std(coefs, axis=0).sum()

    assert deviation(SGD()) < deviation(SGD(average=False))


def test_the_start_is_drawn_and_repeatable():
    def coef(random_state, start=1.0):
        solver = SGD(start=start)
        learner = LatentLeftLinking(n_passes=1, solver=solver, random_state=random_state)
        return learner.fit(SETS[:1], TRUTHS[:1]).coef_

    assert np.array_equal(coef(1), coef(1))
    assert not np.array_equal(coef(1), coef(2))
    assert np.array_equal(coef(1, start=0.0), coef(2, start=0.0))


@each_learner
def test_the_history_has_one_step_a_pass_and_falls(learner):
    scaled = WithConstant(Scaled(GivenFeatures()))
    slowly = clone(learner).set_params(n_passes=8, solver=SGD(0.01), featurizer=scaled)
    history = slowly.fit(SETS, TRUTHS).history_
    assert len(history) == 8
    assert history[-1].objective < history[0].objective
    assert all(step.seconds > 0 for step in history)


def test_models_predict_by_the_rule_that_was_trained():
    assert LatentLeftLinking(0.2).fit(SETS, TRUTHS).to_model().clusterer == LeftLink(0.2)
    assert SumLinkLearner().fit(SETS, TRUTHS).to_model().clusterer == SumLink()
    assert BestLeftLinkLearner().fit(SETS, TRUTHS).to_model().clusterer == LeftLink(0)
    learner = LatentLeftLinking(0.2).fit(SETS, TRUTHS).set_params(gamma=1.0)
    assert learner.to_model().clusterer == LeftLink(0.2)


@each_learner
@pytest.mark.parametrize("kind", ["float32", "sparse", "scaled", "stacked"])
def test_features_in_any_form_teach_the_same(learner, kind, rng):
    phi = [rng.normal(size=(len(s) * (len(s) - 1) // 2, 3)).round(2) for s in SETS]
    given = [_form(kind, one, s) for one, s in zip(phi, SETS, strict=True)]
    plain = [_form("dense", one, s) for one, s in zip(phi, SETS, strict=True)]
    found = clone(learner)
    if kind == "scaled":
        scaled = Scaled(WithConstant(GivenFeatures()), scale=[0.5, 4.0, 2.0, 1.0])
        found.set_params(featurizer=scaled)
        plain = [_form("dense", one / [0.5, 4.0, 2.0], s) for one, s in zip(phi, SETS, strict=True)]
    expected = clone(learner).fit(plain, TRUTHS).coef_
    tolerance = 1e-4 if kind == "float32" else 1e-9
    np.testing.assert_allclose(found.fit(given, TRUTHS).coef_, expected, atol=tolerance)


def _form(kind, phi, item_set):
    from coterie.features import DenseFeatures, SparseFeatures, stack

    forms = {
        "float32": lambda: phi.astype(np.float32),
        "sparse": lambda: sp.csr_array(phi),
        "stacked": lambda: stack(
            [DenseFeatures(phi[:, :1]), SparseFeatures(sp.csr_array(phi[:, 1:2])), phi[:, 2:]]
        ),
    }
    return ItemSet.from_pair_features(forms.get(kind, lambda: phi)(), len(item_set))


def test_sparse_vectors_teach_what_dense_ones_teach(rng):
    dense = [np.where(rng.random((len(s), 30)) < 0.2, 1.0, 0.0) for s in SETS]
    sparse = [sp.csr_array(rows) for rows in dense]
    for learner in LEARNERS:
        expected = clone(learner).fit(dense, TRUTHS).coef_
        np.testing.assert_allclose(clone(learner).fit(sparse, TRUTHS).coef_, expected, atol=1e-9)


def test_what_cannot_be_learned_with_is_refused():
    for params, words in (
        ({"lam": -1.0}, "lam"),
        ({"gamma": -0.1}, "gamma"),
        ({"n_passes": 0}, "n_passes"),
        ({"solver": FrankWolfe()}, "solver is of type FrankWolfe"),
        ({"solver": SGD}, "solver"),
        ({"random_state": -1}, "random_state"),
    ):
        with pytest.raises(InputError, match=words):
            LatentLeftLinking(**params).fit(SETS, TRUTHS)
    with pytest.raises(InputError, match="learning_rate"):
        SGD(learning_rate=0)
    with pytest.raises(InputError, match="n_passes are 3; give a list"):
        LatentLeftLinking().fit_path(SETS, TRUTHS, 3)
    with pytest.raises(InputError, match="no n_passes"):
        LatentLeftLinking().fit_path(SETS, TRUTHS, [])
    with pytest.raises(InputError, match="last"):
        LatentLeftLinking().partial_fit(SETS, TRUTHS, last=0)
    fitted = LatentLeftLinking().fit(SETS, TRUTHS)
    with pytest.raises(FeatureError, match="item set 0: there are 2 features"):
        fitted.partial_fit([[[1.0, 2.0], [3.0, 4.0]]], [[0, 0]])


def test_probabilities_need_a_fit():
    with pytest.raises(NotFittedError):
        LatentLeftLinking().link_probabilities(SETS[0])
    with pytest.raises(NotFittedError):
        LatentLeftLinking().log_likelihood(SETS[0], TRUTHS[0])
    with pytest.raises(InputError, match=r"labels|items"):
        LatentLeftLinking().fit(SETS, TRUTHS).log_likelihood(SETS[0], [0, 1])


def test_links_that_are_not_looked_at_have_no_probability():
    learner = LatentLeftLinking(blocker=Window(2)).fit(SETS, TRUTHS)
    found = learner.link_probabilities(SETS[0])
    n_items = len(SETS[0])
    places = np.arange(n_items)[:, None] - np.arange(n_items)
    assert np.all(found[:, 1:][(places > 2) | (places <= 0)] == 0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_the_best_links_make_one_partition_certain():
    learner = LatentLeftLinking(gamma=0.0).fit(SETS, TRUTHS)
    predicted = learner.predict(SETS[:1])[0]
    assert learner.log_likelihood(SETS[0], predicted) == 0.0
    assert learner.log_likelihood(SETS[0], range(len(SETS[0]))) == -np.inf


def test_an_interrupted_fit_keeps_the_passes_that_were_made():
    def interrupt(step):
        if step.done == 2:
            raise KeyboardInterrupt

    learner = LatentLeftLinking(n_passes=9)
    with (
        coterie.progress(interrupt),
        pytest.warns(InterruptedWarning, match="after 1 of 9 passes"),
    ):
        learner.fit(SETS, TRUTHS)
    assert np.array_equal(learner.coef_, LatentLeftLinking(n_passes=1).fit(SETS, TRUTHS).coef_)


def test_progress_is_told_pass_by_pass():
    told = []
    with coterie.progress(told.append):
        LatentLeftLinking(n_passes=3).fit(SETS, TRUTHS)
    assert [(step.task, step.done, step.total) for step in told] == [
        ("fit", done, 3) for done in (1, 2, 3)
    ]
    assert "objective" in told[0].detail


@dataclass(frozen=True)
class Misshapen:
    """A featurizer that gives as many columns as there are items, or too many rows."""

    n_columns: int | None
    n_more: int
    names = ("a", "b")

    def fit(self, item_sets):
        return self

    def encode(self, item_set):
        return item_set

    def compare(self, encoded, pairs):
        n_pairs = len(encoded) * (len(encoded) - 1) // 2 if pairs is None else len(pairs)
        return np.ones((n_pairs + self.n_more, self.n_columns or len(encoded)))

    def __call__(self, item_set, pairs):
        return DenseFeatures(self.compare(item_set, pairs))


@each_learner
def test_features_of_another_shape_are_refused_before_kernels_meet_them(learner):
    sets = [["a", "b", "c"], list(map(str, range(300)))]
    truths = [[0, 0, 1], [number % 3 for number in range(300)]]
    for featurizer, words in (
        (Misshapen(None, 0), "item set 1: there are 300 features, but 3 are expected"),
        (Misshapen(1, 5), "item set 0: the featurizer gave 8 rows for 3 pairs"),
        (Misshapen(1, -1), "item set 0: the featurizer gave 2 rows for 3 pairs"),
    ):
        with pytest.raises(FeatureError, match=words):
            clone(learner).set_params(featurizer=featurizer).fit(sets, truths)


def test_a_partial_fit_takes_the_parameters_of_now():
    def gone_on(**params):
        return LatentLeftLinking(n_passes=1).fit(SETS, TRUTHS).set_params(**params)

    window = gone_on(blocker=Window(1)).partial_fit(SETS, TRUTHS)
    assert window.to_model().blocker == Window(1)
    assert not np.array_equal(window.coef_, gone_on().partial_fit(SETS, TRUTHS).coef_)
    before = gone_on()
    still = gone_on(solver=SGD(1e-12, average=False)).partial_fit(SETS, TRUTHS)
    assert not np.array_equal(still.coef_, before.coef_)
    last = LatentLeftLinking(n_passes=1, solver=SGD(average=False)).fit(SETS, TRUTHS)
    np.testing.assert_allclose(still.coef_, last.coef_, rtol=1e-4)


def test_a_partial_fit_goes_on_from_a_fit_in_batch():
    batch = LatentLeftLinking(lam=1e-2, solver=CCCP()).fit(SETS, TRUTHS)
    coef, n_steps = batch.coef_, len(batch.history_)
    batch.set_params(solver=SGD(1e-12)).partial_fit(SETS, TRUTHS)
    np.testing.assert_allclose(batch.coef_, coef, rtol=1e-4)
    assert len(batch.history_) == n_steps + 1


@pytest.mark.parametrize(
    "learner",
    [*LEARNERS, LatentLeftLinking(solver=CCCP()), LatentLeftLinking(0.0, solver=CCCP())],
    ids=repr,
)
def test_numbers_beyond_floats_are_refused_with_a_remedy(learner):
    huge = [np.asarray(each.items) * 1e155 for each in SETS]
    with pytest.raises(FeatureError, match=r"features\.Scaled"):
        clone(learner).fit(huge, TRUTHS)


def test_extreme_weights_of_the_regulariser_and_temperatures():
    assert np.isfinite(LatentLeftLinking(lam=1e17).fit(SETS, TRUTHS).coef_).all()
    cold = LatentLeftLinking(gamma=1e-310).fit(SETS, TRUTHS)
    assert cold.log_likelihood(SETS[0], cold.predict(SETS[:1])[0]) == pytest.approx(0.0)
