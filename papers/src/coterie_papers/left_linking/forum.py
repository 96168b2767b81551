"""The tables of left-linking on posts (Table 2 of Samdani, Chang & Roth 2014) and on chats."""

from collections.abc import Mapping, Sequence

import numpy as np

from coterie.metrics import variation_of_information
from coterie.partition import Partition
from coterie_papers.engine.cells import Context, Key
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.left_linking.data import MESSAGES, N_FOLDS, SKETCH
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import (
    AS_BEFORE,
    TechniquePredictions,
    chosen_table,
    p_notes,
    results_of,
)
from coterie_papers.left_linking.techniques import (
    BATCH_ROWS,
    FIRSTS,
    PAIR_CLASSIFIER,
    TUNED,
    TUNED_L3M,
    Choice,
    online_rows,
)

FOLDS: Mapping[str, Sequence[Key]] = {
    target: [{"data": target, "fold": fold} for fold in range(N_FOLDS)]
    for target in ("author", "topic")
}
COLUMNS = {"Author": ("author", 1), "Topic": ("topic", 5), "Topic, one pass": ("topic", 1)}
"""The columns of Table 2 (b), with their data and the number of passes of online techniques."""

POSTS = (
    "a near equivalent, because the paper's posts of an online forum were not published: posts of "
    "20 Newsgroups, with one item set per day and family of groups."
)
TENFOLD = (
    "VI in nats times 100, as a mean over item sets; lower is better. The paper does not state "
    "the base of its logarithm. Ten folds: one is for testing, the next for the choice of "
    "settings by VI (λ, the learning rate and γ, or C), the others for training. Online "
    "techniques make one pass over the posts for authors, and five passes or one for topics; "
    "batch techniques make ten. Corr-Clustering is greedy."
)
COMPARED = (
    "p: Wilcoxon's test over item sets against L³M (tuned γ), with the Holm-Bonferroni correction. "
    "Median of the tuned γ over folds: {}."
)


def forum(context: Context) -> list[Table]:
    """Show Table 2 (b) on posts of newsgroups, and one more division of these posts."""
    columns = {name: column_results(context, name) for name in COLUMNS}
    gammas = ", ".join(
        f"{results[TUNED_L3M].median('gamma'):g} ({name})" for name, results in columns.items()
    )
    notes = [TENFOLD, COMPARED.format(gammas)]
    title, printed = "Table 2 (b): VI of posts by author and by topic", LEFT_LINKING["forum"]
    return [
        Table.from_rows(title, _entries(columns), printed, notes=notes, digits=2, data=POSTS),
        _sketch(context),
    ]


def column_results(context: Context, column: str) -> dict[str, TechniquePredictions]:
    """Return the predictions behind a column of Table 2 (b) by row."""
    target, passes = COLUMNS[column]
    rows = _rows(passes, batch=column in ("Author", "Topic"))
    return results_of(context, FOLDS[target], rows)


def _sketch(context: Context) -> Table:
    """Show techniques that are trained and tuned on the first six folds, on the last four."""
    columns = {
        name: results_of(context, [{"data": target, "fold": SKETCH}], _rows(passes, batch=False))
        for name, (target, passes) in COLUMNS.items()
        if name != "Topic, one pass"
    }
    notes = ["Settings are chosen by fold 5; all else is as above."]
    title = "VI of posts in folds 6 to 9, trained on folds 0 to 4 (not in the paper)"
    return Table.from_rows(title, _entries(columns), notes=notes, digits=2, data=AS_BEFORE)


def _rows(passes: int, batch: bool) -> dict[str, Choice]:
    """Return the rows of the paper, with or without batch techniques."""
    online = {row: choice for row, choice in online_rows(passes).items() if row != FIRSTS}
    return {**(BATCH_ROWS if batch else {}), **online}


def _entries(
    columns: Mapping[str, Mapping[str, TechniquePredictions]],
) -> dict[str, dict[str, Entry | Value]]:
    """Return the mean VI of each technique in each column, with its p-value."""
    rows = dict.fromkeys(row for results in columns.values() for row in results)
    entries: dict[str, dict[str, Entry | Value]] = {row: {} for row in rows}
    for name, results in columns.items():
        notes = p_notes(results, TUNED_L3M, variation_of_information)
        for row, result in results.items():
            entries[row][name] = Entry(result.mean_vi(), note=notes[row])
    return entries


CHATS = (
    "not in the paper: messages of the chat room #ubuntu, whose clusters are conversations "
    "(Kummerfeld et al. 2019), without messages of the system."
)
CHAT_NOTE = (
    "153 stretches of the chat are for training, 10 for the choice of settings by VI, and 10 for "
    f"testing. A message may link to one of the {MESSAGES} messages before it. Of all messages "
    "that continue a conversation, {:.1%} have its last message among these."
)
CHAT_MEASURES = (
    "VI × 100: VI in nats, as a mean over stretches; lower is better. One-to-one overlap: the "
    "share of messages in the best one-to-one matching of conversations. Exact-match F1: the F1 "
    "of conversations with two or more messages that are predicted without any error. p: as in "
    "Table 2."
)


def irc(context: Context) -> list[Table]:
    """Show how well online techniques find the conversations of a chat room."""
    once, often = online_rows(1, " (1 pass)"), online_rows(None)
    pairs = zip(once.items(), often.items(), strict=True)
    rows = {
        PAIR_CLASSIFIER: (PAIR_CLASSIFIER, TUNED),
        **dict(row for pair in pairs for row in pair),
    }
    results = results_of(context, [{"data": "irc"}], rows)
    notes = p_notes(results, TUNED_L3M, variation_of_information)
    entries: dict[str, dict[str, Entry | Value]] = {}
    for row, result in results.items():
        measures = result.conversation_scores()
        vi = Entry(measures.pop("VI × 100"), note=notes[row])
        entries[row] = {"VI × 100": vi, **measures}
    share = share_within([truth for truth, _ in results[TUNED_L3M].examples], MESSAGES)
    texts = [CHAT_NOTE.format(share), CHAT_MEASURES]
    title = "Conversations in a chat room"
    return [
        Table.from_rows(title, entries, notes=texts, digits=2, data=CHATS),
        chosen_table(title, results),
    ]


def share_within(truths: Sequence[Partition], window: int) -> float:
    """Return the share of items that have the item before them in their cluster within a window.

    The first items of clusters are left out.

    >>> share_within([Partition([0, 1, 1, 0])], window=2)
    0.5
    """
    steps = [np.diff(cluster) for truth in truths for cluster in truth.clusters]
    return float(np.mean(np.concatenate(steps) <= window))
