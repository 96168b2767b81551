"""Public classes with arguments of wrong types and sizes, on item sets with extreme numbers."""

import inspect
import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie import (
    ItemSet,
    PairScores,
    Partition,
    blocking,
    clusterers,
    dirichlet,
    features,
    learners,
    losses,
    similarities,
)
from coterie._core.lazy import members
from coterie.features import kinds
from coterie.learners.base import Learner
from tests.clusterers.test_family import MEMBERS as CLUSTERERS
from tests.features.test_family import SAMPLES
from tests.fuzz.cases import ACCEPTED, REFUSED, is_refused, require
from tests.learners.test_family import MEMBERS as LEARNERS

NUMBERS = [0.0, 1.0, -1.0, 0.5, 1e-300, 1e100, -1e154, 1e200, 1e308, float("inf"), float("nan")]
ODD: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, -1, 0.5, 1.5, -0.5, 1e-12, 1e12, 1e308, -1e308),
    *(float("nan"), float("inf"), -float("inf"), 1j, "", "x", "exact", "greedy", "name", b"x"),
    *((), [], {}, [1], ["x"], ("x", "x"), {"x": 1}, {1, 2}, range(3), object(), type, int, ...),
    *(np.zeros(0), np.array([1.0, 2.0]), np.array(3), np.float64(0.5), np.int8(2), np.array("x")),
]
"""Arguments of all types. None asks for a great amount of work, which would take its time."""

HUGE: list[Any] = [10**9, -(10**9), 2**63, 2**70, -(2**70), 10**400, -(10**400)]
BOUNDED = ("C", "lam", "gamma", "threshold", "missing", "random_state", "start", "limit", "tol",
           "learning_rate", "share", "margin", "floor", "l2", "max_size", "size_cost", "loose",
           "tight", "min_pairs", "bias", "max_block", "min_entities", "offset")  # fmt: skip
"""Parameters that no time and no memory depends on, so that their values may be huge."""

SMALL = {"n_rounds": 3, "n_samples": 2, "burn_in": 2, "n_chains": 1, "max_iter": 3, "n_folds": 2}
"""Values for parameters whose default takes long."""

Family = Callable[[random.Random], str]


def prepare() -> None:
    """Compile the kernels of all families by using each member once."""
    plain = random.Random(0)  # noqa: S311
    for learner, options in LEARNERS.values():
        sets, truths = item_sets(plain, is_ordinary=True)
        if options.get("needs_n_clusters"):
            sets = [ItemSet(vectors, n_clusters=2) for vectors in sets]
            truths = [[0, 1, 0, 1, 0, 1]] * len(sets)
        is_refused(partial(learner.fit, sets, truths))
    for member in CLUSTERERS:
        is_refused(partial(member(), PairScores(4, None, [1.0, -1, 2, 0, 1, 3])))


def case(rng: random.Random, folder: Path) -> str:
    """Use a member of a random family."""
    with np.errstate(all="ignore"):
        return rng.choice(list(FAMILIES.values()))(rng)


def outcome(call: Callable[[], Any]) -> str:
    """Return what becomes of a call."""
    return REFUSED if is_refused(call) else ACCEPTED


# Item sets.


