"""The automatic choice compared with each method that it chooses among."""

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
from coterie.toolkit import Clusterer, Similarity, time_text
from coterie_papers.beyond.cells import CONLL, LOWER, PAIR_F1, VI, complete_key, measure_texts
from coterie_papers.beyond.data import TASKS, TEN_TASKS, WITHOUT_ENTITIES, count_runs, read_task
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.charts import Bars
from coterie_papers.engine.partitions import quiet, texts_of
from coterie_papers.engine.tables import Entry, Table, Value

MEASURE_OF_METRIC: Mapping[Callable[..., Any], str] = {
    conll_score: CONLL,
    pair_scores: PAIR_F1,
    variation_of_information: VI,
}
AUTO = "AutoLearner"

# A quick run takes few tasks and few methods, and its automatic choice few seconds.
QUICK_TASKS = ("news", "cora_ksf", "names, person")
QUICK_CANDIDATES, QUICK_BUDGET = CANDIDATES[:3], 2.0

DATA = (
    "GUM: 30 training documents and 30 test documents. News and Cora: each item set is the test "
    "set once. Names: each set of a pair of sets is the test set once. Posts: six training folds "
    "and four test folds. Digits: 8 training sets of 100 images, and 8 test sets of 100 images of "
    "other digits."
)
MEASURES_NOTE = (
    "CoNLL for gum; VI × 100 (lower is better) for topic and author; pairwise F1 × 100 for all "
    "other tasks. Means over all test sets of all runs."
)
REGRET_NOTE = (
    "Regret: the difference by which the best single method is better than the automatic choice. "
    "Which single method is the best is known only afterwards. A regret below 0 means that "
    "different choices in different runs are better than any single method."
)
POINTS_NOTE = (
    "The settings, clusterer and threshold of a single method are chosen on held-out training "
    "data, as in the automatic choice; they are the defaults if there is too little training data "
    "to hold out."
)
DIGITS_NOTE = (
    "All training sets of digits have the same five digits, and the test sets have the five other "
    "digits. So eight training sets show no more about new digits than one. In the task usps, the "
    "digits are given as entities of the items, so the automatic choice and the single methods use "
    "their defaults. The last row, which is not one of the ten tasks, shows the result if they are "
    "not given."
)


def compute_choice(key: Key, folder: Path | None) -> Values:
    """Choose automatically and fit every candidate on one run of a task; predict its test sets."""
    quick = bool(key.get("quick"))
    task = read_task(str(key["data"]), folder, quick)
    run = task.runs[int(key["run"] or 0)]
    auto_learner = AutoLearner(task.metric, budget=QUICK_BUDGET if quick else None)
    candidates = QUICK_CANDIDATES if quick else CANDIDATES
    start = perf_counter()
    with quiet():
        search = auto_learner.fit_search(*run.train, entities=run.entities)
        parts = {str(candidate): _fit_alone(search, candidate) for candidate in candidates}
        auto_model = auto_learner.to_model()
        models = {
            AUTO: auto_model,
            **{name: Model(auto_model.blocker, *part) for name, part in parts.items()},
        }
        predicted = {
            name: texts_of(model.predict(run.test.item_sets)) for name, model in models.items()
        }
    choice = auto_learner.choice_
    return {
        "truth": texts_of(run.test.partitions),
        "predicted": predicted,
        "choice": f"{choice.name} with context" if choice.context else choice.name,
        "report": auto_learner.report(),
        "seconds": auto_learner.seconds_,
        "all seconds": perf_counter() - start,
    }


def _fit_alone(search: CandidateSearch, candidate: Candidate) -> tuple[Similarity, Clusterer]:
    """Fit a candidate as if it were the only one, with its own best settings."""
    search.run([candidate])
    _, similarity, clusterer = search.fit(candidate)
    return similarity, clusterer


