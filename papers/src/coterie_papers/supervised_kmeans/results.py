"""What supervised k-means reaches on clusterings that are left out, and tables of it."""

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
    "Below each loss: C and the clusterer that predicts (Iterative, Spectral or Discrete), chosen "
    "by leaving out one more. Spectral is scored on its relaxed matrix; Iterative has 10 random "
    "starts, in training too, and Discrete 5. Pair is trained with a constant, which is left out "
    "of its scores. The paper's means are those of its printed figures."
)


class LeftOut(NamedTuple):
    """The loss on a clustering that was left out, and what was chosen without it.

    `together` is the share of its pairs that score above 0.
    """

    loss: float
    C: float
    predictor: str
    together: float


class Outcome(NamedTuple):
    """What a trainer reached on each clustering, and how many of its fits did not converge."""

    tests: list[LeftOut]
    n_stopped: int
    n_fits: int

    @property
    def losses(self) -> list[float]:
        """The loss on each clustering."""
        return [test.loss for test in self.tests]

    @property
    def together(self) -> float:
        """The mean share of pairs that score above 0."""
        return float(np.mean([test.together for test in self.tests]))


Outcomes: TypeAlias = Mapping[str, Outcome]
"""By the name of the trainer."""


def leave_one_out(
    context: Context, data: Clusterings, trainers: Sequence[str]
) -> dict[str, Outcome]:
    """Test every trainer on every clustering of the data, trained and chosen on the others.

    C and the clusterer that predicts are chosen by leaving out one more. So all clusterings but one
    or two are trained on, and what is trained without i and j serves both choices.
    """
    wanted = [
        (trainer, left_out)
        for trainer in sorted(trainers, key="Spect".__ne__)  # the slowest first
        for left_out in _sets_to_leave_out(data.n_sets, trainer)
    ]
    compute = partial(train_and_test, data)
    values = context.run([data.key(*cell) for cell in wanted], compute)
    cells = dict(zip(wanted, values, strict=True))
    return {trainer: _outcome(data, trainer, cells) for trainer in trainers}


def chosen_elsewhere(
    context: Context, data: Clusterings, outcomes: Outcomes
) -> dict[str, list[float]]:
    """Test trainers on other data of the same clusterings, with what was chosen before."""
    return {
        name: [
            _chosen(context, data, name, number, test) for number, test in enumerate(outcome.tests)
        ]
        for name, outcome in outcomes.items()
    }


def _chosen(context: Context, data: Clusterings, name: str, number: int, test: LeftOut) -> float:
    """Train for the chosen C alone, and return the loss by the chosen predictor."""
    power = round(math.log10(test.C))
    own = replace(data, low=power, high=power)
    (values,) = context.run([own.key(name, (number,))], partial(train_and_test, own))
    loss: float = values["losses"][0][0][list(PREDICTORS).index(test.predictor)]
    return loss


def _sets_to_leave_out(n_sets: int, trainer: str) -> list[tuple[int, ...]]:
    """List what is left out of training: one clustering, and two where there is a choice."""
    single = list(combinations(range(n_sets), 1))
    return single if trainer == NONE else [*combinations(range(n_sets), 2), *single]


def _outcome(
    data: Clusterings, trainer: str, cells: Mapping[tuple[str, tuple[int, ...]], Values]
) -> Outcome:
    own = {left_out: values for (name, left_out), values in cells.items() if name == trainer}
    tests = [_test(data, number, own) for number in range(data.n_sets)]
    n_stopped, n_fits = (
        sum(values[name] for values in own.values()) for name in ("stopped", "fits")
    )
    return Outcome(tests, n_stopped, n_fits)


def _test(data: Clusterings, number: int, cells: Mapping[tuple[int, ...], Values]) -> LeftOut:
    """Choose C and predictor without a clustering, and look up its loss under the choice."""
    inner = [
        values["losses"][left_out.index(other)]
        for left_out, values in cells.items()
        for other in left_out
        if number in left_out and other != number
    ]
    # The least C among equals, then the first predictor; None has no choice.
    means = np.mean(inner, axis=0) if inner else np.zeros((1, 1))
    at_C, by = (int(index) for index in np.unravel_index(np.argmin(means), means.shape))
    found = cells[(number,)]
    return LeftOut(
        found["losses"][0][at_C][by],
        data.grid[at_C],
        list(PREDICTORS)[by],
        found["together"][0][at_C],
    )


def loss_table(
    title: str,
    outcomes: Outcomes,
    rows: Sequence[str],
    paper: Figures,
    notes: Sequence[str],
    data: str,
) -> Table:
    """Put losses beside those of the paper, with their means and what was chosen."""
    ours: dict[str, dict[str, Entry | Value]] = {
        row: {name: _entry(name, outcome.tests[number]) for name, outcome in outcomes.items()}
        for number, row in enumerate(rows)
    }
    ours["mean"] = {name: float(np.mean(outcome.losses)) for name, outcome in outcomes.items()}
    printed = {**paper, "mean": _means(paper)} if paper else {}
    shown = [*notes, SETUP, _stopped_note(outcomes)]
    return Table.from_rows(title, ours, printed, notes=shown, data=data)


def printed_losses(rows: Sequence[str]) -> Figures:
    """Return the paper's losses on some clusterings of Table 3."""
    return {row: SUPERVISED_KMEANS["table3"][row] for row in rows}


def _entry(trainer: str, test: LeftOut) -> Entry:
    return Entry(test.loss, note="" if trainer == NONE else f"{test.C:g} {test.predictor}")


def _means(paper: Figures) -> dict[str, float]:
    """Return the mean of each column of printed figures, with as many digits as these have."""
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
    """Count how often Iterative won against Spect, with Wilcoxon's signed-rank test (Table 4)."""
    ours = {name: _wins(found["Iterative"], found["Spect"]) for name, found in outcomes.items()}
    printed = {row: figures for row, figures in SUPERVISED_KMEANS["table4"].items() if row in ours}
    notes = ["P is exact: 0.031 for five wins out of five, where the paper prints 0.05."]
    title = "Table 4: Iterative against Spect"
    return Table.from_rows(title, ours, printed, notes=notes, digits=3, data=data)


def _wins(first: Outcome, second: Outcome) -> dict[str, Value]:
    found = compare(first.losses, second.losses, "wilcoxon", alternative="less")
    return {
        "Win": found.wins,
        "Tie": found.ties,
        "Lose": found.losses,
        "W": f"{abs(found.statistic):g}",
        "n_s/r": found.n_used,
        "P_1-tail": found.p_value,
    }
