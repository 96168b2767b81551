"""Rules that compare a column with the other columns of its table."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coterie._core.arrays import Ints
from coterie.features.kinds.date import NOT_A_DATE, date_of
from coterie.tables.leaks.answers import Answers, are_consecutive, as_codes

CONSTANT = 0.995
"""The least share of mates with the same value, for a value to be that of a whole cluster."""

LEAST_VALUES = 8
"""The least number of values, by their frequencies in clusters: a value of fewer tells little."""

LEAST_EXPECTED = 20.0
"""The least number of equal values that chance alone must give, to judge about more of them."""

MANY_VALUES, LEAST_ROWS = 0.005, 100
"""The probability of equal values by chance below which nothing needs to be compared with, and the
least number of rows with mates that must then have no exceptions.
"""

BANDS = (2, 6, 51)
"""Words that few clusters share and words that more share are counted apart, up to the last."""

EXPLAINED = 4.0
"""By how many standard deviations more pairs than by chance have equal values, if explained."""

MARKED = (
    "all rows of a cluster have the same value in it, and no other column explains this value, so "
    "it may have been made from the true clusters"
)

_YEAR = re.compile("(1[89]|20)[0-9]{2}")

POINTING = 0.9
"""The least share of the rows which a column names that are in the cluster of the naming row."""


def points_to_mates(
    cells: Sequence[str], answers: Answers, keys: Iterable[Sequence[str]]
) -> str | None:
    """Recognize cells that hold the id of another row of the cluster.

    Parameters
    ----------
    cells
        The cells of the column.
    answers
        The true clusters.
    keys
        Columns whose values are all different.
    """
    filled = [row for row, text in enumerate(cells) if text]
    for ids in keys:
        row_of = {text: row for row, text in enumerate(ids)}
        links = [(row, row_of[cells[row]]) for row in filled if cells[row] in row_of]
        others = [(row, other) for row, other in links if row != other]
        if len(others) < 20 or 2 * len(links) < len(filled):
            continue
        first, second = np.array(others).T
        if (answers.labels[first] == answers.labels[second]).mean() >= POINTING:
            return "its cells hold ids of other rows of the cluster"
    return None


def marks_clusters(
    cells: Sequence[str],
    answers: Answers,
    others: Mapping[str, Sequence[str]],
    *,
    is_first_look: bool,
) -> str | None:
    """Recognize a value that all rows of a cluster share, and that nothing else explains.

    An honest value that never differs within a cluster, such as a year or a category, goes with
    the other columns: clusters that share a rare word in one of them share the value more often
    than by chance. A value that was computed from the label does not.

    Parameters
    ----------
    cells, answers
        As for `points_to_mates`.
    others
        The cells of all other columns, in plain form.
    is_first_look
        Whether to leave out what only a look at all rows can tell.
    """
    codes = as_codes(text or None for text in cells)
    if (codes < 0).mean() > 0.02 or not _is_constant(codes, answers):
        return None
    rows = answers.first_rows
    n_clusters = np.bincount(codes[rows][codes[rows] >= 0])
    chance = float(((n_clusters / len(rows)) ** 2).sum())
    if _is_even(n_clusters) and are_consecutive(cells):
        return MARKED
    if chance * LEAST_VALUES > 1.0 or not _are_made_up(cells):
        return None
    if is_first_look:
        return MARKED
    texts = ([column[row] for row in rows] for column in others.values())
    return None if _may_be_explained(codes[rows], chance, texts, answers) else MARKED


def _may_be_explained(
    codes: Ints, chance: float, columns: Iterable[Sequence[str]], answers: Answers
) -> bool:
    """Return whether clusters with a common word have equal values more often than by chance.

    The answer is True, too, if there is too little to judge by.
    """
    expected_pairs = 0.0
    for texts in columns:
        for equal, total in _equal_pairs(texts, codes):
            expected = total * chance
            expected_pairs += expected
            if equal - expected > max(EXPLAINED * np.sqrt(expected), 5.0):
                return True
    if expected_pairs >= LEAST_EXPECTED:
        return False
    # Of very many values, few are equal by chance, and an honest one would have some errors.
    return chance > MANY_VALUES or int(answers.has_mates.sum()) < LEAST_ROWS


def _are_made_up(cells: Sequence[str]) -> bool:
    """Return whether values are neither words, nor dates, nor years."""
    values = {text for text in cells if text}
    n_plain = sum(_is_word_or_date(text) for text in values)
    return 2 * n_plain < len(values)


def _is_word_or_date(text: str) -> bool:
    """Return whether a text in plain form has a word, or is a date or a year.

    >>> [_is_word_or_date(text) for text in ("new york", "1999", "1999 12 31", "17", "a3f")]
    [True, True, True, False, False]
    """
    has_word = any(len(word) > 2 and word.isalpha() for word in text.split())
    return has_word or date_of(text) != NOT_A_DATE or _YEAR.fullmatch(text) is not None


def _is_even(n_clusters: Ints) -> bool:
    """Return whether values have equal numbers of clusters: remainders do, drawn values do not."""
    middle = float(np.median(n_clusters))
    n_others = int((np.abs(n_clusters - middle) > 1).sum())
    return middle >= 5 and len(n_clusters) >= 5 and n_others <= max(1, len(n_clusters) // 10)


def _is_constant(codes: Ints, answers: Answers) -> bool:
    """Return whether rows of the same cluster have the same value, in many clusters."""
    mated = answers.has_mates
    n_rows = Counter(zip(answers.labels[mated].tolist(), codes[mated].tolist(), strict=True))
    largest: dict[int, int] = defaultdict(int)
    for (label, _), count in n_rows.items():
        largest[label] = max(largest[label], count)
    return len(largest) >= 30 and sum(largest.values()) >= CONSTANT * int(mated.sum())


def _equal_pairs(texts: Sequence[str], codes: Ints) -> list[tuple[int, int]]:
    """Return for each band how many pairs of rows that share a word have equal codes, and all."""
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(texts):
        for word in set(text.split()):
            rows_of[word].append(row)
    equal, total = [0] * len(BANDS[1:]), [0] * len(BANDS[1:])
    for rows in rows_of.values():
        band = bisect_right(BANDS, len(rows)) - 1
        if 0 <= band < len(total):
            total[band] += len(rows) * (len(rows) - 1) // 2
            equal[band] += sum(n * (n - 1) // 2 for n in Counter(codes[rows].tolist()).values())
    return list(zip(equal, total, strict=True))
