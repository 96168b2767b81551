"""Models: all that is needed to partition new item sets, in one value and in one file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, is_dataclass
from math import inf
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from coterie import blocking, clusterers, dirichlet, features, similarities
from coterie._arguments import as_floats, as_real
from coterie._arrays import Floats
from coterie._files import FileName
from coterie._progress import report
from coterie._saving import Resolve, load_value, save_value
from coterie._types import Blocker, Clusterer, Similarity
from coterie.exceptions import InputError, located
from coterie.items import as_item_set, as_item_sets
from coterie.pairs import PairScores
from coterie.partition import Partition

__all__ = ["Logistic", "Model"]

Calibration: TypeAlias = Callable[[Floats], Floats]
"""Turns scores into probabilities that the items are together."""


@dataclass(frozen=True)
class Logistic:
    """Turn scores into probabilities: 1 / (1 + exp(−(slope · score + intercept))).

    Parameters
    ----------
    slope
        How fast the probability grows with the score.
    intercept
        The log-odds of a pair that scores 0.

    Examples
    --------
    >>> Logistic(slope=2.0)([-1.0, 0.0, 1.0]).round(3)
    array([0.119, 0.5  , 0.881])
    """

    slope: float = 1.0
    intercept: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "slope", as_real("slope", self.slope, low=-inf))
        object.__setattr__(self, "intercept", as_real("intercept", self.intercept, low=-inf))

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that the two items of each pair are together."""
        return np.asarray(expit(self.slope * as_floats("scores", scores) + self.intercept))


@dataclass(frozen=True, eq=False)
class Model:
    """Partition item sets: list their pairs, score them, cluster by the scores.

    Parameters
    ----------
    blocker
        Says which pairs are looked at.
    similarity
        Scores them.
    clusterer
        Partitions the items by the scores.
    calibration
        Turns scores into probabilities, such as `Logistic`; None where none was learned.

    Examples
    --------
    >>> from coterie.blocking import AllPairs
    >>> from coterie.clusterers import Greedy
    >>> from coterie.features import GivenFeatures
    >>> from coterie.similarities import LinearSimilarity
    >>> model = Model(AllPairs(), LinearSimilarity(GivenFeatures(), [1.0, 1.0]), Greedy())
    >>> model.predict([[[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0]]])
    [Partition([0, 0, 1])]
    """

    blocker: Blocker
    similarity: Similarity
    clusterer: Clusterer
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        _refuse_uncallable("blocker", self.blocker)
        _refuse_uncallable("similarity", self.similarity)
        _refuse_uncallable("clusterer", self.clusterer)
        if self.calibration is not None:
            _refuse_uncallable("calibration", self.calibration)
        if not hasattr(self.similarity, "pair_scores"):
            raise InputError(
                f"the similarity is {self.similarity!r}, which has no pair_scores; give one of "
                "coterie.similarities"
            )

    def predict(self, item_sets: Iterable[Any]) -> list[Partition]:
        """Partition each of several item sets."""
        sets = as_item_sets(item_sets)
        partitions = []
        for number, item_set in enumerate(sets):
            with located(f"item set {number}"):
                partitions.append(self.clusterer(self.scores(item_set)))
            report("predict", number + 1, len(sets))
        return partitions

    def scores(self, item_set: Any) -> PairScores:
        """Score the pairs of one item set that the blocker lists."""
        items = as_item_set(item_set)
        if not len(items):  # nothing tells what features its items would have
            return PairScores(0, None, [], n_clusters=items.n_clusters)
        return self.similarity.pair_scores(items, self.blocker(items))

    def probabilities(self, item_set: Any) -> Floats:
        """Return the probability that the items of each pair of `scores` are together."""
        if self.calibration is None:
            raise InputError(
                "the model has no calibration, so that its scores are no probabilities; give one, "
                "such as Logistic"
            )
        return self.calibration(self.scores(item_set).scores)

    def save(self, path: FileName) -> None:
        """Write the model to one file, which `load` reads; a file of that name is replaced.

        What can be saved is made of dataclasses, numbers, texts, arrays and csr arrays; anything
        else is refused by its place, and nothing is written.
        """
        save_value(path, self, _registered)

    @classmethod
    def load(cls, path: FileName, classes: Iterable[type] = ()) -> Self:
        """Read a model from a file, which need not be trusted: no code in it is run.

        Parameters
        ----------
        path
            The name of a file that `save` wrote.
        classes
            Dataclasses of your own that the model is made of, found by their names.
        """
        model = load_value(path, _with_own(classes))
        if not isinstance(model, cls):
            raise InputError(
                f"{path}: it holds a {type(model).__name__}, not a {cls.__name__}; give the name "
                "of a saved model"
            )
        return model


def _refuse_uncallable(name: str, value: Any) -> None:
    """Refuse what is no frozen callable, a class in place of its value too."""
    if isinstance(value, type):
        raise InputError(f"the {name} is the class {value.__name__}; give a value of it")
    if not callable(value):
        raise InputError(f"the {name} is {value!r}; give a {name}")


def _registered(name: str) -> type | None:
    """Find a class of Coterie that a model may hold: those of five families and of this module."""
    at_hand: dict[str, type] = {"Logistic": Logistic, "Model": Model, "Partition": Partition}
    for family in (blocking, features, similarities, dirichlet, clusterers):
        if name in family.__all__:
            return getattr(family, name)  # type: ignore[no-any-return]
    return at_hand.get(name)


def _with_own(classes: Iterable[type]) -> Resolve:
    own: dict[str, type] = {}
    for kind in classes:
        name = _dataclass_name(kind)
        if own.get(name, _registered(name)) not in (None, kind):
            raise InputError(f"classes has {name}, whose name is taken; rename the class")
        own[name] = kind
    return lambda name: own.get(name) or _registered(name)


def _dataclass_name(kind: Any) -> str:
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise InputError(f"classes has {kind!r}; give dataclasses, not their values")
    return kind.__name__
