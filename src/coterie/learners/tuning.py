"""Choosing the parameters of a learner by cross-validation over item sets."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from coterie._arguments import as_real, as_weight, as_whole
from coterie._arrays import Floats, Ints
from coterie._progress import report, uninterrupted
from coterie.exceptions import InputError, ItemSetError, located
from coterie.learners.base import Examples, Learner, as_examples
from coterie.metrics import Scores, b_cubed, scorer
from coterie.partition import PartitionLike

MOST_WIDENED = 3
"""How often a list of C is made longer."""

Params: TypeAlias = dict[str, Any]
Rank: TypeAlias = tuple[float, ...]
"""The place of a trial in the grid: of each parameter its C, or the number of its value."""
Axes: TypeAlias = dict[str, dict[float, Any]]
"""The values of each parameter by their rank."""


class Trial(NamedTuple):
    """What some parameters reached: the mean over item sets, and the value of each held-out set."""

    params: Params
    mean: float
    scores: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """What `tune` found.

    Parameters
    ----------
    learner
        The learner with the best parameters, fitted to all item sets.
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
    n_jobs: int = 1,
    widen: bool = True,
    random_state: int = 0,
) -> Tuned:
    """Choose the parameters that predict held-out item sets best, and fit with them to all sets.

    Each item set is held out once, and the mean is over item sets, not over folds. Among equally
    good parameters the first in the order of the grid are best, with C ascending. A learner with
    `fit_path` is fitted for all C in one go, and parameters that matter in prediction alone cost no
    fit.

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
    n_jobs
        Number of processes. The result does not depend on it.
    widen
        Whether a further C is tried where the best one is the first or the last of its list, up to
        three times; lists that are no geometric series stay as they are.
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
    folds = _folds(len(examples.truths), n_folds, random_state)
    search = _Search(learner, examples, folds, metric, as_whole("n_jobs", n_jobs, 1))
    axes = _as_axes(grid)
    search.run(axes)
    for _ in range(MOST_WIDENED if widen and "C" in axes else 0):
        further = _beyond(list(axes["C"]), search.best.params["C"])
        if further is None:
            break
        search.run(axes | {"C": {further: further}})
        axes["C"] = dict(sorted({**axes["C"], further: further}.items()))
    best = search.best
    with uninterrupted():
        fitted = clone(learner).set_params(**best.params).fit(*examples)
    return Tuned(fitted, best.params, best.mean, search.table)


@dataclass(frozen=True, eq=False)
class _Job:
    """One fit, or one for each C of a path, and what is predicted with each.

    `ranks` has the rank of each prediction with each fit, in that order.
    """

    params: Params
    path: list[float] | None
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
        for rank, values in scores.items():
            self.trials[rank] = Trial(points[rank], float(values.mean()), tuple(values.tolist()))

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
    others = np.setdiff1d(np.arange(len(examples.truths)), fold)
    held_out = _part(examples, fold)
    found = []
    # Sums by several threads of BLAS are rounded in another way, and processes have fewer of them.
    with (
        threadpool_limits(1, "blas"),
        uninterrupted(),
        located(f"item sets {fold.tolist()} held out"),
    ):
        for fitted in _fits(
            clone(learner).set_params(**job.params), job.path, _part(examples, others)
        ):
            for params in job.predictions:
                predicted = copy.copy(fitted).set_params(**params).predict(held_out.item_sets)
                both = zip(held_out.truths, predicted, strict=True)
                found.append([_number(metric(*pair)) for pair in both])
    return number, found


def _fits(learner: Any, path: list[float] | None, examples: Examples) -> list[Learner]:
    fitted: list[Learner] = (
        [learner.fit(*examples)] if path is None else learner.fit_path(*examples, path)
    )
    return fitted


def _number(value: Any) -> float:
    """Take a metric's value; of three-part scores the F1."""
    return as_real("the metric", value.f1 if isinstance(value, Scores) else value, low=-inf)


def _part(examples: Examples, numbers: Ints) -> Examples:
    return Examples(*([part[number] for number in numbers] for part in examples))


def _folds(n_sets: int, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the numbers of item sets at random into parts of nearly one size, each sorted."""
    if n_sets < 2:
        raise ItemSetError(f"there is {n_sets} item set; give at least 2, to hold one of them out")
    rng = np.random.default_rng(as_whole("random_state", random_state))
    n_parts = min(as_whole("n_folds", n_folds, 2), n_sets)
    return [np.sort(part) for part in np.array_split(rng.permutation(n_sets), n_parts)]


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
            axes[name] = {value: value for value in sorted(as_weight("C", C) for C in values)}
        else:
            axes[name] = {float(number): value for number, value in enumerate(values)}
    return axes


def _places(axes: Axes, names: Sequence[str]) -> list[dict[str, float]]:
    """Return the ranks of some parameters, in all combinations."""
    return [dict(zip(names, at, strict=True)) for at in product(*(axes[name] for name in names))]


def _at(axes: Axes, place: Mapping[str, float]) -> Params:
    return {name: axes[name][rank] for name, rank in place.items()}


def _jobs(learner: Learner, axes: Axes) -> list[_Job]:
    """Divide a grid into fits, with all that needs no other fit in one job."""
    kept: tuple[str, ...] = getattr(learner, "_prediction_params", ())
    predicting = [name for name in axes if name.partition("__")[0] in kept]
    path = ["C"] if "C" in axes and hasattr(learner, "fit_path") else []
    fitting = [name for name in axes if name not in (*predicting, *path)]
    later = [(C, at) for C in _places(axes, path) for at in _places(axes, predicting)]
    predictions = [_at(axes, at) for at in _places(axes, predicting)]
    jobs = []
    for place in _places(axes, fitting):
        both = [place | C | at for C, at in later]
        ranks = [tuple(each[name] for name in axes) for each in both]
        Cs = list(axes["C"]) if path else None
        jobs.append(_Job(_at(axes, place), Cs, predictions, ranks))
    return jobs


def _shown(job: _Job) -> str:
    path = {} if job.path is None else {"C": job.path}
    return ", ".join(f"{name}={value!r}" for name, value in (job.params | path).items())


def _beyond(Cs: list[float], best: float) -> float | None:
    """Return the next C of a geometric series if the best is at one of its ends."""
    if len(Cs) < 2 or Cs[0] <= 0:
        return None
    ratios = [high / low for low, high in pairwise(Cs)]
    if not np.allclose(ratios, ratios[0], rtol=1e-6) or best not in (Cs[0], Cs[-1]):
        return None
    further = best * ratios[0] if best == Cs[-1] else best / ratios[0]
    return float(f"{further:.12g}")  # without the rounding of the ratio
