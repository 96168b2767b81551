"""Estimates of the time and memory that learning from a table will take."""

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie._core.renaming import renamed_parameters
from coterie.blocking import learn_blocking
from coterie.blocking.all_pairs import ALL_UP_TO
from coterie.exceptions import InputError
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners.sampled.efforts import EFFORTS, NORMAL, QUICK, SAMPLED
from coterie.learners.sampled.pools import SIMILAR_SHARE
from coterie.learners.sampled.search import MANY_TIMES
from coterie.pairs import count_pairs
from coterie.tables.cross_fitting import MOST_BYTES, N_PARTS
from coterie.tables.equal_rows import take_rows
from coterie.tables.groups import Group, group_rows
from coterie.tables.io.frames import as_table
from coterie.tables.planning import (
    CELL_BYTES,
    MEMORY,
    Plan,
    random_pairs,
    sample_rows,
    timed,
)
from coterie.tables.schema import Schema

N_PAIRS = 2_000
"""Number of pairs that are compared to measure the time per pair."""

PAIRS_PER_ROW = 10
"""Assumed candidate pairs per row of a large table without labels, which keys are learned from."""

START_SECONDS = 1.7
"""Seconds of CPU until a command has read its libraries."""

CELL_SECONDS, KEYS_SECONDS = 3e-5, 0.3
"""Seconds of choosing blocking keys, per cell and per table, where there are no labels."""

FIT_SECONDS = 0.3
ENTRY_SECONDS = {QUICK: 0.6e-6, NORMAL: 1.5e-6}
SAMPLED_SECONDS = {QUICK: 2e-5, NORMAL: 4e-5}
PAIR_SECONDS = 1.3e-6
"""Measured seconds of learning: per table, per feature of a sampled pair, per sampled pair, and per
candidate pair."""

THOROUGH_SECONDS, THOROUGH_ENTRY_SECONDS = 20.0, 3e-6
"""Measured seconds of learning from all pairs: per table, and per feature of a pair."""

BASE_BYTES, PAIR_BYTES, SAMPLE_COPIES, COPIES = 420_000_000, 60, 12, 4
"""Memory of the program and of a pair, copies of a sample in 32 bits, and of all features in 64."""

COMPARING = (
    f"the time of comparing was measured on at most {N_PAIRS:,} rows and {N_PAIRS:,} pairs, and "
    "scaled up"
)
LEARNING = "the times of learning were measured on tables of other columns, on one computer"


@renamed_parameters(table="frame")
def plan_fit(frame: Any, schema: Schema, effort: str = NORMAL) -> Plan:
    """Estimate the work of learning from a table.

    If the schema names the column of true clusters, blocking keys are chosen as `fit` chooses them,
    and the pairs that they find are counted.

    Parameters
    ----------
    frame
        As for `fit`.
    schema
        The roles of its columns, such as `infer_schema` returns.
    effort
        "quick", "normal" or "thorough", as for `fit`.
    """
    if effort not in EFFORTS:
        raise InputError(f"`effort=` is {effort!r}; use one of {', '.join(EFFORTS)}")
    table = as_table(frame)
    groups = group_rows(table, schema, labelled=_has_labels(schema, table.names))
    sets = [group.item_set for group in groups]
    counts = [count_pairs(len(item_set)) for item_set in sets]
    candidates = _candidates(groups, schema)
    n_pairs = sum(candidates.counts)
    largest = max(range(len(sets)), key=lambda index: counts[index])
    features = RecordFeatures(schema.fields)
    n_columns = len(features.names)
    is_sampled = effort in SAMPLED
    passes = _passes(effort, n_pairs, n_columns, candidates.n_similar) if is_sampled else (1, 1)
    per_row, per_pair = _seconds_of_comparing(features, sets[largest], candidates.pairs[largest])
    n_sampled = _n_sampled(effort, candidates) if is_sampled else n_pairs
    seconds = {
        "starting": START_SECONDS,
        "choosing blocking keys": candidates.seconds,
        "comparing": passes[0] * len(table) * per_row + passes[1] * n_pairs * per_pair,
        "learning": _learning_seconds(effort, n_pairs, n_sampled, n_columns),
    }
    return Plan(
        len(table),
        len(sets),
        sum(counts),
        n_pairs,
        seconds,
        _memory(len(table) * len(schema.columns), effort, n_pairs, n_sampled, n_columns),
        (*_assumed(schema, counts, is_counted=candidates.is_counted), COMPARING, LEARNING, MEMORY),
    )


def _has_labels(schema: Schema, names: Sequence[str]) -> bool:
    return schema.cluster is not None and schema.cluster in names


class _Candidates(NamedTuple):
    """The candidate pairs of each set, None for all; their numbers, and those of similar pairs.

    `is_counted` is False if the numbers are assumed.
    """

    seconds: float
    pairs: list[Ints | None]
    counts: list[int]
    n_similar: int
    is_counted: bool


