"""The control experiments of left-linking: sections 5.3 and 5.4 of Samdani, Chang & Roth 2014."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coterie.metrics import conll_score, variation_of_information
from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, Value, p_text
from coterie_papers.left_linking.cells import EARLY, ONE_PASS, WHOLE, solved, started
from coterie_papers.left_linking.coreference import average
from coterie_papers.left_linking.data import NATURAL, SCRAMBLED
from coterie_papers.left_linking.forum import FOLDS, POSTS
from coterie_papers.left_linking.protocol import keyed, protocol
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import Result, p_values, results_of
from coterie_papers.left_linking.techniques import BIN, OURS, SUM_LINK, online_rows

BOTH = "near equivalents, as in Tables 1 and 2: GUM for ACE 2004, and 20 Newsgroups for the forum."

MEASURES = {"Coreference": "average", "Author": "VI × 100", "Topic": "VI × 100"}
"""By what each data are measured in the tables of this module."""
STARTED: Mapping[str, Key] = {
    "Coreference": {"data": "gum"},
    "Author": {"data": "author", "fold": 0},
    "Topic": {"data": "topic", "fold": 0},
}
STARTS_NOTE = (
    "{} starts with weights from N(0, 1), γ = 1, λ = 1e-4, one pass; measured on what was trained "
    "on: the training documents of GUM (micro averages), and item sets of posts, drawn until they "
    "had {} (VI in nats)."
)


def starts(context: Context) -> list[Table]:
    """Show what random starts change (section 5.3, 1)."""
    ours = {}
    for name, values in start_values(context).items():
        measured = 100 * np.array(values["measured"])
        ours[f"{name}, {MEASURES[name]}"] = {
            "mean": float(measured.mean()),
            "deviation": float(measured.std(ddof=1)),
            "start at 0": 100 * float(values["from zeros"]),
        }
    limits = protocol(context.quick)
    notes = [STARTS_NOTE.format(limits.n_starts, limits.n_sampled)]
    title, printed = "Section 5.3: random starts", LEFT_LINKING["starts"]
    return [Table.from_rows(title, ours, printed, notes=notes, digits=2, data=BOTH)]


def start_values(context: Context) -> dict[str, Values]:
    """Return what was measured from random starts, and from zeros, by the names of the data."""
    limits = protocol(context.quick)
    keys = [
        keyed(context, {**key, "n_items": sampled, "starts": limits.n_starts})
        for key in STARTED.values()
        # All documents, but a sample of the posts.
        for sampled in [limits.n_sampled if "fold" in key else 0]
    ]
    return dict(zip(STARTED, context.run(keys, started), strict=True))


CCCP_NOTE = (
    "Means over {} random subsets of {} training sets of posts by author (100 in the paper, more "
    "than there are here), measured on themselves, with γ = 1 and λ = 1e-4, without the features "
    "of single words, which would take CCCP many times longer. It makes up to {} iterations of up "
    "to as many inner ones; stopped early, 3 of 10."
)
SPEED_NOTE = (
    "CCCP against one pass of SGD: VI {:+.1%} (paper: better by less than 0.2%), in {:,.0f} times "
    "the time (paper: about 10,000)."
)


def cccp(context: Context) -> list[Table]:
    """Show the concave-convex procedure beside one pass of SGD (section 5.3, 2)."""
    found = solver_values(context)
    means = {name: found[name].mean(axis=0) for name in (ONE_PASS, WHOLE, EARLY)}
    ours = {
        name: {"training VI × 100": float(100 * measured), "seconds": float(seconds)}
        for name, (measured, seconds) in means.items()
    }
    limits = protocol(context.quick)
    gained, slower = means[WHOLE] / means[ONE_PASS]
    notes = [
        CCCP_NOTE.format(limits.n_subsets, limits.n_subset, limits.n_iterations),
        SPEED_NOTE.format(gained - 1, slower),
    ]
    return [Table.from_rows("Section 5.3: CCCP and SGD", ours, notes=notes, digits=3, data=POSTS)]


def solver_values(context: Context) -> dict[str, Floats]:
    """Return the VI and the seconds of each solver, one row a subset."""
    limits = protocol(context.quick)
    key: Key = {"data": "author, no words", "fold": 0, "n_sets": limits.n_subset}
    keys = [keyed(context, {**key, "subset": number}) for number in range(limits.n_subsets)]
    found = context.run(keys, solved)
    return {
        name: np.array([[values[name]["measured"], values[name]["seconds"]] for values in found])
        for name in found[0]
    }


class Data(NamedTuple):
    """Data whose order is natural or random, with the passes of Tables 1 and 2."""

    divisions: Sequence[Key]
    passes: int | None
    metric: Callable[..., float]
    measure: Callable[[Result], float]
    direction: float


class Orders(NamedTuple):
    """What a technique predicted in the natural order and in a random one, and what that costs."""

    natural: float
    random: float
    worse: float
    p_value: float


N_ORDERED = 3
INFORMATION = variation_of_information, Result.information, 1.0
ORDERED: Mapping[str, Data] = {
    "Coreference": Data(
        [{"data": "gum"}], None, conll_score, lambda result: average(result.pooled()), -1.0
    ),
    "Author": Data(FOLDS["author"][:N_ORDERED], 1, *INFORMATION),
    "Topic": Data(FOLDS["topic"][:N_ORDERED], 5, *INFORMATION),
}
ORDER_NOTE = (
    "Items in a random order, in training, choice and prediction; features of pairs stay as they "
    f"are, those of distance and direction too. Of the ten folds of posts {N_ORDERED} are tested "
    "on; settings as in Tables 1 and 2. p: Wilcoxon's test over item sets, of the two orders."
)


def order(context: Context) -> list[Table]:
    """Show what the order of items matters (section 5.4)."""
    ours: dict[str, dict[str, Entry | Value]] = {
        f"{name}, {MEASURES[name]}: {row}": {
            "natural": found.natural,
            "random": found.random,
            "worse by": Entry(found.worse, note=p_text(found.p_value)),
        }
        for name in ORDERED
        for row, found in order_values(context, name).items()
    }
    title, printed = "Section 5.4: items in a random order", LEFT_LINKING["order"]
    return [Table.from_rows(title, ours, printed, notes=[ORDER_NOTE], digits=2, data=BOTH)]


def order_values(context: Context, name: str) -> dict[str, Orders]:
    """Compare the two orders of some data, for L³M and the other online techniques."""
    data = ORDERED[name]
    every = online_rows(data.passes)
    rows = {row: every[row] for row in (OURS, SUM_LINK, BIN)}
    natural, random = (
        results_of(context, data.divisions, rows, order) for order in (NATURAL, SCRAMBLED)
    )
    return {row: _compared(natural[row], random[row], data) for row in rows}


def _compared(natural: Result, random: Result, data: Data) -> Orders:
    before, after = data.measure(natural), data.measure(random)
    # Item sets are the same in both orders, one by one.
    p_value = p_values(natural, {"random": random}, data.metric)["random"]
    return Orders(before, after, data.direction * (after - before), p_value)
