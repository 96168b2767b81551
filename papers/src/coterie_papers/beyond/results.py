"""The results of methods on a task: the values of each test set, and the settings chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie_papers.beyond.cells import LOWER, TARGETS, complete_key, compute_method, measure_texts
from coterie_papers.beyond.data import count_runs
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.claims import Claim
from coterie_papers.engine.tables import Entry, Table, p_text

AS_BEFORE = "as in the table before."
HELD_OUT = "on training sets held out"


@dataclass(frozen=True)
class MethodResult:
    """The result of a method on a task, by measure.

    Parameters
    ----------
    values
        The value of the measure on each test set.
    settings
        The settings that each run chose for the measure.
    validated
        The mean over runs of the values of these settings on held-out training sets.
    """

    values: Mapping[str, Sequence[float]]
    settings: Mapping[str, Sequence[Mapping[str, Any]]]
    validated: Mapping[str, float]

    @classmethod
    def of(cls, cells: Sequence[Values], measures: Sequence[str]) -> "MethodResult":
        """Measure the predictions in the cells of all runs."""
        return cls(
            {name: [value for cell in cells for value in _values(cell, name)] for name in measures},
            {name: [cell["choices"][name]["params"] for cell in cells] for name in measures},
            {name: float(np.mean([_validated(cell, name) for cell in cells])) for name in measures},
        )

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over test sets."""
        return float(np.mean(self.values[measure]))

    def chosen_settings(self, measure: str) -> dict[str, str]:
        """Return the chosen settings: the most frequent text, or the median number, over runs."""
        runs = self.settings[measure]
        return {name: _typical([run[name] for run in runs]) for name in runs[0]}


def _values(cell: Values, measure: str) -> list[float]:
    return measure_texts(measure, cell["truth"], cell["choices"][measure]["predicted"])


def _validated(cell: Values, measure: str) -> float:
    return float(cell["choices"][measure]["cross-validated"])


def _typical(values: Sequence[Any]) -> str:
    if isinstance(values[0], str):
        return str(Counter(values).most_common(1)[0][0])
    return f"{float(np.median(values)):.3g}"


def method_results(
    context: Context, table: str, data: str, methods: Sequence[str]
) -> dict[str, MethodResult]:
    """Return the result of each method on a task; compute the missing cells."""
    runs = range(count_runs(data, context.quick))
    keys: list[Key] = [
        complete_key(context, {"table": table, "data": data, "run": run, "method": method})
        for method in reversed(methods)  # the slowest methods are the last ones
        for run in runs
    ]
    cells: dict[str, list[Values]] = {method: [] for method in methods}
    for key, values in zip(keys, context.run(keys, compute_method), strict=True):
        cells[str(key["method"])].append(values)
    return {method: MethodResult.of(cells[method], TARGETS[table]) for method in methods}


def comparison_claim(
    text: str, results: Mapping[str, MethodResult], pair: tuple[str, str], measure: str
) -> Claim:
    """Test over test sets whether the first of two methods is better than the second."""
    first, second = (results[name].values[measure] for name in pair)
    return Claim.of(text, first, second, "wilcoxon", lower=measure in LOWER)


def scores_table(
    title: str, results: Mapping[str, MethodResult], reference: str, data: str, **kwargs: Any
) -> Table:
    """Show each method by each measure, with the p-value of a reference method against it."""
    rows = {
        method: {name: _entry(results, method, reference, name) for name in result.values}
        for method, result in results.items()
    }
    return Table.from_rows(title, rows, digits=2, data=data, **kwargs)


def _entry(results: Mapping[str, MethodResult], method: str, reference: str, measure: str) -> Entry:
    mean = results[method].mean(measure)
    if method == reference:
        return Entry(mean)
    p_value = comparison_claim("", results, (reference, method), measure).p_value
    return Entry(mean, note="" if p_value is None else p_text(p_value))


def settings_table(title: str, results: Mapping[str, MethodResult]) -> Table:
    """Show the settings that were chosen for each measure."""
    rows = {
        f"{method}, by {name}": {
            **result.chosen_settings(name),
            HELD_OUT: f"{result.validated[name]:.2f}",
        }
        for method, result in results.items()
        for name in result.values
    }
    return Table.from_rows(f"{title}: what was chosen", rows, data=AS_BEFORE)
