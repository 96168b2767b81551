"""The claims beyond the papers, and whether they are confirmed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from coterie_papers.beyond.auto import choice_results
from coterie_papers.beyond.cells import CONLL, LOSS, LOWER, PAIR_F1, VI
from coterie_papers.beyond.data import TEN_TASKS
from coterie_papers.beyond.methods import (
    ALONE,
    CONTEXT,
    L3M,
    LOGISTIC,
    LOGISTIC_CONTEXT,
    PAIRS,
    PAIRS_CONTEXT,
    STRUCTURED,
)
from coterie_papers.beyond.results import MethodResult, comparison_claim, method_results
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table

GUM_TASKS = {"GUM": "gum", "GUM, halves exchanged": "gum, halves exchanged"}
"""The titles of the tables of GUM, and their tasks."""


class PostTask(NamedTuple):
    """A task of posts.

    Parameters
    ----------
    title
        The title of its table.
    data
        The name of the task.
    n_columns
        The number of features.
    max_vi
        The largest claimed variation of information × 100.
    """

    title: str
    data: str
    n_columns: int
    max_vi: float


MEASURE_TASKS = (PostTask("Topic", "topic", 7, 47.7), PostTask("Author", "author", 7, 30.7))
N_GRAM_TASKS = (
    PostTask("Topic, with n-grams", "topic, n-grams", 13, 47.7),
    PostTask("Author, with n-grams", "author, n-grams", 13, 30.7),
)

GUM_LIMITS: Mapping[str, float] = {CONLL: 78.5, LOSS: 1.42}
"""The claimed limits of structured boosting on GUM."""

MIN_NEWS_F1 = 91.0
"""The claimed least F1 on news with features of context."""

N_SMALL, SMALL_REGRET, MAX_REGRET = 8, 1.0, 3.0
"""The claimed regret: at most `SMALL_REGRET` on `N_SMALL` of the ten tasks, never above
`MAX_REGRET`."""

DATA = "those of the tables above; nothing is computed again."
UNITS = (
    "Better by: the difference to the limit or to the other method, in points of the measure that "
    "is named. A claim about posts is about the method that is best on held-out training sets."
)


def claims(context: Context) -> list[Table]:
    """Show what is claimed about structured boosting, context and the automatic choice."""
    tested_claims = [
        *_claims_of_coreference(context),
        *_claims_of_news(context),
        *_claims_of_posts(context),
        *_claims_of_choices(context),
    ]
    return [replace(claims_table(tested_claims, DATA, notes=[UNITS]), title="What is claimed")]


def post_tasks(context: Context) -> tuple[PostTask, ...]:
    """Return the tasks of posts; reading n-grams takes too long for a quick run."""
    return MEASURE_TASKS if context.quick else (*MEASURE_TASKS, *N_GRAM_TASKS)


def _claims_of_coreference(context: Context) -> Iterable[Claim]:
    results_by_title = {
        title: method_results(context, "gum", data, ALONE) for title, data in GUM_TASKS.items()
    }
    for measure, limit in GUM_LIMITS.items():
        yield _limit_claim("GUM", results_by_title["GUM"], STRUCTURED, measure, limit)
    for title, results in results_by_title.items():
        for measure in GUM_LIMITS:
            for pair in ((STRUCTURED, PAIRS), (STRUCTURED, L3M), (PAIRS, L3M)):
                text = f"{title}, {measure}: {pair[0]} better than {pair[1]}"
                yield comparison_claim(text, results, pair, measure)


def _claims_of_news(context: Context) -> Iterable[Claim]:
    results = method_results(context, "news", "news", CONTEXT)
    for without, with_context in ((LOGISTIC, LOGISTIC_CONTEXT), (PAIRS, PAIRS_CONTEXT)):
        yield _limit_claim("News", results, with_context, PAIR_F1, MIN_NEWS_F1)
        text = f"News, {PAIR_F1}: {with_context} better than without"
        yield comparison_claim(text, results, (with_context, without), PAIR_F1)


def _claims_of_posts(context: Context) -> Iterable[Claim]:
    for task in post_tasks(context):
        results = method_results(context, "threads", task.data, ALONE)
        best_validated = min(results, key=lambda method: results[method].validated[VI])
        yield _limit_claim(task.title, results, best_validated, VI, task.max_vi)


def _claims_of_choices(context: Context) -> Iterable[Claim]:
    """Test the claims about regret, unless some of the ten tasks were not run."""
    results = choice_results(context)
    regrets = sorted(result.regret for name, result in results.items() if name in TEN_TASKS)
    if len(regrets) == len(TEN_TASKS):
        yield Claim(
            f"Regret of the automatic choice at most {SMALL_REGRET:g} on {N_SMALL} of "
            f"{len(TEN_TASKS)} tasks",
            SMALL_REGRET - regrets[N_SMALL - 1],
        )
        yield Claim(
            f"Regret of the automatic choice never above {MAX_REGRET:g}", MAX_REGRET - regrets[-1]
        )


def _limit_claim(
    title: str, results: Mapping[str, MethodResult], method: str, measure: str, limit: float
) -> Claim:
    """Compare a mean with a limit, without a test, because a limit has no spread."""
    lower = measure in LOWER
    gain = results[method].mean(measure) - limit
    text = f"{title}, {measure} at {'most' if lower else 'least'} {limit:g}: {method}"
    return Claim(text, -gain if lower else gain)
