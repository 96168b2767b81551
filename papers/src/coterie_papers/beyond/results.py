"""What stands behind the rows of the tables beyond the papers: values of each test set, choices."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie_papers.beyond.cells import LOWER, TARGETS, keyed, measured, tested
from coterie_papers.beyond.data import count_runs
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.claims import Claim
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.tables import Entry, Table, p_text

AS_BEFORE = "as in the table before."
HELD_OUT = "on training sets held out"


@dataclass(frozen=True)
class Result:
    """A method on a task: each measure on each test set, and the settings that each run chose.

    `validated` is what these reached on training sets held out, the mean over runs.
    """

    values: Mapping[str, Sequence[float]]
    settings: Mapping[str, Sequence[Mapping[str, Any]]]
    validated: Mapping[str, float]

    @classmethod
    def of(cls, cells: Sequence[Values], measures: Sequence[str]) -> "Result":
        """Measure what the cells of all runs predicted."""
        return cls(
            {name: [value for cell in cells for value in _values(cell, name)] for name in measures},
            {name: [cell["choices"][name]["params"] for cell in cells] for name in measures},
            {name: float(np.mean([_validated(cell, name) for cell in cells])) for name in measures},
        )

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over test sets."""
        return float(np.mean(self.values[measure]))

    def chosen(self, measure: str) -> dict[str, str]:
        """Return the settings: of names the most frequent, of numbers the median over runs."""
        runs = self.settings[measure]
        return {name: _typical([run[name] for run in runs]) for name in runs[0]}


def _values(cell: Values, measure: str) -> list[float]:
    truths, predicted = map(partitions_of, (cell["truth"], cell["choices"][measure]["predicted"]))
    return [measured(measure, *pair) for pair in zip(truths, predicted, strict=True)]


def _validated(cell: Values, measure: str) -> float:
    return float(cell["choices"][measure]["cross-validated"])


def _typical(values: Sequence[Any]) -> str:
    if isinstance(values[0], str):
        return str(Counter(values).most_common(1)[0][0])
    return f"{float(np.median(values)):.3g}"


def results_of(
    context: Context, table: str, data: str, methods: Sequence[str]
) -> dict[str, Result]:
    """Return what each method reached on a task; missing cells are computed."""
    runs = range(count_runs(data, context.quick))
    keys: list[Key] = [
        keyed(context, {"table": table, "data": data, "run": run, "method": method})
        for method in reversed(methods)  # those that take longest come last in tables
        for run in runs
    ]
    cells: dict[str, list[Values]] = {method: [] for method in methods}
    for key, values in zip(keys, context.run(keys, tested), strict=True):
        cells[str(key["method"])].append(values)
    return {method: Result.of(cells[method], TARGETS[table]) for method in methods}


def compared(
    text: str, results: Mapping[str, Result], pair: tuple[str, str], measure: str
) -> Claim:
    """Test whether the first of two methods is better than the second, over test sets."""
    first, second = (results[name].values[measure] for name in pair)
    return Claim.of(text, first, second, "wilcoxon", lower=measure in LOWER)


def scores_table(
    title: str, results: Mapping[str, Result], ours: str, data: str, **kwargs: Any
) -> Table:
    """Show each method by each measure, with the p-value of ours against it."""
    rows = {
        method: {name: _entry(results, method, ours, name) for name in result.values}
        for method, result in results.items()
    }
    return Table.from_rows(title, rows, digits=2, data=data, **kwargs)


def _entry(results: Mapping[str, Result], method: str, ours: str, measure: str) -> Entry:
    mean = results[method].mean(measure)
    if method == ours:
        return Entry(mean)
    p_value = compared("", results, (ours, method), measure).p_value
    return Entry(mean, note="" if p_value is None else p_text(p_value))


def chosen_table(title: str, results: Mapping[str, Result]) -> Table:
    """Show the settings that were chosen for each measure."""
    shown = {
        f"{method}, by {name}": {**result.chosen(name), HELD_OUT: f"{result.validated[name]:.2f}"}
        for method, result in results.items()
        for name in result.values
    }
    return Table.from_rows(f"{title}: what was chosen", shown, data=AS_BEFORE)
