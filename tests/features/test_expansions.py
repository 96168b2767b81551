from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import kernel_approximation
from sklearn.base import clone
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from coterie import ItemSet, checks
from coterie.checks.featurizers import check_featurizer
from coterie.exceptions import FeatureError, InputError, ItemSetError
from coterie.features import DenseFeatures, GivenFeatures, Scaled, WithConstant, to_matrix
from coterie.features.expansions import (
    RBF,
    ExactKernel,
    Kernelized,
    Nystroem,
    Polynomial,
    RandomFourier,
)
from coterie.features.operators.base import ZeroDiagonal
from coterie.items import PairFeatures
from coterie.pairs import condensed_positions
from tests.memory import limit_memory

KERNELS = {
    RBF(0.3): lambda x, y=None: rbf_kernel(x, y, gamma=0.3),
    RBF(0.01): lambda x, y=None: rbf_kernel(x, y, gamma=0.01),
    Polynomial(3, 0.5): lambda x, y=None: polynomial_kernel(x, y, degree=3, gamma=1, coef0=0.5),
    Polynomial(1, 0.0): lambda x, y=None: polynomial_kernel(x, y, degree=1, gamma=1, coef0=0),
}


GIVEN = GivenFeatures()


def pair_sets(rng, n_sets=3, n_items=8, n_columns=4):
    """Return item sets of pair features in which some rows occur more than once."""
    n_pairs = n_items * (n_items - 1) // 2
    matrices = [rng.normal(size=(n_pairs, n_columns)) for _ in range(n_sets)]
    for matrix in matrices:
        matrix[-4:] = matrices[0][:4]
    return [ItemSet.from_pair_features(matrix, n_items) for matrix in matrices]


def rows_of(featurizer, sets):
    """Return the features of all pairs, and of items with themselves, as a dense matrix."""
    rows = []
    for item_set in sets:
        features = featurizer(item_set, None)
        diagonal = features.diagonal
        parts = [features] if isinstance(diagonal, ZeroDiagonal) else [features, diagonal]
        rows += [sp.csr_array(to_matrix(part)).toarray() for part in parts]
    return np.concatenate(rows)


def inner_rows(sets, featurizer=GIVEN):
    return rows_of(featurizer.fit(sets), sets)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Nystroem(0),
        lambda: Nystroem(5, random_state=-1),
        lambda: RandomFourier(0),
        lambda: RandomFourier(5, random_state=None),
        lambda: Kernelized(GIVEN, "rbf", Nystroem()),
        lambda: Kernelized(GIVEN, RBF, Nystroem()),
        lambda: Kernelized(GIVEN, RBF(), "nystroem"),
        lambda: Kernelized(GIVEN, RBF(), Nystroem),
        lambda: Kernelized("given", RBF(), Nystroem()),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InputError, match="; give"):
        make()


# The exact expansion.


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_exact_expansion_reproduces_the_kernel_of_training_pairs(kernel, rng):
    sets = pair_sets(rng)
    rows = inner_rows(sets)
    featurizer = Kernelized(GIVEN, kernel, ExactKernel()).fit(sets)
    phi = rows_of(featurizer, sets)
    np.testing.assert_allclose(phi @ phi.T, KERNELS[kernel](rows), rtol=0, atol=1e-8)
    assert len(featurizer.expansion.landmarks) == len(np.unique(rows, axis=0)) < len(rows)
    assert phi.shape[1] == np.linalg.matrix_rank(KERNELS[kernel](rows))


