"""The work of `coterie demo`: make tables, cluster them and write reports, all in one folder."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from coterie import metrics
from coterie._core.arrays import Bools
from coterie._core.files import replacing
from coterie.clusterers import SingleLinkage
from coterie.datasets import load_digit_sets, make_records
from coterie.datasets.corpus import Corpus
from coterie.demo.picture import draw_picture
from coterie.exceptions import InputError
from coterie.partition import Partition
from coterie.tables import Evaluation, Table, fit, read_table, write_table

CONNECTED = "pair classifier, components"
"""The usual method of entity resolution: logistic regression, then connected components."""

RULE = ("given_name", "surname", "birth_date")
"""Columns by which the simplest rule decides: rows that are equal in all of them match."""

N_SETS, N_PIXELS = 8, 4
"""Number of sets of digits, and the width and height of a digit in pixels."""


FILES = (
    *("people.csv", "new-people.csv", "people.coterie", "people-clustered.csv", "people.html"),
    *("people.svg", "digits.csv", "new-digits.csv", "digits.coterie", "digits-clustered.csv"),
    "digits.html",
)
"""The files that the demonstration writes, over those of an earlier one."""

MARK = "coterie-demo.txt"
"""A file that says that the folder is one of demonstrations."""


class MethodQuality(NamedTuple):
    """The quality of the clusters of one method on one table."""

    table: str
    method: str
    precision: float
    recall: float
    f1: float
    b_cubed: float
    clusters: int
    true_clusters: int


@dataclass(frozen=True)
class Demo:
    """Make tables, learn from some of them, cluster the others, and measure the result.

    Parameters
    ----------
    folder
        The folder for all files.
    n_rows
        Number of records of people to cluster. The model learns from half as many other records.
    seed
        The seed of the random records.
    log
        A function that is called with a message about each step.
    """

    folder: Path
    n_rows: int
    seed: int
    log: Callable[[str], None]

    def run(self) -> list[MethodQuality]:
        """Run all steps, and return the quality of each method on each table."""
        _make_folder(self.folder)
        _mark(self.folder)
        return [*self._people(), *self._digits()]

    def _people(self) -> Iterator[MethodQuality]:
        n_labelled = self.n_rows // 2
        corpus = make_records(n_labelled + self.n_rows, random_state=self.seed)
        table = _numbered_table(corpus, "person")
        is_labelled = _draw_clusters(corpus.partitions[0], n_labelled, self.seed)
        labelled = self._write("people.csv", table.take(np.flatnonzero(is_labelled).tolist()))
        new = self._write("new-people.csv", table.take(np.flatnonzero(~is_labelled).tolist()))
        yield _quality("people", "same name and birth date", new["person"], _clusters_by_rule(new))
        yield from self._learn("people", labelled, new, set_column=None)

    def _digits(self) -> Iterator[MethodQuality]:
        tables = [
            _digit_table(load_digit_sets(split).at(range(N_SETS))) for split in ("train", "test")
        ]
        labelled = self._write("digits.csv", tables[0])
        new = self._write("new-digits.csv", tables[1])
        yield from self._learn("digits", labelled, new, set_column="image_set")

    def _learn(
        self, name: str, labelled: Table, new: Table, set_column: str | None
    ) -> Iterator[MethodQuality]:
        """Learn from a table, cluster another by each method, and write the results."""
        cluster = labelled.names[-1]
        options: dict[str, Any] = {"set": set_column}
        if name == "digits":
            # The table has five digits only, so hardly any value is of five entities, the default.
            options["min_entities"] = 1
        baseline = fit(labelled, cluster, learner="logistic", **options).evaluate(new)
        yield _quality_of_components(name, baseline)
        self.log(f"learning from {len(labelled):,} rows of {labelled.name}")
        model = fit(labelled, cluster, **options)
        model.save(self.folder / f"{name}.coterie")
        self.log(f"clustering {len(new):,} rows of {new.name}")
        clustered = model.predict(new.without([cluster]))
        write_table(self.folder / f"{name}-clustered.csv", clustered)
        evaluation = model.evaluate(new)
        truth, predicted = evaluation.truth.labels, evaluation.predicted.labels
        yield _quality(name, f"Coterie: {model.facts['learner']}", truth, predicted)
        self._write_text(f"{name}.html", model.report(new))
        if name == "people":
            self._write_text(f"{name}.svg", draw_picture(clustered))
        self.log(
            f"wrote {name}.coterie, {name}-clustered.csv and the report {name}.html to the folder "
            f"{self.folder}"
        )

    def _write(self, name: str, table: Table) -> Table:
        """Write a table, and read it again as a user would."""
        write_table(self.folder / name, table)
        return read_table(self.folder / name)

    def _write_text(self, name: str, text: str) -> None:
        with replacing(self.folder / name) as stream:
            stream.write(text.encode())


def _make_folder(folder: Path) -> None:
    """Make a folder unless it exists, and check that files can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        if isinstance(error, FileExistsError) and folder.is_file():
            raise InputError(f"{folder} is a file; give the name of a folder") from error
        raise InputError(
            f"no file can be written to the folder {folder}: {error.strerror}; give another folder"
        ) from error


