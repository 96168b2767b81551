"""What systems reached on their runs, collected from cells, shown and compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.metrics import compare_all
from coterie.toolkit import Floats
from coterie_papers.dirichlet.cells import MEASURES, VERSION, tested
from coterie_papers.dirichlet.effort import effort_of, marked
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
ENOUGH = 6
"""How many runs a signed-rank test needs to tell anything at all."""


class Row(NamedTuple):
    """A system, and the number of digits that it is trained on, 0 where there are none."""

    system: str
    n_digits: int = 0


DATA = {
    "usps": "the paper's own, digits of the US Postal Service; how large its subsets are, and how "
    "they were drawn, it does not say.",
    "digits": "near the paper's, and without a data folder: scikit-learn's digits of 8 × 8 pixels.",
    "cora_refs": "near the paper's, of whose 1,916 citations of 121 publications not all are "
    "public: the 1,879 citations of 182 publications that Cora has of three other authors.",
    "cora_ksf": "the paper's own collection, but of its 1,916 citations of 121 publications the "
    "1,295 that are public; without three that are of none of the authors, 1,292 of 110.",
}
"""What is said of the data, by their names."""
TABLES_DATA = (
    "those of Tables 1 and 2: USPS the paper's own, Cora (KSF) two thirds of the paper's own "
    "collection, Cora (refs) near it."
)

ALIKE = (COARSE, FINE, PT, PT_BYTES)
"""Systems that are shown once, whatever the number of training digits."""
TRAINED = (SVM, SCM, REPULSION, PER_CLUSTER, ONE_TYPE)
N_DIGITS = (2, 5)

DIGIT_ROWS = {
    **{system: Row(system, max(N_DIGITS)) for system in ALIKE},
    **{f"{n} digits: {system}": Row(system, n) for n in N_DIGITS for system in TRAINED},
}
CITATION_ROWS = {
    system: Row(system) for system in (COARSE, FINE, PT, SVM, SCM, REPULSION, PER_CLUSTER, EMBEDDED)
}


@dataclass(frozen=True, eq=False)
class Results:
    """The measures of each row, of shape (runs, seeds, measures), and what its cells hold."""

    of: Mapping[str, Floats]
    cells: Mapping[str, Sequence[Values]]

    def mean(self, row: str, measure: int) -> float:
        """Return the mean over runs and seeds."""
        return float(self.of[row][..., measure].mean())

    def by_run(self, row: str, measure: int) -> Floats:
        """Return the mean over seeds of each run."""
        means: Floats = self.of[row][..., measure].mean(axis=1)
        return means

    def shown(self) -> dict[str, dict[str, Entry]]:
        """Return means, with the standard deviation over runs and seeds as a note."""
        return {
            row: {
                name: Entry(self.mean(row, number), note=f"± {deviation(values[..., number]):.3f}")
                for number, name in enumerate(MEASURES)
            }
            for row, values in self.of.items()
        }

    def facts(self, row: str, name: str) -> list[Any]:
        """Return what the cells of a row say under a name."""
        return [values[name] for values in self.cells[row]]


def deviation(values: Floats) -> float:
    """Return the standard deviation, 0 for a single value."""
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0


def results_of(context: Context, data: str, rows: Mapping[str, Row]) -> Results:
    """Return what stands behind a table; missing cells are computed, one a row and run.

    SCM has a row for each further estimate too.
    """
    n_runs = effort_of(context).n_runs[data]
    keys: list[Key] = [
        marked(context, {"data": data, "run": run, **row._asdict(), "version": VERSION})
        for row in rows.values()
        for run in range(n_runs)
    ]
    # The slow systems stand last, and shall not be waited for at the end.
    found = list(reversed(context.run(list(reversed(keys)), tested)))
    cells = {name: found[at * n_runs : (at + 1) * n_runs] for at, name in enumerate(rows)}
    of = {
        name + suffix: np.array(
            [np.mean(values["scores"][suffix], axis=1) for values in cells[name]]
        )
        for name, row in rows.items()
        for suffix in (ESTIMATES if row.system == SCM else [""])
    }
    return Results(of, cells)


# Comparisons.


def against(
    title: str, results: Results, sides: Mapping[str, tuple[str, Mapping[str, str]]], data: str
) -> Table:
    """Show by how much some rows are above others, in F and in NES.

    A side has a name, the row that is compared, and the rows that it is compared with by the names
    that they have in this table.
    """
    shown: dict[str, dict[str, Entry]] = {}
    for side, (ours, others) in sides.items():
        for number in (F, NES):
            column = ", ".join(filter(None, (MEASURES[number], side)))
            for name, entry in _differences(results, ours, others, number).items():
                shown.setdefault(name, {})[column] = entry
    n_runs = len(next(iter(results.of.values())))
    notes = [f"Means over runs; behind them, on how many of {n_runs} runs SCM is above."]
    if n_runs >= ENOUGH:
        notes.append("p: Wilcoxon's signed-rank test over runs, corrected after Holm in a column.")
    return Table.from_rows(title, shown, notes=notes, digits=3, data=data)


def _differences(
    results: Results, ours: str, others: Mapping[str, str], measure: int
) -> dict[str, Entry]:
    own = results.by_run(ours, measure)
    rest = {name: results.by_run(row, measure) for name, row in others.items()}
    compared = compare_all(-own, {name: -values for name, values in rest.items()})
    entries = {}
    for name, outcome in compared.items():
        wins = f"{outcome.wins} of {len(own)}"
        note = f"{wins}, {p_text(outcome.p_value)}" if len(own) >= ENOUGH else wins
        entries[name] = Entry(float(np.mean(own - rest[name])), note=note)
    return entries


def verdict(results: Results, ours: str, others: Mapping[str, str]) -> str:
    """Say which means those of a row are above, as far as they are shown."""
    said = []
    for number in (F, NES):
        own = round(results.mean(ours, number), 3)
        sides: dict[str, list[str]] = {"above": [], "not above": []}
        for name, row in others.items():
            other = round(results.mean(row, number), 3)
            sides["above" if own > other else "not above"].append(f"{name} ({other:.3f})")
        listed = "; ".join(f"{side} {', '.join(each)}" for side, each in sides.items() if each)
        said.append(f"In {MEASURES[number]}, {ours} ({own:.3f}) is {listed}.")
    return " ".join(said)


def choices(results: Results, rows: Mapping[str, Row]) -> str:
    """Say which shapes, and which resolutions where there are several, were chosen how often."""
    said = []
    for name, row in rows.items():
        if row.system in TUNED:
            shapes, widths = (results.facts(name, each) for each in ("shape", "resolution"))
            text = f"multiple of the shape {_counted(shapes)}"
            if any(widths):
                text += f", resolution {_counted(widths)}"
            said.append(f"{name}: {text}")
    return f"Chosen in the runs: {'; '.join(said)}."


def _counted(values: Sequence[float]) -> str:
    counts = sorted(Counter(values).items())
    return " and ".join(f"{value:g} ({count}×)" for value, count in counts)
