"""What it will take to learn from a table or to cluster it, before any work."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple, TypeVar

import numpy as np

from coterie._core.arrays import Pairs
from coterie.blocking.all_pairs import ALL_UP_TO, AllIfSmall
from coterie.features.operators.blocks import pairs_at
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners.auto.families import SECONDS
from coterie.model import Model
from coterie.pairs import count_pairs
from coterie.tables.groups import grouped
from coterie.tables.model import TableModel
from coterie.tables.schema import Schema
from coterie.tables.table import Table

T = TypeVar("T")

SAMPLES = 5_000, 15_000
"""How many rows are looked at, to see how pairs grow with rows."""

N_PAIRS = 2_000
"""How many pairs are compared to see what one costs."""

PER_ROW = 10
"""How many pairs a row keys list, where no model tells."""

BASE_BYTES, CELL_BYTES, PAIR_BYTES = 250_000_000, 1_000, 100
"""Memory of the program, of a cell and of a pair, as was seen with tables of 100,000 rows."""

COPIES = 4
"""How often the features of pairs are in memory while a model is learned."""

MEMORY = f"a cell needs {CELL_BYTES:,} bytes of memory, and a pair {PAIR_BYTES}"

ROW_SECONDS, PAIR_SECONDS = 20e-6, 2e-6
"""How long it takes to cluster a row and a pair, and to say why, as was seen with such tables."""


@dataclass(frozen=True)
class Plan:
    """What work will take, estimated.

    Parameters
    ----------
    rows, sets
        How many there are.
    all_pairs
        How many pairs there are in all sets.
    pairs
        How many of them will be looked at.
    seconds
        How long each part of the work will take.
    memory
        How many bytes will be needed.
    assumed
        What the estimates rest on, in sentences.
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


def plan_fit(table: Table, schema: Schema) -> Plan:
    """Estimate what learning from a table will take."""
    sets = [group.item_set for group in grouped(table, schema, labelled=False)]
    counts = [count_pairs(len(each)) for each in sets]
    n_pairs = sum(
        count if count <= ALL_UP_TO else PER_ROW * len(each)
        for count, each in zip(counts, sets, strict=True)
    )
    rows = _some_rows(max(sets, key=len), N_PAIRS)
    featurizer = RecordFeatures(schema.fields).fit([rows])
    seconds = _seconds_of_features(featurizer, rows, _random_pairs(len(rows)))
    memory = _memory(table, schema, n_pairs) + COPIES * 8 * n_pairs * len(featurizer.names)
    return Plan(
        len(table),
        len(sets),
        sum(counts),
        n_pairs,
        {
            "comparing": len(table) * seconds[0] + n_pairs * seconds[1],
            **{f"learning, {name}": a + n_pairs * b for name, (a, b) in SECONDS.items()},
        },
        memory,
        (
            f"keys list {PER_ROW} pairs a row, where there are over {ALL_UP_TO:,} pairs",
            f"comparing was timed on {N_PAIRS:,} pairs of the table",
            "learning takes as long as was seen on tables of people",
            MEMORY,
        ),
    )


def plan_predict(table: Table, model: TableModel, id_: str | None = None) -> Plan:
    """Estimate what clustering a table will take."""
    schema = model.schema_of(table, id_)
    sets = [group.item_set for group in grouped(table, schema, labelled=False)]
    counts = [count_pairs(len(each)) for each in sets]
    largest = max(sets, key=len)
    growth = _growth(model.model, largest)
    n_pairs = sum(
        count if count <= _limit(model.model) else growth.at(len(each))
        for count, each in zip(counts, sets, strict=True)
    )
    return Plan(
        len(table),
        len(sets),
        sum(counts),
        n_pairs,
        _seconds_of_predicting(model, largest, len(table), n_pairs),
        _memory(table, schema, n_pairs),
        (
            f"pairs grow with rows as in samples of {SAMPLES[0]:,} and {SAMPLES[1]:,}",
            f"each part was timed on {SAMPLES[0]:,} rows and {N_PAIRS:,} pairs at most",
            MEMORY,
        ),
    )


