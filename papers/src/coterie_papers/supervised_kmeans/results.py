"""The losses of supervised k-means on clusterings that are left out, and their tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from coterie.metrics import compare
from coterie_papers.engine.cells import Context, Values
from coterie_papers.engine.tables import Entry, Figures, Table, Value
from coterie_papers.supervised_kmeans.cells import NONE, PREDICTORS, train_and_test
from coterie_papers.supervised_kmeans.data import Clusterings
from coterie_papers.supervised_kmeans.published import SUPERVISED_KMEANS

SETUP = (
    "After each loss: C and the clusterer that predicts (Iterative, Spectral or Discrete). Both "
    "are chosen by leaving out one more clustering. The loss of Spectral is that of its relaxed "
    "matrix. Iterative has 10 random starts, also in training; Discrete has 5. Pair is trained "
    "with a constant, which is left out of its scores. The paper's means are computed from its "
    "printed figures."
)


class HeldOutResult(NamedTuple):
    """The loss on a clustering that was left out, and the settings that were chosen without it.

    `positive_share` is the share of its pairs that score above 0.
    """

    loss: float
    C: float
    predictor: str
    positive_share: float


class Outcome(NamedTuple):
    """The results of a trainer on each clustering, and the number of fits that did not converge."""

    tests: list[HeldOutResult]
    n_stopped: int
    n_fits: int

    @property
    def losses(self) -> list[float]:
        """The loss on each clustering."""
        return [test.loss for test in self.tests]

    @property
    def positive_share(self) -> float:
        """The mean share of pairs that score above 0."""
        return float(np.mean([test.positive_share for test in self.tests]))


Outcomes: TypeAlias = Mapping[str, Outcome]
"""The outcomes on some data by the name of the trainer."""


def leave_one_out(
    context: Context, data: Clusterings, trainers: Sequence[str]
) -> dict[str, Outcome]:
    """Test each trainer on each clustering of the data, trained and tuned on the others.

    C and the clusterer that predicts are chosen by leaving out one more clustering. So each
    training leaves out one clustering or two. The training without i and j serves the choice for i
    and the choice for j.
    """
    trainings = [
        (trainer, left_out)
        for trainer in sorted(trainers, key="Spect".__ne__)  # the slowest one first
        for left_out in _sets_to_leave_out(data.n_sets, trainer)
    ]
    compute = partial(train_and_test, data)
    values = context.run([data.key(*training) for training in trainings], compute)
    cells = dict(zip(trainings, values, strict=True))
    return {trainer: _outcome(data, trainer, cells) for trainer in trainers}


def losses_on_other_data(
    context: Context, data: Clusterings, outcomes: Outcomes
) -> dict[str, list[float]]:
    """Return losses on other data of the same clusterings, with settings chosen before."""
    return {
        name: [
            _loss_with_choice(context, data, name, number, test)
            for number, test in enumerate(outcome.tests)
        ]
        for name, outcome in outcomes.items()
    }


def _loss_with_choice(
    context: Context, data: Clusterings, name: str, number: int, test: HeldOutResult
) -> float:
    """Train with the chosen C, and return the loss of the chosen predictor."""
    power = round(math.log10(test.C))
    narrowed = replace(data, low=power, high=power)
    (values,) = context.run([narrowed.key(name, (number,))], partial(train_and_test, narrowed))
    loss: float = values["losses"][0][0][list(PREDICTORS).index(test.predictor)]
    return loss


def _sets_to_leave_out(n_sets: int, trainer: str) -> list[tuple[int, ...]]:
    """List the clusterings to leave out of trainings: one, and also two if settings are chosen."""
    single = list(combinations(range(n_sets), 1))
    return single if trainer == NONE else [*combinations(range(n_sets), 2), *single]


def _outcome(
    data: Clusterings, trainer: str, cells: Mapping[tuple[str, tuple[int, ...]], Values]
) -> Outcome:
    trainer_cells = {
        left_out: values for (name, left_out), values in cells.items() if name == trainer
    }
    tests = [_held_out_result(data, number, trainer_cells) for number in range(data.n_sets)]
    n_stopped, n_fits = (
        sum(values[name] for values in trainer_cells.values()) for name in ("stopped", "fits")
    )
    return Outcome(tests, n_stopped, n_fits)


def _held_out_result(
    data: Clusterings, number: int, cells: Mapping[tuple[int, ...], Values]
) -> HeldOutResult:
    """Choose C and predictor without a clustering, and return its loss with them."""
    inner = [
        values["losses"][left_out.index(other)]
        for left_out, values in cells.items()
        for other in left_out
        if number in left_out and other != number
    ]
    # Of equal means, the least C wins, then the first predictor; None has no settings to choose.
    means = np.mean(inner, axis=0) if inner else np.zeros((1, 1))
    C_index, predictor_index = (
        int(index) for index in np.unravel_index(np.argmin(means), means.shape)
    )
    values = cells[(number,)]
    return HeldOutResult(
        values["losses"][0][C_index][predictor_index],
        data.grid[C_index],
        list(PREDICTORS)[predictor_index],
        values["together"][0][C_index],
    )


def loss_table(
    title: str,
    outcomes: Outcomes,
    rows: Sequence[str],
    paper: Figures,
    notes: Sequence[str],
    data: str,
) -> Table:
    """Return a table of losses, means and chosen settings, with the losses of the paper."""
    entries: dict[str, dict[str, Entry | Value]] = {
        row: {name: _entry(name, outcome.tests[number]) for name, outcome in outcomes.items()}
        for number, row in enumerate(rows)
    }
    entries["mean"] = {name: float(np.mean(outcome.losses)) for name, outcome in outcomes.items()}
    printed = {**paper, "mean": _means(paper)} if paper else {}
    all_notes = [*notes, SETUP, _stopped_note(outcomes)]
    return Table.from_rows(title, entries, printed, notes=all_notes, data=data)


def printed_losses(rows: Sequence[str]) -> Figures:
    """Return the paper's losses on some clusterings of Table 3."""
    return {row: SUPERVISED_KMEANS["table3"][row] for row in rows}


