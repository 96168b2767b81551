"""The tables of coreference for left-linking: Table 1 of Samdani, Chang & Roth 2014."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coterie.metrics import conll_score
from coterie_papers.corpora.gum import GUM_GENRES
from coterie_papers.engine.cells import Context, Key
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.left_linking.cells import train_relaxed
from coterie_papers.left_linking.data import N_FOLDS
from coterie_papers.left_linking.protocol import RunLimits, full_key, run_limits
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import (
    TechniquePredictions,
    chosen_table,
    p_notes,
    results_of,
)
from coterie_papers.left_linking.techniques import (
    BATCH_ROWS,
    CORR_CLUSTERING,
    L3M,
    ONLINE,
    TUNED,
    TUNED_L3M,
    Choice,
    online_rows,
)

RELAXED = "Corr-Clustering, C_R"
OTHER_ONLINE = set(ONLINE) - {L3M}

SETTINGS_NOTE = (
    "F1 in percent, on gold mentions. The settings (λ, the learning rate η, γ and the number of "
    "passes, or C) are those with the highest average on {}. p: Wilcoxon's test over documents "
    "against L³M (tuned γ), with the Holm-Bonferroni correction."
)
FIRSTS_NOTE = (
    "Bin-Left-Link, firsts (not in the paper): an item that starts a cluster has all items on its "
    "left as negative examples."
)
CORR_NOTE = (
    "Corr-Clustering is trained with greedy clustering, by which C is chosen too. It predicts by "
    "exact clustering within {:g} s per document; {} of {} predictions were proved to be optimal."
)
RELAXED_NOTE = (
    "Corr-Clustering, C_R is trained with relaxed clustering for the same C, on {} training "
    "documents in {} passes, with {:g} s for each search; {} of {} predictions were proved to be "
    "optimal."
)


class CoreferenceCorpus(NamedTuple):
    """A corpus of coreference and the texts of its table.

    `paper` names the corpus of the paper that it replaces. `group` puts the documents that are
    scored together into one group. `with_relaxed` adds training with relaxed clustering.
    """

    name: str
    divisions: Sequence[Key]
    paper: str
    data: str
    note: str
    group: Callable[[TechniquePredictions], TechniquePredictions]
    chosen_on: str = "the development documents"
    with_relaxed: bool = False

    @property
    def title(self) -> str:
        """The title of its table."""
        return f"Table 1 on {self.name}"


LDC_DATA = "a near equivalent, because {}, which the paper uses, is available only from the LDC: {}"


GUM = CoreferenceCorpus(
    "GUM",
    [{"data": "gum"}],
    "ACE 2004",
    "GUM, including mentions that corefer with no other; 166 documents for training, 28 for the "
    "choice of settings and 28 for testing.",
    "All genres together.",
    TechniquePredictions.pooled,
    with_relaxed=True,
)
GENRES = CoreferenceCorpus(
    "GUM, with a model for each genre",
    [{"data": f"gum/{genre}"} for genre in GUM_GENRES],
    "OntoNotes-5.0",
    "GUM, whose 14 genres replace the parts of OntoNotes.",
    "One model is trained and tuned per genre. The test documents of all genres are scored "
    "together. The chosen settings that are shown are medians over genres.",
    TechniquePredictions.pooled,
)
ONTOGUM = CoreferenceCorpus(
    "OntoGUM",
    [{"data": "ontogum"}],
    "OntoNotes-5.0",
    "the documents of GUM, annotated by the guidelines of OntoNotes, where each mention corefers "
    "with another.",
    "All genres together.",
    TechniquePredictions.pooled,
)
LITBANK = CoreferenceCorpus(
    "LitBank",
    [{"data": "litbank", "fold": fold} for fold in range(N_FOLDS)],
    "ACE 2004",
    "LitBank, the beginnings of 100 works of fiction.",
    "Ten folds: settings are chosen by the fold after the test fold. Scores are means over folds, "
    "and the chosen settings are medians.",
    lambda result: result,
)
GUM_60 = CoreferenceCorpus(
    "60 documents of GUM",
    [{"data": "gum-60"}],
    "ACE 2004",
    "30 documents of GUM for training and 30 for testing, with the 52 features that come with "
    "them.",
    "Means over documents.",
    TechniquePredictions.separated,
    "held-out training documents, by 5-fold cross-validation",
    with_relaxed=True,
)


def table1(context: Context, corpus: CoreferenceCorpus) -> list[Table]:
    """Show all techniques on a corpus, with the figures of Table 1 for the replaced corpus."""
    results = corpus_results(context, corpus)
    notes = [
        f"{corpus.note} {SETTINGS_NOTE.format(corpus.chosen_on)}",
        *_corr_notes(results, run_limits(context.quick)),
        FIRSTS_NOTE,
        lead_note({row: average(result) for row, result in results.items()}),
    ]
    entries, printed = _entries(results), LEFT_LINKING[corpus.paper]
    data = LDC_DATA.format(corpus.paper, corpus.data)
    return [
        Table.from_rows(corpus.title, entries, printed, notes=notes, digits=2, data=data),
        chosen_table(corpus.title, results),
    ]


def corpus_results(context: Context, corpus: CoreferenceCorpus) -> dict[str, TechniquePredictions]:
    """Return the predictions behind the rows of a corpus's table."""
    results = results_of(context, corpus.divisions, rows())
    if corpus.with_relaxed:
        (division,), C = corpus.divisions, results[CORR_CLUSTERING].median("C")
        passes = run_limits(context.quick).relaxed.passes
        key = full_key(context, {**division, "C": C, "passes": passes})
        relaxed = TechniquePredictions.of(context.run([key], train_relaxed), TUNED)
        results = {CORR_CLUSTERING: results[CORR_CLUSTERING], RELAXED: relaxed, **results}
    return {row: corpus.group(result) for row, result in results.items()}


