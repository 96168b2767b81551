"""SDC on names of other sources, which were not used to choose anything (not in the paper)."""

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
from coterie_papers.sdc.cells import VERSION, ScoresByRow, row_under
from coterie_papers.sdc.data import NameSet, fresh_names
from coterie_papers.sdc.remedies import CLUSTERERS, VARIANTS, train_models
from coterie_papers.sdc.results import plan_of

SOURCES = {
    "Locations, Topres19th": ("topres19th", "location"),
    "People, HIPE": ("hipe2020", "person"),
    "Locations, HIPE": ("hipe2020", "location"),
    "Organizations, HIPE": ("hipe2020", "organization"),
}
ROWS = [UNIFORM, *(over for _, over in LMR.values()), *VARIANTS]

DATA = (
    "not in the paper, of the same kind: names in English newspapers of the nineteenth and "
    "twentieth centuries, read by machine (HIPE 2022)."
)
NOTE = (
    "There are {} runs. In each run, the names of a source are divided by entity at random: "
    "Topres19th into sets of about 300 names, HIPE into two halves. The sets are used in pairs: "
    "each set of a pair is once the training set and once the test set. F1 of pairs in percent, "
    "the number of entities known. These names were not used to choose any feature, word, setting "
    "or remedy. p: Wilcoxon's test of SDC from LMR (logistic) against the row, over all results, "
    "with Holm's correction; the runs share their names."
)


def fresh(context: Context) -> list[Table]:
    """Show SDC, uniform weights and LMR on names that were not used to choose anything."""
    n_runs = plan_of(context).n_fresh
    keys: list[Key] = [
        {"table": "fresh", "data": data, "run": run, "version": VERSION}
        for data in SOURCES
        for run in range(1, n_runs + 1)
    ]
    folds: dict[str, list[Mapping[str, Sequence[float]]]] = {data: [] for data in SOURCES}
    for key, values in zip(keys, context.run(keys, compute_fresh), strict=True):
        folds[str(key["data"])] += values["folds"]
    return [
        Table.from_rows(
            f"Not in the paper: F1 on names of other sources, under {clusterer.lower()}",
            _table_rows(clusterer, folds),
            notes=[NOTE.format(n_runs)],
            data=DATA,
        )
        for clusterer in CLUSTERERS
    ]


def _table_rows(
    clusterer: str, folds_by_data: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]
) -> Mapping[str, Mapping[str, Entry | Value]]:
    entries: dict[str, dict[str, Entry | Value]] = {row: {} for row in ROWS}
    for data, folds in folds_by_data.items():
        # The last of precision, recall and F1.
        f1_by_row: dict[str, Floats] = {
            row: np.array([100 * fold[row_under(clusterer, row)][-1] for fold in folds])
            for row in ROWS
        }
        losses = {row: -f1 for row, f1 in f1_by_row.items()}
        comparisons = compare_all(losses.pop(WARM), losses)
        for row, f1 in f1_by_row.items():
            note = p_text(comparisons[row].p_value) if row in comparisons else ""
            entries[row][f"{data} ({len(folds)})"] = Entry(float(f1.mean()), note=note)
    return entries


def compute_fresh(key: Key, folder: Path | None) -> Values:
    """Train all rows on each set of a pair of name sets, and test them on the other set."""
    source, kind = SOURCES[str(key["data"])]
    run = int(key["run"] or 0)
    rng = np.random.default_rng(run)
    name_sets = fresh_names(folder, source, kind, rng)  # type: ignore[arg-type]
    folds = []
    with threadpool_limits(1, "blas"):
        for first, second in zip(name_sets[::2], name_sets[1::2], strict=False):
            folds += [_score_fold(first, second, run), _score_fold(second, first, run)]
    return {"folds": folds}


def _score_fold(train: NameSet, test: NameSet, seed: int) -> ScoresByRow:
    return {
        row_under(name, row): pair_scores(test.truth, model.predict([test.with_count])[0])
        for name, clusterer in CLUSTERERS.items()
        for row, model in train_models(train, seed, clusterer).items()
    }
