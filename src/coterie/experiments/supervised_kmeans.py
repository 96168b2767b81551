"""Supervised k-means clustering (Finley & Joachims 2008): losses beside those of the paper.

Every clustering is left out in turn and predicted by what was trained on the others; C and the
clusterer that predicts are chosen by leaving out one more. So all clusterings but one or two are
trained on, and what is trained without i and j serves the choice for i as well as that for j.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from coterie._types import Clusterer
from coterie.clusterers import DiscreteSpectral, KernelKMeans, Spectral
from coterie.datasets.corpus import Corpus
from coterie.datasets.synth import make_synth
from coterie.experiments.cells import Context, Key, Values
from coterie.experiments.published import SUPERVISED_KMEANS, Figures
from coterie.experiments.tables import Entry, Table, Value
from coterie.learners.base import Learner
from coterie.learners.baselines import Untrained
from coterie.learners.cutting_planes import OneSlack
from coterie.learners.pairwise import PairwiseClustering
from coterie.learners.recipes import SupervisedKMeans
from coterie.losses import TraceLoss
from coterie.metrics import compare, trace_loss
from coterie.pairs import PairScores
from coterie.partition import Partition

VERSION = 1
"""To be raised when cells are computed in another way."""

# The hinge loss bounds the number of errors: this is a classifier trained for accuracy.
HINGE = LinearSVC(loss="hinge", max_iter=500)
NONE = "None"
TRAINERS: Mapping[str, Learner] = {
    "Iterative": SupervisedKMeans(clusterer="iterative", solver=OneSlack(tol=1e-3)),
    "Spect": SupervisedKMeans(clusterer="spectral", solver=OneSlack(tol=1e-3, max_iter=150)),
    "Pair": PairwiseClustering(classifier=HINGE),
    "Balanced": PairwiseClustering(classifier=HINGE, balanced=True),
    "Squared": PairwiseClustering(classifier=LinearSVC(loss="squared_hinge")),
    NONE: Untrained(),
}
PAPER = ("Iterative", "Spect", "Pair", NONE)
"""The trainers of the paper, in its order."""

PREDICTORS: Mapping[str, Clusterer] = {
    "Iterative": KernelKMeans(),
    "Spectral": Spectral(),
    "Discrete": DiscreteSpectral(),
}

SETUP = (
    "Ours: one data set. Below each loss: C and the clusterer that predicts (Iterative, Spectral "
    "or Discrete), chosen by leaving out one more. Spectral is scored on its relaxed matrix; "
    "Iterative has 10 random starts, in training too, and Discrete 5. The paper's means are those "
    "of its printed figures."
)
LITERAL = (
    "The data as the paper describes them are far easier than its figures: noise leaves 70.5% of "
    "the pairs in the region of features of their two clusters, and all trained weights recover "
    "the clusters. What made the authors' data harder is not known; nothing here was tuned to "
    "come closer."
)
UNTRAINED = (
    "None: every pair has five features, so with equal weights all pairs score the same, no item "
    "moves, and the loss is that of a random start, 76.8 ± 1.1; the paper's 74.7 is such a draw."
)
NOISY = (
    "The paper's figures are of its own data, which are said to have noise 0.2. With 0.45 the "
    "data discriminate, but no single noise gives figures like the paper's in all columns."
)
IMBALANCE = (
    "Balanced is Pair with classes of equal weight, Squared is Pair with the squared hinge loss. "
    "Of all pairs 19% are together, and with this noise no feature makes that the more likely "
    "class. So Pair, trained for accuracy, calls {pair:.1%} of the pairs together, and its scores "
    "say little; Balanced calls {balanced:.1%} together. A gap between Iterative and Pair alone is "
    "therefore no proof of what training on whole clusterings is worth. Means of five losses "
    "differ by ten and more from seed to seed."
)


@dataclass(frozen=True)
class Synth:
    """The Synth data, and the powers of ten among which C is chosen (Table 2)."""

    noise: float = 0.2
    n_sets: int = 5
    cluster_size: int = 20
    region_size: int = 50
    random_state: int = 0
    low: int = -2
    high: int = 3

    @property
    def grid(self) -> list[float]:
        """The values of C to choose among."""
        return [10.0**power for power in range(self.low, self.high + 1)]

    @property
    def rows(self) -> list[str]:
        """The names of the clusterings in the paper's table."""
        return [f"Synth, {number + 1}" for number in range(self.n_sets)]

    def corpus(self, data_folder: Path | None) -> Corpus:  # noqa: ARG002
        """Make the data; other data are read from the folder."""
        return make_synth(
            n_sets=self.n_sets,
            cluster_size=self.cluster_size,
            region_size=self.region_size,
            noise=self.noise,
            random_state=self.random_state,
        )

    def key(self, trainer: str, left_out: Sequence[int]) -> Key:
        """Name all that a cell depends on."""
        without = " ".join(map(str, left_out))
        named = {"data": "synth", "trainer": trainer, "without": without, "version": VERSION}
        return {**named, **asdict(self)}


