"""Discriminative training of clustering functions (Li & Roth 2005): its figures on other names.

Three pairs of sets of people, locations and organizations stand in for the paper's names. Each pair
is divided ten times in two halves, each of which is once to train on and once to test on: first as
it comes, then by entity at random. A cell holds what all approaches reach on one such division.
"""

from collections.abc import Callable, Sequence
from math import nan

from coterie_papers.engine.cells import Context
from coterie_papers.engine.charts import Bars, Lines
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.sdc.approaches import (
    BY_F1,
    CLUSTERERS,
    EQUAL,
    EXACT,
    LITERAL,
    LMR_L,
    LMR_P,
    LMR_W,
    OVER_L,
    OVER_P,
    OVER_SOFT,
    OVER_W,
    SDC,
    SOFT,
    SOFT_BEST,
    STARTS,
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
    stopping,
    tuned,
    under,
)
from coterie_papers.sdc.claims import claims
from coterie_papers.sdc.fresh import fresh
from coterie_papers.sdc.published import SDC as PUBLISHED
from coterie_papers.sdc.remedies import remedies
from coterie_papers.sdc.results import (
    DATA,
    KINDS,
    P_NOTE,
    PRECISION,
    RECALL,
    Results,
    against,
    described,
    p_words,
    protocol_of,
    results_of,
)

PERCENT = "F1 of pairs in percent"
IN_PAPER = (SOFT_BEST, LMR_P, LMR_W, OVER_SOFT, OVER_P, OVER_W, SDC)
TUNED = tuple(map(tuned, (SOFT, LMR_P, LMR_W)))
BEYOND = (*TUNED, LMR_L, OVER_L, UNIFORM, BY_F1, STARTS, EQUAL, WARM, EXACT, LITERAL)

KNOWN_NOTE = (
    "Clusterers know the number of entities, in training and in test. Classifiers without "
    "clustering are scored by the pairs that they call together. The paper prints only the figures "
    "in brackets, as the best of SDC."
)
SDC_NOTE = (
    "SDC: single linkage, α = 100, 20 iterations from random weights that are at least 0, the "
    "iterate of least weighted error kept. Kept by F1: the iterate of the highest F1 on the "
    "training names. From equal weights, or those of logistic regression (below 0 cut off), with "
    "α = 1: a short way from there, which was found with test sets in sight. Exact: with the "
    "derivative of the largest distance. Literal: features as they are, weights of any sign. "
    "Uniform weights: the same distance features, all weighing alike."
)
BASELINES_NOTE = (
    "SoftTFIDF: rarities from the training names. LMR: classifiers of the same features, by the "
    "averaged perceptron (P), by averaged Winnow (W), which on some sets calls no pair together, "
    "and by logistic regression; clustered by the softmax of their outputs. Tuned: the threshold "
    "of pairs with the highest F1 on the training names. The penalty of the perceptron, the rates "
    "of Winnow and the C of logistic regression were chosen with test sets in sight, which favours "
    "these rows."
)


def figure4(context: Context) -> list[Table]:
    """Show all approaches on people, locations and organizations (Figure 4)."""
    results = results_of(context, "figure4", approaches).only((*IN_PAPER, *BEYOND))
    title = "Figure 4: F1 of approaches, the number of entities known"
    notes = [described(protocol_of(context)), KNOWN_NOTE, SDC_NOTE, BASELINES_NOTE]
    shown = {row: results.means(row) for row in results.rows}
    chart = _approaches_chart(title, results)
    figure = Table.from_rows(
        title, shown, PUBLISHED["figure4"], notes=notes, chart=chart, data=DATA
    )
    return [
        figure,
        against("SDC against each other approach: difference of F1", SDC, results),
        against(
            "SDC from LMR (logistic) against each other approach: difference of F1", WARM, results
        ),
        _precision_and_recall(results),
    ]


def _approaches_chart(title: str, results: Results) -> Bars:
    groups = {"in the paper": IN_PAPER, "not in the paper": BEYOND}
    panels = {
        kind: {
            name: [results.mean(row, kind) if row in group else nan for row in results.rows]
            for name, group in groups.items()
        }
        for kind in KINDS
    }
    return Bars(title, results.rows, panels, ("", PERCENT))


def _precision_and_recall(results: Results) -> Table:
    shown = {
        row: {
            kind: " / ".join(f"{results.mean(row, kind, each):.1f}" for each in (PRECISION, RECALL))
            for kind in KINDS
        }
        for row in results.rows
    }
    return Table.from_rows("Figure 4: precision / recall (not in the paper)", shown, data=DATA)


STOPPING_NOTE = (
    "Single linkage joins what is nearer than a threshold, which is tuned by F1 on the training "
    "names; SDC does so for each distance on its way. Without tuning, an LMR classifier's own "
    "decision is the threshold."
)