def _candidates(groups: Sequence[Group], schema: Schema) -> _Candidates:
    """Choose blocking keys as `fit` does, if there are labels, and count the candidate pairs."""
    sets = [group.item_set for group in groups]
    truths = [group.truth for group in groups if group.truth is not None]
    if not any(truth.n_clusters < len(truth) for truth in truths):
        n_rows = sum(map(len, sets))
        seconds = KEYS_SECONDS + CELL_SECONDS * n_rows * len(schema.columns)
        counts = [_assumed_pairs(len(item_set)) for item_set in sets]
        return _Candidates(
            seconds, [None] * len(sets), counts, PAIRS_PER_ROW * n_rows, is_counted=False
        )
    seconds, learned = timed(lambda: learn_blocking(sets, truths, schema.columns))
    blocker: Any = learned.blocker
    finding, listed = timed(lambda: [blocker.otherwise.listed(rows).pairs for rows in sets])
    are_all = [count_pairs(len(rows)) <= blocker.limit for rows in sets]
    pairs = [None if all_ else candidates for all_, candidates in zip(are_all, listed, strict=True)]
    counts = list(map(count_pairs, map(len, sets), pairs))
    n_similar = sum(
        len(candidates) + int(np.count_nonzero(truth.together(None))) * all_
        for candidates, truth, all_ in zip(listed, truths, are_all, strict=True)
    )
    return _Candidates(seconds + finding, pairs, counts, n_similar, is_counted=True)


def _assumed_pairs(n_rows: int) -> int:
    count = count_pairs(n_rows)
    return count if count <= ALL_UP_TO else PAIRS_PER_ROW * n_rows


def _n_sampled(effort: str, candidates: _Candidates) -> int:
    """Return about how many pairs are learned from."""
    n_pairs = sum(candidates.counts)
    most = SAMPLED[effort].n_pairs(n_pairs)
    n_similar = min(candidates.n_similar, n_pairs, round(SIMILAR_SHARE * most))
    n_others = max(n_pairs - candidates.n_similar, 0)
    return n_similar + min(n_others, round((1.0 - SIMILAR_SHARE) * most))


def _seconds_of_comparing(
    features: RecordFeatures, item_set: ItemSet, pairs: Ints | None
) -> tuple[float, float]:
    """Measure the seconds per row and per pair of comparing cross-fitted, on a part of a set."""
    if pairs is None or not len(pairs):
        rows = sample_rows(item_set, N_PAIRS)
        drawn = random_pairs(len(rows))
    else:
        rng = np.random.default_rng(0)
        chosen = rng.choice(len(pairs), min(N_PAIRS, len(pairs)), replace=False)
        rows_of_pairs, ends = np.unique(pairs[np.sort(chosen)], return_inverse=True)
        rows, drawn = take_rows(item_set, rows_of_pairs), ends.reshape(-1, 2)
    read_seconds, read = timed(lambda: features.read([rows]))
    entities = np.arange(len(rows)) // 2
    features.learned(read, entities).weighed(read)  # loads what is compiled
    weighing, weighed = timed(lambda: features.learned(read, entities).weighed(read))
    if len(drawn):
        features.compare(weighed, drawn[:1])
    comparing, _ = timed(lambda: features.compare(weighed, drawn))
    per_row = (2.0 * read_seconds + comb(N_PARTS, 2) * weighing) / max(len(rows), 1)
    return per_row, comparing / max(len(drawn), 1)


def _passes(effort: str, n_pairs: int, n_columns: int, n_similar: int) -> tuple[int, int]:
    """Return how often all rows are weighed, and how often all pairs are compared."""
    if 4 * n_pairs * n_columns <= MOST_BYTES:
        return 1, 1
    n_hard = SIMILAR_SHARE * SAMPLED[effort].n_pairs(n_pairs)
    is_twice = SAMPLED[effort].has_pilot and n_similar > MANY_TIMES * n_hard
    return (4, 2) if is_twice else (2, 1)


def _learning_seconds(effort: str, n_pairs: int, n_sampled: int, n_columns: int) -> float:
    if effort not in SAMPLED:
        return THOROUGH_SECONDS + THOROUGH_ENTRY_SECONDS * n_pairs * n_columns
    per_sampled = SAMPLED_SECONDS[effort] + ENTRY_SECONDS[effort] * n_columns
    return FIT_SECONDS + per_sampled * n_sampled + PAIR_SECONDS * n_pairs


def _memory(n_cells: int, effort: str, n_pairs: int, n_sampled: int, n_columns: int) -> int:
    base = BASE_BYTES + CELL_BYTES * n_cells + PAIR_BYTES * n_pairs
    if effort not in SAMPLED:
        return base + COPIES * 8 * n_pairs * n_columns
    held = 4 * n_pairs * n_columns
    return base + held * (held <= MOST_BYTES) + SAMPLE_COPIES * 4 * n_sampled * n_columns


def _assumed(schema: Schema, counts: Sequence[int], *, is_counted: bool) -> tuple[str, ...]:
    """Return what is assumed about the number of pairs, or nothing if they were counted."""
    if is_counted or max(counts) <= ALL_UP_TO:
        return ()
    rows = "table" if schema.set is None else "set"
    return (
        f"a {rows} with over {ALL_UP_TO:,} pairs needs about {PAIRS_PER_ROW} comparisons per row",
    )
