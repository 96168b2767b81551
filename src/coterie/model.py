"""Models: everything needed to partition new item sets, in one value and one file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, NamedTuple, Self, TypeAlias

from numpy.typing import ArrayLike

from coterie import (
    blocking,
    calibrations,
    clusterers,
    dirichlet,
    features,
    similarities,
    sized_calibrations,
    sizing,
)
from coterie._core.arguments import takes_arguments
from coterie._core.arrays import Floats
from coterie._core.files import FileName
from coterie._core.lazy import public_names
from coterie._core.progress import report
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import pluralize
from coterie._saving import Resolve, load_value, save_value
from coterie._types import Blocker, Clusterer, Similarity
from coterie.calibrations import (
    Abstained,
    Calibration,
    ClusterCalibration,
    Confidences,
    Logistic,
)
from coterie.clusterers.constraints import (
    checked_constraints,
    partition_under_checked_constraints,
)
from coterie.clusterers.second_look import Decision, Score, decide
from coterie.clusterers.thresholds import lower_missing_score, subtract_threshold
from coterie.exceptions import InputError, located
from coterie.items import as_item_set, as_item_sets
from coterie.pairs import PairScores
from coterie.partition import Partition

__all__ = ["Logistic", "Model"]

Constraints: TypeAlias = Sequence[ArrayLike | None]
"""One entry per item set: pairs of items, of shape (q, 2), or None."""


class CandidateScores(NamedTuple):
    """The scores of the candidate pairs of an item set, and a function that scores other pairs.

    The function is None if the score of a pair depends on the other pairs that are scored.
    """

    scores: PairScores
    score: Score | None


@dataclass(frozen=True, eq=False)
class Model:
    """Partition item sets: select candidate pairs, score them, and cluster by the scores.

    Parameters
    ----------
    blocker
        Selects the candidate pairs of an item set.
    similarity
        Scores the candidate pairs.
    clusterer
        Partitions the items according to the scores.
    calibration
        Turns scores into probabilities: `Logistic`, `Isotonic`, or `ClusterCalibration`, which
        also gives confidences of clusters. None if the scores were not calibrated.

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
        _refuse_uncallable("blocker", self.blocker, 1)
        _refuse_uncallable("similarity", self.similarity)
        _refuse_uncallable("clusterer", self.clusterer, 1)
        if self.calibration is not None:
            _refuse_uncallable("calibration", self.calibration, 1)
        if not hasattr(self.similarity, "pair_scores"):
            raise InputError(
                f"the similarity is {self.similarity!r}, which has no method pair_scores; "
                "give one from coterie.similarities"
            )

    @renamed_parameters(together="must_link", apart="cannot_link")
    def predict(
        self,
        item_sets: Iterable[Any],
        *,
        must_link: Constraints | None = None,
        cannot_link: Constraints | None = None,
    ) -> list[Partition]:
        """Partition each of several item sets.

        Parameters
        ----------
        item_sets
            The item sets.
        must_link
            Pairs of items that must be in the same cluster: for each item set an array of item
            indices of shape (q, 2), or None. Some clusterers do not support them and refuse them.
        cannot_link
            Pairs of items that must not be in the same cluster, in the same form.
        """
        sets = as_item_sets(item_sets)
        must_links = _as_constraints("must_link", must_link, len(sets))
        cannot_links = _as_constraints("cannot_link", cannot_link, len(sets))
        partitions = []
        for index, item_set in enumerate(sets):
            with located(f"item set {index}"):
                decision = self.decide(item_set, must_links[index], cannot_links[index])
                partitions.append(decision.partition)
            report("predict", index + 1, len(sets))
        return partitions

    def decide(
        self,
        item_set: Any,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Decision:
        """Partition one item set, and return the partition with the scores that it rests on.

        These are the scores of the candidate pairs and, where absent pairs would count as evidence
        against joining similar items, of some more pairs; see `coterie.clusterers.second_look`.
        """
        return self.decide_among(self.candidates(item_set), must_link, cannot_link)

    def candidates(self, item_set: Any) -> CandidateScores:
        """Score the candidate pairs of one item set, from which `decide_among` partitions it."""
        items = as_item_set(item_set)
        if not getattr(self.similarity, "one_by_one", False) or not len(items):
            return CandidateScores(self.scores(items), None)
        similarity: Any = self.similarity
        score = similarity.scorer(items)
        return CandidateScores(score(self.blocker(items)), lambda pairs: score(pairs).scores)

    def decide_among(
        self,
        candidates: CandidateScores,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        threshold: float = 0.0,
    ) -> Decision:
        """Partition an item set as `decide` does, by its scores minus a threshold."""
        scores, score = subtract_threshold(candidates.scores, threshold), candidates.score
        clusterer = lower_missing_score(self.clusterer, threshold)
        constraints = checked_constraints(scores, must_link, cannot_link)
        if score is None:
            partition = partition_under_checked_constraints(clusterer, scores, *constraints)
            return Decision(scores, partition)
        return decide(clusterer, scores, lambda pairs: score(pairs) - threshold, *constraints)

    def scores(self, item_set: Any) -> PairScores:
        """Score the candidate pairs of one item set."""
        items = as_item_set(item_set)
        if not len(items):  # without items there is nothing to compute features of
            return PairScores(0, None, [], n_clusters=items.n_clusters)
        return self.similarity.pair_scores(items, self.blocker(items))

    def probabilities(self, item_set: Any) -> Floats:
        """Return the probability that each pair of `scores` belongs together."""
        if self.calibration is None:
            raise InputError(
                "the model has no calibration, so its scores cannot be turned into probabilities; "
                "give it one, such as Logistic"
            )
        return self.calibration(self.scores(item_set).scores)

    def confidences(self, item_set: Any) -> Confidences:
        """Partition one item set, and return how confident each pair and each cluster is."""
        if not isinstance(self.calibration, ClusterCalibration):
            raise InputError(
                "the model has no calibration of clusters; give it a ClusterCalibration, "
                "such as the one that coterie.learners.calibrate returns"
            )
        return self.calibration.confidences(*self.decide(item_set))

    def abstain(self, item_set: Any, precision: float) -> Abstained:
        """Partition one item set, and assert only the clusters with a high enough confidence.

        On average over the asserted clusters, at least the share `precision` of their pairs is
        expected to belong together. At least the same share of the asserted singletons is expected
        to be clusters of their own.
        """
        return self.confidences(item_set).abstain(precision)

    def save(self, path: FileName) -> None:
        """Write the model to one file, for `load` to read; an existing file is replaced.

        Dataclasses, numbers, texts, arrays and csr arrays can be saved. If the model contains
        anything else, an error names its place in the model, and nothing is written.
        """
        save_value(path, self, _find_class)

    @classmethod
    def load(cls, path: FileName, classes: Iterable[type] = ()) -> Self:
        """Read a model from a file that may come from anybody: no code in the file is run.

        But a model that somebody made on purpose can predict wrongly, or take very long to predict.

        Parameters
        ----------
        path
            The name of a file that `save` wrote.
        classes
            Your own dataclasses that the model contains; they are found by their names.
        """
        model = load_value(path, class_resolver(classes))
        if not isinstance(model, cls):
            raise InputError(
                f"{path}: the file holds a {type(model).__name__}, not a {cls.__name__}; give the "
                "name of a saved model"
            )
        return model


def _as_constraints(
    name: str, constraints: Constraints | None, n_sets: int
) -> list[ArrayLike | None]:
    """Return pairs, or None, for each item set."""
    if constraints is None:
        return [None] * n_sets
    is_list = isinstance(constraints, Iterable)
    if isinstance(constraints, str | bytes | Mapping) or not is_list:
        raise InputError(
            f"{name} is of type {type(constraints).__name__}; give a list with an array of pairs, "
            "or None, for each item set"
        )
    entries = list(constraints)
    if len(entries) != n_sets:
        raise InputError(
            f"{name} has {len(entries)} entries for {n_sets} item sets; give an array of pairs, or "
            "None, for each item set"
        )
    return entries


def _refuse_uncallable(name: str, value: Any, n_arguments: int | None = None) -> None:
    """Refuse a part that cannot be called, and a class in place of its instance."""
    if isinstance(value, type):
        raise InputError(f"the {name} is the class {value.__name__}; give an instance of it")
    if not callable(value):
        raise InputError(f"the {name} is {value!r}, which cannot be called; give a {name}")
    if n_arguments is not None and not takes_arguments(value, n_arguments):
        arguments = pluralize(n_arguments, "argument")
        raise InputError(f"the {name} cannot be called with {arguments}; give another {name}")


FAMILIES = (
    *(blocking, features, similarities, calibrations, sized_calibrations, sizing),
    *(dirichlet, clusterers),
)
"""The modules whose public classes a model may contain."""


def _find_class(name: str) -> type | None:
    """Return the class of Coterie with this name, if a model may contain it."""
    single_classes: dict[str, type] = {"Model": Model, "Partition": Partition}
    for family in FAMILIES:
        if name in public_names(family):
            return getattr(family, name)  # type: ignore[no-any-return]
    return single_classes.get(name) or _find_kind(name)


def _find_kind(name: str) -> type | None:
    from coterie.features import kinds  # noqa: PLC0415 - slow to import, and few models need it

    return getattr(kinds, name) if name in public_names(kinds) else None


def class_resolver(classes: Iterable[type]) -> Resolve:
    """Return a function that finds a class by its name, in Coterie or among `classes`."""
    user_classes: dict[str, type] = {}
    for cls in classes:
        name = _dataclass_name(cls)
        if user_classes.get(name, _find_class(name)) not in (None, cls):
            raise InputError(
                f"classes contains {name}, but another class has this name; rename the class"
            )
        user_classes[name] = cls
    return lambda name: user_classes.get(name) or _find_class(name)


def _dataclass_name(cls: Any) -> str:
    if not (isinstance(cls, type) and is_dataclass(cls)):
        raise InputError(f"classes contains {cls!r}; give dataclasses, not their instances")
    return cls.__name__
