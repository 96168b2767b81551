"""The cells of the comparison with other tools: one learner and one split per cell."""

from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from coterie.learners.auto.choice import Tried
from coterie.partition import Partition
from coterie.tables.fitting import fit_table
from coterie_papers.engine.cells import Key, Values
from coterie_papers.engine.partitions import quiet, texts_of
from coterie_papers.peers.data import CLUSTER, compare_halves, read_halves
from coterie_papers.peers.methods import TABLE_LEARNERS, decoding_texts, tune

VERSION = 2
"""The version of the computation; raise it when cells are computed in another way."""


class HalfPrediction(NamedTuple):
    """The prediction of a learner for the test half of a table, its choice and its CPU seconds."""

    truth: Partition
    predicted: Partition
    fit_seconds: float
    predict_seconds: float
    choice: str

    def to_values(self) -> Values:
        """Return the values of a cell."""
        truth, predicted = texts_of([self.truth, self.predicted])
        return {
            "truth": truth,
            "predicted": predicted,
            "fit": self.fit_seconds,
            "predict": self.predict_seconds,
            "chosen": self.choice,
        }


def compute_learner(key: Key, folder: Path | None) -> Mapping[str, Any]:
    """Train a learner on one half of a table and predict the other half, in CPU seconds."""
    name, seed, method = str(key["data"]), int(key["seed"] or 0), str(key["method"])
    with quiet():
        run = _run_table_learner if method in TABLE_LEARNERS else _run_pair_learner
        return run(method, name, folder, seed).to_values()


def _run_table_learner(method: str, name: str, folder: Path | None, seed: int) -> HalfPrediction:
    """Run a learner of `coterie fit --effort thorough`, with no setting except its name."""
    train, test = read_halves(name, folder, seed)
    start = process_time()
    fitted = fit_table(train, CLUSTER, effort="thorough", learner=method)
    fit_end = process_time()
    predicted = Partition(fitted.model.predict(test)[CLUSTER])
    predict_end = process_time()
    return HalfPrediction(
        Partition(test[CLUSTER]),
        predicted,
        fit_end - start,
        predict_end - fit_end,
        _choice_text(fitted.choice.chosen),
    )


def _run_pair_learner(method: str, name: str, folder: Path | None, seed: int) -> HalfPrediction:
    """Run a learner of a paper on the features of pairs.

    The time of the comparison of pairs is added to the time of each learner.
    """
    halves = compare_halves(name, folder, seed)
    start = process_time()
    tuned = tune(method, halves.train)
    fit_end = process_time()
    (truth,), predicted = halves.test.truths, tuned.predict(*halves.test.item_sets)
    predict_end = process_time()
    compare_train_seconds, compare_test_seconds = halves.seconds
    return HalfPrediction(
        truth,
        predicted,
        fit_end - start + compare_train_seconds,
        predict_end - fit_end + compare_test_seconds,
        tuned.text,
    )


def _choice_text(choice: Tried) -> str:
    name = f"{choice.name} with context" if choice.context else choice.name
    rounds = [] if choice.n_rounds is None else [f"{choice.n_rounds} rounds"]
    gamma = [] if choice.gamma is None else [f"γ = {choice.gamma:g}"]
    assert choice.clusterer is not None  # noqa: S101 - the choice always has one
    decoding = decoding_texts(choice.clusterer, choice.threshold or 0.0)
    return ", ".join([name, *rounds, *gamma, *decoding])
