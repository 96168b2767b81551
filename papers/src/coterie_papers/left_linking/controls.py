"""The control experiments of left-linking: sections 5.3 and 5.4 of Samdani, Chang & Roth 2014."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coterie.metrics import conll_score, variation_of_information
from coterie.toolkit import Floats
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Entry, Table, Value, p_text
from coterie_papers.left_linking.cells import (
    CCCP_EARLY,
    CCCP_FULL,
    SGD_ONE_PASS,
    time_solvers,
    train_from_random_starts,
)
from coterie_papers.left_linking.coreference import average
from coterie_papers.left_linking.data import NATURAL, SCRAMBLED
from coterie_papers.left_linking.forum import FOLDS, POSTS
from coterie_papers.left_linking.protocol import full_key, run_limits
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import TechniquePredictions, p_values, results_of
from coterie_papers.left_linking.techniques import BIN_LEFT_LINK, SUM_LINK, TUNED_L3M, online_rows

CONTROL_DATA = (
    "near equivalents, as in Tables 1 and 2: GUM for ACE 2004, and 20 Newsgroups for the forum."
)

MEASURES = {"Coreference": "average", "Author": "VI × 100", "Topic": "VI × 100"}
"""The measure of each data set in the tables of this module."""
START_DATA: Mapping[str, Key] = {
    "Coreference": {"data": "gum"},
    "Author": {"data": "author", "fold": 0},
    "Topic": {"data": "topic", "fold": 0},
}
STARTS_NOTE = (
    "{} starts with random weights from N(0, 1); γ = 1, λ = 1e-4, one pass. The results are "
    "measured on the training data: on the training documents of GUM (micro averages), and on "
    "item sets of posts that are drawn until they have at least {} posts (VI in nats)."
)


def starts(context: Context) -> list[Table]:
    """Show how much random starts change the results (section 5.3, 1)."""
    entries = {}
    for name, values in start_values(context).items():
        scores = 100 * np.array(values["measured"])
        entries[f"{name}, {MEASURES[name]}"] = {
            "mean": float(scores.mean()),
            "deviation": float(scores.std(ddof=1)),
            "start at 0": 100 * float(values["from zeros"]),
        }
    limits = run_limits(context.quick)
    notes = [STARTS_NOTE.format(limits.n_starts, limits.n_sampled)]
    title, printed = "Section 5.3: random starts", LEFT_LINKING["starts"]
    return [Table.from_rows(title, entries, printed, notes=notes, digits=2, data=CONTROL_DATA)]


def start_values(context: Context) -> dict[str, Values]:
    """Return the results of random starts and of a start at zero by the names of the data."""
    limits = run_limits(context.quick)
    keys = [
        full_key(context, {**key, "n_items": sampled, "starts": limits.n_starts})
        for key in START_DATA.values()
        # All documents are used, but only a sample of the posts.
        for sampled in [limits.n_sampled if "fold" in key else 0]
    ]
    return dict(zip(START_DATA, context.run(keys, train_from_random_starts), strict=True))


CCCP_NOTE = (
    "Means over {} random subsets of {} training sets of posts by author (100 sets in the paper, "
    "more than there are here), measured on the same sets; γ = 1 and λ = 1e-4. The features of "
    "single words are left out, because CCCP would take many times longer with them. CCCP makes "
    "at most {} iterations, each with at most the same number of inner iterations. If stopped "
    "early, it makes 3 iterations, each with at most 10 inner ones."
)
SPEED_NOTE = (
    "CCCP compared with one pass of SGD: VI {:+.1%} (in the paper, better by less than 0.2%), and "
    "{:,.0f} times the time (in the paper, about 10,000 times)."
)


def cccp(context: Context) -> list[Table]:
    """Compare the concave-convex procedure with one pass of SGD (section 5.3, 2)."""
    values = solver_values(context)
    means = {name: values[name].mean(axis=0) for name in (SGD_ONE_PASS, CCCP_FULL, CCCP_EARLY)}
    entries = {
        name: {"training VI × 100": float(100 * vi), "seconds": float(seconds)}
        for name, (vi, seconds) in means.items()
    }
    limits = run_limits(context.quick)
    vi_ratio, time_ratio = means[CCCP_FULL] / means[SGD_ONE_PASS]
    notes = [
        CCCP_NOTE.format(limits.n_subsets, limits.n_subset, limits.n_iterations),
        SPEED_NOTE.format(vi_ratio - 1, time_ratio),
    ]
    return [
        Table.from_rows("Section 5.3: CCCP and SGD", entries, notes=notes, digits=3, data=POSTS)
    ]


def solver_values(context: Context) -> dict[str, Floats]:
    """Return the VI and the seconds of each solver, one row per subset."""
    limits = run_limits(context.quick)
    key: Key = {"data": "author, no words", "fold": 0, "n_sets": limits.n_subset}
    keys = [full_key(context, {**key, "subset": number}) for number in range(limits.n_subsets)]
    cells = context.run(keys, time_solvers)
    return {
        name: np.array([[values[name]["measured"], values[name]["seconds"]] for values in cells])
        for name in cells[0]
    }


class OrderedData(NamedTuple):
    """Data to test in two orders of their items, with the number of passes of Tables 1 and 2.

    `direction` is 1 if lower values of `measure` are better, and −1 if higher values are better.
    """

    divisions: Sequence[Key]
    passes: int | None
    metric: Callable[..., float]
    measure: Callable[[TechniquePredictions], float]
    direction: float


class OrderComparison(NamedTuple):
    """The measures of a technique in the natural and in a random order, and their difference."""

    natural: float
    random: float
    worse: float
    p_value: float


N_ORDERED = 3
INFORMATION = variation_of_information, TechniquePredictions.mean_vi, 1.0
ORDERED: Mapping[str, OrderedData] = {
    "Coreference": OrderedData(
        [{"data": "gum"}], None, conll_score, lambda result: average(result.pooled()), -1.0
    ),
    "Author": OrderedData(FOLDS["author"][:N_ORDERED], 1, *INFORMATION),
    "Topic": OrderedData(FOLDS["topic"][:N_ORDERED], 5, *INFORMATION),
}
ORDER_NOTE = (
    "The items are in a random order in training, in the choice of settings and in prediction. The "
    "features of pairs do not change, not even those of distance and direction. For posts, "
    f"{N_ORDERED} of the ten folds are tested. Settings are chosen as in Tables 1 and 2. p: "
    "Wilcoxon's test of the two orders over item sets."
)


def order(context: Context) -> list[Table]:
    """Show how much the order of items matters (section 5.4)."""
    entries: dict[str, dict[str, Entry | Value]] = {
        f"{name}, {MEASURES[name]}: {row}": {
            "natural": comparison.natural,
            "random": comparison.random,
            "worse by": Entry(comparison.worse, note=p_text(comparison.p_value)),
        }
        for name in ORDERED
        for row, comparison in order_values(context, name).items()
    }
    title, printed = "Section 5.4: items in a random order", LEFT_LINKING["order"]
    return [
        Table.from_rows(title, entries, printed, notes=[ORDER_NOTE], digits=2, data=CONTROL_DATA)
    ]


def order_values(context: Context, name: str) -> dict[str, OrderComparison]:
    """Compare the two orders of some data for L³M and the other online techniques."""
    data = ORDERED[name]
    choices = online_rows(data.passes)
    rows = {row: choices[row] for row in (TUNED_L3M, SUM_LINK, BIN_LEFT_LINK)}
    natural, random = (
        results_of(context, data.divisions, rows, order) for order in (NATURAL, SCRAMBLED)
    )
    return {row: _compare_orders(natural[row], random[row], data) for row in rows}


def _compare_orders(
    natural: TechniquePredictions, random: TechniquePredictions, data: OrderedData
) -> OrderComparison:
    before, after = data.measure(natural), data.measure(random)
    # The same item sets are compared in both orders.
    p_value = p_values(natural, {"random": random}, data.metric)["random"]
    return OrderComparison(before, after, data.direction * (after - before), p_value)
