"""The choice of a learner's parameters by cross-validation over item sets."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import inf
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from coterie._core.arguments import as_flag, as_positive, as_whole
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
from coterie.learners.workers import call_all
from coterie.metrics import b_cubed, scorer
from coterie.partition import PartitionLike

WIDENED_PARAMS = ("C", "lam")
"""The parameters whose lists of values may be extended by further values."""

MAX_WIDENINGS = 3
"""The largest number of values by which a list is extended."""

Params: TypeAlias = dict[str, Any]
"""The value of each parameter by its name."""

GridIndex: TypeAlias = tuple[int, ...]
"""The position of a trial in the grid: for each parameter, the index of its value."""

Axes: TypeAlias = dict[str, dict[int, Any]]
"""The values of each parameter by their index.

The values of the grid have the indices 0, 1, …. A value added before the first one has the index
−1, a value added after the last one has the next index.
"""


class Trial(NamedTuple):
    """Parameters, the mean of the metric over held-out item sets, and its value for each set."""

    params: Params
    mean: float
    scores: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """The result of `tune`: the best parameters, and all trials.

    Parameters
    ----------
    learner
        The learner with the best parameters, fitted to all item sets except those of `held_out`.
    params
        The best parameters.
    score
        The mean of the metric over held-out item sets with the best parameters.
    table
        All trials, in the order of the grid with C ascending.
    """

    learner: Learner
    params: Params
    score: float
    table: list[Trial]

    def __repr__(self) -> str:
        params = _format_params(self.params)
        return f"Tuned({params}; score {self.score:.4g}, best of {len(self.table)})"


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
    """Choose the parameters that predict held-out item sets best, and fit to all sets with them.

    Each item set is held out once, and the mean of the metric is over item sets, not over folds.
    Among parameters of equal means, the first ones in the order of the grid are chosen, with C
    ascending. Fits are saved in two ways: `fit_path`, if the learner has it, fits once for all
    values of one parameter (such as C or the number of passes), and parameters that only
    predictions depend on need no further fit.

    Parameters
    ----------
    learner
        The learner; it is not changed.
    item_sets, partitions
        As in the learner's `fit`.
    grid
        A list of values to try for each parameter, by the name of the parameter. The name `a__b`
        means the parameter b of the value a.
    metric
        A metric of `coterie.metrics` (F1 if it has three parts), or a function of the true and the
        predicted partition with an attribute `greater_is_better`.
    n_folds
        The number of folds into which the item sets are divided at random. If it is at least the
        number of item sets, each fold is one item set.
    held_out
        The indices of item sets to hold out in place of folds, as a development set. They are
        predicted in every trial, and no learner is fitted to them.
    n_jobs
        The number of processes. The result does not depend on it.
    widen
        Whether to try a further value of C or lam if the best value is the first or the last one of
        its list, up to three times. Only lists that are geometric series are extended.
    random_state
        The seed of the random division into folds.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.learners.pairwise import PairwiseClustering
    >>> sets, truths = make_item_sets()
    >>> grid = {"C": [0.001, 0.01], "threshold": [-0.5, 0.0, 0.5, 1.0]}
    >>> tune(PairwiseClustering(balanced=True), sets, truths, grid)
    Tuned(C=0.01, threshold=0.0; score 0.7457, best of 12)
    """
    as_flag("widen", widen)
    examples = as_examples(item_sets, partitions)
    n_sets = len(examples.truths)
    if held_out is None:
        folds, training = random_folds(n_sets, n_folds, random_state), np.arange(n_sets)
    else:
        folds = [as_held_out(held_out, n_sets)]
        training = complement(n_sets, folds[0])
    search = _GridSearch(learner, examples, folds, metric, as_whole("n_jobs", n_jobs, 1))
    axes = _as_axes(grid)
    search.run(axes)
    if widen:
        search.widen(axes)
    best = search.best
    with uninterrupted():
        fitted = clone(learner).set_params(**best.params).fit(*subset_examples(examples, training))
    return Tuned(fitted, best.params, best.mean, search.table)


@dataclass(frozen=True, eq=False)
class _FitJob:
    """The trials of one fit, or of one call of `fit_path`.

    `params` are the parameters of the fit. `path` is empty, or has the path parameter's name and
    values. `predictions` are the parameters to set before each prediction of each fitted learner.
    `grid_indices` has the index of each trial: those of the first fitted learner with all
    predictions, then those of the next.
    """

    params: Params
    path: dict[str, list[Any]]
    predictions: list[Params]
    grid_indices: list[GridIndex]


@dataclass(eq=False)
class _GridSearch:
    """The trials so far, with all that is needed for more of them."""

    learner: Learner
    examples: Examples
    folds: list[Ints]
    metric: Any
    n_jobs: int
    trials: dict[GridIndex, Trial] = field(default_factory=dict)
    n_done: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.learner, Learner):
            raise InputError(f"the learner is {self.learner!r}; use a learner such as SVMCluster()")
        scorer(self.metric)  # refuses metrics of unknown direction

    @property
    def table(self) -> list[Trial]:
        return [self.trials[index] for index in sorted(self.trials)]

    @property
    def best(self) -> Trial:
        sign = 1.0 if self.metric.greater_is_better else -1.0
        return max(self.table, key=lambda trial: sign * trial.mean)

    def run(self, axes: Axes) -> None:
        """Try all combinations of the values on the axes."""
        trial_params = {
            tuple(indices.values()): _params_at(axes, indices)
            for indices in _combinations(axes, list(axes))
        }
        for params in trial_params.values():  # refuses bad values before any work is done
            clone(self.learner).set_params(**params)
        jobs = _divide_into_fits(self.learner, axes)
        # One value per item set; those of item sets that are never held out stay undefined.
        values = {index: np.empty(len(self.examples.truths)) for index in trial_params}
        self._measure(values, [(job, fold) for job in jobs for fold in self.folds])
        held_out = np.sort(np.concatenate(self.folds))
        for index, params in trial_params.items():
            scores = values[index][held_out]
            self.trials[index] = Trial(params, float(scores.mean()), tuple(scores.tolist()))

    def widen(self, axes: Axes) -> None:
        """Extend lists of values as long as the best value is at their end."""
        for name in (name for name in WIDENED_PARAMS if name in axes):
            for _ in range(MAX_WIDENINGS):
                next_value = _next_value(axes[name], self.best.params[name])
                if not next_value:
                    break
                self.run(axes | {name: next_value})
                axes[name] = dict(sorted((axes[name] | next_value).items()))

    def _measure(self, values: dict[GridIndex, Floats], tasks: list[tuple[_FitJob, Ints]]) -> None:
        """Write the metric of each trial on each held-out item set into `values`."""
        n_total = self.n_done + len(tasks)
        calls = (
            delayed(_fit_and_measure)(number, self.learner, *task, self.examples, self.metric)
            for number, task in enumerate(tasks)
        )
        for number, fold_values in call_all(calls, self.n_jobs, ordered=False):
            job, fold = tasks[number]
            for index, trial_values in zip(job.grid_indices, fold_values, strict=True):
                values[index][fold] = trial_values
            self.n_done += 1
            report("tune", self.n_done, n_total, _format_params(job.params | job.path))


def _fit_and_measure(
    number: int,
    learner: Learner,
    job: _FitJob,
    fold: Ints,
    examples: Examples,
    metric: Callable[..., Any],
) -> tuple[int, list[list[float]]]:
    """Fit to all item sets except those of a fold, and measure the predictions of the fold.

    Returns the number of the task, and for each trial of the job the metric of each item set.
    """
    training = complement(len(examples.truths), fold)
    held_out = subset_examples(examples, fold)
    values = []
    # BLAS rounds differently with several threads, and worker processes have fewer threads: with
    # one thread the result does not depend on the number of processes.
    with (
        threadpool_limits(1, "blas"),
        uninterrupted(),
        located(f"item sets {fold.tolist()} held out"),
    ):
        for fitted in _fit_all(
            clone(learner).set_params(**job.params), job.path, subset_examples(examples, training)
        ):
            for params in job.predictions:
                predictions = copy.copy(fitted).set_params(**params).predict(held_out.item_sets)
                values.append(
                    [
                        as_metric_value(metric(truth, predicted))
                        for truth, predicted in zip(held_out.truths, predictions, strict=True)
                    ]
                )
    return number, values


def _fit_all(learner: Any, path: dict[str, list[Any]], examples: Examples) -> list[Learner]:
    """Fit a learner once, or for all values of its path parameter."""
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
    for name, values in grid.items():
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            raise InputError(f"the grid has {name}: {values!r}; give a list of values")
        value_list = values.tolist() if isinstance(values, np.ndarray) else list(values)
        if not value_list:
            raise InputError(f"the grid has no values of {name}; give at least one")
        if name == "C":
            value_list = sorted({as_positive("C", C) for C in value_list})
        axes[name] = dict(enumerate(value_list))
    return axes


def _combinations(axes: Axes, names: Sequence[str]) -> list[dict[str, int]]:
    """Return all combinations of the indices of some parameters' values."""
    return [
        dict(zip(names, indices, strict=True))
        for indices in product(*(axes[name] for name in names))
    ]


