"""What techniques predicted in their cells, measured and compared."""

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
from coterie_papers.engine.tables import Table, p_text
from coterie_papers.left_linking.cells import tested
from coterie_papers.left_linking.data import NATURAL
from coterie_papers.left_linking.protocol import keyed, protocol
from coterie_papers.left_linking.techniques import LONGEST_FIRST, Choice

Groups: TypeAlias = list[tuple[list[Partition], list[Partition]]]
"""Truths and predictions of item sets that are measured together."""

AS_BEFORE = "as in the table before."

SETTINGS = {
    "C": "C",
    "threshold": "threshold",
    "gamma": "γ",
    "lam": "λ",
    "solver__learning_rate": "η",
    "n_passes": "passes",
}
"""The settings by their short names."""


@dataclass(frozen=True)
class Result:
    """What a technique predicted in some cells, and the settings that it had chosen in each.

    A score is that of a group as a whole, and the mean over groups.
    """

    groups: Groups
    settings: list[dict[str, Any]]
    n_proved: int = 0

    @classmethod
    def of(cls, cells: Sequence[Values], name: str) -> "Result":
        """Take one choice of a technique from all of its cells, each a group."""
        chosen = [cell["choices"][name] for cell in cells]
        both = zip(cells, chosen, strict=True)
        return cls(
            [(_read(cell["truth"]), _read(own["predicted"])) for cell, own in both],
            [own["params"] for own in chosen],
            sum(own.get("proved", 0) for own in chosen),
        )

    @property
    def examples(self) -> list[tuple[Partition, Partition]]:
        """The truth and the prediction of each item set."""
        return [pair for group in self.groups for pair in zip(*group, strict=True)]

    def pooled(self) -> "Result":
        """Take all item sets as one group."""
        truths, predicted = map(list, zip(*self.examples, strict=True))
        return replace(self, groups=[(truths, predicted)])

    def apart(self) -> "Result":
        """Take each item set as a group of its own."""
        return replace(self, groups=[([truth], [guess]) for truth, guess in self.examples])

    def each(self, metric: Callable[..., float]) -> list[float]:
        """Measure each item set."""
        return [float(metric(truth, guess)) for truth, guess in self.examples]

    def coreference(self) -> dict[str, float]:
        """Return the scores of coreference and their average, in percent."""
        found = {
            name: 100 * float(np.mean([micro(metric, *group).f1 for group in self.groups]))
            for name, metric in (("MUC", muc), ("B³", b_cubed), ("CEAF-e", ceaf_entity))
        }
        return {**found, "average": float(np.mean(list(found.values())))}

    def information(self) -> float:
        """Return the mean variation of information over item sets, in nats times 100."""
        return 100 * float(np.mean(self.each(variation_of_information)))

    def conversations(self) -> dict[str, float]:
        """Return the measures of chats: per item, per message, and per conversation."""
        overlaps = [ceaf_mention(truth, guess).f1 for truth, guess in self.examples]
        return {
            "VI × 100": self.information(),
            "one-to-one overlap": 100 * float(np.mean(overlaps)),
            "exact-match F1": 100 * exact_match(self.examples),
        }

    def chosen(self) -> dict[str, str]:
        """Return what was chosen by its short name: where cells differ, the median."""
        names = [name for name in SETTINGS if name in self.settings[0]]
        return {SETTINGS[name]: f"{self.median(name):g}" for name in names}

    def median(self, name: str) -> float:
        """Return the median of a setting over cells."""
        return float(np.median([own[name] for own in self.settings]))


def results_of(
    context: Context,
    divisions: Sequence[Key],
    rows: Mapping[str, Choice],
    order: str = NATURAL,
) -> dict[str, Result]:
    """Return what stands behind some rows; missing cells are computed, one division at a time.

    A quick run takes the first divisions alone.
    """
    wanted = {technique for technique, _ in rows.values()}
    techniques = [technique for technique in LONGEST_FIRST if technique in wanted]
    keys: list[Key] = [
        keyed(context, {**division, "order": order, "technique": technique})
        for division in divisions[: protocol(context.quick).n_divisions]
        for technique in techniques
    ]
    cells: dict[str, list[Values]] = {technique: [] for technique in techniques}
    for key, values in zip(keys, context.run(keys, tested), strict=True):
        cells[str(key["technique"])].append(values)
    return {row: Result.of(cells[technique], name) for row, (technique, name) in rows.items()}


def _read(texts: Sequence[str]) -> list[Partition]:
    return [Partition([int(label) for label in text.split()]) for text in texts]


def exact_match(examples: Sequence[tuple[Partition, Partition]]) -> float:
    """Return the F1 of clusters of two items and more that are found whole, over all item sets.

    >>> exact_match([(Partition([0, 0, 1, 1, 2]), Partition([0, 0, 1, 1, 1]))])
    0.5
    """
    true, found = (
        {(number, items) for number, each in enumerate(side) for items in _conversations(each)}
        for side in zip(*examples, strict=True)
    )
    return 2 * len(true & found) / max(len(true) + len(found), 1)


def _conversations(partition: Partition) -> list[tuple[int, ...]]:
    return [tuple(items.tolist()) for items in partition.clusters if len(items) > 1]


def p_notes(
    results: Mapping[str, Result], ours: str, metric: Callable[..., float]
) -> dict[str, str]:
    """Return a word on how each row compares with ours, which itself has none."""
    others = {row: result for row, result in results.items() if row != ours}
    found = p_values(results[ours], others, metric)
    return {ours: "", **{row: p_text(p_value) for row, p_value in found.items()}}


def chosen_table(title: str, results: Mapping[str, Result]) -> Table:
    """Show the settings that each row had chosen."""
    shown = {row: result.chosen() for row, result in results.items()}
    return Table.from_rows(f"{title}: what was chosen", shown, data=AS_BEFORE)


def p_values(
    ours: Result, others: Mapping[str, Result], metric: Callable[..., float]
) -> dict[str, float]:
    """Compare with others over item sets: Wilcoxon's test, corrected after Holm-Bonferroni."""
    losses = {name: other.each(metric) for name, other in others.items()}
    found = compare_all(ours.each(metric), losses)
    return {name: comparison.p_value for name, comparison in found.items()}
