"""What the paper claims of SCM, tested on the results behind its tables."""

from collections.abc import Iterator
from dataclasses import replace

from coterie_papers.dirichlet.cells import MEASURES
from coterie_papers.dirichlet.results import (
    ALIKE,
    CITATION_ROWS,
    DIGIT_ROWS,
    N_DIGITS,
    NES,
    TABLES_DATA,
    F,
    Results,
    deviation,
    results_of,
)
from coterie_papers.dirichlet.systems import COARSE, FINE, PT, PT_BYTES, REPULSION, SCM, SVM
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table

CORPORA = {"Cora (refs)": "cora_refs", "Cora (KSF)": "cora_ksf"}

COMPARED_NOTE = (
    "Fractions, means over runs: subsets of digits, or authors that are left out. Spread: the "
    "standard deviation of the difference over runs, and on how many of these the first is better. "
    "Grey levels run from −1 to 1 where nothing is said. Of Coarse and Fine, the better one in F. "
    "p(y|t) is the repulsion between means, without which SCM is by default."
)
TESTS_NOTE = (
    "p: Wilcoxon's signed-rank test over runs, not corrected; six can show p = 0.031 at best, and "
    "the three authors of Cora nothing. The paper has no tests."
)


def claims(context: Context) -> list[Table]:
    """Show what the paper claims of SCM, and whether it is seen here."""
    found = [*_of_digits(results_of(context, "usps", DIGIT_ROWS))]
    for title, name in CORPORA.items():
        rows = dict(zip(CITATION_ROWS, CITATION_ROWS, strict=True))
        found += _of_systems(f"Table 2, {title}", results_of(context, name, CITATION_ROWS), rows)
    return [claims_table(found, TABLES_DATA, digits=3, notes=[COMPARED_NOTE, TESTS_NOTE])]


def _of_digits(results: Results) -> Iterator[Claim]:
    """Compare systems with as many digits to train on, then five digits with two."""
    fewer, more = ({s: f"{n} digits: {s}" for s in (SVM, SCM, REPULSION)} for n in N_DIGITS)
    alike = {system: system for system in ALIKE}
    for n, rows in zip(N_DIGITS, (fewer, more), strict=True):
        yield from _of_systems(f"Table 1, USPS, {n} digits", results, {**alike, **rows})
    for system in (SVM, SCM):
        for measure in (F, NES):
            said = f"{system} trained on 5 digits better than on 2 (not in the paper's text)"
            text = f"Table 1, USPS, {MEASURES[measure]}: {said}"
            yield _better(text, results, more[system], fewer[system], measure)


def _of_systems(place: str, results: Results, rows: dict[str, str]) -> Iterator[Claim]:
    """Compare SCM with others, whose rows are given by their names."""
    straw = max((COARSE, FINE), key=lambda system: results.mean(rows[system], F))
    for other in [system for system in (PT, PT_BYTES, straw, SVM) if system in rows]:
        for measure in (F, NES):
            text = f"{place}, {MEASURES[measure]}: SCM better than {other}"
            yield _better(text, results, rows[SCM], rows[other], measure)
    for measure in (F, NES):
        text = f"{place}, {MEASURES[measure]}: SCM with p(y|t) better than without"
        yield _better(text, results, rows[REPULSION], rows[SCM], measure)


def _better(text: str, results: Results, first: str, second: str, measure: int) -> Claim:
    ours, others = results.by_run(first, measure), results.by_run(second, measure)
    claim = Claim.of(text, ours.tolist(), others.tolist(), "wilcoxon")
    return replace(claim, spread=f"± {deviation(ours - others):.3f}, {claim.spread}")
