"""The claims of the paper on SCM, tested on the results behind its tables."""

from collections.abc import Iterator
from dataclasses import replace

from coterie_papers.dirichlet.cells import MEASURES
from coterie_papers.dirichlet.results import (
    CITATION_ROWS,
    DIGIT_ROWS,
    N_DIGITS,
    NES,
    SHARED_SYSTEMS,
    TABLES_DATA,
    F,
    SystemScores,
    deviation,
    results_of,
)
from coterie_papers.dirichlet.systems import COARSE, FINE, PT, PT_BYTES, REPULSION, SCM, SVM
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table

CORPORA = {"Cora (refs)": "cora_refs", "Cora (KSF)": "cora_ksf"}

COMPARED_NOTE = (
    "Differences are means over runs of measures from 0 to 1. A run is a subset of digits, or an "
    "author who is left out. Spread: the standard deviation of the difference over runs, and the "
    "number of runs in which the first system is better. Grey levels run from −1 to 1 unless a "
    "claim names other levels. Of Coarse and Fine, the one with the higher F is compared. p(y|t) "
    "is the repulsion between means, which SCM does not have by default."
)
TESTS_NOTE = (
    "p: Wilcoxon's signed-rank test over runs, without correction. The least p that six runs can "
    "have is 0.031; the three authors of Cora are too few for a test. The paper has no tests."
)


def claims(context: Context) -> list[Table]:
    """Test the claims of the paper on SCM."""
    results = [*_claims_on_digits(results_of(context, "usps", DIGIT_ROWS))]
    for title, name in CORPORA.items():
        rows = dict(zip(CITATION_ROWS, CITATION_ROWS, strict=True))
        results += _claims_on_systems(
            f"Table 2, {title}", results_of(context, name, CITATION_ROWS), rows
        )
    return [claims_table(results, TABLES_DATA, digits=3, notes=[COMPARED_NOTE, TESTS_NOTE])]


def _claims_on_digits(results: SystemScores) -> Iterator[Claim]:
    """Compare systems with the same number of training digits, then five digits with two."""
    fewer, more = ({s: f"{n} digits: {s}" for s in (SVM, SCM, REPULSION)} for n in N_DIGITS)
    alike = {system: system for system in SHARED_SYSTEMS}
    for n, rows in zip(N_DIGITS, (fewer, more), strict=True):
        yield from _claims_on_systems(f"Table 1, USPS, {n} digits", results, {**alike, **rows})
    for system in (SVM, SCM):
        for measure in (F, NES):
            claim = f"{system} trained on 5 digits better than on 2 (not in the paper's text)"
            text = f"Table 1, USPS, {MEASURES[measure]}: {claim}"
            yield _better(text, results, more[system], fewer[system], measure)


def _claims_on_systems(place: str, results: SystemScores, rows: dict[str, str]) -> Iterator[Claim]:
    """Compare SCM with other systems; `rows` maps the names of systems to their rows."""
    best_baseline = max((COARSE, FINE), key=lambda system: results.mean(rows[system], F))
    for other in [system for system in (PT, PT_BYTES, best_baseline, SVM) if system in rows]:
        for measure in (F, NES):
            text = f"{place}, {MEASURES[measure]}: SCM better than {other}"
            yield _better(text, results, rows[SCM], rows[other], measure)
    for measure in (F, NES):
        text = f"{place}, {MEASURES[measure]}: SCM with p(y|t) better than without"
        yield _better(text, results, rows[REPULSION], rows[SCM], measure)


def _better(text: str, results: SystemScores, first: str, second: str, measure: int) -> Claim:
    firsts, seconds = results.by_run(first, measure), results.by_run(second, measure)
    claim = Claim.of(text, firsts.tolist(), seconds.tolist(), "wilcoxon")
    return replace(claim, spread=f"± {deviation(firsts - seconds):.3f}, {claim.spread}")
