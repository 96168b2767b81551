"""The learners that learn item by item, as users call them."""

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
    singletons = macro(b_cubed, held_out, [range(len(truth)) for truth in held_out]).f1
    one_cluster = macro(b_cubed, held_out, [[0] * len(truth) for truth in held_out]).f1
    assert fitted.score(SETS[4:], held_out) > max(singletons, one_cluster)


@each_learner
def test_a_path_of_passes_equals_single_fits(learner):
    path = clone(learner).fit_path(SETS, TRUTHS, [3, 1])
    for fitted, n_passes in zip(path, (3, 1), strict=True):
        single = clone(learner).set_params(n_passes=n_passes).fit(SETS, TRUTHS)
        assert fitted.n_passes == n_passes
        assert fitted.coef_.tobytes() == single.coef_.tobytes()
        assert [step.objective for step in fitted.history_] == [
            step.objective for step in single.history_
        ]
        assert fitted.predict(SETS) == single.predict(SETS)


@each_learner
def test_learning_set_by_set_equals_one_pass(learner):
    """Given the same featurizer, a pass over all sets is one partial fit after the other."""
    at_once = clone(learner).set_params(n_passes=1).fit(SETS, TRUTHS)
    partial = clone(learner)
    for item_set, truth in zip(SETS, TRUTHS, strict=True):
        partial.partial_fit([item_set], [truth])
    assert np.array_equal(partial.coef_, at_once.coef_)
    assert len(partial.history_) == len(SETS)


@each_learner
def test_learning_item_by_item_equals_learning_the_set(learner):
    at_once = clone(learner).set_params(n_passes=1).fit(SETS[:1], TRUTHS[:1])
    partial = clone(learner)
    for n_items in range(1, len(SETS[0]) + 1):
        items_so_far = ItemSet(SETS[0].items[:n_items])
        partial.partial_fit([items_so_far], [TRUTHS[0].labels[:n_items]], last=1)
    np.testing.assert_allclose(partial.coef_, at_once.coef_, rtol=0, atol=1e-12)


def test_a_partial_fit_continues_the_last_fit():
    twice = LatentLeftLinking(n_passes=2).fit(SETS, TRUTHS)
    more = LatentLeftLinking(n_passes=1).fit(SETS, TRUTHS)
    before = more.to_model()
    coef = before.similarity.coef.copy()
    more.partial_fit(SETS, TRUTHS)
    assert np.array_equal(more.coef_, twice.coef_)
    assert np.array_equal(before.similarity.coef, coef)
    assert len(more.history_) == 2


