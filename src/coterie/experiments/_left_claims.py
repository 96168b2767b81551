"""What the paper of left-linking claims, and what is seen of it in its tables."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from coterie.experiments._left_cells import ONE_PASS, WHOLE
from coterie.experiments._left_controls import ORDERED, order_values, solver_values, start_values
from coterie.experiments._left_coreference import GUM, LITBANK, ONTOGUM, average, corpus_results
from coterie.experiments._left_forum import column_results
from coterie.experiments._left_results import Result, p_values
from coterie.experiments._left_techniques import BIN, CORR, FOREST, OURS, SUM_LINK
from coterie.experiments.cells import Context
from coterie.experiments.claims import Claim, claims_table
from coterie.experiments.tables import Table
from coterie.metrics import conll_score, variation_of_information

OTHERS = ("L³M (γ = 0)", SUM_LINK, BIN, FOREST, CORR)
SMALL = 0.01
"""The share of the mean below which a deviation counts as small."""

CLAIMS_DATA = "that of the tables above; nothing is computed anew."
UNITS = (
    "Points of the average F1 or of VI × 100, as in the tables, with their p-values; of starts, "
    f"how far the deviation is below {SMALL:.0%} of the mean, in percent of it, where the paper's "
    "are up to 0.24%."
)


def claims(context: Context) -> list[Table]:
    """Show what the paper claims, and whether it is seen here."""
    found = [
        *_better(context),
        *_of_order(context),
        *_of_starts(context),
        _of_solvers(context),
    ]
    return [claims_table(found, CLAIMS_DATA, notes=[UNITS])]


def _better(context: Context) -> Iterable[Claim]:
    for corpus in (GUM, ONTOGUM, LITBANK):
        results = corpus_results(context, corpus)
        yield from _ahead(f"{corpus.name} (Table 1)", results, conll_score, average)
    for column in ("Author", "Topic"):
        results = column_results(context, column)
        yield from _ahead(
            f"{column} (Table 2)",
            results,
            variation_of_information,
            lambda result: -result.information(),
        )


def _ahead(
    name: str,
    results: Mapping[str, Result],
    metric: Callable[..., float],
    score: Callable[[Result], float],
) -> Iterable[Claim]:
    """Compare L³M with tuned γ to the others, by the figures and the p-values of the tables."""
    others = {row: result for row, result in results.items() if row != OURS}
    found, ours = p_values(results[OURS], others, metric), score(results[OURS])
    for row in OTHERS:
        gain = ours - score(results[row])
        yield Claim(f"{name}: {OURS} better than {row}", gain, found[row])


def _of_order(context: Context) -> Iterable[Claim]:
    for row in ORDERED:
        found, name = order_values(context, row)[OURS], row.partition(",")[0]
        level = name == "Author"
        compared = "no better than" if level else "better than"
        text = f"{name} (5.4): the natural order {compared} a random one"
        yield Claim(text, found.worse, found.p_value, level)


def _of_starts(context: Context) -> Iterable[Claim]:
    for row, values in start_values(context).items():
        share = float(np.std(values["measured"], ddof=1) / np.mean(values["measured"]))
        name = row.partition(",")[0]
        yield Claim(f"{name} (5.3): SGD's deviation over starts small", 100 * (SMALL - share))


def _of_solvers(context: Context) -> Claim:
    found = solver_values(context)
    first, second = ((100 * found[name][:, 0]).tolist() for name in (WHOLE, ONE_PASS))
    text = "Author (5.3): CCCP no better than one pass of SGD"
    return Claim.of(text, first, second, "wilcoxon", lower=True, level=True)
