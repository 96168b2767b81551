"""SDC on names of other sources, by which nothing was chosen (not in the paper)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from coterie.metrics import pair_scores
from coterie.metrics.significance import compare_all
from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, Value, p_text
from coterie_papers.sdc.approaches import LMR, UNIFORM, WARM
from coterie_papers.sdc.cells import VERSION, Fold
from coterie_papers.sdc.data import Names, fresh_names
from coterie_papers.sdc.remedies import CLUSTERERS, VARIANTS, trained
from coterie_papers.sdc.results import protocol_of

SOURCES = {
    "Locations, Topres19th": ("topres19th", "location"),
    "People, HIPE": ("hipe2020", "person"),
    "Locations, HIPE": ("hipe2020", "location"),
    "Organizations, HIPE": ("hipe2020", "organization"),
}
ROWS = [UNIFORM, *(over for _, over in LMR.values()), *VARIANTS]

DATA = (
    "not in the paper, of the same kind: names in English newspapers of the nineteenth and "
    "twentieth century, read by machine (HIPE 2022)."
)
NOTE = (
    "In each run, of {}, the names of a source are divided by entity at random: Topres19th in sets "
    "of about 300 names, HIPE in two halves; of each two sets one is to train on, the other to "
    "test on, and the other way round. F1 of pairs in percent, the number of entities known. No "
    "feature, word, setting or remedy was chosen by these names. p: against SDC from LMR "
    "(logistic), Wilcoxon's test over all results, corrected after Holm; the runs share their "
    "names."
)


def fresh(context: Context) -> list[Table]:
    """Show SDC, uniform weights and LMR on names by which nothing was chosen."""
    n_runs = protocol_of(context).n_fresh
    keys: list[Key] = [
        {"table": "fresh", "data": data, "run": run, "version": VERSION}
        for data in SOURCES
        for run in range(1, n_runs + 1)
    ]
    found = context.run(keys, cell)
    folds: dict[str, list[Mapping[str, Sequence[float]]]] = {data: [] for data in SOURCES}
    for key, values in zip(keys, found, strict=True):
        folds[str(key["data"])] += values["folds"]
    return [
        Table.from_rows(
            f"Not in the paper: F1 on names of other sources, under {name.lower()}",
            _shown(name, folds),
            notes=[NOTE.format(n_runs)],
            data=DATA,
        )
        for name in CLUSTERERS
    ]


def _shown(
    name: str, folds: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]
) -> Mapping[str, Mapping[str, Entry | Value]]:
    shown: dict[str, dict[str, Entry | Value]] = {row: {} for row in ROWS}
    for data, results in folds.items():
        f1: dict[str, Floats] = {
            row: np.array([100 * fold[f"{name}: {row}"][-1] for fold in results]) for row in ROWS
        }
        losses = {row: -own for row, own in f1.items()}
        compared = compare_all(losses.pop(WARM), losses)
        for row, own in f1.items():
            note = p_text(compared[row].p_value) if row in compared else ""
            shown[row][f"{data} ({len(results)})"] = Entry(float(own.mean()), note=note)
    return shown


def cell(key: Key, folder: Path | None) -> Values:
    """Test all rows on each of two sets of names after training on the other."""
    source, kind = SOURCES[str(key["data"])]
    run = int(key["run"] or 0)
    sets = fresh_names(folder, source, kind, np.random.default_rng(run))  # type: ignore[arg-type]
    folds = []
    with threadpool_limits(1, "blas"):
        for first, second in zip(sets[::2], sets[1::2], strict=False):
            folds += [_tested(first, second, run), _tested(second, first, run)]
    return {"folds": folds}


def _tested(train: Names, test: Names, seed: int) -> Fold:
    return {
        f"{name}: {row}": pair_scores(test.truth, model.predict([test.counted])[0])
        for name, clusterer in CLUSTERERS.items()
        for row, model in trained(train, seed, clusterer).items()
    }
