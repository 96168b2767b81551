"""What the paper claims of SDC, tested on the results behind its figures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import SIGNIFICANCE_LEVEL, Claim, claims_table
from coterie_papers.engine.tables import Table
from coterie_papers.sdc.approaches import (
    LMR_P,
    LMR_W,
    OVER_L,
    OVER_P,
    OVER_SOFT,
    OVER_W,
    SDC,
    SOFT_BEST,
    UNIFORM,
    WARM,
)
from coterie_papers.sdc.cells import (
    RATES,
    SHARES,
    algorithms,
    approaches,
    at_rate,
    at_share,
    rates,
    sizes,
    under,
)
from coterie_papers.sdc.results import DATA, KINDS, Results, results_of

FEW, ENOUGH = 10, 30
"""Percent of the training names: where pair classifiers are said to be ahead, and where SDC is."""
LINKAGES = ("Single linkage", "Complete linkage")
FROM_LMR = "SDC from LMR (logistic)"
OTHERS = ("Graph cut", "Repeated bisection", "k-medoids")

COMPARED_NOTE = (
    "F1 of pairs in percent, on the results of Figures 4 to 7; single linkage where no other is "
    "named. Where the paper compares with several, the one of the highest mean F1 here stands for "
    f"them; from {ENOUGH} % on, by means over these shares. Spread: on how many of the pairs of "
    "sets the first has the higher mean. SDC from LMR (logistic): kept by F1, with α = 1, as in "
    "Figure 4."
)
TESTS_NOTE = (
    "p: Wilcoxon's signed-rank test over the results, not corrected; of learning rates, Friedman's "
    "test over all of them, and by how much the best mean is above the worst. The paper has no "
    "tests. The runs share their names, so that the results are not independent and p is too small."
)


def claims(context: Context) -> list[Table]:
    """Show what the paper claims of SDC, and whether it is seen here."""
    alone = results_of(context, "figure4", approaches)
    clustered = results_of(context, "figure6", algorithms)
    found = [
        *_of_approaches(alone),
        *_of_sizes(results_of(context, "figure5", sizes)),
        *_of_clusterers(clustered),
        *_of_rates(results_of(context, "figure7", rates)),
        *_of_uniform_weights(alone),
        *_of_warm_start(alone, clustered),
    ]
    return [claims_table(found, DATA, digits=1, notes=[COMPARED_NOTE, TESTS_NOTE])]


def _of_approaches(results: Results) -> Iterator[Claim]:
    for others in [(OVER_SOFT,), (OVER_P, OVER_W), (SOFT_BEST, LMR_P, LMR_W)]:
        for kind in KINDS:
            other = _best(results, others, kind)
            text = f"Figure 4, {kind}: SDC better than {other}"
            yield _better(text, results.f1(SDC, kind), results.f1(other, kind))


def _of_sizes(results: Results) -> Iterator[Claim]:
    for kind in KINDS:
        rows = {at_share(row, FEW): row for row in (LMR_P, LMR_W)}
        other = _best(results, list(rows), kind)
        text = f"Figure 5, {kind}: at {FEW} %, {rows[other]} better than SDC"
        yield _better(text, results.f1(other, kind), results.f1(at_share(SDC, FEW), kind))
    shares = [share for share in SHARES if share >= ENOUGH]
    for kind in KINDS:
        of = {
            row: np.mean([results.f1(at_share(row, share), kind) for share in shares], axis=0)
            for row in (SDC, LMR_P, LMR_W, OVER_P, OVER_W)
        }
        ours = of.pop(SDC)
        other = max(of, key=lambda row: float(of[row].mean()))
        text = f"Figure 5, {kind}: from {ENOUGH} % on, SDC better than {other}"
        yield _better(text, ours, of[other])


def _of_clusterers(results: Results) -> Iterator[Claim]:
    for linkage in LINKAGES:
        for kind in KINDS:
            rows = {under(name, SDC): name for name in OTHERS}
            other = _best(results, list(rows), kind)
            text = f"Figure 6, {kind}: in SDC, {linkage.lower()} better than {rows[other].lower()}"
            yield _better(text, results.f1(under(linkage, SDC), kind), results.f1(other, kind))


def _of_rates(results: Results) -> Iterator[Claim]:
    for kind in KINDS:
        reached = [results.f1(at_rate(SDC, rate), kind).ravel() for rate in RATES]
        apart = float(np.ptp([own.mean() for own in reached]))
        yield Claim(f"Figure 7, {kind}: SDC alike for all α", apart, _friedman(reached), equal=True)


def _friedman(reached: Sequence[Floats]) -> float | None:
    """Return the p-value of Friedman's test; None where it could not be significant."""
    freedom = len(reached) - 1
    if stats.chi2.sf(freedom * len(reached[0]), freedom) >= SIGNIFICANCE_LEVEL:
        return None
    same = all(np.array_equal(own, reached[0]) for own in reached)  # which the test refuses
    return 1.0 if same else float(stats.friedmanchisquare(*reached).pvalue)


def _of_uniform_weights(results: Results) -> Iterator[Claim]:
    for kind in KINDS:
        text = f"Not in the paper, {kind}: SDC better than {UNIFORM}"
        yield _better(text, results.f1(SDC, kind), results.f1(UNIFORM, kind))


def _of_warm_start(alone: Results, clustered: Results) -> Iterator[Claim]:
    for kind in KINDS:
        text = f"Not in the paper, {kind}: {FROM_LMR} better than SDC"
        yield _better(text, alone.f1(WARM, kind), alone.f1(SDC, kind))
    _, complete = LINKAGES
    for others in [(OVER_P, OVER_W), (OVER_L,)]:
        for kind in KINDS:
            rows = {under(complete, row): row for row in others}
            other = _best(clustered, list(rows), kind)
            compared = f"{FROM_LMR} better than {rows[other]}"
            text = f"Not in the paper, {kind}: under {complete.lower()}, {compared}"
            ours = under(complete, WARM)
            yield _better(text, clustered.f1(ours, kind), clustered.f1(other, kind))


def _best(results: Results, rows: Sequence[str], kind: str) -> str:
    return max(rows, key=lambda row: results.mean(row, kind))


def _better(text: str, first: Floats, second: Floats) -> Claim:
    """Compare all results, and count the pairs of sets on which the first has the higher mean."""
    claim = Claim.of(text, first.ravel().tolist(), second.ravel().tolist(), "wilcoxon")
    wins = int(np.sum(first.mean(axis=1) > second.mean(axis=1)))
    return replace(claim, spread=f"{wins} of {len(first)} pairs of sets")