def stopping_table(context: Context) -> list[Table]:
    """Show clustering with a threshold, the number of entities not known."""
    results = results_of(context, "stopping", stopping)
    title = "Not in the paper: F1 where the number of entities is not known"
    notes = [STOPPING_NOTE, described(protocol_of(context)), f"Against {tuned(SDC)}. {P_NOTE}"]
    shown = _with_p(results, tuned(SDC), results.rows)
    panels = {kind: {PERCENT: [results.mean(row, kind) for row in results.rows]} for kind in KINDS}
    chart = Bars(title, results.rows, panels, ("", PERCENT))
    return [Table.from_rows(title, shown, notes=notes, chart=chart, data=DATA)]


def _with_p(
    results: Results, ours: str, rows: Sequence[str]
) -> dict[str, dict[str, Entry | Value]]:
    """Show the mean F1 of rows, and how one of them compares with the others."""
    others = [row for row in rows if row != ours]
    words = {kind: {ours: "", **p_words(results, ours, others, kind)} for kind in KINDS}
    return {
        row: {kind: Entry(results.mean(row, kind), note=words[kind][row]) for kind in KINDS}
        for row in rows
    }


LEARNED = (SDC, BY_F1, WARM, LMR_P, LMR_W, OVER_P, OVER_W)
SIZES_NOTE = (
    "Whole entities are drawn from the training names until the share is reached; a smaller part "
    "is in each larger one. Test sets stay whole."
)


def figure5(context: Context) -> list[Table]:
    """Show the approaches that learn on 10 to 100 % of the training names (Figure 5)."""
    results = results_of(context, "figure5", sizes)
    shown: dict[str, dict[str, Entry | Value]] = {
        f"{kind}: {row}": {
            f"{share} %": results.mean(at_share(row, share), kind) for share in SHARES
        }
        for kind in KINDS
        for row in LEARNED
    }
    title = "Figure 5: F1 by the share of the training names"
    chart = _lines(title, results, LEARNED, SHARES, at_share, "% of the training names")
    notes = [SIZES_NOTE, described(protocol_of(context))]
    return [Table.from_rows(title, shown, notes=notes, chart=chart, data=DATA)]


COMPARED = (SDC, BY_F1, WARM, UNIFORM, OVER_P, OVER_W, OVER_L)
CLUSTERERS_NOTE = (
    "Each clusterer is in the loop of SDC, and used in the test. Graph cut: 5 neighbours an item. "
    "Only the rows SDC are in the paper; p is against SDC from LMR (logistic) under the "
    "same clusterer."
)


def figure6(context: Context) -> list[Table]:
    """Show SDC, uniform weights and LMR under five clustering algorithms (Figure 6)."""
    results = results_of(context, "figure6", algorithms)
    shown: dict[str, dict[str, Entry | Value]] = {}
    for name in CLUSTERERS:
        rows = [under(name, row) for row in COMPARED]
        shown |= _with_p(results, under(name, WARM), rows)
    title = "Figure 6: F1 by clustering algorithm, the number of entities known"
    panels = {
        kind: {
            row: [results.mean(under(name, row), kind) for name in CLUSTERERS] for row in COMPARED
        }
        for kind in KINDS
    }
    chart = Bars(title, list(CLUSTERERS), panels, ("", PERCENT))
    notes = [CLUSTERERS_NOTE, described(protocol_of(context)), P_NOTE]
    return [Table.from_rows(title, shown, notes=notes, chart=chart, data=DATA)]


def figure7(context: Context) -> list[Table]:
    """Show SDC with the learning rates 1 to 1000 (Figure 7)."""
    results = results_of(context, "figure7", rates)
    shown = {
        at_rate(row, rate): results.means(at_rate(row, rate))
        for row in (SDC, BY_F1)
        for rate in RATES
    }
    title = "Figure 7: F1 by learning rate"
    chart = _lines(title, results, (SDC, BY_F1), RATES, at_rate, "learning rate α")
    notes = [described(protocol_of(context)), SDC_NOTE]
    return [Table.from_rows(title, shown, notes=notes, chart=chart, data=DATA)]


def _lines(
    title: str,
    results: Results,
    rows: Sequence[str],
    at: Sequence[float],
    named: Callable[..., str],
    axis: str,
) -> Lines:
    """Draw rows over some numbers, with which `named` finds their results."""
    panels = {
        kind: {row: [results.mean(named(row, each), kind) for each in at] for row in rows}
        for kind in KINDS
    }
    return Lines(title, [f"{each:g}" for each in at], panels, (axis, PERCENT))


TABLES = {
    "figure4": figure4,
    "stopping": stopping_table,
    "figure5": figure5,
    "figure6": figure6,
    "figure7": figure7,
    "remedies": remedies,
    "fresh": fresh,
    "claims": claims,
}
