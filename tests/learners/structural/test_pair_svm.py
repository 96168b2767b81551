"""The linear SVM of pairs by cutting planes, compared with that of scikit-learn."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from coterie.clusterers import AverageLinkage
from coterie.datasets import make_item_sets
from coterie.exceptions import InputError
from coterie.features import NodeProducts
from coterie.learners import SGD, NSlack, OneSlack, PairSVM
from coterie.learners.structural.pair_svm import PairExample
from coterie.partition import Partition

CORPUS = make_item_sets(n_sets=3, n_items=12, random_state=0)


def write_out_pairs(corpus):
    """Return the features of all pairs, their signs, and the weight of each pair in the loss."""
    matrices, signs, pair_weights = [], [], []
    for item_set, truth in zip(*corpus, strict=True):
        products = NodeProducts(item_set.items).to_matrix()
        matrices.append(np.column_stack([products, np.ones(len(products))]))
        signs.append(np.where(truth.together(), 1, -1))
        pair_weights.append(np.full(len(products), 100 / len(products) / len(corpus.partitions)))
    return np.vstack(matrices), np.concatenate(signs), np.concatenate(pair_weights)


def objective(coef, C, matrix, signs, pair_weights):
    return 0.5 * coef @ coef + C * pair_weights @ np.maximum(0.0, 1.0 - signs * (matrix @ coef))


@pytest.mark.parametrize("solver", [OneSlack(tol=1e-4), NSlack(tol=1e-3)], ids=repr)
def test_the_objective_is_that_of_linear_svc(solver):
    matrix, signs, pair_weights = write_out_pairs(CORPUS)
    C = 0.3
    plain = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-6, max_iter=10**6)
    plain.fit(matrix, signs, sample_weight=pair_weights)
    least = objective(plain.coef_[0], C, matrix, signs, pair_weights)
    learner = PairSVM(C=C, solver=solver).fit(*CORPUS)
    primal = objective(learner.coef_, C, matrix, signs, pair_weights)
    assert learner.primal_ == pytest.approx(primal, rel=1e-9)
    assert learner.certified_
    assert learner.dual_ <= least * (1 + 1e-9)
    assert primal == pytest.approx(least, rel=5e-3)


def test_a_cut_has_the_violation_and_the_gradient_of_the_hinge_loss():
    rng = np.random.default_rng(0)
    truth, nodes, coef = Partition([0, 0, 1, 1, 2]), rng.normal(size=(5, 3)), rng.normal(size=3)
    example = PairExample(NodeProducts(nodes), None, truth)
    signs = np.where(truth.together(), 1.0, -1.0)

    def risk(point):
        return 10.0 * np.maximum(0.0, 1.0 - signs * (example.features @ point)).sum()

    cut = example(coef)
    assert cut.violation(coef) == pytest.approx(risk(coef))
    assert cut.bound == cut.violation(coef)
    steps = 1e-6 * np.eye(3)
    derivatives = [(risk(coef + step) - risk(coef - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(-cut.gradient, derivatives, rtol=1e-5)


def test_a_path_equals_single_fits_and_the_clusterer_is_free():
    path = PairSVM(clusterer=AverageLinkage(), solver=OneSlack(tol=1e-5)).fit_path(
        *CORPUS, [1.0, 0.1]
    )
    for C, learner in zip([1.0, 0.1], path, strict=True):
        single = PairSVM(C=C, solver=OneSlack(tol=1e-5)).fit(*CORPUS)
        assert learner.primal_ == pytest.approx(single.primal_, rel=1e-3)
        assert isinstance(learner.to_model().clusterer, AverageLinkage)


def test_sets_without_pairs_weigh_nothing():
    sets, truths = CORPUS
    fitted = PairSVM(solver=OneSlack(tol=1e-5)).fit([*sets, sets[0].items[:1]], [*truths, [0]])
    assert np.isfinite(fitted.coef_).all()


def test_other_solvers_are_refused():
    for solver, kind in (("fast", "str"), (SGD(), "SGD")):
        with pytest.raises(InputError, match=f"solver is of type {kind}; use OneSl"):
            PairSVM(solver=solver).fit(*CORPUS)
