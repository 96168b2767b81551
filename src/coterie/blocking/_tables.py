"""Tables of texts: plain values, numbered once a column, in rows that are ordered by content."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._core.texts import plain_text
from coterie.blocking._parts import Spread, grams_of_texts, tokens_of_texts
from coterie.exceptions import ItemSetError
from coterie.features.columns import column_of, is_missing
from coterie.items import Columns


class TextColumn(NamedTuple):
    """The plain texts of a column, each once, and the number of that of each row, -1 for none."""

    texts: list[str]
    codes: Ints


class TextTable:
    """Columns of plain texts whose rows are in the order of their content.

    Keys break ties by that order, so that what they find does not depend on the order of the rows
    that they are given. Rows of equal content stay in their order.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], n_rows: int) -> None:
        self.n_rows = n_rows
        given = {name: _as_given(name, values) for name, values in columns.items()}
        read = {name: _in_plain_form(column) for name, column in given.items()}
        self.order = _by_content([*read.values(), *given.values()], n_rows)
        self._columns = {
            name: TextColumn(texts, codes[self.order]) for name, (texts, codes) in read.items()
        }
        self._ranks: dict[tuple[str, bool], Ints] = {}
        self._spreads: dict[tuple[str, int], Spread] = {}

    @classmethod
    def of(cls, items: Any, names: Sequence[str], n_rows: int, asker: str) -> "TextTable":
        """Read the named columns of items, and for the order of the rows all others of texts."""
        columns = {name: column_of(items, name, asker) for name in names}
        others = [name for name in _names(items) if name not in columns]
        read = {name: column_of(items, name, asker) for name in others}
        texts = {name: values for name, values in read.items() if _are_texts(values)}
        return cls(columns | texts, n_rows)

    def column(self, name: str) -> TextColumn:
        """Return a column."""
        return self._columns[name]

    def tokens(self, name: str) -> Spread:
        """Return which texts of a column have which tokens."""
        if (name, 0) not in self._spreads:
            self._spreads[name, 0] = tokens_of_texts(self.column(name).texts)
        return self._spreads[name, 0]

    def grams(self, name: str, size: int) -> Spread:
        """Return which texts of a column have which runs of `size` characters."""
        if (name, size) not in self._spreads:
            self._spreads[name, size] = grams_of_texts(self.column(name).texts, size)
        return self._spreads[name, size]

    def ranked(self, name: str, *, backwards: bool) -> Ints:
        """Return the rows that have a value of a column, by it (or by it spelled backwards)."""
        if (name, backwards) not in self._ranks:
            texts, codes = self.column(name)
            spelled = [text[::-1] for text in texts] if backwards else texts
            ranks = np.append(_ranks_of(spelled), -1)[codes]
            order = np.argsort(ranks, kind="stable")
            self._ranks[name, backwards] = order[ranks[order] >= 0]
        return self._ranks[name, backwards]

    def given(self, keys: Ints) -> Ints:
        """Return the sorted keys of pairs by the rows as they were given."""
        first, second = self.order[keys // self.n_rows], self.order[keys % self.n_rows]
        return np.sort(np.minimum(first, second) * self.n_rows + np.maximum(first, second))


# Reading columns.


def _names(items: Any) -> list[str]:
    table = items if isinstance(items, Columns) else nw.from_native(items, eager_only=True)
    return list(table) if isinstance(table, Columns) else list(table.columns)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) or is_missing(value) for value in values)


def _as_given(name: str, values: Sequence[Any]) -> TextColumn:
    """Give the texts of a column numbers, by first appearance."""
    known: dict[Any, int] = {}
    try:
        codes = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.intp)
    except TypeError:  # what has no hash is no text
        raise _no_text(name, values) from None
    if not _are_texts(list(known)):
        raise _no_text(name, values)
    return _renumbered(["" if is_missing(value) else value for value in known], codes)


def _in_plain_form(column: TextColumn) -> TextColumn:
    return _renumbered([plain_text(text) for text in column.texts], column.codes)


def _renumbered(texts: Sequence[str], codes: Ints) -> TextColumn:
    """Give equal texts one number, and the empty one -1."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(text, len(known)) if text else -1 for text in texts]
    return TextColumn(list(known), np.array([*numbers, -1], dtype=np.intp)[codes])


def _no_text(name: str, values: Sequence[Any]) -> ItemSetError:
    row, value = next(
        (row, value)
        for row, value in enumerate(values)
        if not isinstance(value, str) and not is_missing(value)
    )
    return ItemSetError(f"column {name!r}, item {row}: {value!r} is no text; give texts, or None")


def _ranks_of(texts: Sequence[str]) -> Ints:
    """Return the rank of each text among them all, which differ."""
    ranks = np.empty(len(texts), dtype=np.intp)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _by_content(columns: Sequence[TextColumn], n_rows: int) -> Ints:
    """Return the rows sorted by their texts; a later column parts only what is tied."""
    order, groups = np.arange(n_rows), np.zeros(n_rows, dtype=np.intp)
    for texts, codes in columns:
        tied = np.bincount(groups, minlength=n_rows)[groups] > 1
        if not tied.any():
            break
        ranks = np.where(tied, _ranks_among(texts, codes[order], tied) + 1, 0)
        moves = np.lexsort((ranks, groups))
        order, groups, ranks = order[moves], groups[moves], ranks[moves]
        begins = (np.diff(groups, prepend=-1) != 0) | (np.diff(ranks, prepend=-2) != 0)
        groups = np.cumsum(begins) - 1
    return order


def _ranks_among(texts: Sequence[str], codes: Ints, which: Bools) -> Ints:
    """Return the rank of the text of each row among those of some rows, -1 without one."""
    used = np.zeros(len(texts), dtype=np.bool_)
    used[codes[which & (codes >= 0)]] = True
    ranks = np.full(len(texts) + 1, -1)
    kept = np.flatnonzero(used)
    ranks[kept] = _ranks_of([texts[code] for code in kept.tolist()])
    return ranks[codes]