def _params_at(axes: Axes, indices: Mapping[str, int]) -> Params:
    return {name: axes[name][index] for name, index in indices.items()}


def _divide_into_fits(learner: Learner, axes: Axes) -> list[_FitJob]:
    """Divide the combinations of a grid into jobs: those that need no other fit are one job."""
    prediction_params: tuple[str, ...] = getattr(learner, "_prediction_params", ())
    prediction_names = [name for name in axes if name.partition("__")[0] in prediction_params]
    path_names = [name for name in axes if name == getattr(learner, "_path_param", None)]
    fit_names = [name for name in axes if name not in (*prediction_names, *path_names)]
    path = {name: list(axes[name].values()) for name in path_names}
    path_indices = _combinations(axes, path_names)
    prediction_indices = _combinations(axes, prediction_names)
    predictions = [_params_at(axes, indices) for indices in prediction_indices]
    jobs = []
    for fit_indices in _combinations(axes, fit_names):
        grid_indices = [
            tuple((fit_indices | on_path | in_prediction)[name] for name in axes)
            for on_path in path_indices
            for in_prediction in prediction_indices
        ]
        jobs.append(_FitJob(_params_at(axes, fit_indices), path, predictions, grid_indices))
    return jobs


def _format_params(params: Params) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in params.items())


def _next_value(axis: dict[int, Any], best: Any) -> dict[int, float]:
    """Return the next value of a geometric series, with its index, if the best one is at an end.

    Otherwise the result is empty.
    """
    indices, values = list(axis), list(axis.values())
    if not _is_geometric(values) or best not in (values[0], values[-1]):
        return {}
    ratio = values[1] / values[0]
    index, value = (
        (indices[-1] + 1, best * ratio) if best == values[-1] else (indices[0] - 1, best / ratio)
    )
    return {index: float(f"{value:.12g}")}  # removes the rounding error of the ratio


def _is_geometric(values: list[Any]) -> bool:
    """Return whether a list has at least two positive numbers in a constant ratio other than 1."""
    if not all(isinstance(value, Real) and 0 < float(value) < inf for value in values):
        return False
    ratios = [later / earlier for earlier, later in pairwise(values)]
    return bool(ratios) and ratios[0] != 1 and np.allclose(ratios, ratios[0], rtol=1e-6)
