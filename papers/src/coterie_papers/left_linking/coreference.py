"""The tables of coreference for left-linking: Table 1 of Samdani, Chang & Roth 2014."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coterie.metrics import conll_score
from coterie_papers.corpora.gum import GUM_GENRES
from coterie_papers.engine.cells import Context, Key
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.left_linking.cells import relaxed
from coterie_papers.left_linking.data import N_FOLDS
from coterie_papers.left_linking.protocol import Protocol, keyed, protocol
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import Result, chosen_table, p_notes, results_of
from coterie_papers.left_linking.techniques import (
    BATCH_ROWS,
    CORR,
    L3M,
    ONLINE,
    OURS,
    TUNED,
    Choice,
    online_rows,
)

RELAXED = "Corr-Clustering, C_R"
OTHER_ONLINE = set(ONLINE) - {L3M}

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

    `paper` is the corpus of the paper in whose place it stands, `grouped` says which documents are
    scored together.
    """

    name: str
    divisions: Sequence[Key]
    paper: str
    data: str
    note: str
    grouped: Callable[[Result], Result]
    chosen_on: str = "the development documents"
    relaxed: bool = False

    @property
    def title(self) -> str:
        """The title of its table."""
        return f"Table 1 on {self.name}"


LDC = "a near equivalent, since {}, which the paper has, is to be had from the LDC alone: {}"


GUM = Corpus(
    "GUM",
    [{"data": "gum"}],
    "ACE 2004",
    "GUM, mentions that corefer with nothing included; 166 documents to train on, 28 to choose by "
    "and 28 to test on.",
    "All genres together.",
    Result.pooled,
    relaxed=True,
)
GENRES = Corpus(
    "GUM, with a model for each genre",
    [{"data": f"gum/{genre}"} for genre in GUM_GENRES],
    "OntoNotes-5.0",
    "GUM, whose 14 genres stand for its parts.",
    "A model is trained and chosen for each genre; the test documents of all are scored together, "
    "and medians of what was chosen are shown.",
    Result.pooled,
)
ONTOGUM = Corpus(
    "OntoGUM",
    [{"data": "ontogum"}],
    "OntoNotes-5.0",
    "the documents of GUM as annotated by the guidelines of OntoNotes, where no mention is alone.",
    "All genres together.",
    Result.pooled,
)
LITBANK = Corpus(
    "LitBank",
    [{"data": "litbank", "fold": fold} for fold in range(N_FOLDS)],
    "ACE 2004",
    "LitBank, the beginnings of 100 works of fiction.",
    "Ten folds, one to test on, the next to choose by; means over folds, and medians of what was "
    "chosen.",
    lambda result: result,
)
GUM_60 = Corpus(
    "60 documents of GUM",
    [{"data": "gum-60"}],
    "ACE 2004",
    "30 documents of GUM to train on and 30 to test on, with 52 features that come with them.",
    "Means over documents.",
    Result.apart,
    "held-out training documents, by 5-fold cross-validation",
    relaxed=True,
)


def table1(context: Context, corpus: Corpus) -> list[Table]:
    """Show all techniques on a corpus, beside one of Table 1."""
    results = corpus_results(context, corpus)
    notes = [
        f"{corpus.note} {GOLD.format(corpus.chosen_on)}",
        *_corr_notes(results, protocol(context.quick)),
        FIRSTS_NOTE,
        lead_note({row: average(result) for row, result in results.items()}),
    ]
    shown, printed = _entries(results), LEFT_LINKING[corpus.paper]
    data = LDC.format(corpus.paper, corpus.data)
    return [
        Table.from_rows(corpus.title, shown, printed, notes=notes, digits=2, data=data),
        chosen_table(corpus.title, results),
    ]


def corpus_results(context: Context, corpus: Corpus) -> dict[str, Result]:
    """Return what stands behind the rows of a corpus's table, to be scored."""
    found = results_of(context, corpus.divisions, rows())
    if corpus.relaxed:
        (division,), C = corpus.divisions, found[CORR].median("C")
        passes = protocol(context.quick).relaxed.passes
        key = keyed(context, {**division, "C": C, "passes": passes})
        found = {CORR: found[CORR], RELAXED: Result.of(context.run([key], relaxed), TUNED), **found}
    return {row: corpus.grouped(result) for row, result in found.items()}


def average(result: Result) -> float:
    """Return the average of the scores of coreference, in percent."""
    return result.coreference()["average"]


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


def _corr_notes(results: Mapping[str, Result], limits: Protocol) -> list[str]:
    """Say how Corr-Clustering was trained, and of how many documents its answer is proved."""
    counts = {row: (each.n_proved, len(each.examples)) for row, each in results.items()}
    notes = [CORR_NOTE.format(limits.exact_seconds, *counts[CORR])]
    if RELAXED in counts:
        notes.append(RELAXED_NOTE.format(*limits.relaxed, *counts[RELAXED]))
    return notes


def lead_note(averages: Mapping[str, float]) -> str:
    """Say whether L³M with tuned γ is ahead of the other online techniques."""
    chosen = rows().items()
    others = {row: averages[row] for row, (technique, _) in chosen if technique in OTHER_ONLINE}
    best = max(others, key=lambda row: others[row])
    ahead = averages[OURS] - others[best]
    place = "leads the other online techniques" if ahead > 0 else "does not lead"
    return f"{OURS} {place}: {ahead:+.2f} against the best of them, {best}."
