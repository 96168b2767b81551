"""Beyond the papers: structured boosting, context and the automatic choice, on ten tasks.

The settings of every method are chosen by cross-validation on the training sets, for each measure
separately; the test sets are predicted once. A cell has the predictions of one method on one run of
a task, from which all measures are computed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps

from coterie_papers.beyond.auto import auto
from coterie_papers.beyond.cells import CONLL, PAIR_F1, VI
from coterie_papers.beyond.claims import GUM_TASKS, claims, post_tasks
from coterie_papers.beyond.confidence import confidence
from coterie_papers.beyond.data import QUICK_ITEMS, QUICK_RUNS, QUICK_SETS
from coterie_papers.beyond.methods import ALONE, CONTEXT, LOGISTIC_CONTEXT, STRUCTURED
from coterie_papers.beyond.results import (
    MethodResult,
    method_results,
    scores_table,
    settings_table,
)
from coterie_papers.engine.cells import Context
from coterie_papers.engine.charts import Bars
from coterie_papers.engine.tables import Table

CHOSEN_NOTE = (
    "Settings, number of trees or passes, clusterer and threshold were chosen by cross-validation "
    "on the training sets, for each column separately."
)
P_NOTE = "p: Wilcoxon's test of “{}” against the row, over the test sets."
GUM_DATA = (
    "60 documents of GUM, 30 to train on and 30 to test on, with 52 features of pairs; the "
    "features that use the annotated type of an entity are left out."
)
NEWS_DATA = (
    "nine sets of articles of ECB+, each of which is the test set once; a pair has 30 cosines as "
    "features."
)
POSTS_DATA = (
    "posts of 20 Newsgroups: 60 item sets to train on and 37 to test on, with {} features of "
    "pairs; for authors, the lines that a post quotes from other posts are left out."
)
QUICK_NOTE = (
    "Quick: at most {} training sets and {} test sets per run, {} items per set and {} runs; few "
    "settings and trees."
)


def gum(context: Context) -> list[Table]:
    """Show coreference on GUM, and again with the halves exchanged."""
    tables = []
    for title, data in GUM_TASKS.items():
        results = method_results(context, "gum", data, ALONE)
        notes = [CHOSEN_NOTE, P_NOTE.format(STRUCTURED)]
        chart = _bars(title, results, CONLL)
        tables.append(scores_table(title, results, STRUCTURED, GUM_DATA, notes=notes, chart=chart))
        tables.append(settings_table(title, results))
    return tables


def news(context: Context) -> list[Table]:
    """Show news by story, with features of context and without."""
    results = method_results(context, "news", "news", CONTEXT)
    title = "News"
    notes = [CHOSEN_NOTE, P_NOTE.format(LOGISTIC_CONTEXT)]
    chart = _bars(title, results, PAIR_F1)
    return [
        scores_table(title, results, LOGISTIC_CONTEXT, NEWS_DATA, notes=notes, chart=chart),
        settings_table(title, results),
    ]


def threads(context: Context) -> list[Table]:
    """Show posts of newsgroups by topic and by author."""
    tables = []
    for task in post_tasks(context):
        results = method_results(context, "threads", task.data, ALONE)
        notes = [CHOSEN_NOTE, P_NOTE.format(STRUCTURED), f"{VI}: in nats, lower is better."]
        data = POSTS_DATA.format(task.n_columns)
        tables.append(scores_table(task.title, results, STRUCTURED, data, notes=notes))
        tables.append(settings_table(task.title, results))
    return tables


def _bars(title: str, results: Mapping[str, MethodResult], measure: str) -> Bars:
    means = [result.mean(measure) for result in results.values()]
    return Bars(f"{title}: {measure}", list(results), {"": {measure: means}}, axes=("", measure))


def _with_quick_note(
    make_tables: Callable[[Context], list[Table]],
) -> Callable[[Context], list[Table]]:
    """Add to each table of a quick run a note on its limits."""

    @wraps(make_tables)
    def make_noted_tables(context: Context) -> list[Table]:
        quick_note = QUICK_NOTE.format(QUICK_SETS, QUICK_SETS, QUICK_ITEMS, QUICK_RUNS)
        notes = [quick_note] if context.quick else []
        return [replace(table, notes=[*table.notes, *notes]) for table in make_tables(context)]

    return make_noted_tables


TABLES = {
    "gum": _with_quick_note(gum),
    "news": _with_quick_note(news),
    "threads": _with_quick_note(threads),
    "auto": _with_quick_note(auto),
    "confidence": _with_quick_note(confidence),
    "claims": _with_quick_note(claims),
}
