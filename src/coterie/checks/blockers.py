"""The check of blockers."""

from typing import Any, cast

import narwhals as nw
import numpy as np

from coterie._core.arrays import Pairs
from coterie._types import Blocker
from coterie.checks._assertions import assert_frozen
from coterie.items import Columns, ItemSet, PairFeatures


def check_blocker(blocker: Blocker, item_set: ItemSet) -> None:
    """Check on an item set that a blocker keeps the contract of its family.

    - It is a frozen value, and its parameters make an equal one.
    - It returns None for all pairs, or a read-only array of shape (m, 2) with pairs i < j, sorted
      by (i, j) and without duplicates. It returns the same at every call.
    - If the items are given by pair features, it returns only pairs that have features.
    - It returns no pairs for no items and for a single item.

    Parameters
    ----------
    blocker
        The blocker.
    item_set
        An item set of a kind that the blocker supports.

    Examples
    --------
    >>> from coterie.blocking import Window
    >>> check_blocker(Window(2), ItemSet(["a", "b", "c", "d"]))
    """
    assert_frozen(blocker)
    pairs = _valid_pairs(blocker, item_set)
    rebuilt = type(blocker)(**cast("Any", blocker).get_params(deep=False))
    for equal_blocker in (blocker, rebuilt):
        is_same = _are_equal(_valid_pairs(equal_blocker, item_set), pairs)
        assert is_same, "the pairs differ from call to call"
    _check_have_features(pairs, item_set)
    for n_items in (0, 1):
        no_pairs = _valid_pairs(blocker, ItemSet(_first(item_set.items, n_items)))
        assert no_pairs is None or not len(no_pairs), f"there are pairs among {n_items} items"


def _valid_pairs(blocker: Blocker, item_set: ItemSet) -> Pairs | None:
    """Return the pairs of a blocker after checking their form."""
    pairs = blocker(item_set)
    if pairs is None:
        return None
    assert isinstance(pairs, np.ndarray), f"the pairs are of type {type(pairs).__name__}"
    assert pairs.dtype == np.intp, f"the pairs have type {pairs.dtype}, not intp"
    assert pairs.shape == (len(pairs), 2), f"the pairs have shape {pairs.shape}"
    assert not pairs.flags.writeable, "the pairs can be written to"
    assert np.all(pairs >= 0), "a pair has an item with a negative index"
    assert np.all(pairs < len(item_set)), "a pair has an item that is not there"
    assert np.all(pairs[:, 0] < pairs[:, 1]), "a pair is not in order i < j"
    keys = pairs[:, 0] * len(item_set) + pairs[:, 1]
    assert np.all(keys[1:] > keys[:-1]), "the pairs are not sorted without duplicates"
    return pairs


def _are_equal(first: Pairs | None, second: Pairs | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def _check_have_features(pairs: Pairs | None, item_set: ItemSet) -> None:
    items = item_set.items
    if not isinstance(items, PairFeatures) or items.pairs is None:
        return
    message = "None means all pairs in order, but the features are given for other pairs"
    assert pairs is not None, message
    with_features = set(map(tuple, items.pairs.tolist()))
    assert with_features.issuperset(map(tuple, pairs.tolist())), "some pairs have no features"


def _first(items: Any, n_items: int) -> Any:
    """Return the first `n_items` items, in the same form."""
    if isinstance(items, PairFeatures):
        return PairFeatures(np.zeros((0, items.features.shape[1])), n_items)
    if isinstance(items, Columns):
        return Columns({name: column[:n_items] for name, column in items.items()})
    if isinstance(items, tuple | np.ndarray) or hasattr(items, "tocsr"):
        return items[:n_items]
    return nw.from_native(items, eager_only=True).head(n_items).to_native()
