"""Measure whether the probabilities that a model states are true in larger tables.

    COTERIE_DATA=FOLDER python benchmarks/probabilities.py [LEARNER [SEEDS [TABLE …]]]

Learns from 500 random entities of each table, and clusters random other entities of it: 1, 3, 10,
30 and 100 times as many, as far as the table reaches. Prints, as Markdown, the stated and the true
precision and recall of pairs, and the confidences of clusters by decile with the share of them that
is right. The tables are made records, and the corpora musicbrainz_20k, historical_50k and
pricerunner.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coterie import Partition, metrics
from coterie.datasets import make_records
from coterie.tables import fit

N_ENTITIES, SIZES, N_MADE = 500, (1, 3, 10, 30, 100), 103_000
CORPORA = {
    "musicbrainz_20k": ("dedup", "CID", ("TID", "CTID", "id")),
    "historical_50k": ("multisource", "cluster", ("id",)),
    "pricerunner": ("multisource", "cluster", ("id",)),
}
MADE = "made records"
HEADINGS = (
    *("table", "seed", "times", "rows", "precision", "stated", "interval"),
    *("recall", "stated", "interval", "F1", "calibration error"),
)


class Result(NamedTuple):
    """One clustered table: the cells of its line, and the confidences of its clusters."""

    cells: tuple[str, ...]
    confidences: np.ndarray
    are_right: np.ndarray
    is_single: np.ndarray


def read(name: str) -> tuple[pd.DataFrame, str]:
    """Return a table, and the name of its column of true clusters."""
    if name == MADE:
        (item_set,), (truth,) = make_records(N_MADE)
        frame = pd.DataFrame(dict(item_set.items)).fillna("")
        return frame.assign(person=truth.labels.astype(str)), "person"
    folder, cluster, dropped = CORPORA[name]
    path = Path(os.environ["COTERIE_DATA"], folder, f"{name}.csv.gz")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame.drop(columns=list(dropped)), cluster


def measure(name: str, learner: str, seed: int) -> Iterator[Result]:
    """Learn from some entities, and cluster others."""
    frame, cluster = read(name)
    entities = np.array(frame[cluster].unique(), dtype=object)
    np.random.default_rng(seed).shuffle(entities)
    start = time.perf_counter()
    model = fit(rows_of(frame, cluster, entities[:N_ENTITIES]), cluster=cluster, learner=learner)
    print(f"{name}, seed {seed}: learned in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    others = entities[N_ENTITIES:]
    for times in SIZES:
        table = rows_of(frame, cluster, others[: times * N_ENTITIES])
        yield clustered(model, table, cluster, (name, str(seed), str(times)))
        if times * N_ENTITIES >= len(others):
            return


def rows_of(frame: pd.DataFrame, cluster: str, entities: np.ndarray) -> pd.DataFrame:
    """Return the rows of some entities."""
    return frame[frame[cluster].isin(set(entities))].reset_index(drop=True)


def clustered(model: Any, table: pd.DataFrame, cluster: str, cells: tuple[str, ...]) -> Result:
    """Cluster a table, and compare what the model states with the truth."""
    clustering = model.cluster(table.drop(columns=cluster))
    (part,) = clustering.sets
    truth = Partition([table[cluster][row] for row in part.group.rows.tolist()])
    scores = metrics.pair_scores(truth, part.partition)
    stated = part.confidences.clusters
    are_right = right_clusters(truth, part.partition)
    expected = getattr(clustering, "expected", None)
    sizes = part.partition.sizes.astype(float)
    pairs = sizes * (sizes - 1.0)
    # Before expected quality was stated, a confidence was the expected share of right pairs.
    precision = expected.precision if expected else (float(stated @ pairs / pairs.sum()),)
    recall = expected.recall if expected else None
    line = (
        *cells, f"{len(table):,}",
        *(f"{scores.precision:.3f}", *shown(precision)),
        *(f"{scores.recall:.3f}", *shown(recall)),
        *(f"{scores.f1:.4f}", f"{calibration_error(stated, are_right):.3f}"),
    )  # fmt: skip
    return Result(line, stated, are_right, sizes == 1)


def shown(expected: Any) -> tuple[str, str]:
    """Return a stated value and its interval as texts."""
    if expected is None:
        return "–", "–"
    value, *interval = expected
    return f"{value:.3f}", " to ".join(f"{end:.3f}" for end in interval) or "–"


def right_clusters(truth: Partition, predicted: Partition) -> np.ndarray:
    """Return whether all rows of each cluster are one entity, and single rows are alone."""
    return np.array(
        [
            len(set(truth.labels[rows])) == 1
            and (len(rows) > 1 or truth.sizes[truth.labels[rows[0]]] == 1)
            for rows in predicted.clusters
        ]
    )


def deciles(stated: np.ndarray) -> np.ndarray:
    """Return the decile of each confidence, from 0 to 9."""
    return np.minimum((stated * 10).astype(int), 9)


def calibration_error(stated: np.ndarray, are_right: np.ndarray) -> float:
    """Return the mean distance of confidences from shares by decile, where clusters count."""
    gaps = np.bincount(deciles(stated), stated - are_right, 10)
    return float(np.abs(gaps).sum() / max(len(stated), 1))


def print_table(headings: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    """Print a table in Markdown."""
    print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def decile_rows(results: list[Result]) -> Iterator[tuple[str, ...]]:
    """Yield stated and true shares by decile, for clusters of several rows and of one."""
    for name, of_one in (("several rows", False), ("one row", True)):
        stated = np.concatenate([r.confidences[r.is_single == of_one] for r in results])
        right = np.concatenate([r.are_right[r.is_single == of_one] for r in results])
        for decile in np.unique(deciles(stated)):
            chosen = deciles(stated) == decile
            means = f"{stated[chosen].mean():.3f}", f"{right[chosen].mean():.3f}"
            yield name, f"{decile / 10:.1f}", f"{chosen.sum():,}", *means
        error = calibration_error(stated, right)
        yield name, "all", f"{len(stated):,}", "calibration error", f"{error:.3f}"


def main() -> None:
    """Measure all tables, and print the results."""
    learner, n_seeds, *names = [*sys.argv[1:], *("logistic", "3")[len(sys.argv[1:]) :]]
    results: list[Result] = []

    def lines() -> Iterator[tuple[str, ...]]:
        for name in names or (MADE, *CORPORA):
            for seed in range(int(n_seeds)):
                for result in measure(name, learner, seed):
                    results.append(result)
                    yield result.cells

    print_table(HEADINGS, lines())
    print_table(("clusters of", "from", "clusters", "stated", "right"), decile_rows(results))


if __name__ == "__main__":
    main()
