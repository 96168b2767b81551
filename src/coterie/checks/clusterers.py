"""The check of clusterers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf, isnan, nan
from typing import Any, cast

import numpy as np

from coterie._core.arrays import Pairs
from coterie._types import Clusterer, Objective, SolutionLike
from coterie.checks._assertions import assert_frozen, assert_raises
from coterie.checks._examples import MAX_ENUMERATED_ITEMS, degenerate_scores, random_scores
from coterie.exceptions import InputError, PairError
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition


def check_clusterer(
    clusterer: Clusterer,
    *,
    n_clusters: int | None = None,
    order_free: bool = False,
    random_state: int = 0,
) -> None:
    """Check on many small sets of scores that a clusterer keeps the contract of its family.

    - It is a frozen value, and its parameters make an equal one.
    - It returns the same partition of all items at every call, and for pairs in any order. This
      includes sets without items, without pairs, and with equal scores.
    - `solve` returns the same partition. The value and the weights are those of its objective. For
      few items, no partition is above the bound or better than an exact solution.
    - If all scores are positive and the only best partition joins all items, it is the result. The
      same holds for negative scores and singletons.
    - It keeps cannot-link pairs apart or refuses them.
    - It refuses anything but `PairScores` (which themselves refuse NaN), and more clusters than
      items.

    Parameters
    ----------
    clusterer
        The clusterer.
    n_clusters
        The number of clusters of the item sets, for clusterers that need it.
    order_free
        Whether the order of the items must not matter. It does matter for online and random
        clusterers.
    random_state
        The seed of the scores.

    Examples
    --------
    >>> from coterie.clusterers.spanning_forest import SpanningForest
    >>> check_clusterer(SpanningForest(), order_free=True)
    """
    rng = np.random.default_rng(random_state)
    assert_frozen(clusterer)
    _check_refusals(clusterer)
    for scores in [*degenerate_scores(n_clusters), *random_scores(rng, n_clusters)]:
        _check_results(clusterer, scores)
    for scores in random_scores(rng, n_clusters):
        _check_pair_order(clusterer, scores, rng)
        _check_rebuilt(clusterer, scores)
        # Absent pairs have equal scores, and the order of the items may decide between equals.
        if order_free and scores.listed is None:
            _check_item_order(clusterer, scores, rng)
    _check_cannot_links(clusterer, n_clusters, rng)


def _is_distinct(scores: PairScores) -> bool:
    return len(scores.scores) > 0 and len(np.unique(scores.scores)) == len(scores.scores)


# The clusterer as a value.


def _check_rebuilt(clusterer: Clusterer, scores: PairScores) -> None:
    """Check that a clusterer with the same parameters finds the same partition."""
    if _is_too_small(clusterer, scores):
        return
    params = _params(clusterer)
    try:
        rebuilt = cast("Any", type(clusterer))(**params)
    except (TypeError, ValueError) as error:
        raise AssertionError(
            f"{_name(clusterer)} cannot be created from its get_params(): {error}"
        ) from error
    description = f"{_name(clusterer)} created from its get_params()"
    for name, value in _params(rebuilt).items():
        is_equal = value is params[name] or np.all(np.asarray(value == params[name]))
        assert is_equal, f"{description} has another {name}"
    is_same = _partition_of(rebuilt, scores) == _partition_of(clusterer, scores)
    assert is_same, f"{description} finds another partition of {scores}"


def _params(clusterer: Clusterer) -> dict[str, Any]:
    params: dict[str, Any] = cast("Any", clusterer).get_params(deep=False)
    return params


# Input that must be refused.


def _check_refusals(clusterer: Clusterer) -> None:
    """Check that scores of other types and more clusters than items are refused."""
    for scores in (np.zeros((3, 3)), np.full((3, 3), nan), [[0.0, 1.0], [1.0, 0.0]], None):
        case = f"{_name(clusterer)}, scores of type {type(scores).__name__}"
        for call in (clusterer, clusterer.solve):
            assert_raises(call, scores, InputError, case)
    if "n_clusters" in _params(clusterer):
        three_items = PairScores(3, None, [1.0, 2.0, 3.0])
        case = f"{_name(clusterer)}, more clusters than items"
        assert_raises(lambda k: _with_clusters(clusterer, k)(three_items), 4, InputError, case)


def _with_clusters(clusterer: Clusterer, n_clusters: int) -> Clusterer:
    copy: Clusterer = replace(cast("Any", clusterer), n_clusters=n_clusters)
    return copy


def _check_cannot_links(
    clusterer: Clusterer, n_clusters: int | None, rng: np.random.Generator
) -> None:
    """Check that random cannot-link pairs are kept apart, or refused."""
    for free_scores in random_scores(rng, n_clusters):
        n_required = _n_clusters(clusterer, free_scores)
        if n_required == 1 or _is_too_small(clusterer, free_scores):
            continue
        # One cannot-link pair allows any number of clusters above 1; several pairs may not.
        n_apart = 3 if n_required is None else 1
        pairs = all_pairs(free_scores.n_items)
        apart = pairs[rng.permutation(len(pairs))[:n_apart]]
        scores = _with_cannot_links(free_scores, apart)
        if getattr(clusterer, "keeps_apart", False):
            _check_results(clusterer, scores)
            joined_pairs = apart[_partition_of(clusterer, scores).together(apart)].tolist()
            assert not joined_pairs, f"{_name(clusterer)} joins {joined_pairs}, which must be apart"
        else:
            case = f"{_name(clusterer)} without keeps_apart, cannot-link pairs"
            for call in (clusterer, clusterer.solve):
                assert_raises(call, scores, PairError, case)


def _with_cannot_links(scores: PairScores, apart: Pairs) -> PairScores:
    return PairScores(
        scores.n_items, scores.listed, scores.scores, scores.diagonal, scores.n_clusters, apart
    )


# The results.


def _check_results(clusterer: Clusterer, scores: PairScores) -> None:
    """Check the partition and the solution for one set of scores."""
    if _is_too_small(clusterer, scores):
        case = f"{_name(clusterer)}, more clusters than items"
        assert_raises(clusterer, scores, InputError, case)
        return
    partition = _partition_of(clusterer, scores)
    prefix = f"{_name(clusterer)} on {scores}"
    is_repeated = _partition_of(clusterer, scores) == partition
    assert is_repeated, f"{prefix}: a second call finds another partition"
    solution = _solution_of(clusterer, scores)
    assert solution.partition == partition, f"{prefix}: solve finds another partition than the call"
    _check_count(clusterer, scores, partition, prefix)
    if clusterer.objective is None:
        assert isnan(solution.value), f"{prefix}: there is a value without an objective"
        case = f"{prefix}, weights without an objective"
        assert_raises(lambda result: result.weights, solution, InputError, case)
        return
    _check_solution(clusterer.objective, scores, solution, prefix)
    if scores.n_items <= MAX_ENUMERATED_ITEMS:
        _check_best(clusterer, clusterer.objective, scores, solution, prefix)


def _check_count(
    clusterer: Clusterer, scores: PairScores, partition: Partition, prefix: str
) -> None:
    """Check the number of clusters, if a number is required.

    Fewer clusters are allowed for equal scores and absent pairs, and any number for cannot-link
    pairs.
    """
    n_required = _n_clusters(clusterer, scores)
    if n_required is not None and scores.apart is None:
        may_be_fewer = scores.listed is not None or not _is_distinct(scores)
        is_right = partition.n_clusters == n_required or (
            may_be_fewer and partition.n_clusters < n_required
        )
        assert is_right, f"{prefix}: makes {partition.n_clusters} clusters, not {n_required}"


def _check_solution(
    objective: Objective, scores: PairScores, solution: SolutionLike, prefix: str
) -> None:
    """Check the value, the status, the bound and the weights of a solution."""
    tol = _tolerance(scores)
    value = objective.value(solution.partition, scores)
    is_right = abs(solution.value - value) <= tol
    assert is_right, f"{prefix}: the value is {value}, not {solution.value}"
    assert solution.value <= solution.bound + tol, f"{prefix}: the value exceeds the bound"
    is_consistent = {
        "exact": solution.bound - solution.value <= tol,
        "bounded": solution.bound < inf,
        "local": solution.bound == inf,
    }
    message = f"the status is {solution.status!r}, the value {value}, the bound {solution.bound}"
    assert is_consistent.get(solution.status, False), f"{prefix}: {message}"
    result = solution.partition if solution.relaxed is None else solution.relaxed
    for weights, expected in (
        (solution.weights, objective.weights(result, scores)),
        (solution.self_weights, objective.self_weights(result, scores)),
    ):
        is_same = weights.shape == expected.shape and np.allclose(weights, expected)
        assert is_same, f"{prefix}: the weights are not those of the objective"


def _check_best(
    clusterer: Clusterer,
    objective: Objective,
    scores: PairScores,
    solution: SolutionLike,
    prefix: str,
) -> None:
    """Compare a solution with all partitions that are allowed.

    They have the required number of clusters, and keep cannot-link pairs apart.
    """
    tol, n_required = _tolerance(scores), _n_clusters(clusterer, scores)
    values = {
        partition: objective.value(partition, scores)
        for partition in _all_partitions(scores.n_items)
        if (n_required is None or partition.n_clusters == n_required)
        and not _joins_apart(partition, scores)
    }
    best = max(values.values(), default=-inf)
    bound_text = f"the bound {solution.bound} of a solution with status {solution.status}"
    assert solution.bound >= best - tol, f"{prefix}: {bound_text} is below the best value, {best}"
    if solution.partition in values:
        assert solution.value <= best + tol, f"{prefix}: the value is above the best value, {best}"
    optima = [partition for partition, value in values.items() if value >= best - tol]
    if n_required is None and optima == [_partition_of_signs(scores)]:
        are_positive = bool(np.all(scores.scores > 0))
        message = (
            "all scores are positive, but not all items are together"
            if are_positive
            else "all scores are negative, but not all items are singletons"
        )
        assert solution.partition == optima[0], f"{prefix}: {message}"


def _partition_of_signs(scores: PairScores) -> Partition | None:
    """Return one cluster if all scores are positive, singletons if all are negative, else None."""
    if scores.listed is not None or scores.apart is not None:
        return None
    if np.all(scores.scores > 0):
        return Partition(np.zeros(scores.n_items, dtype=np.intp))
    return Partition(np.arange(scores.n_items)) if np.all(scores.scores < 0) else None


def _joins_apart(partition: Partition, scores: PairScores) -> bool:
    return scores.apart is not None and bool(partition.together(scores.apart).any())


def _all_partitions(n_items: int) -> Iterator[Partition]:
    """Yield all partitions: an item gets an earlier label or the next new one."""

    def grow(labels: list[int]) -> Iterator[Partition]:
        if len(labels) == n_items:
            yield Partition(labels)
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grow([*labels, label])

    return grow([])


# Orders that must not matter.


def _check_pair_order(clusterer: Clusterer, scores: PairScores, rng: np.random.Generator) -> None:
    if _is_too_small(clusterer, scores):
        return
    order = rng.permutation(len(scores.scores))
    shuffled = PairScores(
        scores.n_items,
        scores.pairs[order, ::-1],
        scores.scores[order],
        scores.diagonal,
        scores.n_clusters,
    )
    is_same = _partition_of(clusterer, shuffled) == _partition_of(clusterer, scores)
    assert is_same, f"{_name(clusterer)} on {scores}: the order of the pairs matters"


def _check_item_order(clusterer: Clusterer, scores: PairScores, rng: np.random.Generator) -> None:
    if _is_too_small(clusterer, scores):
        return
    order = rng.permutation(scores.n_items)
    positions = np.argsort(order)
    shuffled = PairScores(
        scores.n_items,
        positions[scores.pairs],
        scores.scores,
        None if scores.diagonal is None else scores.diagonal[order],
        scores.n_clusters,
    )
    is_same = _partition_of(clusterer, shuffled) == Partition(
        _partition_of(clusterer, scores).labels[order]
    )
    assert is_same, f"{_name(clusterer)} on {scores}: the order of the items matters"


# Calls with a message if they fail.


def _partition_of(clusterer: Clusterer, scores: PairScores) -> Partition:
    partition: Any = _call(clusterer, clusterer, scores)
    type_name = type(partition).__name__
    assert isinstance(partition, Partition), (
        f"{_name(clusterer)} returns {type_name}, not Partition"
    )
    is_valid = len(partition) == scores.n_items and partition == Partition(partition.labels)
    assert is_valid, f"{_name(clusterer)} on {scores} returns {partition}"
    return partition


def _solution_of(clusterer: Clusterer, scores: PairScores) -> SolutionLike:
    solution: SolutionLike = _call(clusterer, clusterer.solve, scores)
    return solution


def _call(clusterer: Clusterer, call: Callable[[PairScores], Any], scores: PairScores) -> Any:
    try:
        return call(scores)
    except Exception as error:
        raise AssertionError(f"{_name(clusterer)} fails on {scores}: {error!r}") from error


def _name(clusterer: Clusterer) -> str:
    return type(clusterer).__name__


def _n_clusters(clusterer: Clusterer, scores: PairScores) -> int | None:
    """Return the number of clusters that the clusterer, or else the item set, requires."""
    parameter: int | None = getattr(clusterer, "n_clusters", None)
    return scores.n_clusters if parameter is None else parameter


def _is_too_small(clusterer: Clusterer, scores: PairScores) -> bool:
    """Return whether there are items, but fewer than the clusterer's number of clusters."""
    return 0 < scores.n_items < (getattr(clusterer, "n_clusters", None) or 0)


def _tolerance(scores: PairScores) -> float:
    """Return an upper bound on rounding errors and on the tolerances of linear programs."""
    diagonal_sum = 0.0 if scores.diagonal is None else float(np.abs(scores.diagonal).sum())
    return 1e-6 * (1.0 + float(np.abs(scores.scores).sum()) + diagonal_sum)