class LeftOut(NamedTuple):
    """The loss on a clustering that was left out, and what was chosen without it.

    `together` is the share of its pairs that score above 0.
    """

    loss: float
    C: float
    predictor: str
    together: float


class Outcome(NamedTuple):
    """What a trainer reached on each clustering, and how many of its fits did not converge."""

    tests: list[LeftOut]
    n_stopped: int
    n_fits: int

    @property
    def losses(self) -> list[float]:
        """The loss on each clustering."""
        return [test.loss for test in self.tests]

    @property
    def together(self) -> float:
        """The mean share of pairs that score above 0."""
        return float(np.mean([test.together for test in self.tests]))


Outcomes: TypeAlias = Mapping[str, Outcome]
"""By the name of the trainer."""


def synth(context: Context) -> list[Table]:
    """Show Table 3 on Synth, as described and with more noise, and Table 4 of both."""
    literal, noisy = Synth(), Synth(noise=0.45)
    easy = leave_one_out(context, literal, PAPER)
    hard = leave_one_out(context, noisy, list(TRAINERS))
    printed = {row: SUPERVISED_KMEANS["table3"][row] for row in literal.rows}
    shares = {"pair": hard["Pair"].together, "balanced": hard["Balanced"].together}
    others = [name for name in hard if name not in ("Spect", NONE)]
    return [
        loss_table("Table 3, Synth: loss", easy, literal.rows, printed, [LITERAL, UNTRAINED]),
        loss_table("Synth with noise 0.45: loss", _only(PAPER, hard), noisy.rows, printed, [NOISY]),
        loss_table(
            "Synth with noise 0.45: loss of other pair classifiers",
            _only(others, hard),
            noisy.rows,
            {},
            [IMBALANCE.format(**shares)],
        ),
        win_table({"Synth": easy, "Synth, noise 0.45": hard}),
    ]


TABLES = {"synth": synth}


def _only(trainers: Sequence[str], outcomes: Outcomes) -> Outcomes:
    return {name: outcomes[name] for name in trainers}


def leave_one_out(context: Context, data: Synth, trainers: Sequence[str]) -> dict[str, Outcome]:
    """Test every trainer on every clustering of the data, trained and chosen on the others."""
    wanted = [
        (trainer, left_out)
        for trainer in sorted(trainers, key="Spect".__ne__)  # the slowest first
        for left_out in _sets_to_leave_out(data.n_sets, trainer)
    ]
    compute = partial(train_and_test, data)
    values = context.run([data.key(*cell) for cell in wanted], compute)
    cells = dict(zip(wanted, values, strict=True))
    return {trainer: _outcome(data, trainer, cells) for trainer in trainers}


def _sets_to_leave_out(n_sets: int, trainer: str) -> list[tuple[int, ...]]:
    """List what is left out of training: one clustering, and two where there is a choice."""
    single = list(combinations(range(n_sets), 1))
    return single if trainer == NONE else [*combinations(range(n_sets), 2), *single]


def train_and_test(data: Synth, key: Key, data_folder: Path | None) -> Values:
    """Train without some clusterings for every C, and test on these with every predictor.

    `losses` has the shape (left out, C, predictor), `together` the shape (left out, C).
    """
    corpus = data.corpus(data_folder)
    left_out = [int(number) for number in str(key["without"]).split()]
    train = [number for number in range(data.n_sets) if number not in left_out]
    # Threads of BLAS would wait for each other where other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        with _counted_stops() as stopped:
            learners = _fitted(TRAINERS[str(key["trainer"])], _part(corpus, train), data.grid)
        tests = [
            _tested(learners, *example) for example in zip(*_part(corpus, left_out), strict=True)
        ]
    losses, together = zip(*tests, strict=True)
    return {"losses": losses, "together": together, "stopped": len(stopped), "fits": len(learners)}


def _part(corpus: Corpus, numbers: Sequence[int]) -> Corpus:
    return Corpus(
        [corpus.item_sets[number] for number in numbers],
        [corpus.partitions[number] for number in numbers],
    )


def _fitted(learner: Learner, train: Corpus, grid: Sequence[float]) -> Sequence[Learner]:
    """Fit a learner for every C, or once where it has none."""
    if isinstance(learner, SupervisedKMeans):
        return learner.fit_path(*train, grid)
    if "C" not in learner.get_params():
        return [clone(learner).fit(*train)]
    return [clone(learner).set_params(C=C).fit(*train) for C in grid]


