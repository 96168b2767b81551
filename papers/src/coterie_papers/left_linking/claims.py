"""The claims of the paper on left-linking, tested on the results of its tables."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from coterie.metrics import compare, compare_all, conll_score, variation_of_information
from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table
from coterie_papers.left_linking.cells import CCCP_FULL, SGD_ONE_PASS
from coterie_papers.left_linking.controls import ORDERED, solver_values, start_values
from coterie_papers.left_linking.coreference import GUM, LITBANK, ONTOGUM, average, corpus_results
from coterie_papers.left_linking.data import NATURAL, SCRAMBLED
from coterie_papers.left_linking.forum import column_results
from coterie_papers.left_linking.results import TechniquePredictions, results_of
from coterie_papers.left_linking.techniques import (
    BIN_LEFT_LINK,
    CORR_CLUSTERING,
    SPANNING_FOREST,
    SUM_LINK,
    TUNED_L3M,
    online_rows,
)

COMPARED_ROWS = ("L³M (γ = 0)", SUM_LINK, BIN_LEFT_LINK, SPANNING_FOREST, CORR_CLUSTERING)
SMALL = 0.01
"""A standard deviation below this share of the mean counts as small."""

CLAIMS_DATA = "as in the tables above; nothing is computed again."
UNITS = (
    "Differences are points of the average F1, or of VI × 100, as in the tables. The p-values are "
    "also those of the tables; they and the spread are over item sets. For random starts, the "
    f"difference is {SMALL:.0%} of the mean less the standard deviation, in percent of the mean; "
    "the paper's standard deviations are at most 0.24% of the mean. In the paper CCCP is better "
    "than SGD by less than 0.2%, which the paper does not test."
)


def claims(context: Context) -> list[Table]:
    """Test the claims of the paper."""
    results = [
        *_claims_on_techniques(context),
        *_claims_on_order(context),
        *_claims_on_starts(context),
        _claim_on_solvers(context),
    ]
    return [claims_table(results, CLAIMS_DATA, notes=[UNITS])]


def _claims_on_techniques(context: Context) -> Iterable[Claim]:
    for corpus in (GUM, ONTOGUM, LITBANK):
        results = corpus_results(context, corpus)
        yield from _claims_against_others(
            f"{corpus.name} (Table 1)", results, conll_score, average, -1.0
        )
    for column in ("Author", "Topic"):
        results = column_results(context, column)
        vi = variation_of_information, TechniquePredictions.mean_vi, 1.0
        yield from _claims_against_others(f"{column} (Table 2)", results, *vi)


def _claims_against_others(
    name: str,
    results: Mapping[str, TechniquePredictions],
    metric: Callable[..., float],
    measure: Callable[[TechniquePredictions], float],
    direction: float,
) -> Iterable[Claim]:
    """Compare L³M with tuned γ with other techniques, by the figures and p-values of the tables.

    `direction` is 1 if lower values are better, and −1 if higher values are better.
    """
    losses = {row: _losses(result, metric, direction) for row, result in results.items()}
    reference = losses.pop(TUNED_L3M)
    comparisons = compare_all(reference, losses)
    for row in COMPARED_ROWS:
        gain = direction * (measure(results[row]) - measure(results[TUNED_L3M]))
        text = f"{name}: {TUNED_L3M} better than {row}"
        yield Claim.from_comparison(text, gain, comparisons[row], n_tests=len(comparisons))


def _losses(result: TechniquePredictions, metric: Callable[..., float], direction: float) -> Floats:
    """Measure each item set, with the sign that makes lower values better."""
    return direction * np.array(result.measure_each(metric))


def _claims_on_order(context: Context) -> Iterable[Claim]:
    for name, data in ORDERED.items():
        natural, random = (
            results_of(
                context, data.divisions, {TUNED_L3M: online_rows(data.passes)[TUNED_L3M]}, order
            )[TUNED_L3M]
            for order in (NATURAL, SCRAMBLED)
        )
        gain = data.direction * (data.measure(random) - data.measure(natural))
        first, second = (
            _losses(result, data.metric, data.direction) for result in (natural, random)
        )
        is_equal = name == "Author"
        relation = "level with" if is_equal else "better than"
        text = f"{name} (5.4): the natural order {relation} a random one"
        yield Claim.from_comparison(text, gain, compare(first, second), equal=is_equal)


def _claims_on_starts(context: Context) -> Iterable[Claim]:
    for name, values in start_values(context).items():
        share = float(np.std(values["measured"], ddof=1) / np.mean(values["measured"]))
        yield Claim(f"{name} (5.3): SGD's deviation over starts small", 100 * (SMALL - share))


def _claim_on_solvers(context: Context) -> Claim:
    values = solver_values(context)
    first, second = ((100 * values[name][:, 0]).tolist() for name in (CCCP_FULL, SGD_ONE_PASS))
    text = "Author (5.3): CCCP level with one pass of SGD"
    return Claim.of(text, first, second, "wilcoxon", lower=True, equal=True)
