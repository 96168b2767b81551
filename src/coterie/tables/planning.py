"""Estimates of the time and memory that clustering a table will take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple, TypeVar

import numpy as np

from coterie._core.arrays import Pairs
from coterie._core.renaming import renamed_parameters
from coterie.blocking import Union
from coterie.blocking.all_pairs import AllIfSmall
from coterie.features.operators.blocks import pairs_at
from coterie.items import ItemSet
from coterie.model import Model
from coterie.pairs import count_pairs
from coterie.tables.equal_rows import different_rows
from coterie.tables.groups import group_rows
from coterie.tables.io.frames import as_table
from coterie.tables.model import TableModel
from coterie.tables.schema import Schema
from coterie.tables.table import Table

T = TypeVar("T")

SAMPLES = 5_000, 15_000
"""Sizes of the two samples by which the growth of pairs with rows is estimated."""

N_PAIRS = 2_000
"""Number of pairs that are compared to measure the time per pair."""

BASE_BYTES, CELL_BYTES, PAIR_BYTES = 250_000_000, 1_000, 100
"""Memory of the program, per cell and per pair, measured on tables of 100,000 rows."""

MEMORY = f"each cell takes {CELL_BYTES:,} bytes of memory and each pair {PAIR_BYTES}"
TIMES_OF_PREDICT = (
    (
        "the times of blocking, comparing and scoring were measured on at most "
        f"{SAMPLES[0]:,} rows and {N_PAIRS:,} pairs, and scaled up"
    ),
    (
        "the time of clustering and reasons was measured on tables of 100,000 rows, and scaled to "
        "the numbers of rows and pairs"
    ),
)
"""Assumptions of all plans, and of those of `predict`."""

ROW_SECONDS, PAIR_SECONDS = 20e-6, 2e-6
"""Seconds of clustering and reasons per row and per pair, measured on tables of 100,000 rows."""


@dataclass(frozen=True)
class Plan:
    """Estimates of the work on a table.

    Parameters
    ----------
    rows, sets
        Number of rows, and of sets of rows.
    all_pairs
        Number of pairs of rows in all sets.
    pairs
        Number of candidate pairs, which will be compared.
    seconds
        Time for each part of the work.
    memory
        Memory in bytes.
    assumed
        The assumptions behind the estimates, as sentences.
    """

    rows: int
    sets: int
    all_pairs: int
    pairs: int
    seconds: dict[str, float]
    memory: int
    assumed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `coterie plan --json` prints them."""
        counts = {name: getattr(self, name) for name in ("rows", "sets", "all_pairs", "pairs")}
        return {
            **counts,
            "seconds": self.seconds,
            "memory_bytes": self.memory,
            "assumed": list(self.assumed),
        }


@renamed_parameters(id_="id", table="frame")
def plan_predict(
    frame: Any,
    model: TableModel,
    id: str | None = None,  # noqa: A002
) -> Plan:
    """Estimate the work of clustering a table.

    Parameters
    ----------
    frame, id
        As for `TableModel.predict`.
    model
        The model.
    """
    table = as_table(frame)
    schema = model.schema_of(table, id)
    groups = group_rows(table, schema, labelled=False)
    sets = [different_rows(group.item_set) for group in groups]
    counts = [count_pairs(len(item_set)) for item_set in sets]
    largest = max(sets, key=len)
    growth = _pair_growth(model.model, largest)
    limit = _all_pairs_limit(model.model)
    n_pairs = sum(
        count if count <= limit else growth.n_pairs(len(item_set))
        for count, item_set in zip(counts, sets, strict=True)
    )
    return Plan(
        len(table),
        len(sets),
        sum(count_pairs(len(group.rows)) for group in groups),
        n_pairs,
        _seconds_of_predicting(model, largest, len(table), n_pairs),
        _memory(table, schema, n_pairs),
        (
            *_assumed_growth([len(item_set) for item_set in sets], limit),
            *TIMES_OF_PREDICT,
            MEMORY,
        ),
    )


def _assumed_growth(sizes: Sequence[int], limit: int) -> tuple[str, ...]:
    """Return how pairs are assumed to grow with rows, or nothing if they were counted.

    They were counted in sets of which all pairs are compared, and in the largest set if a sample
    contains all of its rows.
    """
    blocked_sizes = [size for size in sizes if count_pairs(size) > limit]
    if not blocked_sizes or (len(blocked_sizes) == 1 and max(sizes) <= SAMPLES[1]):
        return ()
    smaller, larger = (min(sample, max(sizes)) for sample in SAMPLES)
    if smaller == larger:
        return ("every set has as many pairs to compare per row as the largest set",)
    samples = f"samples of {smaller:,} and {larger:,} rows"
    return (f"the number of pairs to compare grows as it does between {samples}",)