def _entry(trainer: str, test: HeldOutResult) -> Entry:
    return Entry(test.loss, note="" if trainer == NONE else f"{test.C:g} {test.predictor}")


def _means(paper: Figures) -> dict[str, float]:
    """Return the mean of each column of printed figures, rounded to one digit as these are."""
    columns = next(iter(paper.values()))
    return {
        name: round(sum(float(row[name]) for row in paper.values()) / len(paper), 1)
        for name in columns
    }


def _stopped_note(outcomes: Outcomes) -> str:
    counts = [
        f"{outcome.n_stopped} of {outcome.n_fits} by {name}"
        for name, outcome in outcomes.items()
        if outcome.n_stopped
    ]
    stopped = ", ".join(counts) or "none"
    return f"Fits that were stopped by max_iter before they converged: {stopped}."


def win_table(outcomes: Mapping[str, Outcomes], data: str) -> Table:
    """Count the wins of Iterative against Spect, with Wilcoxon's signed-rank test (Table 4)."""
    entries = {
        name: _win_counts(by_trainer["Iterative"], by_trainer["Spect"])
        for name, by_trainer in outcomes.items()
    }
    printed = {
        row: figures for row, figures in SUPERVISED_KMEANS["table4"].items() if row in entries
    }
    notes = ["P is exact: it is 0.031 for five wins out of five, for which the paper prints 0.05."]
    title = "Table 4: Iterative against Spect"
    return Table.from_rows(title, entries, printed, notes=notes, digits=3, data=data)


def _win_counts(first: Outcome, second: Outcome) -> dict[str, Value]:
    comparison = compare(first.losses, second.losses, "wilcoxon", alternative="less")
    return {
        "Win": comparison.wins,
        "Tie": comparison.ties,
        "Lose": comparison.losses,
        "W": f"{abs(comparison.statistic):g}",
        "n_s/r": comparison.n_used,
        "P_1-tail": comparison.p_value,
    }
