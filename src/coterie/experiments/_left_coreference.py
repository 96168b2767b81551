"""The tables of coreference for left-linking: Table 1 of Samdani, Chang & Roth 2014."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coterie.datasets.gum import GUM_GENRES
from coterie.experiments._left_cells import (
    RELAXED_PASSES,
    RELAXED_SECONDS,
    RELAXED_SETS,
    SECONDS,
    VERSION,
    relaxed,
)
from coterie.experiments._left_data import N_FOLDS
from coterie.experiments._left_results import Result, chosen_table, p_notes, results_of
from coterie.experiments._left_techniques import (
    BATCH_ROWS,
    CORR,
    FOREST,
    OURS,
    TUNED,
    Choice,
    online_rows,
)
from coterie.experiments.cells import Context, Key
from coterie.experiments.published import LEFT_LINKING
from coterie.experiments.tables import Entry, Table, Value
from coterie.metrics import conll_score

RELAXED = "Corr-Clustering, C_R"

GOLD = (
    "Gold mentions, F1 in percent. λ, the learning rate η, γ and passes, or C, are those of the "
    "highest average on {}. p: Wilcoxon's test over documents against L³M (tuned γ), corrected "
    "after Holm-Bonferroni."
)
FIRSTS_NOTE = (
    "Bin-Left-Link, firsts (not in the paper): an item that starts a cluster has all items on its "
    "left as negative examples."
)
CORR_NOTE = (
    "Corr-Clustering is trained with greedy clustering, by which C is chosen too, and predicts by "
    "exact clustering within {:g} s a document: {} of {} were proved to be best."
)
RELAXED_NOTE = (
    "Corr-Clustering, C_R is trained with relaxed clustering, for the same C, on {} training "
    "documents in {} passes, with {:g} s for each search: {} of {} were proved."
)


class Corpus(NamedTuple):
    """A corpus of coreference and the table of it.

    `grouped` says which documents are scored together, `paper` beside which corpus of the paper
    they stand.
    """

    title: str
    divisions: Sequence[Key]
    paper: str
    note: str
    grouped: Callable[[Result], Result]
    chosen_on: str = "the development documents"
    relaxed: bool = False


GUM = Corpus(
    "Table 1 on GUM",
    [{"data": "gum"}],
    "ACE 2004",
    "GUM, all genres together: 166 documents to train on, 28 to choose by and 28 to test on, "
    "mentions of their own included.",
    Result.pooled,
    relaxed=True,
)
GENRES = Corpus(
    "Table 1 on GUM, with a model for each genre",
    [{"data": f"gum/{genre}"} for genre in GUM_GENRES],
    "OntoNotes-5.0",
    "GUM, with a model trained and chosen for each of 14 genres; their test documents are scored "
    "together, and medians of what was chosen are shown.",
    Result.pooled,
)
ONTOGUM = Corpus(
    "Table 1 on OntoGUM",
    [{"data": "ontogum"}],
    "OntoNotes-5.0",
    "the documents of GUM as annotated by the guidelines of OntoNotes, where no mention is alone.",
    Result.pooled,
)
LITBANK = Corpus(
    "Table 1 on LitBank",
    [{"data": "litbank", "fold": fold} for fold in range(N_FOLDS)],
    "ACE 2004",
    "100 works of fiction in ten folds, one to test on, the next to choose by; means over folds, "
    "and medians of what was chosen.",
    lambda result: result,
)
GUM_60 = Corpus(
    "Table 1 on 60 documents of GUM",
    [{"data": "gum-60"}],
    "ACE 2004",
    "30 documents of GUM to train on and 30 to test on, with 52 features that come with them; "
    "means over documents.",
    Result.apart,
    "held-out training documents, by 5-fold cross-validation",
    relaxed=True,
)


def table1(context: Context, corpus: Corpus) -> list[Table]:
    """Show all techniques on a corpus, beside one of Table 1."""
    found = results_of(context, corpus.divisions, rows())
    if corpus.relaxed:
        (division,), C = corpus.divisions, found[CORR].median("C")
        key: Key = {**division, "C": C, "passes": RELAXED_PASSES, "version": VERSION}
        found = {CORR: found[CORR], RELAXED: Result.of(context.run([key], relaxed), TUNED), **found}
    results = {row: corpus.grouped(result) for row, result in found.items()}
    notes = [
        f"Ours in place of {corpus.paper}: {corpus.note}",
        GOLD.format(corpus.chosen_on),
        *_corr_notes(results),
        FIRSTS_NOTE,
        lead_note({row: result.coreference()["average"] for row, result in results.items()}),
    ]
    printed = LEFT_LINKING[corpus.paper]
    return [
        Table.beside(corpus.title, _entries(results), printed, notes=notes, digits=2),
        chosen_table(corpus.title, results),
    ]


def rows() -> dict[str, Choice]:
    """Return what stands in the rows of Table 1, in its order, and what we add."""
    once, often = online_rows(1, " (1 pass)"), online_rows(None)
    pairs = zip(once.items(), often.items(), strict=True)
    return {**BATCH_ROWS, **dict(row for pair in pairs for row in pair)}


def _entries(results: Mapping[str, Result]) -> dict[str, dict[str, Entry | Value]]:
    words = p_notes(results, OURS, conll_score)
    shown: dict[str, dict[str, Entry | Value]] = {}
    for row, result in results.items():
        scores = result.coreference()
        average = Entry(scores.pop("average"), note=words[row])
        shown[row] = {**scores, "average": average}
    return shown


def _corr_notes(results: Mapping[str, Result]) -> list[str]:
    """Say how Corr-Clustering was trained, and of how many documents its answer is proved."""
    counts = {row: (each.n_proved, len(each.examples)) for row, each in results.items()}
    notes = [CORR_NOTE.format(SECONDS, *counts[CORR])]
    if RELAXED in counts:
        limits = RELAXED_SETS, RELAXED_PASSES, RELAXED_SECONDS
        notes.append(RELAXED_NOTE.format(*limits, *counts[RELAXED]))
    return notes


def lead_note(averages: Mapping[str, float]) -> str:
    """Say whether L³M with tuned γ is ahead of the other online techniques."""
    others = {row: averages[row] for row in rows() if not row.startswith(("L³M", CORR, FOREST))}
    best = max(others, key=lambda row: others[row])
    ahead = averages[OURS] - others[best]
    place = "leads the other online techniques" if ahead > 0 else "does not lead"
    return f"{OURS} {place}: {ahead:+.2f} against the best of them, {best}."
