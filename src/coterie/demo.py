"""What `coterie demo` does: the whole way from tables to clusters, in a folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie import metrics
from coterie._core.arrays import Bools
from coterie._core.files import replacing
from coterie.clusterers import SingleLinkage
from coterie.datasets import load_digit_sets, make_records
from coterie.datasets.corpus import Corpus
from coterie.partition import Partition
from coterie.report import page, report_of
from coterie.tables import Evaluation, Table, fit, read_table, write_table

CONNECTED = "pair classifier, components"
"""What most tools for entity resolution do: logistic regression, and all that it connects."""

RULE = ("given_name", "surname", "birth_date")
N_SETS, N_PIXELS = 8, 4
"""How many sets of digits there are, and how many pixels a digit is wide and high."""

Tell = Callable[[str], None]


class Result(NamedTuple):
    """What one way of clustering reached on a table."""

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
    """Make tables, learn from some, cluster the others, and compare.

    Parameters
    ----------
    folder
        Where all files are written.
    n_rows
        How many records of people to cluster; half as many are learned from.
    seed
        The seed of the records.
    tell
        Is told each step.
    """

    folder: Path
    n_rows: int
    seed: int
    tell: Tell

    def run(self) -> list[Result]:
        """Do all, and return what was reached."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return [*self._people(), *self._digits()]

    def _people(self) -> Iterator[Result]:
        n_labelled = self.n_rows // 2
        both = make_records(n_labelled + self.n_rows, random_state=self.seed)
        table = _table(both, "person")
        known = _some(both.partitions[0], n_labelled, self.seed)
        labelled = self._written("people.csv", table.taken(np.flatnonzero(known).tolist()))
        new = self._written("new-people.csv", table.taken(np.flatnonzero(~known).tolist()))
        yield _compared("people", "same name and birth date", new["person"], _by_rule(new))
        yield from self._learned("people", labelled, new, {})

    def _digits(self) -> Iterator[Result]:
        made = [
            _digit_table(load_digit_sets(split).at(range(N_SETS))) for split in ("train", "test")
        ]
        names = ("digits.csv", "new-digits.csv")
        labelled, new = (self._written(*each) for each in zip(names, made, strict=True))
        yield from self._learned("digits", labelled, new, {"set": "image_set"})

    def _learned(
        self, name: str, labelled: Table, new: Table, options: dict[str, str]
    ) -> Iterator[Result]:
        """Learn from a table, cluster another by each method, and write all that comes of it."""
        cluster = labelled.names[-1]
        plain = fit(labelled, cluster, learner="logistic", **options)  # type: ignore[arg-type]
        baseline = plain.evaluate(new)
        yield _of_components(name, baseline)
        self.tell(f"learning from {len(labelled):,} rows of {labelled.name}")
        model = fit(labelled, cluster, **options)  # type: ignore[arg-type]
        model.save(self.folder / f"{name}.coterie")
        self.tell(f"clustering {len(new):,} rows of {new.name}")
        hidden = new.without([cluster])
        write_table(self.folder / f"{name}-clustered.csv", model.predict(hidden))
        found = model.evaluate(new)
        yield _reached(name, f"Coterie: {model.facts['learner']}", found)
        with replacing(self.folder / f"{name}.html") as stream:
            stream.write(page(report_of(model, new, cluster=cluster)).encode())
        self.tell(f"wrote {name}.coterie, {name}-clustered.csv and the report {name}.html")

    def _written(self, name: str, table: Table) -> Table:
        """Write a table, and read it as a user would."""
        write_table(self.folder / name, table)
        return read_table(self.folder / name)


def _table(corpus: Corpus, cluster: str) -> Table:
    """Make a table of the only item set of a corpus, its rows numbered."""
    items, truth = corpus.item_sets[0].items, corpus.partitions[0]
    columns = {name: [value or "" for value in items[name]] for name in items}
    ids = [f"r{number}" for number in range(len(truth))]
    return Table({"id": ids, **columns, cluster: [f"p{label}" for label in truth.labels]})


def _some(truth: Partition, n_items: int, seed: int) -> Bools:
    """Choose whole clusters at random, of about so many items."""
    order = np.random.default_rng(seed).permutation(truth.n_clusters)
    count = int(np.searchsorted(np.cumsum(truth.sizes[order]), n_items)) + 1
    return np.isin(truth.labels, order[:count])


def _digit_table(corpus: Corpus) -> Table:
    """Make a table of images, a column a pixel, each the mean of four."""
    columns: dict[str, list[str]] = {}
    for number, (item_set, truth) in enumerate(zip(*corpus, strict=True)):
        images = np.asarray(item_set.items).reshape(-1, N_PIXELS, 2, N_PIXELS, 2).mean(axis=(2, 4))
        pixels = images.reshape(len(images), -1)
        columns.setdefault("image_set", []).extend([f"set {number}"] * len(truth))
        for at, grey in enumerate(pixels.T):
            columns.setdefault(f"pixel_{at}", []).extend(f"{value:.3f}" for value in grey)
        columns.setdefault("digit", []).extend(str(label) for label in truth.labels)
    return Table(columns)


def _by_rule(table: Table) -> list[str]:
    """Give rows with the same values of some columns one name; a row that lacks one is alone."""
    rows = zip(table["id"], *(table[name] for name in RULE), strict=True)
    return [" ".join(values) if all(values) else name for name, *values in rows]


def _of_components(name: str, found: Evaluation) -> Result:
    """Cluster as entity resolution mostly does: whatever a pair classifier connects."""
    predicted = [SingleLinkage()(each.scores) for each in found.clustering.found]
    return _compared(name, CONNECTED, found.truth.labels, Partition.concatenate(predicted).labels)


def _reached(name: str, method: str, found: Evaluation) -> Result:
    return _compared(name, method, found.truth.labels, found.predicted.labels)


def _compared(name: str, method: str, truth: Any, found: Any) -> Result:
    one, two = Partition(truth), Partition(found)
    return Result(
        name,
        method,
        *metrics.pair_scores(one, two),
        metrics.b_cubed(one, two).f1,
        two.n_clusters,
        one.n_clusters,
    )
