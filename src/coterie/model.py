"""Models: all that is needed to partition new item sets, in one value and in one file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Self, TypeAlias

from numpy.typing import ArrayLike

from coterie import blocking, calibrations, clusterers, dirichlet, features, similarities
from coterie._core.arrays import Floats
from coterie._core.files import FileName
from coterie._core.lazy import public_names
from coterie._core.progress import report
from coterie._saving import Resolve, load_value, save_value
from coterie._types import Blocker, Clusterer, Similarity
from coterie.calibrations import (
    Abstained,
    Calibration,
    ClusterCalibration,
    Confidences,
    Logistic,
)
from coterie.clusterers.constraints import constrained_partition
from coterie.exceptions import InputError, located
from coterie.items import as_item_set, as_item_sets
from coterie.pairs import PairScores
from coterie.partition import Partition

__all__ = ["Logistic", "Model"]

Constraints: TypeAlias = Sequence[ArrayLike | None]
"""Pairs of items, of shape (q, 2), or None, for each of several item sets."""


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
        Turns scores into probabilities: `Logistic`, `Isotonic`, or `ClusterCalibration`, which
        knows of clusters too; None where none was learned.

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

    def predict(
        self,
        item_sets: Iterable[Any],
        *,
        together: Constraints | None = None,
        apart: Constraints | None = None,
    ) -> list[Partition]:
        """Partition each of several item sets.

        Parameters
        ----------
        item_sets
            The item sets.
        together
            Pairs of items that must share a cluster: for each item set an array of shape (q, 2) of
            item indices, or None. A clusterer that cannot hold them together refuses them.
        apart
            Pairs of items that must not, likewise.
        """
        sets = as_item_sets(item_sets)
        links = _one_each("together", together, len(sets))
        bans = _one_each("apart", apart, len(sets))
        partitions = []
        for number, item_set in enumerate(sets):
            with located(f"item set {number}"):
                scores = self.scores(item_set)
                known = (links[number], bans[number])
                partitions.append(constrained_partition(self.clusterer, scores, *known))
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

    def confidences(self, item_set: Any) -> Confidences:
        """Partition one item set, and say how sure each of its pairs and clusters is."""
        if not isinstance(self.calibration, ClusterCalibration):
            raise InputError(
                "the model has no calibration of clusters; give a ClusterCalibration, such as "
                "coterie.learners.calibrate finds"
            )
        scores = self.scores(item_set)
        return self.calibration.confidences(scores, self.clusterer(scores))

    def abstain(self, item_set: Any, precision: float) -> Abstained:
        """Partition one item set, and assert only the clusters that are sure enough.

        Of the pairs of an asserted cluster at least the share `precision` is expected to be truly
        together, on average over clusters, and so many of the asserted single items truly alone.
        """
        return self.confidences(item_set).abstain(precision)

    def save(self, path: FileName) -> None:
        """Write the model to one file, which `load` reads; a file of that name is replaced.

        What can be saved is made of dataclasses, numbers, texts, arrays and csr arrays; anything
        else is refused by its place, and nothing is written.
        """
        save_value(path, self, _find_class)

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
        model = load_value(path, class_resolver(classes))
        if not isinstance(model, cls):
            raise InputError(
                f"{path}: it holds a {type(model).__name__}, not a {cls.__name__}; give the name "
                "of a saved model"
            )
        return model


def _one_each(name: str, given: Constraints | None, n_sets: int) -> list[ArrayLike | None]:
    """Take pairs, or None, for each item set."""
    if given is None:
        return [None] * n_sets
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(
            f"{name} is of type {type(given).__name__}; give a list with an array of pairs, or "
            "None, for each item set"
        )
    pairs = list(given)
    if len(pairs) != n_sets:
        raise InputError(
            f"{name} has {len(pairs)} entries for {n_sets} item sets; give an array of pairs, or "
            "None, for each"
        )
    return pairs


def _refuse_uncallable(name: str, value: Any) -> None:
    """Refuse what is no frozen callable, a class in place of its value too."""
    if isinstance(value, type):
        raise InputError(f"the {name} is the class {value.__name__}; give a value of it")
    if not callable(value):
        raise InputError(f"the {name} is {value!r}; give a {name}")


def _find_class(name: str) -> type | None:
    """Find a class of Coterie that a model may hold: those of its families, and this one."""
    at_hand: dict[str, type] = {"Model": Model, "Partition": Partition}
    for family in (blocking, features, similarities, calibrations, dirichlet, clusterers):
        if name in public_names(family):
            return getattr(family, name)  # type: ignore[no-any-return]
    return at_hand.get(name) or _kind_of_column(name)


def _kind_of_column(name: str) -> type | None:
    from coterie.features import kinds  # noqa: PLC0415 - slow, and of few models

    return getattr(kinds, name) if name in public_names(kinds) else None


def class_resolver(classes: Iterable[type]) -> Resolve:
    """Return what finds a class by its name: those of Coterie, and some that are given."""
    own: dict[str, type] = {}
    for kind in classes:
        name = _dataclass_name(kind)
        if own.get(name, _find_class(name)) not in (None, kind):
            raise InputError(f"classes has {name}, whose name is taken; rename the class")
        own[name] = kind
    return lambda name: own.get(name) or _find_class(name)


def _dataclass_name(kind: Any) -> str:
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise InputError(f"classes has {kind!r}; give dataclasses, not their values")
    return kind.__name__
