"""Beyond the papers: structured boosting, context and the automatic choice, on ten tasks.

The settings of every method are chosen by cross-validation on the training sets, for each measure;
the test sets are predicted once. A cell holds one method on one run of a task, with its
predictions, from which all measures are taken.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps

from coterie_papers.beyond.auto import auto
from coterie_papers.beyond.cells import CONLL, PAIR_F1, VI
from coterie_papers.beyond.claims import HALVES, claims, posts_of
from coterie_papers.beyond.confidence import confidence
from coterie_papers.beyond.data import FEW_ITEMS, FEW_RUNS, FEW_SETS
from coterie_papers.beyond.methods import ALONE, CONTEXT, LOGISTIC_CONTEXT, STRUCTURED
from coterie_papers.beyond.results import Result, chosen_table, results_of, scores_table
from coterie_papers.engine.cells import Context
from coterie_papers.engine.charts import Bars
from coterie_papers.engine.tables import Table

CHOSEN_NOTE = (
    "Settings, number of trees or passes, clusterer and threshold were chosen by cross-validation "
    "on the training sets, for each column."
)
P_NOTE = "p-values: {} against the row, by Wilcoxon's test over the test sets."
GUM_DATA = (
    "60 documents of GUM, 30 to train on and 30 to test on, with 52 features of pairs; those that "
    "tell the annotated type of an entity are left out."
)
NEWS_DATA = "nine sets of articles of ECB+, each left out in turn, with 30 cosines of pairs."
POSTS_DATA = (
    "posts of 20 Newsgroups: 60 item sets to train on and 37 to test on, with {} features of "
    "pairs; by author without the lines that others wrote."
)
QUICK_NOTE = (
    "Quick: at most {} item sets of either side of a run, {} items of each and {} runs; few "
    "settings and trees."
)


def gum(context: Context) -> list[Table]:
    """Show coreference on GUM, and again with the halves exchanged."""
    made = []
    for title, data in HALVES.items():
        results = results_of(context, "gum", data, ALONE)
        notes = [CHOSEN_NOTE, P_NOTE.format(STRUCTURED)]
        chart = _bars(title, results, CONLL)
        made.append(scores_table(title, results, STRUCTURED, GUM_DATA, notes=notes, chart=chart))
        made.append(chosen_table(title, results))
    return made


def news(context: Context) -> list[Table]:
    """Show news by story, with features of context and without."""
    results = results_of(context, "news", "news", CONTEXT)
    title = "News"
    notes = [CHOSEN_NOTE, P_NOTE.format(LOGISTIC_CONTEXT)]
    chart = _bars(title, results, PAIR_F1)
    return [
        scores_table(title, results, LOGISTIC_CONTEXT, NEWS_DATA, notes=notes, chart=chart),
        chosen_table(title, results),
    ]


def threads(context: Context) -> list[Table]:
    """Show posts of newsgroups by topic and by author."""
    made = []
    for title, data, n_columns, _ in posts_of(context):
        results = results_of(context, "threads", data, ALONE)
        notes = [CHOSEN_NOTE, P_NOTE.format(STRUCTURED), f"{VI}: in nats, lower is better."]
        about = POSTS_DATA.format(n_columns)
        made.append(scores_table(title, results, STRUCTURED, about, notes=notes))
        made.append(chosen_table(title, results))
    return made


def _bars(title: str, results: Mapping[str, Result], measure: str) -> Bars:
    means = [result.mean(measure) for result in results.values()]
    return Bars(f"{title}: {measure}", list(results), {"": {measure: means}}, axes=("", measure))


def _noted(make: Callable[[Context], list[Table]]) -> Callable[[Context], list[Table]]:
    """Say below each table what a quick run left out for it."""

    @wraps(make)
    def made(context: Context) -> list[Table]:
        added = [QUICK_NOTE.format(FEW_SETS, FEW_ITEMS, FEW_RUNS)] * context.quick
        return [replace(table, notes=[*table.notes, *added]) for table in make(context)]

    return made


TABLES = {
    "gum": _noted(gum),
    "news": _noted(news),
    "threads": _noted(threads),
    "auto": _noted(auto),
    "confidence": _noted(confidence),
    "claims": _noted(claims),
}