@dataclass(frozen=True)
class ChoiceResult:
    """The result of the automatic choice and of each single method on a task.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        The values of the test sets, by method.
    choices
        The choice of each run.
    seconds
        The time of the automatic choice, summed over runs.
    """

    measure: str
    values: Mapping[str, Sequence[float]]
    choices: Sequence[str]
    seconds: float

    @classmethod
    def of(cls, task: str, cells: Sequence[Values]) -> "ChoiceResult":
        """Measure the predictions in the cells of all runs of a task."""
        measure = MEASURE_OF_METRIC[TASKS[task].metric]
        values: dict[str, list[float]] = {}
        for cell in cells:
            for method, texts in cell["predicted"].items():
                values.setdefault(method, []).extend(measure_texts(measure, cell["truth"], texts))
        choices = [cell["choice"] for cell in cells]
        return cls(measure, values, choices, sum(cell["seconds"] for cell in cells))

    def mean(self, method: str) -> float:
        """Return the mean over test sets."""
        return float(np.mean(self.values[method]))

    @property
    def best_method(self) -> str:
        """The single method with the best mean on the test sets."""
        sign = -1.0 if self.measure in LOWER else 1.0
        singles = [method for method in self.values if method != AUTO]
        return max(singles, key=lambda method: sign * self.mean(method))

    @property
    def regret(self) -> float:
        """The difference by which the best single method is better than the automatic choice."""
        best, automatic = self.mean(self.best_method), self.mean(AUTO)
        return automatic - best if self.measure in LOWER else best - automatic

    @property
    def choice_text(self) -> str:
        """The choices, with their numbers of runs if these differ in their choices."""
        counts = Counter(self.choices).most_common()
        if len(counts) == 1:
            return counts[0][0]
        return ", ".join(f"{name} ({count})" for name, count in counts)


def choice_results(context: Context) -> dict[str, ChoiceResult]:
    """Return the results on each task; compute the missing cells."""
    names = QUICK_TASKS if context.quick else (*TEN_TASKS, WITHOUT_ENTITIES)
    keys: list[Key] = [
        complete_key(context, {"table": "auto", "data": name, "run": run})
        for name in sorted(names, key=count_runs)  # the largest corpora have one run
        for run in range(count_runs(name, context.quick))
    ]
    cells: dict[str, list[Values]] = {name: [] for name in names}
    for key, values in zip(keys, context.run(keys, compute_choice), strict=True):
        cells[str(key["data"])].append(values)
    return {name: ChoiceResult.of(name, cells_of_task) for name, cells_of_task in cells.items()}


def auto(context: Context) -> list[Table]:
    """Show the automatic choice on ten tasks, and the results of every single method."""
    results = choice_results(context)
    return [_choices_table(results), _methods_table(results)]


def _choices_table(results: Mapping[str, ChoiceResult]) -> Table:
    rows: dict[str, dict[str, Value | Entry]] = {
        task: {
            "measure": result.measure,
            AUTO: result.mean(AUTO),
            "best single method": result.mean(result.best_method),
            "which": result.best_method,
            "regret": result.regret,
            "time": time_text(result.seconds),
            "chosen": result.choice_text,
        }
        for task, result in results.items()
    }
    title = "The automatic choice on ten tasks"
    notes = [MEASURES_NOTE, REGRET_NOTE, POINTS_NOTE, DIGITS_NOTE]
    return Table.from_rows(title, rows, notes=notes, digits=2, data=DATA, chart=_chart(results))


def _methods_table(results: Mapping[str, ChoiceResult]) -> Table:
    rows = {
        task: {method: result.mean(method) for method in result.values}
        for task, result in results.items()
    }
    title = "Every method on ten tasks"
    return Table.from_rows(title, rows, notes=[MEASURES_NOTE], digits=2, data=DATA)


def _chart(results: Mapping[str, ChoiceResult]) -> Bars:
    series = {
        AUTO: [result.mean(AUTO) for result in results.values()],
        "best single method": [result.mean(result.best_method) for result in results.values()],
    }
    title = "The automatic choice and the best single method"
    return Bars(title, list(results), {"": series}, axes=("", "CoNLL, F1, or VI × 100"))