def _mark(folder: Path) -> None:
    """Mark a folder as one of demonstrations; refuse one with files that would be overwritten."""
    others = [name for name in FILES if os.path.lexists(folder / name)]
    if others and not (folder / MARK).is_file():
        raise InputError(
            f"the folder {folder} has a file {others[0]}, which `coterie demo` would overwrite; "
            "give another folder, or delete the file"
        )
    with replacing(folder / MARK) as stream:
        lines = ["These files were written by `coterie demo`, which overwrites them:", *FILES]
        stream.write("".join(f"{line}\n" for line in lines).encode())


def _numbered_table(corpus: Corpus, cluster: str) -> Table:
    """Return the only item set of a corpus as a table with columns of ids and true clusters."""
    items, truth = corpus.item_sets[0].items, corpus.partitions[0]
    columns = {name: [value or "" for value in items[name]] for name in items}
    ids = [f"r{row}" for row in range(len(truth))]
    return Table({"id": ids, **columns, cluster: [f"p{label}" for label in truth.labels]})


def _draw_clusters(truth: Partition, n_items: int, seed: int) -> Bools:
    """Draw clusters at random until they have at least `n_items` items, and mark these items."""
    order = np.random.default_rng(seed).permutation(truth.n_clusters)
    count = int(np.searchsorted(np.cumsum(truth.sizes[order]), n_items)) + 1
    return np.isin(truth.labels, order[:count])


def _digit_table(corpus: Corpus) -> Table:
    """Return images as a table with one column per pixel; each pixel is the mean of four."""
    columns: dict[str, list[str]] = {}
    for index, (item_set, truth) in enumerate(zip(*corpus, strict=True)):
        images = np.asarray(item_set.items).reshape(-1, N_PIXELS, 2, N_PIXELS, 2).mean(axis=(2, 4))
        pixels = images.reshape(len(images), -1)
        columns.setdefault("image_set", []).extend([f"set {index}"] * len(truth))
        for pixel, greys in enumerate(pixels.T):
            columns.setdefault(f"pixel_{pixel}", []).extend(f"{grey:.3f}" for grey in greys)
        columns.setdefault("digit", []).extend(str(label) for label in truth.labels)
    return Table(columns)


def _clusters_by_rule(table: Table) -> list[str]:
    """Name the cluster of each row: rows that are equal in all columns of `RULE` share a cluster.

    A row with an empty value in one of them is a cluster of its own.
    """
    rows = zip(table["id"], *(table[name] for name in RULE), strict=True)
    return [" ".join(values) if all(values) else name for name, *values in rows]


def _quality_of_components(name: str, evaluation: Evaluation) -> MethodQuality:
    """Measure the usual method: one cluster per connected component of positive pairs."""
    predicted = Partition.concatenate(
        SingleLinkage()(clustered.scores) for clustered in evaluation.clustering.sets
    )
    return _quality(name, CONNECTED, evaluation.truth.labels, predicted.labels)


def _quality(name: str, method: str, true_labels: Any, predicted_labels: Any) -> MethodQuality:
    truth, predicted = Partition(true_labels), Partition(predicted_labels)
    return MethodQuality(
        name,
        method,
        *metrics.pair_scores(truth, predicted),
        metrics.b_cubed(truth, predicted).f1,
        predicted.n_clusters,
        truth.n_clusters,
    )
