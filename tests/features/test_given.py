"""Features that come with item sets, and featurizers that change the columns of others."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import features
from coterie.checks.featurizers import check_featurizer
from coterie.exceptions import FeatureError, ItemSetError, PairError
from coterie.features import GivenFeatures, NodeProducts, Scaled, WithConstant, given, to_matrix
from coterie.features.featurizer import PairFeaturizer
from coterie.items import ItemSet
from coterie.pairs import all_pairs, count_pairs


def vectors(rng):
    return [ItemSet(rng.normal(size=(n, 3))) for n in (4, 7, 1)]


def sparse_vectors(rng):
    return [ItemSet(sp.random_array((n, 6), density=0.5, rng=rng)) for n in (5, 2)]


def pair_features(rng):
    return [ItemSet.from_pair_features(rng.normal(size=(count_pairs(n), 2)), n) for n in (3, 5)]


def listed_pair_features(rng):
    pairs = [(4, 0), (0, 1), (2, 3)]
    sparse = sp.random_array((3, 4), density=0.6, rng=rng)
    return [ItemSet.from_pair_features(sparse, 5, pairs), ItemSet.from_pair_features([], 1)]


def operators(rng):
    nodes = rng.normal(size=(4, 2))
    return [
        ItemSet.from_pair_features(NodeProducts(nodes), 4),
        ItemSet.from_pair_features(NodeProducts(nodes, [(2, 3), (0, 1)]), 4, [(2, 3), (0, 1)]),
    ]


def with_empty(rng):
    return [ItemSet([]), *vectors(rng)]


KINDS = [vectors, sparse_vectors, pair_features, listed_pair_features, operators, with_empty]
MEMBERS = {
    "GivenFeatures": GivenFeatures(),
    "WithConstant": WithConstant(GivenFeatures()),
    "Scaled": Scaled(WithConstant(GivenFeatures())),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("member", MEMBERS)
def test_featurizers_of_given_features_keep_the_contract(member, kind, rng):
    check_featurizer(MEMBERS[member], kind(rng))
    check_featurizer(MEMBERS[member].fit(kind(rng)), kind(rng))


def test_the_contract_is_checked_for_every_featurizer_of_the_module():
    family = {getattr(features, name) for name in features.__all__}
    members_of_module = {m for m in family if getattr(m, "__module__", "") == given.__name__}
    assert {member.__name__ for member in members_of_module} == set(MEMBERS)


def test_vectors_give_products_and_pairs_give_themselves(rng):
    nodes = rng.normal(size=(4, 2))
    operator = GivenFeatures()(ItemSet(nodes), None)
    np.testing.assert_array_equal(to_matrix(operator), to_matrix(NodeProducts(nodes)))
    np.testing.assert_allclose(operator.diagonal @ np.ones(2), (nodes**2).sum(axis=1))
    matrix = rng.normal(size=(6, 2))
    operator = GivenFeatures()(ItemSet.from_pair_features(matrix, 4), None)
    np.testing.assert_array_equal(to_matrix(operator), matrix)
    assert operator.diagonal @ np.ones(2) == 0.0


def test_features_of_all_pairs_are_computed_once(rng):
    featurizer, pairs = GivenFeatures(), [(0, 2), (0, 1)]
    for items, default_pairs in (
        (ItemSet(rng.normal(size=(4, 2))), all_pairs(4)),
        (ItemSet.from_pair_features(rng.normal(size=(6, 2)), 4), all_pairs(4)),
        (ItemSet.from_pair_features(rng.normal(size=(2, 2)), 4, pairs), pairs),
        (ItemSet.from_pair_features(NodeProducts(np.ones((4, 2)), pairs), 4, pairs), pairs),
    ):
        encoded = featurizer.encode(items)
        operator = featurizer.compare(encoded, None)
        assert featurizer.compare(encoded, None) is operator
        assert featurizer.compare(encoded, default_pairs) is operator
    assert operator is items.items.features


def test_listed_pairs_are_looked_up():
    items = ItemSet.from_pair_features([[1.0], [2.0], [3.0]], 4, [(3, 1), (0, 2), (0, 1)])
    operator = GivenFeatures()(items, [(1, 0), (1, 3)])
    assert to_matrix(operator).ravel().tolist() == [3.0, 1.0]
    with pytest.raises(PairError, match=r"pair \(0, 3\) is not among the 3 pairs that have feat"):
        GivenFeatures()(items, [(0, 1), (3, 0), (2, 3)])
    with pytest.raises(PairError, match=r"pair \(0, 3\) is not among the 3"):
        GivenFeatures()(items, all_pairs(4))
    with pytest.raises(PairError, match="but there are 4 items"):
        GivenFeatures()(items, [(0, 9)])


def test_all_pairs_in_another_order_are_looked_up_too():
    items = ItemSet.from_pair_features([[1.0], [2.0], [3.0]], 3, [(1, 2), (0, 2), (0, 1)])
    assert to_matrix(GivenFeatures()(items, all_pairs(3))).ravel().tolist() == [3.0, 2.0, 1.0]


def test_fit_fixes_the_number_and_the_kind(rng):
    fitted = GivenFeatures().fit(vectors(rng))
    assert fitted == GivenFeatures(n_columns=3, of_pairs=False)
    assert fitted.names == ("feature 0", "feature 1", "feature 2")
    with pytest.raises(FeatureError, match=r"^there are 2 features of items, but 3 features of it"):
        fitted(ItemSet(np.ones((2, 2))), None)
    with pytest.raises(FeatureError, match=r"are 2 features of pairs, but 3 features of items are"):
        fitted(pair_features(rng)[0], None)
    with pytest.raises(FeatureError, match=r"^item set 3: there are 4 features of items, but 3"):
        GivenFeatures().fit([*vectors(rng), ItemSet(np.ones((2, 4)))])
    with pytest.raises(FeatureError, match="item set 3: there are 3 features of pairs"):
        GivenFeatures().fit([*vectors(rng), ItemSet.from_pair_features(np.ones((1, 3)), 2)])
    with pytest.raises(FeatureError, match="item set 0: there are 3 features of items, but 5"):
        GivenFeatures(n_columns=5).fit(vectors(rng))


def test_sets_without_rows_have_as_many_columns_as_the_others(rng):
    for kind in (vectors, pair_features):
        fitted = GivenFeatures().fit(kind(rng))
        assert fitted(ItemSet([]), None).shape == (0, fitted.n_columns)
    assert fitted(ItemSet.from_pair_features([], 1), None).shape == (0, 2)
    assert GivenFeatures()(ItemSet([]), None).shape == (0, 0)


@pytest.mark.parametrize("items", [["a", "b"], {"name": ["Ann", "Bob"]}, [{"name": "Ann"}]])
def test_items_that_are_not_numbers_need_a_featurizer(items):
    for featurizer in MEMBERS.values():
        with pytest.raises(FeatureError, match=r"item set 0: the items are .*; give a featurizer"):
            featurizer.fit([ItemSet(items)])
    with pytest.raises(FeatureError, match="give a featurizer"):
        GivenFeatures()(ItemSet(items), None)


def test_frames_of_texts_need_a_featurizer():
    polars = pytest.importorskip("polars")
    with pytest.raises(FeatureError, match="items are of type DataFrame, not rows of numbers"):
        GivenFeatures()(ItemSet(polars.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})), None)


def test_frames_and_columns_of_numbers_are_matrices():
    polars = pytest.importorskip("polars")
    columns = {"a": [1.0, 2.0, 3.0], "b": [1, 0, 1]}
    for items in (polars.DataFrame(columns), columns):
        features = GivenFeatures()(ItemSet(items), None)
        np.testing.assert_array_equal(features @ [1.0, 10.0], [2.0, 13.0, 6.0])


def test_the_constant_comes_last_and_is_not_on_the_diagonal(rng):
    fitted = WithConstant(GivenFeatures()).fit(vectors(rng))
    assert fitted.names[-1] == "constant"
    operator = fitted(vectors(rng)[0], None)
    np.testing.assert_array_equal(operator @ [0.0, 0.0, 0.0, 2.0], np.full(6, 2.0))
    np.testing.assert_array_equal(operator.diagonal @ [0.0, 0.0, 0.0, 2.0], np.zeros(4))


@pytest.mark.parametrize("kind", KINDS)
def test_scale_is_the_deviation_over_all_training_pairs(kind, rng):
    sets = kind(rng)
    plain = GivenFeatures().fit(sets)
    matrices = [sp.csr_array(to_matrix(plain(item_set, None))).toarray() for item_set in sets]
    deviations = np.vstack(matrices).std(axis=0)
    expected = np.append(np.where(deviations > 0, deviations, 1.0), 1.0)
    fitted = Scaled(WithConstant(GivenFeatures())).fit(sets)
    np.testing.assert_allclose(fitted.scale, expected)
    coef = rng.normal(size=len(expected))
    for item_set, matrix in zip(sets, matrices, strict=True):
        scores = matrix @ (coef / expected)[:-1] + coef[-1]
        np.testing.assert_allclose(fitted(item_set, None) @ coef, scores)


def test_constant_columns_are_not_scaled(rng):
    constant_columns = np.full((count_pairs(300), 3), [0.1, 1e8 / 3, 0.0])
    fitted = Scaled(GivenFeatures()).fit([ItemSet.from_pair_features(constant_columns, 300)])
    assert fitted.scale.tolist() == [1.0, 1.0, 1.0]
    fitted_to_one_item = Scaled(GivenFeatures()).fit([ItemSet([[1.0, 2.0]])])
    assert fitted_to_one_item.scale.tolist() == [1.0, 1.0]


def test_fit_keeps_a_given_scale(rng):
    fitted = Scaled(GivenFeatures(), scale=[1.0, 2.0, 4.0]).fit(vectors(rng))
    assert fitted.scale.tolist() == [1.0, 2.0, 4.0]
    with pytest.raises(FeatureError, match=r"scale has shape \(1,\) for 3 columns"):
        Scaled(GivenFeatures(), scale=[1.0])(vectors(rng)[0], None)
    with pytest.raises(FeatureError, match="Scaled is not fitted, and has no scale; call fit"):
        Scaled(GivenFeatures())(vectors(rng)[0], None)


def test_large_sets_are_sampled(rng, monkeypatch):
    sets = [ItemSet(rng.normal(size=(n, 2))) for n in (80, 20)]
    exact = Scaled(GivenFeatures()).fit(sets).scale
    monkeypatch.setattr(given, "SAMPLED_PAIRS", 1000)
    estimate = Scaled(GivenFeatures()).fit(sets).scale
    np.testing.assert_allclose(estimate, exact, rtol=0.2)
    assert not np.array_equal(estimate, exact)
    np.testing.assert_array_equal(estimate, Scaled(GivenFeatures()).fit(sets).scale)


def test_parameters_are_the_fields():
    featurizer = Scaled(WithConstant(GivenFeatures(n_columns=2)))
    assert list(featurizer.get_params(deep=False)) == ["featurizer", "scale"]
    assert featurizer.get_params()["featurizer__featurizer__n_columns"] == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GivenFeatures(n_columns=-1), "n_columns is -1"),
        (lambda: GivenFeatures(of_pairs="yes"), "of_pairs is 'yes'; give True, False or None"),
        (lambda: GivenFeatures().names, r"GivenFeatures is not fitted, .*; call fit"),
        (lambda: GivenFeatures().fit([]), "no features to fit to; give at least one item set"),
        (lambda: WithConstant(GivenFeatures), "the featurizer is the class GivenFeatures; give"),
        (lambda: Scaled(None), "the featurizer is None; give an object with the"),
        (lambda: Scaled(GivenFeatures(), scale="a"), "scale must be real numbers"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(FeatureError, match=message):
        build()


def test_a_single_set_is_refused(rng):
    with pytest.raises(ItemSetError, match="wrap it in a list"):
        GivenFeatures().fit(vectors(rng)[0])


@dataclass(frozen=True, eq=False)
class Sound(PairFeaturizer):
    """The distance of numbers; each subclass below breaks one rule of featurizers."""

    state: dict = field(default_factory=dict)

    @property
    def names(self):
        return ("distance",)

    def encode(self, item_set):
        return np.asarray(item_set.items).ravel()

    def compare(self, encoded, pairs):
        first, second = (all_pairs(len(encoded)) if pairs is None else np.asarray(pairs)).T
        return features.DenseFeatures(np.abs(encoded[first] - encoded[second])[:, None])


class FitsItself(Sound):
    def fit(self, item_sets):
        self.state["sets"] = len(item_sets)
        return self


class FitsAnother(Sound):
    def fit(self, item_sets):
        return Sound()


class NeverFitsTwice(Sound):
    def fit(self, item_sets):
        return replace(self, state={"shift": np.random.default_rng().random()})

    def compare(self, encoded, pairs):
        matrix = to_matrix(super().compare(encoded, pairs))
        return features.DenseFeatures(matrix + self.state["shift"])


class NamesTooMany(Sound):
    @property
    def names(self):
        return ("distance", "time")


class CallsOtherwise(Sound):
    def __call__(self, item_set, pairs):
        return features.DenseFeatures(2 * to_matrix(super().__call__(item_set, pairs)))


class KnowsAllPairsOnly(Sound):
    def compare(self, encoded, pairs):
        operator = super().compare(encoded, None)
        return operator if pairs is None else features.select_rows(operator, np.arange(len(pairs)))


class ChangesItsInput(Sound):
    def compare(self, encoded, pairs):
        result = super().compare(encoded.copy(), pairs)
        encoded[:] = 0.0
        return result

    def encode(self, item_set):
        return super().encode(item_set).copy()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (FitsItself, "fit changed its own featurizer"),
        (FitsAnother, "fit returned a Sound"),
        (NeverFitsTwice, "fit does not repeat itself"),
        (NamesTooMany, "there are 2 names for 1 columns"),
        (CallsOtherwise, "calling is not encoding and comparing"),
        (KnowsAllPairsOnly, "some pairs are not the rows of all"),
        (ChangesItsInput, "calling is not encoding and comparing"),
    ],
)
def test_the_check_catches_what_breaks_the_contract(broken, message, rng):
    sets = [ItemSet(rng.normal(size=(n, 1))) for n in (5, 3)]
    check_featurizer(Sound(), sets)
    with pytest.raises(AssertionError, match=message):
        check_featurizer(broken(), sets)


def test_a_column_of_numbers_and_lists_is_refused():
    with pytest.raises(FeatureError):
        GivenFeatures()(ItemSet({"x": [1.0, [2.0, 3.0], 4.0]}), None)