def item_sets(rng: random.Random, *, is_ordinary: bool = False) -> tuple[list[Any], list[Any]]:
    """Return some small item sets and their partitions, with some extreme numbers."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    n_sets, size = rng.choice([1, 2, 4]), rng.choice([1, 2, 3])
    sets, truths = [], []
    for _ in range(n_sets if not is_ordinary else 3):
        n_items = rng.choice([0, 1, 2, 4, 7]) if not is_ordinary else 6
        labels = numbers.integers(0, 3, n_items)
        vectors = numbers.normal(size=(n_items, size)) + 3 * labels[:, None]
        if not is_ordinary and n_items and rng.random() < 0.4:
            vectors[rng.randrange(n_items), rng.randrange(size)] = rng.choice(NUMBERS)
        if not is_ordinary and rng.random() < 0.1:
            vectors = vectors * rng.choice([0.0, 1e-200, 1e100, 1e150])
        sets.append(vectors)
        truths.append(labels)
    if not is_ordinary:
        sets = [odd_items(rng, items) for items in sets]
    return sets, truths


def odd_items(rng: random.Random, items: Any) -> Any:
    """Return items in another form, or other items."""
    way = rng.choices(
        ["plain", "sparse", "set", "pairs", "types", "other"], [5, 1, 1, 1, 0.5, 0.5]
    )[0]
    n_items = len(items)
    if way == "sparse" and n_items:
        return sp.csr_array(items)
    if way == "set" and np.isfinite(items).all():
        return ItemSet(items, n_clusters=rng.choice([None, 1, 2]) if n_items > 1 else None)
    if way == "pairs" and n_items > 1:
        count = n_items * (n_items - 1) // 2
        rows = np.array([[rng.choice(NUMBERS[:7]) for _ in range(2)] for _ in range(count)])
        return ItemSet.from_pair_features(np.nan_to_num(rows), n_items)
    if way == "types":
        return items.astype(rng.choice(["f4", "f2", "i8", "?", "U9", "O"]))
    if way == "other":
        return rng.choice(
            [{"name": ["a", "b"]}, ["a", "b"], [[1], [2, 3]], None, 3, "x", np.eye(3)]
        )
    return items


# Arguments.


def random_value(rng: random.Random, name: str) -> Any:
    """Return a random argument for a parameter."""
    way = rng.random()
    if name == "n_jobs":
        return rng.choice([1, 0, -1.5, "x", None, 1.0, True, [1]])
    if way < 0.35 and name in PARTS:
        return random_instance(rng, rng.choice(PARTS[name]()))
    return rng.choice(ODD + HUGE if name in BOUNDED else ODD)


def random_arguments(rng: random.Random, member: Any) -> dict[str, Any]:
    """Return random arguments for a constructor; most keep their default."""
    arguments = {}
    share = rng.choice([0.0, 0.15, 0.5])
    for name, parameter in inspect.signature(member).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_required = parameter.default is parameter.empty
        if is_required or rng.random() < share:
            arguments[name] = random_value(rng, name)
        elif name in SMALL:
            arguments[name] = SMALL[name]
    return arguments


def random_instance(rng: random.Random, member: Any) -> Any:
    """Return an instance of a class with its defaults where it has them, or else the class."""
    names = [
        name
        for name, parameter in inspect.signature(member).parameters.items()
        if parameter.default is parameter.empty
    ]
    try:
        return member(**{name: plain_value(rng, name) for name in names})
    except Exception:  # noqa: BLE001 - an argument that does not fit is tried elsewhere
        return member


def plain_value(rng: random.Random, name: str) -> Any:
    """Return an argument that fits most parameters of this name."""
    if name in PARTS:
        return rng.choice(PARTS[name]())()
    if name in ("column", "columns"):
        return "name"
    return 2 if name.startswith("n") or name in ("length", "window") else 1.0


@cache
def classes(package: Any) -> list[type]:
    """Return the public classes of a package that take part in clustering."""
    values = members(package).values()
    return [value for value in values if inspect.isclass(value)]


@cache
def learner_classes() -> list[type]:
    """Return the learners."""
    return [member for member in classes(learners) if issubclass(member, Learner)]


SOLVERS = ("SGD", "CCCP", "OneSlack", "NSlack", "FrankWolfe")
FEATURIZERS = ("AbsoluteDifferences", "SquaredDifferences", "GivenFeatures")

PARTS: dict[str, Callable[[], list[Any]]] = {
    "clusterer": lambda: CLUSTERERS,
    "predictor": lambda: CLUSTERERS,
    "solver": lambda: [getattr(learners, name) for name in SOLVERS],
    "loss": lambda: classes(losses),
    "featurizer": lambda: [getattr(features, name) for name in FEATURIZERS],
    "featurizers": lambda: [features.AbsoluteDifferences],
    "blocker": lambda: [blocking.AllPairs, blocking.Window, blocking.NearestNeighbours],
    "otherwise": lambda: [blocking.AllPairs, blocking.QGrams],
    "objective": lambda: [learners.LeftLinkRisk, learners.CorrelationRisk, learners.LogisticRisk],
    "trees": lambda: [learners.HistogramTrees],
    "stopping": lambda: [learners.Stopping],
    "update": lambda: [learners.PaperUpdate, learners.ExactUpdate],
    "prior": lambda: [dirichlet.NormalPrior],
    "estimate": lambda: [dirichlet.MaximumPosterior, dirichlet.MinimumPairLoss],
    "distance": lambda: [features.Euclidean, features.Manhattan],
    "learner": learner_classes,
    "first": learner_classes,
    "similarity": lambda: [similarities.ConstantSimilarity],
    "kernel": lambda: [features.RBF, features.Polynomial],
    "expansion": lambda: [features.ExactKernel, features.Nystroem, features.RandomFourier],
    "rounding": lambda: [clusterers.BallRounding, clusterers.SearchRounding],
    "kind": lambda: [getattr(kinds, name) for name in ("Name", "Number", "Date")],
}  # fmt: skip


# Families.


def use_learner(rng: random.Random) -> str:
    """Fit a learner to random item sets, and predict others."""
    member = rng.choice(learner_classes())
    sets, truths = item_sets(rng, is_ordinary=rng.random() < 0.4)
    arguments = random_arguments(rng, member)

    def use() -> None:
        learner = member(**arguments)
        repr(learner)
        if rng.random() < 0.1:
            learner.predict(sets)
        learner.fit(sets, truths)
        other = rng.choice([sets, item_sets(rng)[0]])
        partitions = learner.predict(other)
        for partition, items in zip(partitions, other, strict=True):
            size = len(items if isinstance(items, ItemSet) else ItemSet(items))
            require(len(partition) == size, "a partition is of other items")
        if len(other) == len(truths):
            is_refused(lambda: learner.score(other, truths))
        is_refused(lambda: learner.to_model().predict(other))

    return outcome(use)


def use_clusterer(rng: random.Random) -> str:
    """Cluster by random scores."""
    member = rng.choice(CLUSTERERS)
    arguments = random_arguments(rng, member)
    n_items = rng.choice([0, 1, 2, 3, 6, 12])
    share = rng.choice([0.0, 0.1, 1.0])
    pairs = None
    count = n_items * (n_items - 1) // 2
    if rng.random() < 0.4:
        pairs = [
            pair
            for pair in np.argwhere(np.triu(np.ones((n_items, n_items)), 1))
            if rng.random() < 0.5
        ]
        count = len(pairs)
        pairs = np.array(pairs, dtype=int).reshape(-1, 2)
    scores = [
        rng.choice(NUMBERS[:9]) if rng.random() < share else rng.gauss(0, 1) for _ in range(count)
    ]
    apart = [[0, 1]] if n_items > 1 and rng.random() < 0.2 else None
    n_clusters = rng.choice([None, None, 1, 2])

    def use() -> None:
        pair_scores = PairScores(n_items, pairs, scores, n_clusters=n_clusters, apart=apart)
        clusterer = member(**arguments)
        repr(clusterer)
        partition = clusterer(pair_scores)
        require(isinstance(partition, Partition), "the result is not a partition")
        require(len(partition) == n_items, "a partition is of other items")
        if apart:
            is_kept = partition.labels[0] != partition.labels[1]
            require(is_kept, "a cannot-link pair is violated")
        is_refused(lambda: clusterer.solve(pair_scores))

    return outcome(use)


def use_featurizer(rng: random.Random) -> str:
    """Compute the features of random items, or of the difficult items of the tests."""
    name = rng.choice(sorted(SAMPLES))
    sample, member = SAMPLES[name], getattr(features, name)
    arguments = random_arguments(rng, member) if rng.random() < 0.6 else None
    sets = sample.item_sets
    others = rng.choice([sets, item_sets(rng)[0], [mixed(rng, items) for items in sample.items]])

    def use() -> None:
        featurizer = sample.featurizer if arguments is None else member(**arguments)
        repr(featurizer)
        items = [ItemSet(other) if not isinstance(other, ItemSet) else other for other in others]
        trained = featurizer.fit(items if rng.random() < 0.5 else sets)
        for item_set in items:
            computed = trained.compare(trained.encode(item_set), None)
            count = len(item_set) * (len(item_set) - 1) // 2
            require(computed.shape[0] == count, "the features are of other pairs")

    return outcome(use)


def mixed(rng: random.Random, items: Any) -> Any:
    """Return items of which one column or number is replaced by odd values."""
    if isinstance(items, dict):
        name = rng.choice(sorted(items))
        values = [rng.choice(ODD) if rng.random() < 0.3 else value for value in items[name]]
        return items | {name: values}
    if isinstance(items, np.ndarray) and items.dtype.kind == "f":
        changed = items.copy()
        changed[rng.randrange(len(items)), 0] = rng.choice(NUMBERS)
        return changed
    return items


def use_blocker(rng: random.Random) -> str:
    """List the pairs of random items."""
    choices = [member for member in classes(blocking) if "__call__" in dir(member)]
    member = rng.choice(choices)
    arguments = random_arguments(rng, member)
    if rng.random() < 0.5:
        names = {"column", "columns", "keys"} & arguments.keys()
        arguments |= dict.fromkeys(names, rng.choice(["name", ["name"], ["name", "city"]]))
    texts = [
        rng.choice(["", "ann", "Ann Lee", None, "x" * 300, "é", 3, float("nan"), []])
        for _ in range(6)
    ]
    columns = {"name": texts, "city": ["a", "b"] * 3}
    items = rng.choice([columns, item_sets(rng)[0][0]])

    def use() -> None:
        blocker = member(**arguments)
        repr(blocker)
        pairs = blocker(ItemSet(items) if not isinstance(items, ItemSet) else items)
        is_sorted = pairs is None or (pairs[:, 0] < pairs[:, 1]).all()
        require(is_sorted, "a blocker lists pairs in the wrong order")

    return outcome(use)


FAMILIES: dict[str, Family] = {
    "learners": use_learner,
    "clusterers": use_clusterer,
    "featurizers": use_featurizer,
    "blockers": use_blocker,
}
