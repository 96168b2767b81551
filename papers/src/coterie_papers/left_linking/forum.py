"""The tables of posts for left-linking: Table 2 of Samdani, Chang & Roth 2014, and chats."""

from collections.abc import Mapping, Sequence

import numpy as np

from coterie.metrics import variation_of_information
from coterie.partition import Partition
from coterie_papers.engine.cells import Context, Key
from coterie_papers.engine.tables import Entry, Table, Value
from coterie_papers.left_linking.data import MESSAGES, N_FOLDS, SKETCH
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import AS_BEFORE, Result, chosen_table, p_notes, results_of
from coterie_papers.left_linking.techniques import (
    BATCH_ROWS,
    FIRSTS,
    OURS,
    PAIRS,
    TUNED,
    Choice,
    online_rows,
)

FOLDS: Mapping[str, Sequence[Key]] = {
    target: [{"data": target, "fold": fold} for fold in range(N_FOLDS)]
    for target in ("author", "topic")
}
COLUMNS = {"Author": ("author", 1), "Topic": ("topic", 5), "Topic, one pass": ("topic", 1)}
"""The columns of Table 2 (b), with the passes of online techniques."""

POSTS = (
    "a near equivalent, since the paper's posts of an online forum were not published: posts of 20 "
    "Newsgroups, one item set a day and family of groups."
)
TENFOLD = (
    "VI in nats times 100, mean over item sets, lower is better; the paper does not tell its "
    "logarithm. Ten folds: one to test on, the next to choose by (λ, the learning rate and γ, or "
    "C, by VI), the others to train on. Online techniques go over the posts once by author, five "
    "times and once by topic; batch ones ten times. Corr-Clustering is greedy."
)
COMPARED = (
    "p: Wilcoxon's test over item sets against L³M (tuned γ), corrected after Holm-Bonferroni. "
    "Its median γ over folds: {}."
)


def forum(context: Context) -> list[Table]:
    """Show Table 2 (b), posts of newsgroups by author and by topic, and one division of them."""
    columns = {name: column_results(context, name) for name in COLUMNS}
    gammas = ", ".join(
        f"{results[OURS].median('gamma'):g} ({name})" for name, results in columns.items()
    )
    notes = [TENFOLD, COMPARED.format(gammas)]
    title, printed = "Table 2 (b): VI of posts by author and by topic", LEFT_LINKING["forum"]
    return [
        Table.from_rows(title, _entries(columns), printed, notes=notes, digits=2, data=POSTS),
        _sketch(context),
    ]


def column_results(context: Context, column: str) -> dict[str, Result]:
    """Return what stands behind a column of Table 2 (b)."""
    target, passes = COLUMNS[column]
    rows = _rows(passes, batch=column in ("Author", "Topic"))
    return results_of(context, FOLDS[target], rows)


def _sketch(context: Context) -> Table:
    """Train on the first six folds, and test on the last four."""
    columns = {
        name: results_of(context, [{"data": target, "fold": SKETCH}], _rows(passes, batch=False))
        for name, (target, passes) in COLUMNS.items()
        if name != "Topic, one pass"
    }
    notes = ["Settings are chosen by fold 5; else as above."]
    title = "VI of posts in folds 6 to 9, trained on folds 0 to 4 (not in the paper)"
    return Table.from_rows(title, _entries(columns), notes=notes, digits=2, data=AS_BEFORE)


def _rows(passes: int, batch: bool) -> dict[str, Choice]:
    """Return the paper's rows."""
    online = {row: own for row, own in online_rows(passes).items() if row != FIRSTS}
    return {**(BATCH_ROWS if batch else {}), **online}


def _entries(
    columns: Mapping[str, Mapping[str, Result]],
) -> dict[str, dict[str, Entry | Value]]:
    """Show the mean VI of each technique in each column, with its p-value."""
    rows = dict.fromkeys(row for results in columns.values() for row in results)
    shown: dict[str, dict[str, Entry | Value]] = {row: {} for row in rows}
    for name, results in columns.items():
        words = p_notes(results, OURS, variation_of_information)
        for row, result in results.items():
            shown[row][name] = Entry(result.information(), note=words[row])
    return shown


CHATS = (
    "not in the paper: messages of the chat room #ubuntu by conversation (Kummerfeld et al. 2019), "
    "without what the system says."
)
CHAT_NOTE = (
    "153 stretches to train on, 10 to choose by (by VI) and 10 to test on. A message may link to "
    f"the {MESSAGES} before it, among which {{:.1%}} of those that go on with a conversation have "
    "its last message."
)
CHAT_MEASURES = (
    "VI in nats, mean over stretches, lower is better; the share of messages in the best "
    "one-to-one matching of conversations; F1 of conversations of two messages and more that are "
    "found whole. p: as in Table 2."
)


def irc(context: Context) -> list[Table]:
    """Show the detection of conversations in a chat room by online techniques."""
    once, often = online_rows(1, " (1 pass)"), online_rows(None)
    pairs = zip(once.items(), often.items(), strict=True)
    rows = {PAIRS: (PAIRS, TUNED), **dict(row for pair in pairs for row in pair)}
    results = results_of(context, [{"data": "irc"}], rows)
    words = p_notes(results, OURS, variation_of_information)
    shown: dict[str, dict[str, Entry | Value]] = {}
    for row, result in results.items():
        measures = result.conversations()
        first = Entry(measures.pop("VI × 100"), note=words[row])
        shown[row] = {"VI × 100": first, **measures}
    reached = reach([truth for truth, _ in results[OURS].examples], MESSAGES)
    notes = [CHAT_NOTE.format(reached), CHAT_MEASURES]
    title = "Conversations in a chat room"
    return [
        Table.from_rows(title, shown, notes=notes, digits=2, data=CHATS),
        chosen_table(title, results),
    ]


def reach(truths: Sequence[Partition], window: int) -> float:
    """Return the share of items with one of their cluster before them that is within a window.

    >>> reach([Partition([0, 1, 1, 0])], window=2)
    0.5
    """
    steps = [np.diff(cluster) for truth in truths for cluster in truth.clusters]
    return float(np.mean(np.concatenate(steps) <= window))
