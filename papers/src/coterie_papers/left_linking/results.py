"""The predictions of techniques, collected from cells, measured and compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from coterie.metrics import (
    b_cubed,
    ceaf_entity,
    ceaf_mention,
    compare_all,
    micro,
    muc,
    variation_of_information,
)
from coterie.partition import Partition
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.tables import Table, p_text
from coterie_papers.left_linking.cells import tune_and_test
from coterie_papers.left_linking.data import NATURAL
from coterie_papers.left_linking.protocol import full_key, run_limits
from coterie_papers.left_linking.techniques import LONGEST_FIRST, Choice

Groups: TypeAlias = list[tuple[list[Partition], list[Partition]]]
"""Groups of item sets that are measured together, each with truths and predictions."""

AS_BEFORE = "as in the table before."

SETTINGS = {
    "C": "C",
    "threshold": "threshold",
    "gamma": "γ",
    "lam": "λ",
    "solver__learning_rate": "η",
    "n_passes": "passes",
}
"""The short names of settings in tables."""


@dataclass(frozen=True)
class TechniquePredictions:
    """The predictions of a technique in some cells, and the settings chosen in each cell.

    A coreference score is computed for each group as one, and then averaged over groups.
    `n_proved` counts predictions that were proved to be optimal.
    """

    groups: Groups
    settings: list[dict[str, Any]]
    n_proved: int = 0

    @classmethod
    def of(cls, cells: Sequence[Values], name: str) -> "TechniquePredictions":
        """Collect one reported choice of a technique from its cells; each cell becomes a group."""
        choices = [cell["choices"][name] for cell in cells]
        groups = [
            (partitions_of(cell["truth"]), partitions_of(choice["predicted"]))
            for cell, choice in zip(cells, choices, strict=True)
        ]
        n_proved = sum(choice.get("proved", 0) for choice in choices)
        return cls(groups, [choice["params"] for choice in choices], n_proved)

    @property
    def examples(self) -> list[tuple[Partition, Partition]]:
        """The truth and the prediction of each item set."""
        return [pair for group in self.groups for pair in zip(*group, strict=True)]

    def pooled(self) -> "TechniquePredictions":
        """Return the same predictions with all item sets in one group."""
        truths, predictions = map(list, zip(*self.examples, strict=True))
        return replace(self, groups=[(truths, predictions)])

    def separated(self) -> "TechniquePredictions":
        """Return the same predictions with one group per item set."""
        return replace(self, groups=[([truth], [guess]) for truth, guess in self.examples])

    def measure_each(self, metric: Callable[..., float]) -> list[float]:
        """Measure each item set."""
        return [float(metric(truth, guess)) for truth, guess in self.examples]

    def coreference_scores(self) -> dict[str, float]:
        """Return the coreference scores and their average, in percent."""
        scores = {
            name: 100 * float(np.mean([micro(metric, *group).f1 for group in self.groups]))
            for name, metric in (("MUC", muc), ("B³", b_cubed), ("CEAF-e", ceaf_entity))
        }
        return {**scores, "average": float(np.mean(list(scores.values())))}

    def mean_vi(self) -> float:
        """Return the mean variation of information over item sets, in nats times 100."""
        return 100 * float(np.mean(self.measure_each(variation_of_information)))

    def conversation_scores(self) -> dict[str, float]:
        """Return the measures of chats: of the partition, of messages, and of conversations."""
        overlaps = [ceaf_mention(truth, guess).f1 for truth, guess in self.examples]
        return {
            "VI × 100": self.mean_vi(),
            "one-to-one overlap": 100 * float(np.mean(overlaps)),
            "exact-match F1": 100 * exact_match(self.examples),
        }

    def chosen_settings(self) -> dict[str, str]:
        """Return the chosen settings by short name, as medians over cells."""
        names = [name for name in SETTINGS if name in self.settings[0]]
        return {SETTINGS[name]: f"{self.median(name):g}" for name in names}

    def median(self, name: str) -> float:
        """Return the median of a setting over cells."""
        return float(np.median([settings[name] for settings in self.settings]))


def results_of(
    context: Context,
    divisions: Sequence[Key],
    rows: Mapping[str, Choice],
    order: str = NATURAL,
) -> dict[str, TechniquePredictions]:
    """Return the predictions behind some rows; missing cells are computed, division by division.

    A quick run uses only the first divisions.
    """
    used = {technique for technique, _ in rows.values()}
    techniques = [technique for technique in LONGEST_FIRST if technique in used]
    keys: list[Key] = [
        full_key(context, {**division, "order": order, "technique": technique})
        for division in divisions[: run_limits(context.quick).n_divisions]
        for technique in techniques
    ]
    cells: dict[str, list[Values]] = {technique: [] for technique in techniques}
    for key, values in zip(keys, context.run(keys, tune_and_test), strict=True):
        cells[str(key["technique"])].append(values)
    return {
        row: TechniquePredictions.of(cells[technique], name)
        for row, (technique, name) in rows.items()
    }


def exact_match(examples: Sequence[tuple[Partition, Partition]]) -> float:
    """Return the F1 of clusters with two or more items that are predicted without any error.

    The clusters of all item sets are counted together.

    >>> exact_match([(Partition([0, 0, 1, 1, 2]), Partition([0, 0, 1, 1, 1]))])
    0.5
    """
    true, predicted = (
        {
            (number, items)
            for number, partition in enumerate(partitions)
            for items in _conversations(partition)
        }
        for partitions in zip(*examples, strict=True)
    )
    return 2 * len(true & predicted) / max(len(true) + len(predicted), 1)


def _conversations(partition: Partition) -> list[tuple[int, ...]]:
    return [tuple(items.tolist()) for items in partition.clusters if len(items) > 1]


def p_notes(
    results: Mapping[str, TechniquePredictions], reference: str, metric: Callable[..., float]
) -> dict[str, str]:
    """Return a note with the p-value of each row against a reference row, which has no note."""
    others = {row: result for row, result in results.items() if row != reference}
    by_row = p_values(results[reference], others, metric)
    return {reference: "", **{row: p_text(p_value) for row, p_value in by_row.items()}}


def chosen_table(title: str, results: Mapping[str, TechniquePredictions]) -> Table:
    """Show the chosen settings of each row."""
    entries = {row: result.chosen_settings() for row, result in results.items()}
    return Table.from_rows(f"{title}: what was chosen", entries, data=AS_BEFORE)


def p_values(
    reference: TechniquePredictions,
    others: Mapping[str, TechniquePredictions],
    metric: Callable[..., float],
) -> dict[str, float]:
    """Return p-values of Wilcoxon's test over item sets, with the Holm-Bonferroni correction."""
    losses = {name: other.measure_each(metric) for name, other in others.items()}
    comparisons = compare_all(reference.measure_each(metric), losses)
    return {name: comparison.p_value for name, comparison in comparisons.items()}