class Growth(NamedTuple):
    """How many pairs keys list: some for each row, and some for each pair of rows."""

    per_row: float
    per_square: float

    def at(self, n_rows: int) -> int:
        """Return how many they list in a table of so many rows."""
        listed = round(self.per_row * n_rows + self.per_square * n_rows**2)
        return min(listed, count_pairs(n_rows))


def _growth(model: Model, item_set: ItemSet) -> Growth:
    """See how pairs grow with rows: those of nearest rows as the rows, those of blocks squared."""
    if count_pairs(len(item_set)) <= _limit(model):
        return Growth(0.0, 0.5)
    keys = getattr(model.blocker, "otherwise", model.blocker)
    samples = [_some_rows(item_set, n_rows) for n_rows in SAMPLES]
    (n1, m1), (n2, m2) = ((len(each), count_pairs(len(each), keys(each))) for each in samples)
    if n1 == n2:
        return Growth(m2 / n2, 0.0)
    squares = (m2 / n2 - m1 / n1) / (n2 - n1)
    squares = min(max(squares, 0.0), m2 / n2**2)
    return Growth(m2 / n2 - squares * n2, squares)


def _limit(model: Model) -> int:
    """Return up to how many pairs of a set all are looked at."""
    return model.blocker.limit if isinstance(model.blocker, AllIfSmall) else 0


def _seconds_of_predicting(
    model: TableModel, item_set: ItemSet, n_rows: int, n_pairs: int
) -> dict[str, float]:
    """Time each part on some rows, all of which are looked at once before."""
    rows = _some_rows(item_set, SAMPLES[0])
    keys = model.model.blocker
    keys = keys.otherwise if isinstance(keys, AllIfSmall) else keys
    are_all = count_pairs(len(item_set)) <= _limit(model.model)
    blocking, listed = (0.0, None) if are_all else _timed(lambda: keys(rows))
    some = _random_pairs(len(rows)) if listed is None else listed[:N_PAIRS]
    similarity: Any = model.model.similarity
    per_row, per_pair = _seconds_of_features(similarity, rows, some)
    share = n_rows / max(len(rows), 1)
    return {
        "blocking": blocking * share,
        "comparing and scoring": n_rows * per_row + n_pairs * per_pair,
        "clustering and reasons": n_rows * ROW_SECONDS + n_pairs * PAIR_SECONDS,
    }


def _seconds_of_features(compare: Any, rows: ItemSet, pairs: Pairs) -> tuple[float, float]:
    """Return how long it takes to read a row, and to compare a pair."""
    compare(rows, pairs)  # kernels are compiled, and caches filled
    reading, _ = _timed(lambda: compare(rows, pairs[:1]))
    both, _ = _timed(lambda: compare(rows, pairs))
    per_pair = max(both - reading, 0.0) / max(len(pairs), 1)
    return reading / max(len(rows), 1), per_pair


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    begun = process_time()
    done = work()
    return process_time() - begun, done


def _some_rows(item_set: ItemSet, n_rows: int) -> ItemSet:
    """Return rows drawn at random, in their order; of more rows, more are drawn."""
    if len(item_set) <= n_rows:
        return item_set
    drawn = np.random.default_rng(0).permutation(len(item_set))[:n_rows]
    items = item_set.items
    taken = np.sort(drawn).tolist()
    return ItemSet({name: [items[name][row] for row in taken] for name in items})


def _random_pairs(n_rows: int) -> Pairs:
    """Return some pairs, drawn at random."""
    n_pairs = count_pairs(n_rows)
    drawn = np.random.default_rng(0).integers(n_pairs, size=min(N_PAIRS, n_pairs))
    return pairs_at(np.unique(drawn), n_rows)


def _memory(table: Table, schema: Schema, n_pairs: int) -> int:
    n_cells = len(table) * len(schema.columns)
    return BASE_BYTES + CELL_BYTES * n_cells + PAIR_BYTES * n_pairs
