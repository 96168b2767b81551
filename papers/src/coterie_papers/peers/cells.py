"""The cells of the comparison with other tools: a learner on one split of a table."""

from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from coterie.learners.auto.learner import Tried
from coterie.partition import Partition
from coterie.tables.fitting import fit_table
from coterie_papers.engine.cells import Key, Values
from coterie_papers.engine.partitions import quiet, texts_of
from coterie_papers.peers.data import CLUSTER, compared, halves
from coterie_papers.peers.methods import OF_TABLES, point_words, tuned

VERSION = 1
"""To be raised when cells are computed in another way."""


class Tested(NamedTuple):
    """What a learner predicts of the rows of the other half, and at what cost."""

    truth: Partition
    predicted: Partition
    fit: float
    predict: float
    chosen: str

    def to_values(self) -> Values:
        """Return what a cell keeps."""
        truth, predicted = texts_of([self.truth, self.predicted])
        return {**self._asdict(), "truth": truth, "predicted": predicted}


def tested(key: Key, folder: Path | None) -> Mapping[str, Any]:
    """Learn from one half of a table and predict the other, in seconds of CPU."""
    name, seed, method = str(key["data"]), int(key["seed"] or 0), str(key["method"])
    with quiet():
        run = _of_table if method in OF_TABLES else _of_pairs
        return run(method, name, folder, seed).to_values()


def _of_table(method: str, name: str, folder: Path | None, seed: int) -> Tested:
    """Run a learner of `coterie fit`, with no settings beside its name."""
    train, test = halves(name, folder, seed)
    begun = process_time()
    fitted = fit_table(train, CLUSTER, learner=method)
    between = process_time()
    predicted = Partition(fitted.model.predict(test)[CLUSTER])
    spent = between - begun, process_time() - between
    return Tested(
        Partition(test[CLUSTER]), predicted, *spent, _choice_words(fitted.learner.choice_)
    )


def _of_pairs(method: str, name: str, folder: Path | None, seed: int) -> Tested:
    """Run a paper's learner on the features of pairs, whose time counts for each."""
    own = compared(name, folder, seed)
    begun = process_time()
    found = tuned(method, own.train)
    between = process_time()
    (truth,), predicted = own.test.truths, found.predict(*own.test.item_sets)
    spent = between - begun, process_time() - between
    fit, predict = (more + shared for more, shared in zip(spent, own.seconds, strict=True))
    return Tested(truth, predicted, fit, predict, found.words)


def _choice_words(choice: Tried) -> str:
    context = " with context" * choice.context
    rounds = [] if choice.n_rounds is None else [f"{choice.n_rounds} rounds"]
    gamma = [] if choice.gamma is None else [f"γ = {choice.gamma:g}"]
    assert choice.clusterer is not None  # noqa: S101 - the choice always has one
    point = point_words(choice.clusterer, choice.threshold or 0.0)
    return ", ".join([f"{choice.name}{context}", *rounds, *gamma, *point])
