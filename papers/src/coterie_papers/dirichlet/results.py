"""The scores of systems in their runs, collected from cells and compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.metrics import compare_all
from coterie.toolkit import Floats
from coterie_papers.dirichlet.cells import MEASURES, VERSION, run_system
from coterie_papers.dirichlet.effort import effort_of, with_quick_mark
from coterie_papers.dirichlet.systems import (
    COARSE,
    EMBEDDED,
    ESTIMATES,
    FINE,
    ONE_TYPE,
    PER_CLUSTER,
    PT,
    PT_BYTES,
    REPULSION,
    SCM,
    SVM,
    TUNED,
)
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, p_text

F, NES = MEASURES.index("F"), MEASURES.index("NES")
MIN_RUNS_TO_TEST = 6
"""The least number of runs for which a signed-rank test can be significant."""


class SystemRow(NamedTuple):
    """A system, and the number of its training digits, 0 for citations; both are parts of keys."""

    system: str
    n_digits: int = 0


DATA = {
    "usps": "the paper's own, digits of the US Postal Service; the paper does not state the size "
    "of its subsets, nor how they were drawn.",
    "digits": "similar to the paper's: scikit-learn's digits of 8 × 8 pixels, which need no data "
    "folder.",
    "cora_refs": "similar to the paper's, whose 1,916 citations of 121 publications are not all "
    "public: the 1,879 citations of 182 publications of three other authors in Cora.",
    "cora_ksf": "a part of the paper's own: of its 1,916 citations of 121 publications, 1,295 are "
    "public. Three of them are by none of the authors, which leaves 1,292 citations of 110 "
    "publications.",
}
"""The line on the data below tables, by the name of the data."""
TABLES_DATA = (
    "those of Tables 1 and 2: USPS is the paper's own, Cora (KSF) is two thirds of the paper's own "
    "citations, and Cora (refs) is similar to the paper's."
)

SHARED_SYSTEMS = (COARSE, FINE, PT, PT_BYTES)
"""Systems with one row in Table 1; they are trained on the larger number of digits."""
TRAINED_SYSTEMS = (SVM, SCM, REPULSION, PER_CLUSTER, ONE_TYPE)
N_DIGITS = (2, 5)

DIGIT_ROWS = {
    **{system: SystemRow(system, max(N_DIGITS)) for system in SHARED_SYSTEMS},
    **{
        f"{n} digits: {system}": SystemRow(system, n)
        for n in N_DIGITS
        for system in TRAINED_SYSTEMS
    },
}
CITATION_ROWS = {
    system: SystemRow(system)
    for system in (COARSE, FINE, PT, SVM, SCM, REPULSION, PER_CLUSTER, EMBEDDED)
}


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The scores of each row, as an array of shape (runs, seeds, measures), and its cells."""

    scores: Mapping[str, Floats]
    cells: Mapping[str, Sequence[Values]]

    def mean(self, row: str, measure: int) -> float:
        """Return the mean over runs and seeds."""
        return float(self.scores[row][..., measure].mean())

    def by_run(self, row: str, measure: int) -> Floats:
        """Return the mean over seeds of each run."""
        means: Floats = self.scores[row][..., measure].mean(axis=1)
        return means

    def entries(self) -> dict[str, dict[str, Entry]]:
        """Return the mean of each measure, with the standard deviation as a note."""
        return {
            row: {
                name: Entry(self.mean(row, number), note=f"± {deviation(values[..., number]):.3f}")
                for number, name in enumerate(MEASURES)
            }
            for row, values in self.scores.items()
        }

    def facts(self, row: str, name: str) -> list[Any]:
        """Return the values with a name in the cells of a row."""
        return [values[name] for values in self.cells[row]]


def deviation(values: Floats) -> float:
    """Return the standard deviation, 0 for a single value."""
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0


