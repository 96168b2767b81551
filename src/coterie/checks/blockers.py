"""The contract of a blocker."""

from typing import Any, cast

import narwhals as nw
import numpy as np

from coterie._core.arrays import Pairs
from coterie._types import Blocker
from coterie.items import Columns, ItemSet, PairFeatures


def check_blocker(blocker: Blocker, item_set: ItemSet) -> None:
    """Check that a blocker keeps the contract of its family on an item set that it takes.

    It is a frozen value that its parameters make again. It returns None for all pairs, else pairs
    of items i < j as a read-only array of shape (m, 2), sorted by (i, j), each once, the same at
    every call. Of pair features it returns only pairs that have them. The first item alone and no
    items at all have no pairs.

    Parameters
    ----------
    blocker
        The blocker.
    item_set
        Items of the kind that the blocker is made for.

    Examples
    --------
    >>> from coterie.blocking import Window
    >>> check_blocker(Window(2), ItemSet(["a", "b", "c", "d"]))
    """
    _check_frozen(blocker)
    pairs = _checked(blocker, item_set)
    again = type(blocker)(**cast("Any", blocker).get_params(deep=False))
    for twin in (blocker, again):
        assert _same(_checked(twin, item_set), pairs), "the pairs differ from call to call"
    _check_present(pairs, item_set)
    for n_items in (0, 1):
        few = _checked(blocker, ItemSet(_first(item_set.items, n_items)))
        assert few is None or not len(few), f"there are pairs of {n_items} items"


def _check_frozen(blocker: Blocker) -> None:
    for name, value in cast("Any", blocker).get_params().items():
        try:
            setattr(blocker, name, value)
        except AttributeError:
            continue
        raise AssertionError(f"{type(blocker).__name__} is not frozen: its {name} can be set")


def _checked(blocker: Blocker, item_set: ItemSet) -> Pairs | None:
    pairs = blocker(item_set)
    if pairs is None:
        return None
    assert isinstance(pairs, np.ndarray), f"the pairs are of type {type(pairs).__name__}"
    assert pairs.dtype == np.intp, f"the pairs are of type {pairs.dtype}, not intp"
    assert pairs.shape == (len(pairs), 2), f"the pairs have shape {pairs.shape}"
    assert not pairs.flags.writeable, "the pairs can be written to"
    assert np.all(pairs >= 0), "an item has a negative number"
    assert np.all(pairs < len(item_set)), "a pair has an item that is not there"
    assert np.all(pairs[:, 0] < pairs[:, 1]), "a pair is not i < j"
    keys = pairs[:, 0] * len(item_set) + pairs[:, 1]
    assert np.all(keys[1:] > keys[:-1]), "the pairs are not sorted, each once"
    return pairs


def _same(one: Pairs | None, other: Pairs | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def _check_present(pairs: Pairs | None, item_set: ItemSet) -> None:
    items = item_set.items
    if not isinstance(items, PairFeatures) or items.pairs is None:
        return
    assert pairs is not None, "None stands for all pairs in order, but the features list their own"
    there = set(map(tuple, items.pairs.tolist()))
    assert there.issuperset(map(tuple, pairs.tolist())), "some pairs have no features"


def _first(items: Any, n_items: int) -> Any:
    """Return the first items, as items of the same kind."""
    if isinstance(items, PairFeatures):
        return PairFeatures(np.zeros((0, items.features.shape[1])), n_items)
    if isinstance(items, Columns):
        return Columns({name: column[:n_items] for name, column in items.items()})
    if isinstance(items, tuple | np.ndarray) or hasattr(items, "tocsr"):
        return items[:n_items]
    return nw.from_native(items, eager_only=True).head(n_items).to_native()
