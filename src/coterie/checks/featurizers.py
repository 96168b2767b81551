"""The contract of a featurizer."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Pairs
from coterie._types import Features, Featurizer
from coterie.checks.features import check_features
from coterie.features.operators import written
from coterie.items import ItemSet, PairFeatures, as_item_sets
from coterie.pairs import all_pairs


def check_featurizer(
    featurizer: Featurizer, item_sets: Sequence[ItemSet], *, random_state: int = 0
) -> None:
    """Check that a featurizer fits to item sets and computes features of their pairs.

    `fit` returns a value of the same class, the same again at the next call, and leaves its own
    parameters as they were. Then, for every item set: there is one name a column, calling is
    encoding and comparing, the features keep the contract of `check_features`, and those of some
    pairs, in any order, are the rows of all. Sets of a few dozen items are enough.

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
    assert all(isinstance(name, str) for name in names), f"names {names} are not all texts"
    for item_set in sets:
        features = _check_call(fitted, item_set)
        n_columns = features.shape[1]
        assert len(names) == n_columns, f"there are {len(names)} names for {n_columns} columns"
        check_features(features, n_items=len(item_set), random_state=random_state)
        _assert_equal(features, again(item_set, None), "fit does not repeat itself")
        _check_some(fitted, item_set, rng)


def _check_call(featurizer: Featurizer, item_set: ItemSet) -> Features:
    features = featurizer(item_set, None)
    encoded = featurizer.encode(item_set)
    n_pairs = len(_pairs_of(item_set))
    assert features.shape[0] == n_pairs, f"{n_pairs} pairs have features of shape {features.shape}"
    for _ in range(2):  # what was encoded serves more than once
        compared = featurizer.compare(encoded, None)
        _assert_equal(features, compared, "calling is not encoding and comparing")
    return features


def _check_some(featurizer: Featurizer, item_set: ItemSet, rng: np.random.Generator) -> None:
    pairs = _pairs_of(item_set)
    rows = rng.permutation(len(pairs))
    whole = _dense(featurizer(item_set, None))
    for some in (rows[: len(rows) // 2], rows, rows[:0]):
        part = _dense(featurizer(item_set, pairs[some]))
        np.testing.assert_allclose(
            part, whole[some], rtol=1e-9, atol=1e-9, err_msg="some pairs are not the rows of all"
        )


def _pairs_of(item_set: ItemSet) -> Pairs:
    """Return the pairs that None stands for: those with features where they are given, or all."""
    items = item_set.items
    listed = items.pairs if isinstance(items, PairFeatures) else None
    return all_pairs(len(item_set)) if listed is None else listed


def _dense(features: Features) -> Floats:
    matrix = written(features)
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    return dense


def _assert_equal(one: Features, other: Features, message: str) -> None:
    np.testing.assert_array_equal(_dense(one), _dense(other), err_msg=message)


def _parameters(featurizer: Any) -> dict[str, Any]:
    """Copy the parameters of a value and, by name, of the values in it."""
    deep = hasattr(featurizer, "get_params")
    known = featurizer.get_params(deep=False) if deep else vars(featurizer)
    return {name: _copied(value) for name, value in known.items()}


def _copied(value: Any) -> Any:
    """Copy a value so that it can be compared; one that equals only itself, by what it holds."""
    equality: Any = type(value).__eq__
    holds = hasattr(value, "__dict__") and equality is object.__eq__
    if hasattr(value, "get_params") or holds or sp.issparse(value):
        return _parameters(value)
    if isinstance(value, list | tuple):
        return [_copied(each) for each in value]
    return copy.deepcopy(value)


def _assert_same(before: dict[str, Any], after: dict[str, Any], message: str) -> None:
    assert before.keys() == after.keys(), f"{message}: its parameters are {', '.join(after)}"
    for name, value in before.items():
        np.testing.assert_equal(after[name], value, err_msg=f"{message}: {name}")
