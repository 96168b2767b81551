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

LEAST_EXPECTED, LEAST_EXPECTED_OF_WORDS = 20.0, 100.0
"""The least numbers of equal values that chance alone must give, to judge about more of them."""

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
    least_expected = _least_expected(cells)
    if chance * LEAST_VALUES > 1.0 or least_expected is None:
        return None
    texts = ([column[row] for row in rows] for column in others.values())
    counts = [pair for column in texts for pair in _equal_pairs(column, codes[rows])]
    n_expected = sum(total for _, total in counts) * chance
    # Of very many codes, few are equal by chance, and honest ones would have some errors.
    are_rare = chance <= MANY_VALUES and least_expected == LEAST_EXPECTED
    is_judged = n_expected >= least_expected or (
        are_rare and int(answers.has_mates.sum()) >= LEAST_ROWS
    )
    is_marked = is_first_look or (is_judged and not _is_explained(counts, chance))
    return MARKED if is_marked else None


def _is_explained(counts: Iterable[tuple[int, int]], chance: float) -> bool:
    """Return whether clusters with a common word have equal values more often than by chance."""
    return any(
        equal - total * chance > max(EXPLAINED * np.sqrt(total * chance), 5.0)
        for equal, total in counts
    )


def _least_expected(cells: Sequence[str]) -> float | None:
    """Return how many equal pairs a judgement needs; None for dates and years, which need too many.

    An honest year may go with the other columns only a little; words need more than codes.
    """
    values = {text for text in cells if text}
    if 2 * sum(map(_is_date_or_year, values)) > len(values):
        return None
    has_words = 2 * sum(map(_has_word, values)) > len(values)
    return LEAST_EXPECTED_OF_WORDS if has_words else LEAST_EXPECTED


def _is_date_or_year(text: str) -> bool:
    return date_of(text) != NOT_A_DATE or _YEAR.fullmatch(text) is not None


def _has_word(text: str) -> bool:
    return any(len(word) > 2 and word.isalpha() for word in text.split())


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