def test_many_nearly_dependent_landmarks_keep_the_kernel(rng):
    sets = [ItemSet.from_pair_features(rng.uniform(size=(300, 3)), 25)]
    featurizer = Kernelized(GIVEN, RBF(0.05), ExactKernel()).fit(sets)
    phi = rows_of(featurizer, sets)
    assert phi.shape[1] < 250
    np.testing.assert_allclose(phi @ phi.T, rbf_kernel(inner_rows(sets), gamma=0.05), atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_products_of_items_are_mapped_with_their_diagonal(form, dtype, rng):
    nodes = [rng.normal(size=(n, 3)) * (rng.random((n, 3)) < 0.7) for n in (6, 1, 0, 5)]
    sets = [ItemSet(form(matrix.astype(dtype))) for matrix in nodes]
    rows = inner_rows(sets)
    assert len(rows) == 15 + 6 + 1 + 10 + 5
    featurizer = Kernelized(GIVEN, RBF(0.7), ExactKernel()).fit(sets)
    phi = rows_of(featurizer, sets)
    np.testing.assert_allclose(phi @ phi.T, rbf_kernel(rows, gamma=0.7), atol=1e-8)
    for item_set in sets:
        checks.check_features(featurizer(item_set, None), n_items=len(item_set))


def test_the_map_of_unseen_pairs_is_their_projection(rng):
    train, test = pair_sets(rng), pair_sets(rng, n_sets=1)
    featurizer = Kernelized(GIVEN, RBF(0.3), ExactKernel()).fit(train)
    landmarks, rows = np.unique(inner_rows(train), axis=0), inner_rows(test)
    expected = rbf_kernel(rows, landmarks, gamma=0.3)
    phi = rows_of(featurizer, test)
    base = featurizer.expansion(featurizer.kernel, landmarks)
    np.testing.assert_allclose(phi @ base.T, expected, atol=1e-8)


def test_too_many_landmarks_are_refused(monkeypatch, rng):
    sets = pair_sets(rng)
    n_different = len(np.unique(inner_rows(sets), axis=0))
    monkeypatch.setattr("coterie.features.expansions.MOST_LANDMARKS", n_different - 1)
    with pytest.raises(FeatureError, match=rf"more than {n_different - 1} distinct.*; use Nyst"):
        Kernelized(GIVEN, RBF(), ExactKernel()).fit(sets)
    monkeypatch.setattr("coterie.features.expansions.MOST_LANDMARKS", n_different)
    Kernelized(GIVEN, RBF(), ExactKernel()).fit(sets)


def test_zeros_of_both_signs_are_one_landmark():
    sets = [ItemSet.from_pair_features([[0.0, 1.0], [-0.0, 1.0], [0.0, -0.0]], 3)]
    for expansion in (ExactKernel(), Nystroem()):
        fitted = Kernelized(GIVEN, RBF(), expansion).fit(sets).expansion
        assert sorted(fitted.landmarks.tolist()) == [[0.0, 0.0], [0.0, 1.0]]


# Nyström.


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_nystroem_with_all_landmarks_is_exact(kernel, rng):
    sets = pair_sets(rng)
    for extra in ([], [ItemSet(np.zeros((0, 0)))]):
        featurizer = Kernelized(GIVEN, kernel, Nystroem(1000)).fit(sets + extra)
        phi = rows_of(featurizer, sets)
        expected = KERNELS[kernel](inner_rows(sets))
        np.testing.assert_allclose(phi @ phi.T, expected, rtol=0, atol=1e-8)


def test_nystroem_equals_scikit_learn_with_the_same_landmarks(rng):
    sets = pair_sets(rng)
    featurizer = Kernelized(GIVEN, RBF(0.3), Nystroem(20)).fit(sets)
    landmarks = featurizer.expansion.landmarks
    nystroem = kernel_approximation.Nystroem(gamma=0.3, n_components=20).fit(landmarks)
    phi, expected = rows_of(featurizer, sets), nystroem.transform(inner_rows(sets))
    np.testing.assert_allclose(phi @ phi.T, expected @ expected.T, atol=1e-10)


def test_landmarks_are_different_training_pairs(rng):
    sets = pair_sets(rng)
    rows = {tuple(row) for row in inner_rows(sets)}
    landmarks = Kernelized(GIVEN, RBF(), Nystroem(20)).fit(sets).expansion.landmarks
    assert len({tuple(row) for row in landmarks} & rows) == 20
    all_of_them = Kernelized(GIVEN, RBF(), Nystroem(999)).fit(sets).expansion.landmarks
    assert {tuple(row) for row in all_of_them} == rows


def test_rare_features_are_landmarks_too(rng):
    # 100 of 105 pairs have the same features, as is usual where most features are 0 or 1.
    matrix = np.zeros((105, 2))
    matrix[:5] = rng.normal(size=(5, 2))
    sets = [ItemSet.from_pair_features(matrix, 15)]
    landmarks = Kernelized(GIVEN, RBF(), Nystroem(6)).fit(sets).expansion.landmarks
    assert len(landmarks) == 6


def test_landmarks_come_from_all_item_sets(rng):
    sets = [ItemSet.from_pair_features(rng.normal(size=(28, 4)), 8) for _ in range(2)]
    rows_by_set = [{tuple(row) for row in inner_rows([item_set])} for item_set in sets]
    n_landmarks = np.zeros(2)
    for seed in range(20):
        expansion = Nystroem(10, random_state=seed)
        fitted = Kernelized(GIVEN, RBF(), expansion).fit(sets).expansion
        for landmark in fitted.landmarks:
            n_landmarks += [tuple(landmark) in rows for rows in rows_by_set]
    # The expectation is half of 200, with a standard deviation of 6.5.
    assert n_landmarks.sum() == 200
    assert abs(n_landmarks[0] - 100) < 30


def test_large_item_sets_are_sampled(monkeypatch, rng):
    monkeypatch.setattr("coterie.features.given.SAMPLED_PAIRS", 30)
    requests = []

    @dataclass(frozen=True)
    class Recorded(GivenFeatures):
        def compare(self, encoded, pairs):
            requests.append(pairs)
            return super().compare(encoded, pairs)

    sets = [ItemSet(rng.normal(size=(50, 2))), ItemSet(rng.normal(size=(5, 2)))]
    fitted = Kernelized(Recorded(), RBF(), Nystroem(40)).fit(sets)
    assert 0 < len(requests[0]) <= 30
    assert requests[1] is None
    assert len(fitted.expansion.landmarks) == 40


# Random Fourier features.


def test_random_fourier_features_are_those_of_scikit_learn(rng):
    sets = pair_sets(rng)
    rows = inner_rows(sets)
    featurizer = Kernelized(GIVEN, RBF(0.3), RandomFourier(50)).fit(sets)
    sampler = kernel_approximation.RBFSampler(gamma=0.3, n_components=50).fit(rows)
    sampler.random_weights_ = np.sqrt(0.6) * featurizer.expansion.directions
    sampler.random_offset_ = featurizer.expansion.offsets
    np.testing.assert_allclose(rows_of(featurizer, sets), sampler.transform(rows), atol=1e-12)


def test_random_fourier_features_converge(rng):
    sets = pair_sets(rng)
    expected = rbf_kernel(inner_rows(sets), gamma=0.3)
    errors = []
    for n_components in (100, 1600, 6400):
        featurizer = Kernelized(GIVEN, RBF(0.3), RandomFourier(n_components)).fit(sets)
        phi = rows_of(featurizer, sets)
        assert phi.shape[1] == n_components
        errors.append(np.sqrt(np.mean((phi @ phi.T - expected) ** 2)))
    # The error falls with the root of their number: by four, then by two.
    assert errors[0] < 0.1
    assert 2 < errors[0] / errors[1] < 8
    assert 1.2 < errors[1] / errors[2] < 4


def test_random_fourier_features_refuse_other_kernels(rng):
    sets = pair_sets(rng)
    with pytest.raises(InputError, match=r"not Polynomial.*; use Nystroem"):
        Kernelized(GIVEN, Polynomial(), RandomFourier()).fit(sets)
    fitted = Kernelized(GIVEN, RBF(), RandomFourier()).fit(sets)
    with pytest.raises(InputError, match=r"not Polynomial.*; use Nystroem"):
        replace(fitted, kernel=Polynomial())(sets[0], None)


# All expansions.

EXPANSIONS = [ExactKernel(), Nystroem(12), RandomFourier(12)]


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_maps_are_the_same_for_the_same_seed(expansion, rng):
    sets = pair_sets(rng)
    featurizer = Kernelized(GIVEN, RBF(0.3), expansion)
    fitted = featurizer.fit(sets)
    phi = rows_of(fitted, sets)
    assert np.array_equal(rows_of(featurizer.fit(sets), sets), phi)
    assert np.array_equal(rows_of(fitted.fit(sets), sets), phi)
    if not isinstance(expansion, ExactKernel):
        reseeded = replace(featurizer, expansion=replace(expansion, random_state=1)).fit(sets)
        assert not np.allclose(rows_of(reseeded, sets), phi)


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_fit_ignores_earlier_fits_and_does_not_change_the_value(expansion, rng):
    sets, other_sets = pair_sets(rng), pair_sets(rng, n_columns=2)
    featurizer = Kernelized(GIVEN, RBF(0.3), expansion)
    fitted = featurizer.fit(sets)
    refitted = replace(fitted, featurizer=GIVEN).fit(other_sets)
    expected = rows_of(featurizer.fit(other_sets), other_sets)
    assert np.array_equal(rows_of(refitted, other_sets), expected)
    assert rows_of(fitted, sets).shape[1] == len(fitted.names)
    with pytest.raises(FeatureError, match="not fitted; call fit"):
        featurizer(sets[0], None)
    with pytest.raises(FeatureError, match="not fitted; call fit"):
        _ = featurizer.names


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_blocks_and_pairs_change_nothing(expansion, monkeypatch, rng):
    sets = [ItemSet(rng.normal(size=(9, 3))), ItemSet(sp.csr_array(rng.normal(size=(7, 3))))]
    featurizer = Kernelized(GIVEN, RBF(0.3), expansion).fit(sets)
    matrices = [to_matrix(featurizer(item_set, None)) for item_set in sets]
    monkeypatch.setattr("coterie.features.operators.blocks.BLOCK_ENTRIES", 50)
    for item_set, expected in zip(sets, matrices, strict=True):
        features = featurizer(item_set, None)
        assert isinstance(features, DenseFeatures)
        np.testing.assert_allclose(to_matrix(features), expected, atol=1e-9)
        part = featurizer(item_set, [(0, 2), (1, 4)])
        rows = condensed_positions(np.array([(0, 2), (1, 4)]), len(item_set))
        np.testing.assert_allclose(to_matrix(part), expected[rows], atol=1e-9)


def first_item(items):
    """Return items of the same kind, but only one of them."""
    return PairFeatures(np.zeros((0, 4)), 1) if isinstance(items, PairFeatures) else items[:1]


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_expansions_keep_the_contract_of_featurizers(expansion, rng):
    for sets in (pair_sets(rng), [ItemSet(rng.normal(size=(6, 3)))]):
        featurizer = Kernelized(GIVEN, RBF(0.3), expansion).fit(sets)
        few = ItemSet(first_item(sets[0].items))
        check_featurizer(featurizer, [*sets, few])
        assert len(set(featurizer.names)) == featurizer(few, None).shape[1]


def test_pair_features_have_no_diagonal(rng):
    sets = pair_sets(rng)
    featurizer = Kernelized(GIVEN, RBF(), Nystroem()).fit(sets)
    assert isinstance(featurizer(sets[0], None).diagonal, ZeroDiagonal)


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_expansions_work_inside_and_around_other_featurizers(expansion, rng):
    sets = [ItemSet(1e6 * rng.normal(size=(6, 3))), ItemSet(1e6 * rng.normal(size=(4, 3)))]
    inside = Kernelized(Scaled(WithConstant(GIVEN)), RBF(0.2), expansion).fit(sets)
    around = WithConstant(Kernelized(Scaled(GIVEN), RBF(0.2), expansion)).fit(sets)
    if isinstance(expansion, ExactKernel):
        rows = inner_rows(sets, Scaled(WithConstant(GIVEN)))
        phi = rows_of(inside, sets)
        np.testing.assert_allclose(phi @ phi.T, rbf_kernel(rows, gamma=0.2), atol=1e-8)
    assert around.names[-2:] == (f"component {len(around.names) - 2}", "constant")
    assert np.all(to_matrix(around(sets[0], None))[:, -1] == 1.0)
    checks.check_features(around(sets[0], None), n_items=6)


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_scikit_learn_can_clone_expansions(expansion, rng):
    sets = pair_sets(rng)
    for featurizer in (
        Kernelized(GIVEN, RBF(0.3), expansion),
        Kernelized(GIVEN, RBF(0.3), expansion).fit(sets),
    ):
        twin = clone(featurizer)
        assert twin.fit(sets).names == featurizer.fit(sets).names
    assert featurizer.get_params()["kernel__gamma"] == 0.3
    assert {"featurizer__n_columns"} < set(featurizer.get_params())


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_fitted_arrays_cannot_be_changed(expansion, rng):
    fitted = Kernelized(GIVEN, RBF(), expansion).fit(pair_sets(rng)).expansion
    arrays = [value for value in fitted.get_params().values() if isinstance(value, np.ndarray)]
    assert len(arrays) == 2
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("expansion", EXPANSIONS[:2], ids=repr)
@pytest.mark.parametrize(
    "sets", [[ItemSet.from_pair_features(np.zeros((0, 3)), 1)], [ItemSet(np.zeros((0, 3)))]]
)
def test_fitting_to_no_pairs_is_refused(expansion, sets):
    with pytest.raises(FeatureError, match="no pairs to fit to; give"):
        Kernelized(GIVEN, RBF(), expansion).fit(sets)


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
@pytest.mark.parametrize("kernel", [RBF(), Polynomial(4)], ids=repr)
def test_features_that_are_too_large_are_refused(expansion, kernel, rng):
    if isinstance(expansion, RandomFourier) and kernel == Polynomial(4):
        return
    sets = pair_sets(rng)
    matrix = np.full((28, 4), 1e308)
    matrix[::2] *= -1
    huge = [ItemSet.from_pair_features(matrix, 8)]
    featurizer = Kernelized(GIVEN, kernel, expansion)
    with pytest.raises(FeatureError, match="too large for the kernel; make them smaller"):
        featurizer.fit(sets)(huge[0], None)
    if not isinstance(expansion, RandomFourier):
        with pytest.raises(FeatureError, match="too large for the kernel"):
            featurizer.fit(huge)


def test_maps_larger_than_the_memory_are_refused(monkeypatch, rng):
    sets = pair_sets(rng)
    featurizer = Kernelized(GIVEN, RBF(), RandomFourier(50)).fit(sets)
    limit_memory(monkeypatch, 8 * 28 * 50 - 1.0)
    with pytest.raises(ItemSetError, match="28 pairs × 50 features"):
        featurizer(sets[0], None)


def test_errors_name_the_item_set(rng):
    sets = [*pair_sets(rng), ItemSet.from_pair_features(np.ones((1, 7)), 2)]
    with pytest.raises(FeatureError, match="item set 3: "):
        Kernelized(GIVEN, RBF(), Nystroem()).fit(sets)


def test_features_of_zeros_have_no_components_if_the_kernel_is_zero():
    sets = [ItemSet.from_pair_features(np.zeros((3, 2)), 3)]
    featurizer = Kernelized(GIVEN, Polynomial(2, 0.0), ExactKernel()).fit(sets)
    assert featurizer.names == ()
    assert (featurizer(sets[0], None) @ np.zeros(0)).tolist() == [0.0] * 3
