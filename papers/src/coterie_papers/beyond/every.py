"""Every candidate beside the automatic choice, of one validation: what a comparison needs."""

from collections.abc import Iterable
from time import monotonic
from typing import Any, NamedTuple

from sklearn.base import clone

from coterie.learners.auto.candidates import CANDIDATES, Candidate
from coterie.learners.auto.entities import Names
from coterie.learners.auto.learner import AutoLearner
from coterie.learners.base import as_examples
from coterie.model import Model
from coterie.partition import PartitionLike
from coterie.toolkit import Floats


class Single(NamedTuple):
    """One candidate: its model, and what it reached on each held-out set, where there are such."""

    model: Model
    held_out: Floats | None
    seconds: float


class Every(NamedTuple):
    """The automatic choice, fitted, and each candidate with its own operating point."""

    auto: AutoLearner
    singles: dict[Candidate, Single]


def fit_every(
    auto: AutoLearner,
    item_sets: Iterable[Any],
    partitions: Iterable[PartitionLike],
    candidates: Iterable[Candidate] = CANDIDATES,
    entities: Iterable[Names] | None = None,
) -> Every:
    """Fit an `AutoLearner`, and each candidate as if it were the only one.

    Each candidate is validated once; the automatic choice sees only those that its rule asks for.
    """
    examples = as_examples(item_sets, partitions)
    begun = monotonic()
    chooser = clone(auto)
    search = chooser._begin(examples, entities)  # noqa: SLF001
    chooser._choose(search, begun)  # noqa: SLF001
    chooser._fitted_blocker = chooser._blocker  # noqa: SLF001
    singles = {}
    for each in candidates:
        begun = monotonic()
        search.run([each])
        _, similarity, clusterer = search.fitted(each)
        held_out = search.chosen(each).values if each in search.found else None
        model = Model(chooser._blocker, similarity, clusterer)  # noqa: SLF001
        singles[each] = Single(model, held_out, monotonic() - begun)
    return Every(chooser, singles)
