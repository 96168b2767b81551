"""The reliability of probabilities on documents that were not used in training."""

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
from coterie_papers.beyond.cells import complete_key
from coterie_papers.beyond.data import read_task
from coterie_papers.beyond.methods import LOGISTIC, STRUCTURED, boosting
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
N_ROUNDS, QUICK_ROUNDS = 200, 20
N_BINS = 10

DATA = "60 documents of GUM, 30 to train and calibrate on, and 30 to test on."
ERROR_NOTE = (
    "Error: the calibration error × 100. Probabilities are divided into ten bins of equal width; "
    "the error is the mean, over all pairs, clusters or single items, of the absolute difference "
    "between the predicted and the observed mean of their bin. The probabilities of training "
    "documents are predicted by the curves of the other folds."
)
KINDS_NOTE = (
    "For clusters of several items, the share of their pairs that belong together is predicted; "
    "for single items, the probability that they are alone."
)
ASSERTED_NOTE = (
    "A cluster is asserted if its probability is at least the number in the row. Right: the share "
    "of the pairs inside of asserted clusters that belong together, and the share of asserted "
    "single items that are alone, over all test documents."
)


def confidence(context: Context) -> list[Table]:
    """Show how reliable the probabilities of pairs and clusters are on GUM."""
    keys: list[Key] = [
        complete_key(context, {"table": "confidence", "data": "gum", "method": method})
        for method in METHODS
    ]
    values_by_method = dict(zip(METHODS, context.run(keys, compute_confidence), strict=True))
    return [_errors_table(values_by_method), _asserted_table(values_by_method)]


def compute_confidence(key: Key, folder: Path | None) -> Values:
    """Calibrate a method on the training documents, and test it on the test documents."""
    quick = bool(key.get("quick"))
    run = read_task(str(key["data"]), folder, quick).runs[0]
    with quiet():
        calibrated = calibrate(_learner(str(key["method"]), quick), *run.train)
        confidences = [calibrated.model.confidences(item_set) for item_set in run.test.item_sets]
    truths = run.test.partitions
    outcomes_by_set = [
        _outcomes(set_confidences, truth)
        for set_confidences, truth in zip(confidences, truths, strict=True)
    ]
    test_tables = [
        _reliability([outcomes[index] for outcomes in outcomes_by_set])
        for index in range(len(KINDS))
    ]
    kinds = zip(KINDS, test_tables, calibrated.reliability, strict=True)
    return {
        "kinds": {
            kind: {**_as_values(test_table), "held out": train_table.calibration_error}
            for kind, test_table, train_table in kinds
        },
        "asserted": {
            f"{precision:g}": _asserted_shares(confidences, truths, precision)
            for precision in PRECISIONS
        },
    }


def _learner(method: str, quick: bool) -> Learner:
    """Return the learner of a method, with fixed settings."""
    if method == LOGISTIC:
        return scaled_logistic(clusterer=AverageLinkage())
    n_rounds = QUICK_ROUNDS if quick else N_ROUNDS
    return boosting(LeftLinkRisk(), LightTrees(learning_rate=0.2), n_rounds)


def _outcomes(confidences: Confidences, truth: Partition) -> list[tuple[Floats, Floats]]:
    """Return the predicted and the true values of each kind in one item set."""
    is_single = confidences.partition.sizes == 1
    shares = true_shares(truth, confidences.partition)
    return [
        (confidences.pairs, truth.together().astype(np.float64)),
        (confidences.clusters[~is_single], shares[~is_single]),
        (confidences.clusters[is_single], shares[is_single]),
    ]


def _reliability(outcomes: Sequence[tuple[Floats, Floats]]) -> Reliability:
    predicted, true = (np.concatenate(values) for values in zip(*outcomes, strict=True))
    return Reliability.of(predicted, true, N_BINS)


def _as_values(table: Reliability) -> dict[str, Any]:
    return {
        "number": int(table.counts.sum()),
        "error": table.calibration_error,
        "brier": table.brier,
        "said": table.predicted,
        "true": table.observed,
    }


def _asserted_shares(
    confidences: Sequence[Confidences], truths: Sequence[Partition], precision: float
) -> dict[str, float | None]:
    """Return the share of items that are asserted, and the shares of these that are right.

    If nothing is asserted, the latter are None.
    """
    n_items = n_asserted = 0
    # The number that are right, and the number that are asserted.
    pairs, singles = np.zeros(2), np.zeros(2)
    for set_confidences, truth in zip(confidences, truths, strict=True):
        partition = set_confidences.partition
        is_asserted = set_confidences.clusters >= precision
        sizes, shares = partition.sizes, true_shares(truth, partition)
        # A cluster of n items has n(n − 1)/2 pairs; a single item counts as one.
        counts = np.where(sizes == 1, 1.0, sizes * (sizes - 1) / 2)
        for totals, of_kind in ((pairs, sizes > 1), (singles, sizes == 1)):
            clusters = is_asserted & of_kind
            totals += [counts[clusters] @ shares[clusters], counts[clusters].sum()]
        n_items += len(truth)
        n_asserted += int(sizes[is_asserted].sum())
    right = [float(n_right / total) if total else None for n_right, total in (pairs, singles)]
    return {"items": n_asserted / n_items, "pairs": right[0], "single items": right[1]}


def _errors_table(values_by_method: Mapping[str, Values]) -> Table:
    rows = {
        f"{method}: {kind}": {
            "number": kind_values["number"],
            "error, training documents": 100 * kind_values["held out"],
            "error, test documents": 100 * kind_values["error"],
            "Brier score × 100": 100 * kind_values["brier"],
        }
        for method, values in values_by_method.items()
        for kind, kind_values in values["kinds"].items()
    }
    return Table.from_rows(
        "How far probabilities hold on GUM",
        rows,
        notes=[ERROR_NOTE, KINDS_NOTE],
        digits=2,
        data=DATA,
        chart=_chart(values_by_method),
    )


def _asserted_table(values_by_method: Mapping[str, Values]) -> Table:
    rows = {
        f"{method}, at least {precision}": {
            title: None if shares[kind] is None else 100 * shares[kind]
            for kind, title in ASSERTED.items()
        }
        for method, values in values_by_method.items()
        for precision, shares in values["asserted"].items()
    }
    title = "Only what is sure is asserted"
    return Table.from_rows(title, rows, notes=[ASSERTED_NOTE], digits=1, data=DATA)


def _chart(values_by_method: Mapping[str, Values]) -> Lines:
    """Draw the observed values over the predicted ones, by tenths."""
    tenths = [f"{index * 10}" for index in range(N_BINS)]
    middles = [100 * (index + 0.5) / N_BINS for index in range(N_BINS)]
    panels = {
        method: {
            "as predicted": middles,
            **{
                kind: _observed_by_tenth(kind_values)
                for kind, kind_values in values["kinds"].items()
            },
        }
        for method, values in values_by_method.items()
    }
    axes = ("predicted, from … %", "observed, %")
    return Lines("Observed and predicted probabilities", tenths, panels, axes)


def _observed_by_tenth(kind_values: Mapping[str, Any]) -> list[float]:
    """Return the observed value of each tenth in percent, NaN if nothing was predicted there."""
    # Bins without predictions are missing, so the tenth follows from the mean prediction of a bin.
    percentages = [float("nan")] * N_BINS
    for predicted, observed in zip(kind_values["said"], kind_values["true"], strict=True):
        percentages[min(int(predicted * N_BINS), N_BINS - 1)] = 100 * observed
    return percentages
