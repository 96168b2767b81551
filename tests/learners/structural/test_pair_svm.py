"""A linear SVM of pairs by cutting planes, against that of scikit-learn."""

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


def written_out(corpus):
    """Return all pairs with a constant, their sides, and the share of each in the loss."""
    matrices, sides, shares = [], [], []
    for item_set, truth in zip(*corpus, strict=True):
        products = NodeProducts(item_set.items).to_matrix()
        matrices.append(np.column_stack([products, np.ones(len(products))]))
        sides.append(np.where(truth.together(), 1, -1))
        shares.append(np.full(len(products), 100 / len(products) / len(corpus.partitions)))
    return np.vstack(matrices), np.concatenate(sides), np.concatenate(shares)


def objective(coef, C, matrix, sides, shares):
    return 0.5 * coef @ coef + C * shares @ np.maximum(0.0, 1.0 - sides * (matrix @ coef))


@pytest.mark.parametrize("solver", [OneSlack(tol=1e-4), NSlack(tol=1e-3)], ids=repr)
def test_the_objective_is_that_of_linear_svc(solver):
    matrix, sides, shares = written_out(CORPUS)
    C = 0.3
    plain = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-6, max_iter=10**6)
    plain.fit(matrix, sides, sample_weight=shares)
    least = objective(plain.coef_[0], C, matrix, sides, shares)
    learner = PairSVM(C=C, solver=solver).fit(*CORPUS)
    ours = objective(learner.coef_, C, matrix, sides, shares)
    assert learner.primal_ == pytest.approx(ours, rel=1e-9)
    assert learner.certified_
    assert learner.dual_ <= least * (1 + 1e-9)
    assert ours == pytest.approx(least, rel=5e-3)


def test_a_cut_is_what_the_margin_cuts():
    rng = np.random.default_rng(0)
    truth, nodes, coef = Partition([0, 0, 1, 1, 2]), rng.normal(size=(5, 3)), rng.normal(size=3)
    example = PairExample(NodeProducts(nodes), None, truth)
    sides = np.where(truth.together(), 1.0, -1.0)

    def risk(at):
        return 10.0 * np.maximum(0.0, 1.0 - sides * (example.features @ at)).sum()

    cut = example(coef)
    assert cut.violation(coef) == pytest.approx(risk(coef))
    assert cut.bound == cut.violation(coef)
    steps = 1e-6 * np.eye(3)
    slopes = [(risk(coef + step) - risk(coef - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(-cut.gradient, slopes, rtol=1e-5)


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
        with pytest.raises(InputError, match=f"solver is of type {kind}; give one such as OneSl"):
            PairSVM(solver=solver).fit(*CORPUS)
