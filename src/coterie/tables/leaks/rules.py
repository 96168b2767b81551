"""Rules that recognize a leak in one column; each returns its reason in words, or None."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie.tables.leaks.agreement import agreement_of
from coterie.tables.leaks.answers import NUMBER, Answers, are_consecutive, as_codes, share
from coterie.tables.leaks.order import nearness, numbers_of
from coterie.tables.leaks.views import (
    VIEWS,
    WHOLE,
    are_emails,
    are_phone_numbers,
    are_scattered_dates,
    is_natural,
)

EXACT, EXACT_PARTS = 0.98, 0.995
"""The least precision and recall of values, and of parts, that equal the label up to renaming."""

NOISY = 0.75
"""The least precision and recall of consecutive numbers, which no typing error would explain."""

LEAST_MATES, LEAST_EQUAL, LEAST_EQUAL_PARTS = 30, 100, 200
"""The least numbers of rows with mates for a statistic, for equal values and for equal parts.

In a small table, an honest value such as a telephone number may have no exception by chance.
"""

LABEL_SHARE = 0.4, 0.85
"""The least shares of cells that hold the name of the cluster: of codes, and of words."""

NEAR = 0.6
"""The least share of rows with mates for which a mate is among the nearest values."""

DETERMINED = 0.98
"""The least share of rows whose value tells the size of the cluster, or whether it has mates."""


class Column(NamedTuple):
    """The cells of a column, as they are and in plain form."""

    texts: tuple[str, ...]
    plain: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Column({len(self.texts)} rows)"


Rule = Callable[[Column, Answers], str | None]


def holds_label(column: Column, answers: Answers) -> str | None:
    """Recognize the name of the cluster in the cells, alone or among other words."""
    rows = [row for row, text in enumerate(column.plain) if text]
    if len(rows) < LEAST_MATES:
        return None
    names = answers.plain_names
    observed = share(_has_inside(column.plain[row], names[row]) for row in rows)
    least = LABEL_SHARE[0] if answers.are_codes else LABEL_SHARE[1]
    if observed < least:
        return None
    others = np.random.default_rng(0).permutation(rows).tolist()
    chance = share(
        _has_inside(column.plain[row], names[other])
        for row, other in zip(rows, others, strict=True)
    )
    if (observed - chance) / max(1.0 - chance, 1e-9) < least:
        return None
    return f"{_percent(observed)} of its cells contain the name of the true cluster"


def _has_inside(text: str, name: str) -> bool:
    """Return whether a text has the words of a name, or its only number, inside.

    >>> _has_inside("rec 0123 dup", "123"), _has_inside("rec 1234", "123")
    (True, False)
    """
    if name in text and f" {name} " in f" {text} ":
        return True
    numbers = NUMBER.findall(name)
    if len(numbers) != 1:
        return False
    number = numbers[0].lstrip("0")
    if number not in text or not number:
        return False
    return number in [other.lstrip("0") for other in NUMBER.findall(text)]


def equals_label(column: Column, answers: Answers) -> str | None:
    """Recognize values, or parts of them, that equal the label up to renaming."""
    for name, view in VIEWS.items():
        cells = [view(text) for text in column.plain]
        keys = as_codes(cells)
        # With far fewer keys than clusters, many clusters share a key.
        if keys.max(initial=-1) + 1 < 0.4 * len(answers.first_rows):
            continue
        agreement = agreement_of(keys, answers.labels)
        if agreement.coverage < 0.5 or agreement.least < NOISY:
            continue
        are_numbers = keys.max() >= 50 and are_consecutive(cell or "" for cell in cells)
        is_exact = agreement.least >= (EXACT if name == WHOLE else EXACT_PARTS)
        if is_exact and not are_numbers and may_be_honest(name, column):
            return None
        is_noisy = name == WHOLE and are_numbers
        if agreement.n_mates >= _least_mates(name, are_numbers) and (is_exact or is_noisy):
            return (
                f"rows with the same {name} in it are in the same cluster in "
                f"{_percent(agreement.precision)} of cases, and rows of a cluster have the same "
                f"{name} in {_percent(agreement.recall)}"
            )
    return None


def may_be_honest(view: str, column: Column) -> bool:
    """Return whether equal values, or equal parts of them, may well be right in a column."""
    texts = column.texts
    if are_emails(texts) or are_phone_numbers(texts):
        return True
    return view == WHOLE and (is_natural(column.plain) or are_scattered_dates(texts))


def _least_mates(view: str, are_numbers: bool) -> int:
    if are_numbers:
        return LEAST_MATES
    return LEAST_EQUAL if view == WHOLE else LEAST_EQUAL_PARTS


def orders_rows(column: Column, answers: Answers) -> str | None:
    """Recognize numbers or times that are nearly consecutive in the rows of a cluster."""
    numbers = numbers_of(column.texts)
    if numbers is None:
        return None
    near = nearness(numbers, answers.labels)
    if near is None or near < NEAR:
        return None
    return (
        "rows of a cluster have neighbouring values, as if they had been numbered cluster by "
        f"cluster: this holds for {_percent(near)} of the rows, chance left out"
    )


def tells_size(column: Column, answers: Answers) -> str | None:
    """Recognize values that tell the size of the cluster, or whether it has several rows."""
    has_mates = answers.has_mates.astype(np.intp)
    values = as_codes(column.plain)
    if min(has_mates.sum(), len(values) - has_mates.sum()) >= LEAST_MATES:
        if _is_told(as_codes(map(bool, column.plain)), has_mates, answers.labels):
            return "whether a cell is filled tells whether other rows are in the cluster"
        if values.max() < 20 and _is_told(values, has_mates, answers.labels):
            return "it tells whether other rows are in the cluster"
    is_varied = np.bincount(answers.sizes).max() < 0.9 * len(values)
    if is_varied and has_mates.sum() >= LEAST_MATES:
        sizes = map(str, answers.sizes.tolist())
        is_equal = share(map(str.__eq__, column.plain, sizes)) >= DETERMINED
        if is_equal or (values.max() < 100 and _is_told(values, answers.sizes, answers.labels)):
            return "it tells how many rows are in the cluster"
    return None


def _is_told(codes: Ints, targets: Ints, labels: Ints) -> bool:
    """Return whether the code of a cluster tells its target, judging by the other clusters."""
    clusters = {*zip(codes.tolist(), targets.tolist(), labels.tolist(), strict=True)}
    n_clusters = Counter((code, target) for code, target, _ in clusters)
    n_with_code = Counter(code for code, _, _ in clusters)
    pairs = list(zip(codes.tolist(), targets.tolist(), strict=True))
    shared = [(code, target) for code, target in pairs if n_with_code[code] > 1]
    if 2 * len(shared) < len(pairs):
        return False
    by_target: dict[int, list[bool]] = {}
    for code, target in shared:
        n_same = n_clusters[code, target] - 1
        n_others = n_with_code[code] - 1 - n_same
        by_target.setdefault(target, []).append(n_same > n_others)
    common = [tells for tells in by_target.values() if len(tells) >= LEAST_MATES]
    all_tells = [tells for values in by_target.values() for tells in values]
    return len(common) > 1 and share(all_tells) >= DETERMINED and min(map(share, common)) > 0.9


def numbers_members(column: Column, answers: Answers) -> str | None:
    """Recognize numbers that count the rows of each cluster: 1 to its size, or from 0."""
    if not share(text.isdigit() for text in column.plain) > DETERMINED:
        return None
    members: dict[int, list[int]] = {}
    for label, text in zip(answers.labels.tolist(), column.plain, strict=True):
        if text.isascii() and text.isdigit() and len(text) < 10:
            members.setdefault(label, []).append(int(text))
    for first in (0, 1):
        are_counted = {
            least: [
                sorted(numbers) == list(range(first, first + len(numbers)))
                for numbers in members.values()
                if len(numbers) >= least
            ]
            for least in (1, 3)
        }
        # In clusters of two, numbers of two sources look the same.
        if len(are_counted[3]) >= 20 and min(map(share, are_counted.values())) > 0.95:
            return "it counts the rows of each cluster"
    return None


def _percent(value: float) -> str:
    """Return a share in percent.

    >>> _percent(0.9996), _percent(1.0)
    ('99.9%', '100%')
    """
    return "100%" if value == 1.0 else f"{min(value, 0.999):.1%}"


RULES: tuple[Rule, ...] = (
    holds_label,
    equals_label,
    tells_size,
    numbers_members,
    orders_rows,
)
