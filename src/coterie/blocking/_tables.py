"""Tables of plain texts, with one code per distinct text and with rows sorted by content."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._core.texts import plain_text
from coterie.blocking._parts import TextParts, grams_of_texts, tokens_of_texts
from coterie.exceptions import ItemSetError
from coterie.features.columns import column_of, is_missing
from coterie.items import Columns


class TextColumn(NamedTuple):
    """The distinct texts of a column, and the code (index) of each row's text, -1 for none."""

    texts: list[str]
    codes: Ints


class TextTable:
    """Columns of plain texts whose rows are sorted by their content.

    Keys break ties by this order, so that their candidate pairs do not depend on the input order of
    the rows. Rows of equal content stay in input order.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], n_rows: int) -> None:
        self.n_rows = n_rows
        raw = {name: _raw_column(name, values) for name, values in columns.items()}
        plain = {name: _plain_column(column) for name, column in raw.items()}
        self.order = _order_by_content([*plain.values(), *raw.values()], n_rows)
        """For each row of the table, its index in the input."""
        self._columns = {
            name: TextColumn(texts, codes[self.order]) for name, (texts, codes) in plain.items()
        }
        self._sorted_rows: dict[tuple[str, bool], Ints] = {}
        self._parts: dict[tuple[str, int], TextParts] = {}

    @classmethod
    def of(cls, items: Any, names: Sequence[str], n_rows: int, user: str) -> "TextTable":
        """Read the named columns of items, and all other columns of texts to sort the rows by.

        `user` is the name of the blocker for error messages.
        """
        columns = {name: column_of(items, name, user) for name in names}
        other_names = [name for name in _column_names(items) if name not in columns]
        others = {name: column_of(items, name, user) for name in other_names}
        other_texts = {name: values for name, values in others.items() if _are_texts(values)}
        return cls(columns | other_texts, n_rows)

    def column(self, name: str) -> TextColumn:
        return self._columns[name]

    def tokens(self, name: str) -> TextParts:
        """Return the tokens of the distinct texts of a column."""
        if (name, 0) not in self._parts:
            self._parts[name, 0] = tokens_of_texts(self.column(name).texts)
        return self._parts[name, 0]

    def grams(self, name: str, size: int) -> TextParts:
        """Return the character n-grams, n = `size`, of the distinct texts of a column."""
        if (name, size) not in self._parts:
            self._parts[name, size] = grams_of_texts(self.column(name).texts, size)
        return self._parts[name, size]

    def sorted_rows(self, name: str, *, backwards: bool) -> Ints:
        """Return the rows with a text in a column, sorted by the text or the reversed text."""
        if (name, backwards) not in self._sorted_rows:
            texts, codes = self.column(name)
            keys = [text[::-1] for text in texts] if backwards else texts
            ranks = np.append(_ranks(keys), -1)[codes]
            order = np.argsort(ranks, kind="stable")
            self._sorted_rows[name, backwards] = order[ranks[order] >= 0]
        return self._sorted_rows[name, backwards]

    def in_input_order(self, pair_ids: Ints) -> Ints:
        """Return the sorted ids of the same pairs when rows are counted in input order."""
        first, second = self.order[pair_ids // self.n_rows], self.order[pair_ids % self.n_rows]
        return np.sort(np.minimum(first, second) * self.n_rows + np.maximum(first, second))


# Reading columns.


def _column_names(items: Any) -> list[str]:
    table = items if isinstance(items, Columns) else nw.from_native(items, eager_only=True)
    return list(table) if isinstance(table, Columns) else list(table.columns)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) or is_missing(value) for value in values)


def _raw_column(name: str, values: Sequence[Any]) -> TextColumn:
    """Encode the texts of a column as they are, by first appearance."""
    code_of: dict[Any, int] = {}
    try:
        codes = np.array([code_of.setdefault(v, len(code_of)) for v in values], dtype=np.intp)
    except TypeError:  # an unhashable value is not a text
        raise _not_text_error(name, values) from None
    if not _are_texts(list(code_of)):
        raise _not_text_error(name, values)
    return _merge_equal(["" if is_missing(value) else value for value in code_of], codes)


def _plain_column(column: TextColumn) -> TextColumn:
    return _merge_equal([plain_text(text) for text in column.texts], column.codes)


def _merge_equal(texts: Sequence[str], codes: Ints) -> TextColumn:
    """Give equal texts the same code, and empty texts the code -1."""
    code_of: dict[str, int] = {}
    new_codes = [code_of.setdefault(text, len(code_of)) if text else -1 for text in texts]
    return TextColumn(list(code_of), np.array([*new_codes, -1], dtype=np.intp)[codes])


def _not_text_error(name: str, values: Sequence[Any]) -> ItemSetError:
    row, value = next(
        (row, value)
        for row, value in enumerate(values)
        if not isinstance(value, str) and not is_missing(value)
    )
    return ItemSetError(
        f"column {name!r}, item {row}: {value!r} is not a string; give strings, or None"
    )


def _ranks(texts: Sequence[str]) -> Ints:
    """Return the rank of each text in the sorted order of the texts, which are distinct."""
    ranks = np.empty(len(texts), dtype=np.intp)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _order_by_content(columns: Sequence[TextColumn], n_rows: int) -> Ints:
    """Return the rows sorted by the first column; later columns break ties."""
    order, groups = np.arange(n_rows), np.zeros(n_rows, dtype=np.intp)
    for texts, codes in columns:
        is_tied = np.bincount(groups, minlength=n_rows)[groups] > 1
        if not is_tied.any():
            break
        ranks = np.where(is_tied, _ranks_of_rows(texts, codes[order], is_tied) + 1, 0)
        moves = np.lexsort((ranks, groups))
        order, groups, ranks = order[moves], groups[moves], ranks[moves]
        starts_group = (np.diff(groups, prepend=-1) != 0) | (np.diff(ranks, prepend=-2) != 0)
        groups = np.cumsum(starts_group) - 1
    return order


def _ranks_of_rows(texts: Sequence[str], codes: Ints, selected: Bools) -> Ints:
    """Return the rank of each row's text among the texts of the selected rows, -1 without one."""
    is_used = np.zeros(len(texts), dtype=np.bool_)
    is_used[codes[selected & (codes >= 0)]] = True
    ranks = np.full(len(texts) + 1, -1)
    used_codes = np.flatnonzero(is_used)
    ranks[used_codes] = _ranks([texts[code] for code in used_codes.tolist()])
    return ranks[codes]