def results_of(context: Context, data: str, rows: Mapping[str, SystemRow]) -> SystemScores:
    """Return the scores behind a table; missing cells are computed, one per row and run.

    SCM has one more row per further estimate.
    """
    n_runs = effort_of(context).n_runs[data]
    keys: list[Key] = [
        with_quick_mark(context, {"data": data, "run": run, **row._asdict(), "version": VERSION})
        for row in rows.values()
        for run in range(n_runs)
    ]
    # The slow systems are the last rows; they start first, so that no process waits at the end.
    values_list = list(reversed(context.run(list(reversed(keys)), run_system)))
    cells = {
        name: values_list[index * n_runs : (index + 1) * n_runs] for index, name in enumerate(rows)
    }
    scores = {
        name + suffix: np.array(
            [np.mean(values["scores"][suffix], axis=1) for values in cells[name]]
        )
        for name, row in rows.items()
        for suffix in (ESTIMATES if row.system == SCM else [""])
    }
    return SystemScores(scores, cells)


# Comparisons.


def difference_table(
    title: str, results: SystemScores, sides: Mapping[str, tuple[str, Mapping[str, str]]], data: str
) -> Table:
    """Show the differences between some rows and others, in F and in NES.

    `sides` maps the names of comparisons to the row that is compared, and to the rows that it is
    compared with, by their names in this table.
    """
    entries: dict[str, dict[str, Entry]] = {}
    for side, (reference, others) in sides.items():
        for number in (F, NES):
            column = ", ".join(filter(None, (MEASURES[number], side)))
            for name, entry in _differences(results, reference, others, number).items():
                entries.setdefault(name, {})[column] = entry
    n_runs = len(next(iter(results.scores.values())))
    notes = [
        f"Means over runs, followed by the number of runs, of {n_runs}, in which SCM is better."
    ]
    if n_runs >= MIN_RUNS_TO_TEST:
        notes.append("p: Wilcoxon's signed-rank test over runs, with Holm's correction per column.")
    return Table.from_rows(title, entries, notes=notes, digits=3, data=data)


def _differences(
    results: SystemScores, reference: str, others: Mapping[str, str], measure: int
) -> dict[str, Entry]:
    scores = results.by_run(reference, measure)
    other_scores = {name: results.by_run(row, measure) for name, row in others.items()}
    # Losses are compared, so the scores are negated.
    comparisons = compare_all(-scores, {name: -values for name, values in other_scores.items()})
    entries = {}
    for name, comparison in comparisons.items():
        wins = f"{comparison.wins} of {len(scores)}"
        note = f"{wins}, {p_text(comparison.p_value)}" if len(scores) >= MIN_RUNS_TO_TEST else wins
        entries[name] = Entry(float(np.mean(scores - other_scores[name])), note=note)
    return entries


def comparison_note(results: SystemScores, reference: str, others: Mapping[str, str]) -> str:
    """List the rows whose means are below those of a row, after rounding as in the table."""
    sentences = []
    for number in (F, NES):
        score = round(results.mean(reference, number), 3)
        sides: dict[str, list[str]] = {"above": [], "not above": []}
        for name, row in others.items():
            other = round(results.mean(row, number), 3)
            sides["above" if score > other else "not above"].append(f"{name} ({other:.3f})")
        parts = "; ".join(f"{side} {', '.join(rows)}" for side, rows in sides.items() if rows)
        sentences.append(f"In {MEASURES[number]}, {reference} ({score:.3f}) is {parts}.")
    return " ".join(sentences)


def choices_note(results: SystemScores, rows: Mapping[str, SystemRow]) -> str:
    """Count the choices of each shape and, if there are several, of each resolution."""
    counts = []
    for name, row in rows.items():
        if row.system in TUNED:
            shapes, widths = (results.facts(name, fact) for fact in ("shape", "resolution"))
            text = f"multiple of the shape {_counts_text(shapes)}"
            if any(widths):
                text += f", resolution {_counts_text(widths)}"
            counts.append(f"{name}: {text}")
    return f"Chosen in the runs: {'; '.join(counts)}."


def _counts_text(values: Sequence[float]) -> str:
    counts = sorted(Counter(values).items())
    return " and ".join(f"{value:g} ({count}×)" for value, count in counts)