def average(result: TechniquePredictions) -> float:
    """Return the average of the coreference scores, in percent."""
    return result.coreference_scores()["average"]


def rows() -> dict[str, Choice]:
    """Return the rows of Table 1 in its order, including the rows that are not in the paper."""
    once, often = online_rows(1, " (1 pass)"), online_rows(None)
    pairs = zip(once.items(), often.items(), strict=True)
    return {**BATCH_ROWS, **dict(row for pair in pairs for row in pair)}


def _entries(results: Mapping[str, TechniquePredictions]) -> dict[str, dict[str, Entry | Value]]:
    notes = p_notes(results, TUNED_L3M, conll_score)
    entries: dict[str, dict[str, Entry | Value]] = {}
    for row, result in results.items():
        scores = result.coreference_scores()
        average = Entry(scores.pop("average"), note=notes[row])
        entries[row] = {**scores, "average": average}
    return entries


def _corr_notes(results: Mapping[str, TechniquePredictions], limits: RunLimits) -> list[str]:
    """Describe the training of Corr-Clustering, and count its proved optima."""
    counts = {row: (result.n_proved, len(result.examples)) for row, result in results.items()}
    notes = [CORR_NOTE.format(limits.exact_seconds, *counts[CORR_CLUSTERING])]
    if RELAXED in counts:
        notes.append(RELAXED_NOTE.format(*limits.relaxed, *counts[RELAXED]))
    return notes


def lead_note(averages: Mapping[str, float]) -> str:
    """State whether L³M with tuned γ is better than all other online techniques."""
    chosen = rows().items()
    others = {row: averages[row] for row, (technique, _) in chosen if technique in OTHER_ONLINE}
    best = max(others, key=lambda row: others[row])
    ahead = averages[TUNED_L3M] - others[best]
    verb = "leads" if ahead > 0 else "does not lead"
    difference = f"{ahead:+.2f} compared with the best of them, {best}"
    return f"{TUNED_L3M} {verb} the other online techniques: {difference}."
