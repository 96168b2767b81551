"""The check of featurizers."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Pairs
from coterie._types import Features, Featurizer
from coterie.checks.features import check_features
from coterie.features.operators import to_matrix
from coterie.items import ItemSet, PairFeatures, as_item_sets
from coterie.pairs import all_pairs


def check_featurizer(
    featurizer: Featurizer, item_sets: Sequence[ItemSet], *, random_state: int = 0
) -> None:
    """Check that a featurizer keeps the contract of its family on some item sets.

    - `fit` returns an object of the same class and leaves the parameters of the featurizer
      unchanged. A second call returns an equal result.
    - There is one name per column.
    - A call gives the same features as `encode` followed by `compare`.
    - The features keep the contract of `check_features`.
    - The features of some pairs, in any order, are the rows of the features of all pairs.

    Item sets of a few dozen items are enough.

    >>> from coterie.features import GivenFeatures
    >>> check_featurizer(GivenFeatures(), [ItemSet([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])])
    """
    rng = np.random.default_rng(random_state)
    sets = as_item_sets(item_sets)
    before = _parameters(featurizer)
    fitted, again = featurizer.fit(sets), featurizer.fit(sets)
    assert type(fitted) is type(featurizer), f"fit returned a {type(fitted).__name__}"
    _assert_same(before, _parameters(featurizer), "fit changed its own featurizer")
    names = fitted.names
    assert all(isinstance(name, str) for name in names), f"the names {names} are not all strings"
    for item_set in sets:
        features = _check_call(fitted, item_set)
        n_columns = features.shape[1]
        assert len(names) == n_columns, f"there are {len(names)} names for {n_columns} columns"
        check_features(features, n_items=len(item_set), random_state=random_state)
        _assert_equal(
            features,
            again(item_set, None),
            "fit does not repeat itself: two calls give other features",
        )
        _check_some_pairs(fitted, item_set, rng)


def _check_call(featurizer: Featurizer, item_set: ItemSet) -> Features:
    features = featurizer(item_set, None)
    encoded = featurizer.encode(item_set)
    n_pairs = len(_pairs_of(item_set))
    assert features.shape[0] == n_pairs, f"{n_pairs} pairs have features of shape {features.shape}"
    for _ in range(2):  # encoded items may be compared several times
        compared = featurizer.compare(encoded, None)
        _assert_equal(
            features, compared, "calling is not encoding and comparing: the features differ"
        )
    return features


def _check_some_pairs(featurizer: Featurizer, item_set: ItemSet, rng: np.random.Generator) -> None:
    pairs = _pairs_of(item_set)
    rows = rng.permutation(len(pairs))
    all_features = _dense(featurizer(item_set, None))
    message = "the features of some pairs are not the rows of all"
    for selection in (rows[: len(rows) // 2], rows, rows[:0]):
        features = _dense(featurizer(item_set, pairs[selection]))
        expected = all_features[selection]
        np.testing.assert_allclose(features, expected, rtol=1e-9, atol=1e-9, err_msg=message)


def _pairs_of(item_set: ItemSet) -> Pairs:
    """Return the pairs that None means: all pairs, or those of given pair features."""
    items = item_set.items
    pairs = items.pairs if isinstance(items, PairFeatures) else None
    return all_pairs(len(item_set)) if pairs is None else pairs


def _dense(features: Features) -> Floats:
    matrix = to_matrix(features)
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    return dense


def _assert_equal(first: Features, second: Features, message: str) -> None:
    np.testing.assert_array_equal(_dense(first), _dense(second), err_msg=message)


def _parameters(featurizer: Any) -> dict[str, Any]:
    """Copy the parameters of an object, and those of its parts, to mappings of names to values."""
    has_params = hasattr(featurizer, "get_params")
    parameters = featurizer.get_params(deep=False) if has_params else vars(featurizer)
    return {name: _copy_of(value) for name, value in parameters.items()}


def _copy_of(value: Any) -> Any:
    """Copy a value to a form that can be compared.

    An object that equals only itself is replaced by a mapping of its attributes.
    """
    equality: Any = type(value).__eq__
    equals_only_itself = hasattr(value, "__dict__") and equality is object.__eq__
    if hasattr(value, "get_params") or equals_only_itself or sp.issparse(value):
        return _parameters(value)
    if isinstance(value, list | tuple):
        return [_copy_of(part) for part in value]
    return copy.deepcopy(value)


def _assert_same(before: dict[str, Any], after: dict[str, Any], message: str) -> None:
    assert before.keys() == after.keys(), f"{message}: its parameters are now {', '.join(after)}"
    for name, value in before.items():
        np.testing.assert_equal(after[name], value, err_msg=f"{message}: {name}")
