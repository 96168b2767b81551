"""The automatic choice beside every method that it chooses among: what it costs not to know."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from coterie.learners.auto.candidates import CANDIDATES, Candidate
from coterie.learners.auto.learner import AutoLearner
from coterie.learners.auto.search import CandidateSearch
from coterie.metrics import conll_score, pair_scores, variation_of_information
from coterie.model import Model
from coterie.partition import Partition
from coterie.toolkit import Clusterer, Similarity, time_text
from coterie_papers.beyond.cells import CONLL, LOWER, PAIR_F1, VI, keyed, measured
from coterie_papers.beyond.data import TASKS, TEN, UNTOLD, count_runs, task
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.charts import Bars
from coterie_papers.engine.partitions import partitions_of, quiet, texts_of
from coterie_papers.engine.tables import Entry, Table, Value

NAMES: Mapping[Callable[..., Any], str] = {
    conll_score: CONLL,
    pair_scores: PAIR_F1,
    variation_of_information: VI,
}
AUTO = "AutoLearner"
QUICK_TASKS = ("news", "cora_ksf", "names, person")
QUICK_CANDIDATES, QUICK_BUDGET = CANDIDATES[:3], 2.0
"""The methods of a quick run, and the seconds that its choice may take."""

DATA = (
    "GUM with 30 documents to train on and 30 to test on; news, Cora and names in turns; posts of "
    "six folds to train on and of four to test on; 8 sets of 100 digits to train on and 8 of "
    "other digits to test on."
)
MEASURES_NOTE = (
    "CoNLL for GUM, VI × 100 (lower is better) for topic and author, else the pairwise F1 × 100; "
    "means over all test sets of all runs."
)
REGRET_NOTE = (
    "Regret: by how much the best single method, which is known only after the fact, is better "
    "than the automatic choice; below 0 where different choices in different runs are better than "
    "any one method."
)
POINTS_NOTE = (
    "A single method has its operating point chosen on the training sets, where there are five or "
    "more, and its defaults otherwise."
)
DIGITS_NOTE = (
    "All training sets of digits hold the same five and the test sets five others, so that eight "
    "sets tell no more of new digits than one. Told so, by the entities of all items, the choice "
    "and the single methods keep to their defaults; the last row, beside the ten tasks, is what "
    "becomes of them if they are not told."
)


def tried(key: Key, folder: Path | None) -> Values:
    """Choose automatically and fit every candidate on one run of a task; predict its test sets."""
    quick = bool(key.get("quick"))
    own = task(str(key["data"]), folder, quick)
    run = own.runs[int(key["run"] or 0)]
    auto = AutoLearner(own.metric, budget=QUICK_BUDGET if quick else None)
    candidates = QUICK_CANDIDATES if quick else CANDIDATES
    since = perf_counter()
    with quiet():
        search = auto.fit_search(*run.train, entities=run.entities)
        models = {str(each): _alone(search, each) for each in candidates}
        blocker = auto.to_model().blocker

        def predicted(model: Model) -> list[str]:
            return texts_of(model.predict(run.test.item_sets))

        singles = {name: predicted(Model(blocker, *model)) for name, model in models.items()}
        chosen = predicted(auto.to_model())
    return {
        "truth": texts_of(run.test.partitions),
        "predicted": {AUTO: chosen, **singles},
        "choice": f"{auto.choice_.name}{' with context' * auto.choice_.context}",
        "report": auto.report(),
        "seconds": auto.seconds_,
        "all seconds": perf_counter() - since,
    }


def _alone(search: CandidateSearch, candidate: Candidate) -> tuple[Similarity, Clusterer]:
    """Fit a candidate as if it were the only one, at its own operating point."""
    search.run([candidate])
    _, similarity, clusterer = search.fit(candidate)
    return similarity, clusterer


@dataclass(frozen=True)
class Choice:
    """The automatic choice on a task: what each method reached, what was chosen, and the time."""

    measure: str
    values: Mapping[str, Sequence[float]]
    choices: Sequence[str]
    seconds: float

    @classmethod
    def of(cls, name: str, cells: Sequence[Values]) -> "Choice":
        """Measure what the cells of all runs of a task predicted."""
        measure = NAMES[TASKS[name].metric]
        values: dict[str, list[float]] = {}
        for cell in cells:
            truths = partitions_of(cell["truth"])
            for method, texts in cell["predicted"].items():
                values.setdefault(method, []).extend(_measured(measure, truths, texts))
        choices = [cell["choice"] for cell in cells]
        return cls(measure, values, choices, sum(cell["seconds"] for cell in cells))

    def mean(self, method: str) -> float:
        """Return the mean over test sets."""
        return float(np.mean(self.values[method]))

    @property
    def best(self) -> str:
        """The single method that is best after the fact."""
        sign = -1.0 if self.measure in LOWER else 1.0
        singles = [method for method in self.values if method != AUTO]
        return max(singles, key=lambda method: sign * self.mean(method))

    @property
    def regret(self) -> float:
        """By how much the best single method is better than the automatic choice."""
        best, own = self.mean(self.best), self.mean(AUTO)
        return own - best if self.measure in LOWER else best - own

    @property
    def chosen(self) -> str:
        """What was chosen, with the number of runs where they differ."""
        counts = Counter(self.choices).most_common()
        if len(counts) == 1:
            return counts[0][0]
        return ", ".join(f"{name} ({count})" for name, count in counts)


def _measured(measure: str, truths: Sequence[Partition], texts: Sequence[str]) -> list[float]:
    both = zip(truths, partitions_of(texts), strict=True)
    return [measured(measure, truth, found) for truth, found in both]


def choices_of(context: Context) -> dict[str, Choice]:
    """Return the automatic choice on each task; missing cells are computed."""
    names = QUICK_TASKS if context.quick else (*TEN, UNTOLD)
    keys: list[Key] = [
        keyed(context, {"table": "auto", "data": name, "run": run})
        for name in sorted(names, key=count_runs)  # the largest corpora have one run
        for run in range(count_runs(name, context.quick))
    ]
    cells: dict[str, list[Values]] = {name: [] for name in names}
    for key, values in zip(keys, context.run(keys, tried), strict=True):
        cells[str(key["data"])].append(values)
    return {name: Choice.of(name, own) for name, own in cells.items()}


def auto(context: Context) -> list[Table]:
    """Show what is chosen automatically on ten tasks, and what every single method reaches."""
    found = choices_of(context)
    return [_choices(found), _every(found)]


def _choices(found: Mapping[str, Choice]) -> Table:
    rows: dict[str, dict[str, Value | Entry]] = {
        name: {
            "measure": each.measure,
            AUTO: each.mean(AUTO),
            "best single method": each.mean(each.best),
            "which": each.best,
            "regret": each.regret,
            "time": time_text(each.seconds),
            "chosen": each.chosen,
        }
        for name, each in found.items()
    }
    title = "The automatic choice on ten tasks"
    notes = [MEASURES_NOTE, REGRET_NOTE, POINTS_NOTE, DIGITS_NOTE]
    return Table.from_rows(title, rows, notes=notes, digits=2, data=DATA, chart=_chart(found))


def _every(found: Mapping[str, Choice]) -> Table:
    rows = {
        name: {method: each.mean(method) for method in each.values} for name, each in found.items()
    }
    title = "Every method on ten tasks"
    return Table.from_rows(title, rows, notes=[MEASURES_NOTE], digits=2, data=DATA)


def _chart(found: Mapping[str, Choice]) -> Bars:
    series = {
        AUTO: [each.mean(AUTO) for each in found.values()],
        "best single method": [each.mean(each.best) for each in found.values()],
    }
    title = "The automatic choice and the best single method"
    return Bars(title, list(found), {"": series}, axes=("", "CoNLL, F1, or VI × 100"))
