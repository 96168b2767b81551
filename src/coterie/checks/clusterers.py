"""The contract of a clusterer."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf, isnan, nan
from typing import Any, cast

import numpy as np

from coterie._core.arrays import Floats
from coterie._types import Clusterer, Objective, SolutionLike
from coterie.exceptions import InputError, PairError
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition

_ENUMERABLE = 6
"""Up to how many items all partitions are looked at."""


def check_clusterer(
    clusterer: Clusterer,
    *,
    n_clusters: int | None = None,
    order_free: bool = False,
    random_state: int = 0,
) -> None:
    """Check that a clusterer keeps the contract of its family, on many small sets of scores.

    It is a frozen value that its parameters make again. It gives each item a label, the same at
    every call and for pairs listed in any order; sets without items, pairs or differences are no
    exception. What `solve` says is true: the partition is that of the call, the value and the
    weights are its objective's, no partition of few items exceeds the bound, and none is better
    than an exact one. Where all scores are positive and the only best is all items together, it
    finds that; where they are negative and the only best is all items alone, that. It keeps pairs
    apart or refuses them, and refuses what is no `PairScores` (whose own door refuses NaN) or asks
    for more clusters than items.

    Parameters
    ----------
    clusterer
        The clusterer.
    n_clusters
        The number of clusters of the item sets, for clusterers that make a given number.
    order_free
        Whether the order of the items must not matter. Online and random clusterers depend on it.
    random_state
        Seed of the scores.

    Examples
    --------
    >>> from coterie.clusterers.spanning_forest import SpanningForest
    >>> check_clusterer(SpanningForest(), order_free=True)
    """
    rng = np.random.default_rng(random_state)
    _check_frozen(clusterer)
    _check_refusals(clusterer)
    for scores in [*_degenerate(n_clusters), *_random(rng, n_clusters)]:
        _check_set(clusterer, scores)
    for scores in _random(rng, n_clusters):
        _check_pair_order(clusterer, scores, rng)
        _check_rebuilt(clusterer, scores)
        if order_free and scores.listed is None:  # absent pairs may be equals
            _check_item_order(clusterer, scores, rng)
    _check_apart(clusterer, n_clusters, rng)


# The sets of scores.


def _degenerate(n_clusters: int | None) -> Iterator[PairScores]:
    """Yield sets of few items, without pairs, and with scores that are all equal."""
    for n_items in (0, 1, 2, 5):
        for level in (0.0, 1.0, -1.0):
            scores = np.full(count_pairs(n_items), level)
            yield _scored(n_items, None, scores, n_clusters)
        yield _scored(n_items, np.empty((0, 2), dtype=np.intp), np.empty(0), n_clusters)


def _random(rng: np.random.Generator, n_clusters: int | None) -> Iterator[PairScores]:
    """Yield sets whose scores all differ: of all pairs and of some, of both signs and of one."""
    for n_items in (3, _ENUMERABLE, 12):
        for low, high in ((-2.0, 2.0), (-2.0, 2.0), (0.1, 1.0), (-1.0, -0.1)):
            scores = rng.uniform(low, high, size=count_pairs(n_items))
            yield _scored(n_items, None, scores, n_clusters)
            chosen = rng.permutation(len(scores))[: len(scores) // 2]
            yield _scored(n_items, all_pairs(n_items)[chosen], scores[chosen], n_clusters)
        scores, diagonal = rng.normal(size=count_pairs(n_items)), rng.normal(size=n_items)
        yield _scored(n_items, None, scores, n_clusters, diagonal)


def _scored(
    n_items: int,
    pairs: Any,
    scores: Floats,
    n_clusters: int | None,
    diagonal: Floats | None = None,
) -> PairScores:
    known = None if n_clusters is None else min(n_clusters, n_items)
    return PairScores(n_items, pairs, scores, diagonal, known)


def _is_distinct(scores: PairScores) -> bool:
    return len(scores.scores) > 0 and len(np.unique(scores.scores)) == len(scores.scores)


# The clusterer as a value.


def _check_frozen(clusterer: Clusterer) -> None:
    for name, value in _params(clusterer).items():
        try:
            setattr(clusterer, name, value)
        except AttributeError:
            continue
        raise AssertionError(f"{_name(clusterer)} is not frozen: its {name} can be set")


def _check_rebuilt(clusterer: Clusterer, scores: PairScores) -> None:
    if _is_too_small(clusterer, scores):
        return
    params = _params(clusterer)
    try:
        again = cast("Any", type(clusterer))(**params)
    except (TypeError, ValueError) as error:
        raise AssertionError(
            f"{_name(clusterer)} is not made by its parameters: {error}"
        ) from error
    made = f"{_name(clusterer)} made by its parameters"
    for name, value in _params(again).items():
        kept = value is params[name] or np.all(np.asarray(value == params[name]))
        assert kept, f"{made} has another {name}"
    same = _found(again, scores) == _found(clusterer, scores)
    assert same, f"{made} finds another partition of {scores}"


def _params(clusterer: Clusterer) -> dict[str, Any]:
    params: dict[str, Any] = cast("Any", clusterer).get_params(deep=False)
    return params


# What it must refuse.


def _check_refusals(clusterer: Clusterer) -> None:
    what = f"{_name(clusterer)} takes"
    for scores in (np.zeros((3, 3)), np.full((3, 3), nan), [[0.0, 1.0], [1.0, 0.0]], None):
        kind = f"{what} scores of type {type(scores).__name__}"
        for call in (clusterer, clusterer.solve):
            _assert_refused(call, scores, InputError, kind)
    if "n_clusters" in _params(clusterer):
        few = PairScores(3, None, [1.0, 2.0, 3.0])
        more = f"{what} more clusters than items"
        _assert_refused(lambda k: _with_clusters(clusterer, k)(few), 4, InputError, more)


def _with_clusters(clusterer: Clusterer, n_clusters: int) -> Clusterer:
    other: Clusterer = replace(cast("Any", clusterer), n_clusters=n_clusters)
    return other


def _assert_refused(
    call: Callable[[Any], object], given: object, error: type[InputError], message: str
) -> None:
    try:
        call(given)
    except error:
        return
    except Exception as other:
        raise AssertionError(
            f"{message}, or fails by {other!r}; refuse with {error.__name__}"
        ) from other
    raise AssertionError(f"{message}; refuse with {error.__name__}")


def _check_apart(clusterer: Clusterer, n_clusters: int | None, rng: np.random.Generator) -> None:
    for free in _random(rng, n_clusters):
        wanted = _n_clusters(clusterer, free)
        if wanted == 1 or _is_too_small(clusterer, free):
            continue
        # With one pair apart any two clusters can be reached, with more they may not.
        chosen = rng.permutation(count_pairs(free.n_items))[: 3 if wanted is None else 1]
        apart = all_pairs(free.n_items)[chosen]
        scores = PairScores(
            free.n_items, free.listed, free.scores, free.diagonal, free.n_clusters, apart
        )
        if getattr(clusterer, "keeps_apart", False):
            _check_set(clusterer, scores)
            joined = apart[_found(clusterer, scores).together(apart)].tolist()
            assert not joined, f"{_name(clusterer)} joins {joined}, which must be apart"
        else:
            message = f"{_name(clusterer)} does not say that it keeps pairs apart, but takes them"
            for call in (clusterer, clusterer.solve):
                _assert_refused(call, scores, PairError, message)


# What it finds.


def _check_set(clusterer: Clusterer, scores: PairScores) -> None:
    if _is_too_small(clusterer, scores):
        message = f"{_name(clusterer)} makes more clusters than there are items"
        _assert_refused(clusterer, scores, InputError, message)
        return
    found = _found(clusterer, scores)
    where = f"{_name(clusterer)} on {scores}"
    assert _found(clusterer, scores) == found, f"{where}: a second call finds another partition"
    solution = _solved(clusterer, scores)
    assert solution.partition == found, f"{where}: solve finds another partition than the call"
    _check_count(clusterer, scores, found, where)
    if clusterer.objective is None:
        assert isnan(solution.value), f"{where}: without an objective there is a value"
        message = f"{where}: without an objective there are weights"
        _assert_refused(lambda solved: solved.weights, solution, InputError, message)
        return
    _check_solution(clusterer.objective, scores, solution, where)
    if scores.n_items <= _ENUMERABLE:
        _check_best(clusterer, clusterer.objective, scores, solution, where)


def _check_count(clusterer: Clusterer, scores: PairScores, found: Partition, where: str) -> None:
    """Check that k clusters are made, unless equal scores or apart pairs make that hard."""
    wanted = _n_clusters(clusterer, scores)
    if wanted is not None and scores.apart is None:
        few = found.n_clusters < wanted and _is_distinct(scores) and scores.listed is None
        fits = found.n_clusters <= wanted and not few
        assert fits, f"{where}: makes {found.n_clusters} clusters, not {wanted}"


def _check_solution(
    objective: Objective, scores: PairScores, solved: SolutionLike, where: str
) -> None:
    tol = _tolerance(scores)
    value = objective.value(solved.partition, scores)
    assert abs(solved.value - value) <= tol, f"{where}: the value is {value}, not {solved.value}"
    assert solved.value <= solved.bound + tol, f"{where}: the value exceeds the bound"
    proved = {
        "exact": solved.bound - solved.value <= tol,
        "bounded": solved.bound < inf,
        "local": solved.bound == inf,
    }
    status = f"the status is {solved.status!r}, the value {value}, the bound {solved.bound}"
    assert proved.get(solved.status, False), f"{where}: {status}"
    clustering = solved.partition if solved.relaxed is None else solved.relaxed
    for found, expected in (
        (solved.weights, objective.weights(clustering, scores)),
        (solved.self_weights, objective.self_weights(clustering, scores)),
    ):
        same = found.shape == expected.shape and np.allclose(found, expected)
        assert same, f"{where}: the weights are not those of its objective"


def _check_best(
    clusterer: Clusterer, objective: Objective, scores: PairScores, solved: SolutionLike, where: str
) -> None:
    """Compare with all partitions that have the right number of clusters and keep pairs apart."""
    tol, wanted = _tolerance(scores), _n_clusters(clusterer, scores)
    values = {
        partition: objective.value(partition, scores)
        for partition in _all_partitions(scores.n_items)
        if (wanted is None or partition.n_clusters == wanted)
        and not _joins_apart(partition, scores)
    }
    best = max(values.values(), default=-inf)
    bound = f"the bound {solved.bound} of a solution called {solved.status}"
    assert solved.bound >= best - tol, f"{where}: {bound} is below {best}, which is possible"
    if solved.partition in values:
        assert solved.value <= best + tol, f"{where}: the value is above the best, {best}"
    top = [partition for partition, value in values.items() if value >= best - tol]
    if wanted is None and top == [_agreed(scores)]:
        one = "positive, but not all items are together"
        message = one if np.all(scores.scores > 0) else "negative, but not all items are alone"
        assert solved.partition == top[0], f"{where}: all scores are {message}"


def _agreed(scores: PairScores) -> Partition | None:
    """Return the partition that every score asks for by its sign, where there is one."""
    if scores.listed is not None or scores.apart is not None:
        return None
    if np.all(scores.scores > 0):
        return Partition(np.zeros(scores.n_items, dtype=np.intp))
    return Partition(np.arange(scores.n_items)) if np.all(scores.scores < 0) else None


def _joins_apart(partition: Partition, scores: PairScores) -> bool:
    return scores.apart is not None and bool(partition.together(scores.apart).any())


def _all_partitions(n_items: int) -> Iterator[Partition]:
    """Yield every partition, by restricted growth."""

    def grow(labels: list[int]) -> Iterator[Partition]:
        if len(labels) == n_items:
            yield Partition(labels)
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grow([*labels, label])

    return grow([])


# What must not matter.


def _check_pair_order(clusterer: Clusterer, scores: PairScores, rng: np.random.Generator) -> None:
    if _is_too_small(clusterer, scores):
        return
    order = rng.permutation(len(scores.scores))
    listed = PairScores(
        scores.n_items,
        scores.pairs[order, ::-1],
        scores.scores[order],
        scores.diagonal,
        scores.n_clusters,
    )
    same = _found(clusterer, listed) == _found(clusterer, scores)
    assert same, f"{_name(clusterer)} on {scores}: the order of the pairs matters"


def _check_item_order(clusterer: Clusterer, scores: PairScores, rng: np.random.Generator) -> None:
    if _is_too_small(clusterer, scores):
        return
    order = rng.permutation(scores.n_items)
    place = np.argsort(order)
    moved = PairScores(
        scores.n_items,
        place[scores.pairs],
        scores.scores,
        None if scores.diagonal is None else scores.diagonal[order],
        scores.n_clusters,
    )
    same = _found(clusterer, moved) == Partition(_found(clusterer, scores).labels[order])
    assert same, f"{_name(clusterer)} on {scores}: the order of the items matters"


# Calls that fail with a sentence.


def _found(clusterer: Clusterer, scores: PairScores) -> Partition:
    found: Any = _called(clusterer, clusterer, scores)
    kind = type(found).__name__
    assert isinstance(found, Partition), f"{_name(clusterer)} returns {kind}, no Partition"
    fits = len(found) == scores.n_items and found == Partition(found.labels)
    assert fits, f"{_name(clusterer)} on {scores} returns {found}"
    return found


def _solved(clusterer: Clusterer, scores: PairScores) -> SolutionLike:
    solved: SolutionLike = _called(clusterer, clusterer.solve, scores)
    return solved


def _called(clusterer: Clusterer, call: Callable[[PairScores], Any], scores: PairScores) -> Any:
    try:
        return call(scores)
    except Exception as error:
        raise AssertionError(f"{_name(clusterer)} fails on {scores}: {error!r}") from error


def _name(clusterer: Clusterer) -> str:
    return type(clusterer).__name__


def _n_clusters(clusterer: Clusterer, scores: PairScores) -> int | None:
    """Return the number of clusters to make, by the clusterer or else by the item set."""
    own: int | None = getattr(clusterer, "n_clusters", None)
    return scores.n_clusters if own is None else own


def _is_too_small(clusterer: Clusterer, scores: PairScores) -> bool:
    return 0 < scores.n_items < (getattr(clusterer, "n_clusters", None) or 0)


def _tolerance(scores: PairScores) -> float:
    """Return how far rounding and the tolerances of linear programs may reach."""
    own = 0.0 if scores.diagonal is None else float(np.abs(scores.diagonal).sum())
    return 1e-6 * (1.0 + float(np.abs(scores.scores).sum()) + own)