class PairGrowth(NamedTuple):
    """Number of candidate pairs as a function of rows: a linear and a quadratic term."""

    per_row: float
    per_square: float

    def n_pairs(self, n_rows: int) -> int:
        """Return the number of candidate pairs of a table with `n_rows` rows."""
        count = round(self.per_row * n_rows + self.per_square * n_rows**2)
        return min(count, count_pairs(n_rows))


def _pair_growth(model: Model, item_set: ItemSet) -> PairGrowth:
    """Estimate how candidate pairs grow with rows, from two samples.

    Pairs of nearest rows and of blocks that are too large grow in proportion to the rows, pairs
    inside all other blocks with their square. A block is too large in a sample if it is too large
    in the table.
    """
    if count_pairs(len(item_set)) <= _all_pairs_limit(model):
        return PairGrowth(0.0, 0.5)
    samples = [sample_rows(item_set, n_rows) for n_rows in SAMPLES]
    # Fit m = a n + b n² to the pairs m of samples of n rows, with a and b not negative.
    (n1, m1), (n2, m2) = (
        (len(sample), _count_candidates(model, sample, len(sample) / len(item_set)))
        for sample in samples
    )
    if n1 == n2:
        return PairGrowth(m2 / n2, 0.0)
    per_square = (m2 / n2 - m1 / n1) / (n2 - n1)
    per_square = min(max(per_square, 0.0), m2 / n2**2)
    return PairGrowth(m2 / n2 - per_square * n2, per_square)


def _count_candidates(model: Model, sample: ItemSet, share: float) -> int:
    """Count the candidate pairs of a sample that has a share of the rows of its table."""
    keys: Any = getattr(model.blocker, "otherwise", model.blocker)
    if not isinstance(keys, Union):
        return count_pairs(len(sample), keys(sample))
    return len(keys.for_sample(share).listed(sample).pairs)


def _all_pairs_limit(model: Model) -> int:
    """Return the largest number of pairs that an item set may have for all to be compared."""
    return model.blocker.limit if isinstance(model.blocker, AllIfSmall) else 0


def _seconds_of_predicting(
    model: TableModel, item_set: ItemSet, n_rows: int, n_pairs: int
) -> dict[str, float]:
    """Measure each part on a sample of rows."""
    rows = sample_rows(item_set, SAMPLES[0])
    keys = model.model.blocker
    keys = keys.otherwise if isinstance(keys, AllIfSmall) else keys
    compares_all = count_pairs(len(item_set)) <= _all_pairs_limit(model.model)
    blocking, candidates = (0.0, None) if compares_all else timed(lambda: keys(rows))
    pairs = random_pairs(len(rows)) if candidates is None else candidates[:N_PAIRS]
    similarity: Any = model.model.similarity
    per_row, per_pair = _seconds_of_features(similarity, rows, pairs)
    share = n_rows / max(len(rows), 1)
    return {
        "blocking": blocking * share,
        "comparing and scoring": n_rows * per_row + n_pairs * per_pair,
        "clustering and reasons": n_rows * ROW_SECONDS + n_pairs * PAIR_SECONDS,
    }


def _seconds_of_features(compare: Any, rows: ItemSet, pairs: Pairs) -> tuple[float, float]:
    """Measure the seconds to read a row and to compare a pair."""
    compare(rows, pairs)  # compiles kernels and fills caches
    reading, _ = timed(lambda: compare(rows, pairs[:1]))
    reading_and_comparing, _ = timed(lambda: compare(rows, pairs))
    per_pair = max(reading_and_comparing - reading, 0.0) / max(len(pairs), 1)
    return reading / max(len(rows), 1), per_pair


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds of CPU that some work takes, and its result."""
    start = process_time()
    result = work()
    return process_time() - start, result


def sample_rows(item_set: ItemSet, n_rows: int) -> ItemSet:
    """Draw rows at random and keep their order; a larger sample contains a smaller one."""
    if len(item_set) <= n_rows:
        return item_set
    drawn = np.random.default_rng(0).permutation(len(item_set))[:n_rows]
    items = item_set.items
    rows = np.sort(drawn).tolist()
    return ItemSet({name: [items[name][row] for row in rows] for name in items})


def random_pairs(n_rows: int) -> Pairs:
    """Draw pairs at random."""
    n_pairs = count_pairs(n_rows)
    drawn = np.random.default_rng(0).integers(n_pairs, size=min(N_PAIRS, n_pairs))
    return pairs_at(np.unique(drawn), n_rows)


def _memory(table: Table, schema: Schema, n_pairs: int) -> int:
    n_cells = len(table) * len(schema.columns)
    return BASE_BYTES + CELL_BYTES * n_cells + PAIR_BYTES * n_pairs
