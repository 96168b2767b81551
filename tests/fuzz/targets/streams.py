"""Streams of items with absurd ones among them, which must not stop the ordinary ones."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie import Model, tables
from coterie.blocking import AllPairs
from coterie.clusterers import LeftLink, SumLink
from coterie.exceptions import CoterieError
from coterie.features import AbsoluteDifferences, GivenFeatures, SquaredDifferences
from coterie.similarities import DistanceSimilarity, LinearSimilarity
from coterie.stream import EveryEarlier, Latest, LatestOfKeys, NearestOfLatest, Stream
from tests.fuzz.cases import ACCEPTED, MOST_CHARACTERS, require, warm_up
from tests.fuzz.inputs import NAMES, model_file, random_people

SIZE = 3
NUMBERS = [0.0, 1e100, -1e154, 1e200, 1e308, -1.8e308, 5e-324, float("inf"), float("nan"), 2**70]
OTHERS: list[Any] = [
    *(None, "", "a text", b"bytes", 7, True, [], [[]], [1], [1, 2, 3, 4], {}, {"a": 1}, [None] * 3),
    *(["1", "2", "3"], [1, [2], 3], object(), [10**400] * 3, np.zeros((3, 3)), np.zeros(0), 1j),
    *(np.array(["a", "b", "c"]), np.array([1, 2, 3], dtype=object), np.array(3.0), [1j, 0, 0]),
]


def prepare() -> None:
    """Compile the kernels of streams."""
    warm_up(case, 40)


class Kind(NamedTuple):
    """A kind of items: a rule of candidates, and what makes a model and items of it."""

    model: Callable[[random.Random], Model]
    rule: Callable[[random.Random], Any]
    ordinary: Callable[[random.Random], Any]
    absurd: Callable[[random.Random], Any]


def case(rng: random.Random, folder: Path) -> str:
    """Add ordinary and absurd items to a stream."""
    kind = rng.choices([VECTORS, RECORDS], [3, 1])[0]
    model, rule = kind.model(rng), kind.rule(rng)
    stream, plain = Stream(model, rule), Stream(model, rule)
    for count in range(rng.choice([5, 20, 60])):
        is_ordinary = count == 0 or rng.random() < 0.7
        item = kind.ordinary(rng) if is_ordinary else kind.absurd(rng)
        before = len(stream), stream.n_clusters, stream.clusters
        try:
            assignment = add(rng, stream, item)
        except CoterieError as error:
            text = str(error)
            require(not is_ordinary, f"an ordinary item is refused: {text}")
            require(text and len(text) < MOST_CHARACTERS, f"an error is long: {text[:100]}")
            after = len(stream), stream.n_clusters, stream.clusters
            require(before == after, "a refused item changed the stream")
        else:
            # The items that are accepted have the same clusters as without those that are refused.
            require(plain.add(item) == assignment, "a refused item changed a later assignment")
    return ACCEPTED


def vector_model(rng: random.Random) -> Model:
    """Return a model that can cluster a stream."""
    coef = np.array([rng.gauss(0, 1) for _ in range(SIZE)])
    similarity = rng.choice(
        [
            LinearSimilarity(GivenFeatures(), coef),
            LinearSimilarity(AbsoluteDifferences(), coef, 1.0),
            LinearSimilarity(SquaredDifferences(), coef, 1.0),
            DistanceSimilarity(AbsoluteDifferences(), abs(coef), 2.0),
        ]
    )
    clusterer = rng.choice([LeftLink(), LeftLink(gamma=0.4), LeftLink(gamma=1e-300), SumLink()])
    return Model(AllPairs(), similarity, clusterer)


def add(rng: random.Random, stream: Stream, item: Any) -> Any:
    """Add an item alone or as a list of one."""
    if rng.random() < 0.5 or not isinstance(item, list):
        return stream.add(item)
    (assignment,) = stream.add_many([item])
    return assignment


def ordinary_vector(rng: random.Random) -> list[float]:
    """Return an item as people have them."""
    return [rng.choice([0.0, 1.0, rng.gauss(0, 10)]) for _ in range(SIZE)]


def absurd_vector(rng: random.Random) -> Any:
    """Return an item that may be refused."""
    if rng.random() < 0.6:
        return [rng.choice([*NUMBERS, 1.0]) for _ in range(SIZE)]
    return rng.choice(OTHERS)


def vector_rule(rng: random.Random) -> Any:
    """Return a rule for the candidates of vectors."""
    return rng.choice([Latest(rng.choice([1, 5, 20])), EveryEarlier(), NearestOfLatest(2, 10)])


# Records.


def record_model(rng: random.Random) -> Model:
    """Return the model of a table, with a clusterer of streams."""
    model = tables.load(model_file(rng.choice(["logistic", "boosted"]))).model
    return replace(model, clusterer=rng.choice([LeftLink(), LeftLink(gamma=0.5), SumLink()]))


def record_rule(rng: random.Random) -> Any:
    """Return a rule for the candidates of records."""
    return rng.choice([Latest(10), LatestOfKeys(["surname"], 5), LatestOfKeys(NAMES, 5, window=20)])


def ordinary_record(rng: random.Random) -> dict[str, Any]:
    """Return a person."""
    columns = random_people(rng, 1)
    return {name: columns[name][0] for name in NAMES}


def absurd_record(rng: random.Random) -> Any:
    """Return a record that may be refused."""
    record = ordinary_record(rng)
    name = rng.choice([*NAMES, "x"])
    if rng.random() < 0.2:
        record.pop(name, None)
    else:
        record[name] = rng.choice([*OTHERS, *NUMBERS, "x" * 5000, "\ud800", "\0"])
    return rng.choice([record, record, record, *OTHERS])


VECTORS = Kind(vector_model, vector_rule, ordinary_vector, absurd_vector)
RECORDS = Kind(record_model, record_rule, ordinary_record, absurd_record)