def test_the_mean_of_the_weights_varies_less_than_the_last_ones():
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
def test_the_history_has_one_step_per_pass_and_falls(learner):
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
def test_features_in_any_form_give_the_same_weights(learner, kind, rng):
    phi = [rng.normal(size=(len(s) * (len(s) - 1) // 2, 3)).round(2) for s in SETS]
    sets_of_kind = [_form(kind, matrix, s) for matrix, s in zip(phi, SETS, strict=True)]
    dense_sets = [_form("dense", matrix, s) for matrix, s in zip(phi, SETS, strict=True)]
    learner_of_kind = clone(learner)
    if kind == "scaled":
        scaled = Scaled(WithConstant(GivenFeatures()), scale=[0.5, 4.0, 2.0, 1.0])
        learner_of_kind.set_params(featurizer=scaled)
        dense_sets = [
            _form("dense", matrix / [0.5, 4.0, 2.0], s) for matrix, s in zip(phi, SETS, strict=True)
        ]
    expected = clone(learner).fit(dense_sets, TRUTHS).coef_
    tolerance = 1e-4 if kind == "float32" else 1e-9
    np.testing.assert_allclose(
        learner_of_kind.fit(sets_of_kind, TRUTHS).coef_, expected, atol=tolerance
    )


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


def test_sparse_vectors_give_the_weights_of_dense_ones(rng):
    dense = [np.where(rng.random((len(s), 30)) < 0.2, 1.0, 0.0) for s in SETS]
    sparse = [sp.csr_array(rows) for rows in dense]
    for learner in LEARNERS:
        expected = clone(learner).fit(dense, TRUTHS).coef_
        np.testing.assert_allclose(clone(learner).fit(sparse, TRUTHS).coef_, expected, atol=1e-9)


def test_bad_parameters_are_refused():
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
    with pytest.raises(InputError, match="n_passes is 3; use a list"):
        LatentLeftLinking().fit_path(SETS, TRUTHS, 3)
    with pytest.raises(InputError, match="n_passes is an empty list"):
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


def test_pairs_that_are_not_candidates_have_no_probability():
    learner = LatentLeftLinking(blocker=Window(2)).fit(SETS, TRUTHS)
    probabilities = learner.link_probabilities(SETS[0])
    n_items = len(SETS[0])
    distances = np.arange(n_items)[:, None] - np.arange(n_items)
    assert np.all(probabilities[:, 1:][(distances > 2) | (distances <= 0)] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


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


def test_progress_is_reported_pass_by_pass():
    steps = []
    with coterie.progress(steps.append):
        LatentLeftLinking(n_passes=3).fit(SETS, TRUTHS)
    assert [(step.task, step.done, step.total) for step in steps] == [
        ("fit", done, 3) for done in (1, 2, 3)
    ]
    assert "objective" in steps[0].detail


@dataclass(frozen=True)
class Misshapen:
    """A featurizer that returns as many columns as there are items, or a wrong number of rows."""

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
def test_features_of_a_wrong_shape_are_refused_before_kernels_read_them(learner):
    sets = [["a", "b", "c"], list(map(str, range(300)))]
    truths = [[0, 0, 1], [item % 3 for item in range(300)]]
    for featurizer, words in (
        (Misshapen(None, 0), "item set 1: there are 300 features, but 3 are expected"),
        (Misshapen(1, 5), "item set 0: the featurizer gave 8 rows for 3 pairs"),
        (Misshapen(1, -1), "item set 0: the featurizer gave 2 rows for 3 pairs"),
    ):
        with pytest.raises(FeatureError, match=words):
            clone(learner).set_params(featurizer=featurizer).fit(sets, truths)


def test_a_partial_fit_takes_the_current_parameters():
    def fit_then_set(**params):
        return LatentLeftLinking(n_passes=1).fit(SETS, TRUTHS).set_params(**params)

    window = fit_then_set(blocker=Window(1)).partial_fit(SETS, TRUTHS)
    assert window.to_model().blocker == Window(1)
    assert not np.array_equal(window.coef_, fit_then_set().partial_fit(SETS, TRUTHS).coef_)
    before = fit_then_set()
    nearly_same = fit_then_set(solver=SGD(1e-12, average=False)).partial_fit(SETS, TRUTHS)
    assert not np.array_equal(nearly_same.coef_, before.coef_)
    last = LatentLeftLinking(n_passes=1, solver=SGD(average=False)).fit(SETS, TRUTHS)
    np.testing.assert_allclose(nearly_same.coef_, last.coef_, rtol=1e-4)


def test_a_partial_fit_continues_a_batch_fit():
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
    huge = [np.asarray(item_set.items) * 1e155 for item_set in SETS]
    with pytest.raises(FeatureError, match=r"Scaled\(featurizer\)"):
        clone(learner).fit(huge, TRUTHS)


def test_extreme_regularisers_and_temperatures_give_finite_results():
    assert np.isfinite(LatentLeftLinking(lam=1e17).fit(SETS, TRUTHS).coef_).all()
    cold = LatentLeftLinking(gamma=1e-310).fit(SETS, TRUTHS)
    assert cold.log_likelihood(SETS[0], cold.predict(SETS[:1])[0]) == pytest.approx(0.0)