def _tested(
    learners: Sequence[Learner], item_set: Any, truth: Partition
) -> tuple[list[list[float]], list[float]]:
    """Return the loss of each learner by each predictor, and the share of pairs above 0."""
    scored = [learner.to_model().scores(item_set) for learner in learners]
    losses = [[loss_of(by, scores, truth) for by in PREDICTORS.values()] for scores in scored]
    return losses, [float(np.mean(scores.scores > 0)) for scores in scored]


def loss_of(predictor: Clusterer, scores: PairScores, truth: Partition) -> float:
    """Return the trace loss of a prediction; of a relaxed one, by its matrix (eq. 16)."""
    if not isinstance(predictor, Spectral):
        return trace_loss(truth, predictor(scores))
    base, costs, diagonal = TraceLoss().linearize_relaxed(truth, scores.listed)
    solution = predictor.solve(scores)
    return float(base + costs @ solution.weights + diagonal @ solution.self_weights)


@contextmanager
def _counted_stops() -> Iterator[list[warnings.WarningMessage]]:
    """Collect the warnings of fits that did not converge, and let all others pass."""
    stopped: list[warnings.WarningMessage] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield stopped
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            stopped.append(warning)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def _outcome(
    data: Synth, trainer: str, cells: Mapping[tuple[str, tuple[int, ...]], Values]
) -> Outcome:
    own = {left_out: values for (name, left_out), values in cells.items() if name == trainer}
    tests = [_test(data, number, own) for number in range(data.n_sets)]
    n_stopped, n_fits = (
        sum(values[name] for values in own.values()) for name in ("stopped", "fits")
    )
    return Outcome(tests, n_stopped, n_fits)


def _test(data: Synth, number: int, cells: Mapping[tuple[int, ...], Values]) -> LeftOut:
    """Choose C and predictor without a clustering, and look up its loss under the choice."""
    inner = [
        values["losses"][left_out.index(other)]
        for left_out, values in cells.items()
        for other in left_out
        if number in left_out and other != number
    ]
    # The least C among equals, then the first predictor; None has no choice.
    means = np.mean(inner, axis=0) if inner else np.zeros((1, 1))
    at_C, by = (int(index) for index in np.unravel_index(np.argmin(means), means.shape))
    found = cells[(number,)]
    return LeftOut(
        found["losses"][0][at_C][by],
        data.grid[at_C],
        list(PREDICTORS)[by],
        found["together"][0][at_C],
    )


def loss_table(
    title: str, outcomes: Outcomes, rows: Sequence[str], paper: Figures, notes: Sequence[str]
) -> Table:
    """Put losses beside those of the paper, with their means and what was chosen."""
    ours: dict[str, dict[str, Entry | Value]] = {
        row: {name: _entry(name, outcome.tests[number]) for name, outcome in outcomes.items()}
        for number, row in enumerate(rows)
    }
    ours["mean"] = {name: float(np.mean(outcome.losses)) for name, outcome in outcomes.items()}
    printed = {**paper, "mean": _means(paper)} if paper else {}
    return Table.beside(title, ours, printed, notes=[*notes, SETUP, _stopped_note(outcomes)])


def _entry(trainer: str, test: LeftOut) -> Entry:
    return Entry(test.loss, note="" if trainer == NONE else f"{test.C:g} {test.predictor}")


def _means(paper: Figures) -> dict[str, float]:
    """Return the mean of each column of printed figures, with as many digits as these have."""
    columns = next(iter(paper.values()))
    return {
        name: round(sum(float(row[name]) for row in paper.values()) / len(paper), 1)
        for name in columns
    }


def _stopped_note(outcomes: Outcomes) -> str:
    counts = [
        f"{outcome.n_stopped} of {outcome.n_fits} by {name}"
        for name, outcome in outcomes.items()
        if outcome.n_stopped
    ]
    stopped = ", ".join(counts) or "none"
    return f"Fits that were stopped by max_iter before they converged: {stopped}."


def win_table(outcomes: Mapping[str, Outcomes]) -> Table:
    """Count how often Iterative won against Spect, with Wilcoxon's signed-rank test (Table 4)."""
    ours = {data: _wins(found["Iterative"], found["Spect"]) for data, found in outcomes.items()}
    printed = {row: figures for row, figures in SUPERVISED_KMEANS["table4"].items() if row in ours}
    notes = ["P is exact: 0.031 for five wins out of five, where the paper prints 0.05."]
    return Table.beside("Table 4: Iterative against Spect", ours, printed, notes=notes, digits=3)


def _wins(first: Outcome, second: Outcome) -> dict[str, Value]:
    found = compare(first.losses, second.losses, "wilcoxon", alternative="less")
    return {
        "Win": found.wins,
        "Tie": found.ties,
        "Lose": found.losses,
        "W": f"{abs(found.statistic):g}",
        "n_s/r": found.n_used,
        "P_1-tail": found.p_value,
    }
