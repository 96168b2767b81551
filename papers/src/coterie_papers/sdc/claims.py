"""The paper's claims about SDC, tested on the results behind its figures."""

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
    compute_approaches,
    compute_clusterers,
    compute_rates,
    compute_sizes,
    row_at_rate,
    row_at_share,
    row_under,
)
from coterie_papers.sdc.results import DATA, KINDS, FoldScores, fold_scores

FEW, ENOUGH = 10, 30
"""Shares of the training names in percent.

According to the paper, pair classifiers are better at the first, and SDC from the second on.
"""
LINKAGES = ("Single linkage", "Complete linkage")
FROM_LMR = "SDC from LMR (logistic)"
OTHERS = ("Graph cut", "Repeated bisection", "k-medoids")

COMPARED_NOTE = (
    "F1 of pairs in percent, on the results of Figures 4 to 7, with single linkage where no other "
    "clusterer is named. Where the paper compares with several approaches, the table compares with "
    f"the one that has the highest mean F1 here. From {ENOUGH} % on: means over these shares. "
    "Spread: on how many of the pairs of sets the first approach has the higher mean. SDC from LMR "
    "(logistic): kept by F1, with α = 1, as in Figure 4."
)
TESTS_NOTE = (
    "p: Wilcoxon's signed-rank test over the results, not corrected. For learning rates: "
    "Friedman's test over all rates, and the difference of the best and the worst mean. The paper "
    "has no tests. The runs share their names, so the results are not independent and p is too "
    "small."
)


def claims(context: Context) -> list[Table]:
    """Show what the paper claims about SDC, and whether it is confirmed here."""
    scores = fold_scores(context, "figure4", compute_approaches)
    clusterer_scores = fold_scores(context, "figure6", compute_clusterers)
    tested_claims = [
        *_claims_of_approaches(scores),
        *_claims_of_sizes(fold_scores(context, "figure5", compute_sizes)),
        *_claims_of_clusterers(clusterer_scores),
        *_claims_of_rates(fold_scores(context, "figure7", compute_rates)),
        *_claims_of_uniform_weights(scores),
        *_claims_of_warm_start(scores, clusterer_scores),
    ]
    return [claims_table(tested_claims, DATA, digits=1, notes=[COMPARED_NOTE, TESTS_NOTE])]


def _claims_of_approaches(scores: FoldScores) -> Iterator[Claim]:
    for others in [(OVER_SOFT,), (OVER_P, OVER_W), (SOFT_BEST, LMR_P, LMR_W)]:
        for kind in KINDS:
            other = _best_row(scores, others, kind)
            text = f"Figure 4, {kind}: SDC better than {other}"
            yield _better_claim(text, scores.f1(SDC, kind), scores.f1(other, kind))


def _claims_of_sizes(scores: FoldScores) -> Iterator[Claim]:
    for kind in KINDS:
        labels = {row_at_share(row, FEW): row for row in (LMR_P, LMR_W)}
        other = _best_row(scores, list(labels), kind)
        text = f"Figure 5, {kind}: at {FEW} %, {labels[other]} better than SDC"
        sdc_f1 = scores.f1(row_at_share(SDC, FEW), kind)
        yield _better_claim(text, scores.f1(other, kind), sdc_f1)
    shares = [share for share in SHARES if share >= ENOUGH]
    for kind in KINDS:
        mean_f1 = {
            row: np.mean([scores.f1(row_at_share(row, share), kind) for share in shares], axis=0)
            for row in (SDC, LMR_P, LMR_W, OVER_P, OVER_W)
        }
        sdc_f1 = mean_f1.pop(SDC)
        other = max(mean_f1, key=lambda row: float(mean_f1[row].mean()))
        text = f"Figure 5, {kind}: from {ENOUGH} % on, SDC better than {other}"
        yield _better_claim(text, sdc_f1, mean_f1[other])


def _claims_of_clusterers(scores: FoldScores) -> Iterator[Claim]:
    for linkage in LINKAGES:
        for kind in KINDS:
            names = {row_under(name, SDC): name for name in OTHERS}
            other = _best_row(scores, list(names), kind)
            text = f"Figure 6, {kind}: in SDC, {linkage.lower()} better than {names[other].lower()}"
            linkage_f1 = scores.f1(row_under(linkage, SDC), kind)
            yield _better_claim(text, linkage_f1, scores.f1(other, kind))


def _claims_of_rates(scores: FoldScores) -> Iterator[Claim]:
    for kind in KINDS:
        f1_by_rate = [scores.f1(row_at_rate(SDC, rate), kind).ravel() for rate in RATES]
        spread = float(np.ptp([f1.mean() for f1 in f1_by_rate]))
        text = f"Figure 7, {kind}: SDC alike for all α"
        yield Claim(text, spread, _friedman(f1_by_rate), equal=True)


def _friedman(f1_by_rate: Sequence[Floats]) -> float | None:
    """Return the p-value of Friedman's test, or None if it could not be significant.

    With n results of k rates, the statistic is at most n · (k − 1): all results rank the rates
    alike.
    """
    freedom = len(f1_by_rate) - 1
    if stats.chi2.sf(freedom * len(f1_by_rate[0]), freedom) >= SIGNIFICANCE_LEVEL:
        return None
    # The test refuses equal values.
    are_equal = all(np.array_equal(f1, f1_by_rate[0]) for f1 in f1_by_rate)
    return 1.0 if are_equal else float(stats.friedmanchisquare(*f1_by_rate).pvalue)


def _claims_of_uniform_weights(scores: FoldScores) -> Iterator[Claim]:
    for kind in KINDS:
        text = f"Not in the paper, {kind}: SDC better than {UNIFORM}"
        yield _better_claim(text, scores.f1(SDC, kind), scores.f1(UNIFORM, kind))


def _claims_of_warm_start(scores: FoldScores, clusterer_scores: FoldScores) -> Iterator[Claim]:
    for kind in KINDS:
        text = f"Not in the paper, {kind}: {FROM_LMR} better than SDC"
        yield _better_claim(text, scores.f1(WARM, kind), scores.f1(SDC, kind))
    _, complete = LINKAGES
    for others in [(OVER_P, OVER_W), (OVER_L,)]:
        for kind in KINDS:
            labels = {row_under(complete, row): row for row in others}
            other = _best_row(clusterer_scores, list(labels), kind)
            comparison = f"{FROM_LMR} better than {labels[other]}"
            text = f"Not in the paper, {kind}: under {complete.lower()}, {comparison}"
            warm_f1 = clusterer_scores.f1(row_under(complete, WARM), kind)
            yield _better_claim(text, warm_f1, clusterer_scores.f1(other, kind))


def _best_row(scores: FoldScores, rows: Sequence[str], kind: str) -> str:
    return max(rows, key=lambda row: scores.mean(row, kind))


def _better_claim(text: str, first: Floats, second: Floats) -> Claim:
    """Test all results, and count the pairs of sets on which the first has the higher mean."""
    claim = Claim.of(text, first.ravel().tolist(), second.ravel().tolist(), "wilcoxon")
    n_wins = int(np.sum(first.mean(axis=1) > second.mean(axis=1)))
    return replace(claim, spread=f"{n_wins} of {len(first)} pairs of sets")
