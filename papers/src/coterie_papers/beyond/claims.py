"""What is claimed beyond the papers, and whether it is seen."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from coterie_papers.beyond.auto import choices_of
from coterie_papers.beyond.cells import CONLL, LOSS, LOWER, PAIR_F1, VI
from coterie_papers.beyond.data import TEN
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
from coterie_papers.beyond.results import Result, compared, results_of
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table

HALVES = {"GUM": "gum", "GUM, halves exchanged": "gum, halves exchanged"}


class Posts(NamedTuple):
    """A task of posts: how many features it has, and what is to be reached."""

    title: str
    data: str
    n_columns: int
    information: float
    """The limit of the variation of information."""


MEASURED = (Posts("Topic", "topic", 7, 47.7), Posts("Author", "author", 7, 30.7))
WITH_GRAMS = (
    Posts("Topic, with n-grams", "topic, n-grams", 13, 47.7),
    Posts("Author, with n-grams", "author, n-grams", 13, 30.7),
)

COREFERENCE: Mapping[str, float] = {CONLL: 78.5, LOSS: 1.42}
NEWS = 91.0
N_NEAR, NEAR, FAR = 8, 1.0, 3.0
"""On so many of ten tasks regret is to be at most `NEAR`, and nowhere more than `FAR`."""

DATA = "that of the tables above; nothing is computed anew."
UNITS = (
    "Points of the measure that is named: better by as much than the limit, or than the other "
    "method. Cross-validation prefers the method that does best on the training sets held out."
)


def claims(context: Context) -> list[Table]:
    """Show what is claimed of structured boosting, context and the automatic choice."""
    found = [
        *_of_coreference(context),
        *_of_news(context),
        *_of_posts(context),
        *_of_choices(context),
    ]
    return [replace(claims_table(found, DATA, notes=[UNITS]), title="What is claimed")]


def posts_of(context: Context) -> tuple[Posts, ...]:
    """Return the tasks of posts; reading n-grams takes too long for a quick run."""
    return MEASURED if context.quick else (*MEASURED, *WITH_GRAMS)


def _of_coreference(context: Context) -> Iterable[Claim]:
    found = {title: results_of(context, "gum", data, ALONE) for title, data in HALVES.items()}
    for measure, limit in COREFERENCE.items():
        yield _within("GUM", found["GUM"], STRUCTURED, measure, limit)
    for title, results in found.items():
        for measure in COREFERENCE:
            for pair in ((STRUCTURED, PAIRS), (STRUCTURED, L3M), (PAIRS, L3M)):
                text = f"{title}, {measure}: {pair[0]} better than {pair[1]}"
                yield compared(text, results, pair, measure)


def _of_news(context: Context) -> Iterable[Claim]:
    results = results_of(context, "news", "news", CONTEXT)
    for without, with_it in ((LOGISTIC, LOGISTIC_CONTEXT), (PAIRS, PAIRS_CONTEXT)):
        yield _within("News", results, with_it, PAIR_F1, NEWS)
        text = f"News, {PAIR_F1}: {with_it} better than without"
        yield compared(text, results, (with_it, without), PAIR_F1)


def _of_posts(context: Context) -> Iterable[Claim]:
    for posts in posts_of(context):
        results = results_of(context, "threads", posts.data, ALONE)
        preferred = min(results, key=lambda method: results[method].validated[VI])
        yield _within(posts.title, results, preferred, VI, posts.information)


def _of_choices(context: Context) -> Iterable[Claim]:
    """Claim nothing where not all tasks were run."""
    regrets = sorted(each.regret for name, each in choices_of(context).items() if name in TEN)
    if len(regrets) == len(TEN):
        yield Claim(
            f"Regret of the automatic choice at most {NEAR:g} on {N_NEAR} of {len(TEN)} tasks",
            NEAR - regrets[N_NEAR - 1],
        )
        yield Claim(f"Regret of the automatic choice never above {FAR:g}", FAR - regrets[-1])


def _within(
    title: str, results: Mapping[str, Result], method: str, measure: str, limit: float
) -> Claim:
    """Compare a mean with a limit, without a test: a limit has no spread."""
    lower = measure in LOWER
    gain = results[method].mean(measure) - limit
    text = f"{title}, {measure} at {'most' if lower else 'least'} {limit:g}: {method}"
    return Claim(text, -gain if lower else gain)
