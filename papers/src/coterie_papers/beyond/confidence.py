"""Whether probabilities hold on documents that nothing was learned from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coterie.calibrations import Confidences
from coterie.clusterers import AverageLinkage
from coterie.learners.base import Learner
from coterie.learners.boosting.risks import LeftLinkRisk
from coterie.learners.boosting.trees import LightTrees
from coterie.learners.calibration.calibrated import calibrate, true_shares
from coterie.learners.calibration.reliability import Reliability
from coterie.learners.pairwise import scaled_logistic
from coterie.partition import Partition
from coterie.toolkit import Floats
from coterie_papers.beyond.cells import keyed
from coterie_papers.beyond.data import task
from coterie_papers.beyond.methods import LOGISTIC, STRUCTURED, boosted
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.charts import Lines
from coterie_papers.engine.partitions import quiet
from coterie_papers.engine.tables import Table

METHODS = (LOGISTIC, STRUCTURED)
KINDS = ("pairs", "clusters", "single items")
ASSERTED = {
    "items": "items asserted, %",
    "pairs": "pairs right, %",
    "single items": "single items right, %",
}
PRECISIONS = (0.8, 0.9, 0.95)
N_ROUNDS, FEW_ROUNDS = 200, 20
N_BINS = 10

DATA = "60 documents of GUM, 30 to train and to calibrate on, and 30 to test on."
ERROR_NOTE = (
    "Calibration error: the mean over all pairs, clusters or single items of what is said less "
    "what came true in their tenth, × 100; of training documents by curves of the other folds."
)
KINDS_NOTE = (
    "Of clusters of several items, the share of their pairs that is together is foretold; of "
    "single items, that they are alone."
)
KEPT_NOTE = (
    "A cluster is asserted where its probability is at least as high as asked. Right: the share "
    "of the pairs inside asserted clusters that is together, and of asserted single items that is "
    "alone, over all test documents."
)


def confidence(context: Context) -> list[Table]:
    """Show how far the probabilities of pairs and clusters hold on GUM."""
    keys: list[Key] = [
        keyed(context, {"table": "confidence", "data": "gum", "method": method})
        for method in METHODS
    ]
    found = dict(zip(METHODS, context.run(keys, judged), strict=True))
    return [_errors(found), _asserted(found)]


def judged(key: Key, folder: Path | None) -> Values:
    """Calibrate a method on the training documents, and hold it against the test documents."""
    quick = bool(key.get("quick"))
    run = task(str(key["data"]), folder, quick).runs[0]
    with quiet():
        found = calibrate(_learner(str(key["method"]), quick), *run.train)
        sure = [found.model.confidences(each) for each in run.test.item_sets]
    truths = run.test.partitions
    told = [_told(*both) for both in zip(sure, truths, strict=True)]
    tables = [_reliability([each[at] for each in told]) for at in range(len(KINDS))]
    trained = [table.calibration_error for table in found.reliability]
    shown = zip(KINDS, map(_as_values, tables), trained, strict=True)
    return {
        "kinds": {kind: {**values, "held out": error} for kind, values, error in shown},
        "asserted": {f"{each:g}": _kept(sure, truths, each) for each in PRECISIONS},
    }


def _learner(method: str, quick: bool) -> Learner:
    """Return a method as it comes, without a search for its settings."""
    if method == LOGISTIC:
        return scaled_logistic(clusterer=AverageLinkage())
    return boosted(LeftLinkRisk(), LightTrees(learning_rate=0.2), FEW_ROUNDS if quick else N_ROUNDS)


def _told(sure: Confidences, truth: Partition) -> list[tuple[Floats, Floats]]:
    """Return what is said of each kind in one item set, and what is true of it."""
    single = sure.partition.sizes == 1
    shares = true_shares(truth, sure.partition)
    return [
        (sure.pairs, truth.together().astype(np.float64)),
        (sure.clusters[~single], shares[~single]),
        (sure.clusters[single], shares[single]),
    ]


def _reliability(told: Sequence[tuple[Floats, Floats]]) -> Reliability:
    said, true = (np.concatenate(side) for side in zip(*told, strict=True))
    return Reliability.of(said, true, N_BINS)


def _as_values(table: Reliability) -> dict[str, Any]:
    return {
        "number": int(table.counts.sum()),
        "error": table.calibration_error,
        "brier": table.brier,
        "said": table.predicted,
        "true": table.observed,
    }


def _kept(
    sure: Sequence[Confidences], truths: Sequence[Partition], precision: float
) -> dict[str, float | None]:
    """Return the share of the items that are asserted, and of what is asserted what is right.

    Where nothing is asserted, nothing can be right: None.
    """
    n_items = n_kept = 0
    pairs, singles = np.zeros(2), np.zeros(2)
    for each, truth in zip(sure, truths, strict=True):
        kept = each.clusters >= precision
        sizes, shares = each.partition.sizes, true_shares(truth, each.partition)
        counts = np.where(sizes == 1, 1.0, sizes * (sizes - 1) / 2)
        for totals, of_kind in ((pairs, kept & (sizes > 1)), (singles, kept & (sizes == 1))):
            totals += [counts[of_kind] @ shares[of_kind], counts[of_kind].sum()]
        n_items, n_kept = n_items + len(truth), n_kept + int(sizes[kept].sum())
    right = [float(hit / total) if total else None for hit, total in (pairs, singles)]
    return {"items": n_kept / n_items, "pairs": right[0], "single items": right[1]}


def _errors(found: Mapping[str, Values]) -> Table:
    rows = {
        f"{method}: {kind}": {
            "number": of_kind["number"],
            "error, training documents": 100 * of_kind["held out"],
            "error, test documents": 100 * of_kind["error"],
            "Brier score × 100": 100 * of_kind["brier"],
        }
        for method, values in found.items()
        for kind, of_kind in values["kinds"].items()
    }
    notes = [ERROR_NOTE, KINDS_NOTE]
    title = "How far probabilities hold on GUM"
    return Table.from_rows(title, rows, notes=notes, digits=2, data=DATA, chart=_chart(found))


def _asserted(found: Mapping[str, Values]) -> Table:
    rows = {
        f"{method}, at least {precision}": {
            title: None if kept[kind] is None else 100 * kept[kind]
            for kind, title in ASSERTED.items()
        }
        for method, values in found.items()
        for precision, kept in values["asserted"].items()
    }
    title = "Only what is sure is asserted"
    return Table.from_rows(title, rows, notes=[KEPT_NOTE], digits=1, data=DATA)


def _chart(found: Mapping[str, Values]) -> Lines:
    """Draw what came true over what was said, by tenths."""
    tenths = [f"{number * 10}" for number in range(N_BINS)]
    middles = [100 * (number + 0.5) / N_BINS for number in range(N_BINS)]
    panels = {
        method: {
            "as said": middles,
            **{kind: _by_tenth(of_kind) for kind, of_kind in values["kinds"].items()},
        }
        for method, values in found.items()
    }
    axes = ("said, from … %", "true, %")
    return Lines("What came true of what was said", tenths, panels, axes)


def _by_tenth(of_kind: Mapping[str, Any]) -> list[float]:
    """Return what came true in each tenth in percent, NaN where nothing was said."""
    true = [float("nan")] * N_BINS
    for said, observed in zip(of_kind["said"], of_kind["true"], strict=True):
        true[min(int(said * N_BINS), N_BINS - 1)] = 100 * observed
    return true
