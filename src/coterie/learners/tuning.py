"""Choosing the parameters of a learner by what they reach on held-out item sets."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import inf
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from coterie._core.arguments import as_positive, as_whole
from coterie._core.arrays import Floats, Ints
from coterie._core.progress import report, uninterrupted
from coterie.exceptions import InputError, located
from coterie.learners.base import Examples, Learner, as_examples
from coterie.learners.parts import (
    as_held_out,
    as_metric_value,
    complement,
    random_folds,
    subset_examples,
)
from coterie.metrics import b_cubed, scorer
from coterie.partition import PartitionLike

WIDENED = ("C", "lam")
"""The parameters whose lists are made longer, …"""

MOST_WIDENED = 3
"""… and how often."""

Params: TypeAlias = dict[str, Any]
Rank: TypeAlias = tuple[int, ...]
"""The place of a trial in the grid: of each parameter the rank of its value."""
Axes: TypeAlias = dict[str, dict[int, Any]]
"""The values of each parameter by their rank: 0, 1, … in the grid, others if it was widened."""


class Trial(NamedTuple):
    """What some parameters reached: the mean over held-out item sets, and the value of each."""

    params: Params
    mean: float
    scores: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """What `tune` found.

    Parameters
    ----------
    learner
        The learner with the best parameters, fitted to all item sets but those of `held_out`.
    params
        The best parameters.
    score
        The mean of the metric that they reached on held-out item sets.
    table
        All trials in the order of the grid, C ascending.
    """

    learner: Learner
    params: Params
    score: float
    table: list[Trial]

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"Tuned({chosen}; score {self.score:.4g}, best of {len(self.table)})"


def tune(  # noqa: PLR0913
    learner: Learner,
    item_sets: Iterable[Any],
    partitions: Iterable[PartitionLike],
    grid: Mapping[str, Iterable[Any]],
    *,
    metric: Callable[..., Any] = b_cubed,
    n_folds: int = 5,
    held_out: Sequence[int] | None = None,
    n_jobs: int = 1,
    widen: bool = True,
    random_state: int = 0,
) -> Tuned:
    """Choose the parameters that predict held-out item sets best, and fit with them to all sets.

    Each item set is held out once, and the mean is over item sets, not over folds. Among equally
    good parameters the first in the order of the grid are best, with C ascending. A learner with
    `fit_path` is fitted in one go for all values of the parameter that its path walks (C, or the
    number of passes), and parameters that matter in prediction alone cost no fit.

    Parameters
    ----------
    learner
        The learner; it is not changed.
    item_sets, partitions
        As of its `fit`.
    grid
        The values to try of each parameter by its name; `a__b` is the parameter b of the value a.
    metric
        A metric of `coterie.metrics` (of three-part scores the F1 counts), or a function of truth
        and predicted partition with an attribute `greater_is_better`.
    n_folds
        How many parts the item sets are divided into at random, one of which is held out at a time;
        as many as there are sets, or more, leave one set out at a time.
    held_out
        The numbers of the item sets to hold out in place of folds: a development set. They are
        predicted in every trial and never fitted to.
    n_jobs
        Number of processes. The result does not depend on it.
    widen
        Whether a further C, or lam, is tried where the best one is the first or the last of its
        list, up to three times; lists that are no geometric series stay as they are.
    random_state
        Seed of the division.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.learners.pairwise import PairwiseClustering
    >>> sets, truths = make_item_sets()
    >>> grid = {"C": [0.001, 0.01], "threshold": [-0.5, 0.0, 0.5, 1.0]}
    >>> tune(PairwiseClustering(balanced=True), sets, truths, grid)
    Tuned(C=0.01, threshold=0.0; score 0.7457, best of 12)
    """
    examples = as_examples(item_sets, partitions)
    n_sets = len(examples.truths)
    if held_out is None:
        folds, fitted_to = random_folds(n_sets, n_folds, random_state), np.arange(n_sets)
    else:
        folds = [as_held_out(held_out, n_sets)]
        fitted_to = complement(n_sets, folds[0])
    search = _Search(learner, examples, folds, metric, as_whole("n_jobs", n_jobs, 1))
    axes = _as_axes(grid)
    search.run(axes)
    if widen:
        search.widen(axes)
    best = search.best
    with uninterrupted():
        fitted = clone(learner).set_params(**best.params).fit(*subset_examples(examples, fitted_to))
    return Tuned(fitted, best.params, best.mean, search.table)


@dataclass(frozen=True, eq=False)
class _Job:
    """One fit, or one for each value of a path, and what is predicted with each.

    `path` has no name, or that of one parameter with its values; `ranks` has the rank of each
    prediction with each fit, in that order.
    """

    params: Params
    path: dict[str, list[Any]]
    predictions: list[Params]
    ranks: list[Rank]


@dataclass(eq=False)
class _Search:
    """The trials so far, and what makes more of them."""

    learner: Learner
    examples: Examples
    folds: list[Ints]
    metric: Any
    n_jobs: int
    trials: dict[Rank, Trial] = field(default_factory=dict)
    n_done: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.learner, Learner):
            raise InputError(f"the learner is {self.learner!r}; give one such as SVMCluster()")
        scorer(self.metric)  # refuses what is no metric, or does not tell its direction

    @property
    def table(self) -> list[Trial]:
        return [self.trials[rank] for rank in sorted(self.trials)]

    @property
    def best(self) -> Trial:
        sign = 1.0 if self.metric.greater_is_better else -1.0
        return max(self.table, key=lambda trial: sign * trial.mean)

    def run(self, axes: Axes) -> None:
        """Try all points of a grid."""
        points = {tuple(at.values()): _at(axes, at) for at in _places(axes, list(axes))}
        for params in points.values():  # so that what does not fit is refused before any work
            clone(self.learner).set_params(**params)
        jobs = _jobs(self.learner, axes)
        scores = {rank: np.empty(len(self.examples.truths)) for rank in points}
        tasks = [(job, fold) for job in jobs for fold in self.folds]
        self._fill(scores, tasks)
        measured = np.sort(np.concatenate(self.folds))
        for rank, values in scores.items():
            own = values[measured]
            self.trials[rank] = Trial(points[rank], float(own.mean()), tuple(own.tolist()))

    def widen(self, axes: Axes) -> None:
        """Go on beyond the ends of lists as long as the best is there."""
        for name in (name for name in WIDENED if name in axes):
            for _ in range(MOST_WIDENED):
                further = _beyond(axes[name], self.best.params[name])
                if not further:
                    break
                self.run(axes | {name: further})
                axes[name] = dict(sorted((axes[name] | further).items()))

    def _fill(self, scores: dict[Rank, Floats], tasks: list[tuple[_Job, Ints]]) -> None:
        total = self.n_done + len(tasks)
        calls = (
            delayed(_held_out)(number, self.learner, *task, self.examples, self.metric)
            for number, task in enumerate(tasks)
        )
        for number, found in Parallel(self.n_jobs, return_as="generator_unordered")(calls):
            job, fold = tasks[number]
            for rank, values in zip(job.ranks, found, strict=True):
                scores[rank][fold] = values
            self.n_done += 1
            report("tune", self.n_done, total, _shown(job))


def _held_out(
    number: int,
    learner: Learner,
    job: _Job,
    fold: Ints,
    examples: Examples,
    metric: Callable[..., Any],
) -> tuple[int, list[list[float]]]:
    """Fit to all item sets but those of a fold, and measure what is predicted of these."""
    others = complement(len(examples.truths), fold)
    held_out = subset_examples(examples, fold)
    found = []
    # Sums by several threads of BLAS are rounded in another way, and processes have fewer of them.
    with (
        threadpool_limits(1, "blas"),
        uninterrupted(),
        located(f"item sets {fold.tolist()} held out"),
    ):
        for fitted in _fits(
            clone(learner).set_params(**job.params), job.path, subset_examples(examples, others)
        ):
            for params in job.predictions:
                predicted = copy.copy(fitted).set_params(**params).predict(held_out.item_sets)
                both = zip(held_out.truths, predicted, strict=True)
                found.append([as_metric_value(metric(*pair)) for pair in both])
    return number, found


def _fits(learner: Any, path: dict[str, list[Any]], examples: Examples) -> list[Learner]:
    if not path:
        return [learner.fit(*examples)]
    (values,) = path.values()
    fitted: list[Learner] = learner.fit_path(*examples, values)
    return fitted


# The grid.


def _as_axes(grid: Any) -> Axes:
    if not isinstance(grid, Mapping) or not grid:
        raise InputError(f"the grid is {grid!r}; give at least one name with a list of values")
    axes: Axes = {}
    for name, given in grid.items():
        if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
            raise InputError(f"the grid has {name}: {given!r}; give a list of values")
        values = given.tolist() if isinstance(given, np.ndarray) else list(given)
        if not values:
            raise InputError(f"the grid has no values of {name}; give at least one")
        if name == "C":
            values = sorted({as_positive("C", C) for C in values})
        axes[name] = dict(enumerate(values))
    return axes


def _places(axes: Axes, names: Sequence[str]) -> list[dict[str, int]]:
    """Return the ranks of some parameters, in all combinations."""
    return [dict(zip(names, at, strict=True)) for at in product(*(axes[name] for name in names))]


def _at(axes: Axes, place: Mapping[str, int]) -> Params:
    return {name: axes[name][rank] for name, rank in place.items()}


def _jobs(learner: Learner, axes: Axes) -> list[_Job]:
    """Divide a grid into fits, with all that needs no other fit in one job."""
    kept: tuple[str, ...] = getattr(learner, "_prediction_params", ())
    predicting = [name for name in axes if name.partition("__")[0] in kept]
    path = [name for name in axes if name == getattr(learner, "_path_param", None)]
    fitting = [name for name in axes if name not in (*predicting, *path)]
    later = [(on, at) for on in _places(axes, path) for at in _places(axes, predicting)]
    predictions = [_at(axes, at) for at in _places(axes, predicting)]
    jobs = []
    for place in _places(axes, fitting):
        both = [place | on | at for on, at in later]
        ranks = [tuple(each[name] for name in axes) for each in both]
        values = {name: list(axes[name].values()) for name in path}
        jobs.append(_Job(_at(axes, place), values, predictions, ranks))
    return jobs


def _shown(job: _Job) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in (job.params | job.path).items())


def _beyond(axis: dict[int, Any], best: Any) -> dict[int, float]:
    """Return what comes next to the best of a geometric series, with its rank, if any does."""
    ranks, values = list(axis), list(axis.values())
    if not _is_geometric(values) or best not in (values[0], values[-1]):
        return {}
    step = values[1] / values[0]
    rank, further = (
        (ranks[-1] + 1, best * step) if best == values[-1] else (ranks[0] - 1, best / step)
    )
    return {rank: float(f"{further:.12g}")}  # without the rounding of the step


def _is_geometric(values: list[Any]) -> bool:
    """Tell numbers above 0, each so many times the one before, from other lists."""
    if not all(isinstance(value, Real) and 0 < float(value) < inf for value in values):
        return False
    steps = [later / earlier for earlier, later in pairwise(values)]
    return bool(steps) and steps[0] != 1 and np.allclose(steps, steps[0], rtol=1e-6)
