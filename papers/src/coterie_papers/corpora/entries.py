"""The entries of the catalogue of corpora, and their check against the files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

from coterie.datasets.corpus import Corpus
from coterie.exceptions import InputError
from coterie.toolkit import report
from coterie_papers.corpora.folder import PathLike, Source

Counts: TypeAlias = Mapping[str, int]
State: TypeAlias = Literal["there", "in part", "missing"]


class Reading(NamedTuple):
    """A call of a reader in `coterie_papers.corpora`, its files, and the counts of its result."""

    loader: str
    source: Source
    counts: Counts
    arguments: Mapping[str, Any] = {}

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.loader}({arguments})"

    def faults(self, folder: PathLike | None) -> list[str]:
        """Read the files, which must not be missing, and return what is wrong with them."""
        load = getattr(import_module("coterie_papers.corpora"), self.loader)
        try:
            counts = count_items(load(folder=folder, **self.arguments))
        except InputError as error:
            return [str(error)]
        return [
            f"{self} gives {counts.get(noun, 0):,} {noun} instead of {expected:,}"
            for noun, expected in self.counts.items()
            if counts.get(noun, 0) != expected
        ]


class CorpusEntry(NamedTuple):
    """The facts about a corpus: its content, use and licence, and the calls that read it.

    Attributes
    ----------
    name
        The name of the corpus and of its folder.
    about
        The items, and what their clusters stand for.
    data
        "same" if a paper uses the same data, "near" if the corpus is a stand-in for the data of a
        paper, or "extra".
    serves
        The tables and figures of the papers that use the corpus.
    licence
        The licence in short. A corpus whose licence is not stated was published for research.
    readings
        The calls that read the corpus. The counts of the catalogue are those of these calls.
    others
        Other calls, for the same items in another form or for files that `readings` do not count.
    """

    name: str
    about: str
    data: Literal["same", "near", "extra"]
    serves: tuple[str, ...]
    licence: str
    readings: tuple[Reading, ...]
    others: tuple[Reading, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The sum of the counts of `readings`."""
        total: Counter[str] = Counter()
        for reading in self.readings:
            total.update(reading.counts)
        return dict(total)

    @property
    def files(self) -> dict[str, str]:
        """The layout of each file."""
        sources = (reading.source for reading in self.readings + self.others)
        return {file: layout for source in sources for file, layout in source.files.items()}

    @property
    def origins(self) -> dict[str, str]:
        """The origin of each file."""
        sources = (reading.source for reading in self.readings + self.others)
        return {file: source.origin for source in sources for file in source.files}

    def missing(self, folder: PathLike | None) -> list[str]:
        """Return the names of the missing files."""
        return Source(self.name, self.files, "").missing(folder)

    def state(self, folder: PathLike | None) -> State:
        """Return whether all files are there, some of them, or none."""
        n_missing = len(self.missing(folder))
        if n_missing == len(self.files):
            return "missing"
        return "in part" if n_missing else "there"


def check(
    entries: Iterable[CorpusEntry], folder: PathLike | None = None
) -> Iterator[tuple[CorpusEntry, list[str]]]:
    """Read each corpus by all its calls, and yield it with the list of its faults.

    Missing files are faults too; calls that need them are left out.
    """
    entries = list(entries)
    done, total = 0, sum(len(entry.readings + entry.others) for entry in entries)
    for entry in entries:
        missing = entry.missing(folder)
        faults = [f"missing: {', '.join(missing)}"] if missing else []
        for reading in entry.readings + entry.others:
            report("check", done, total, str(reading))
            faults += [] if reading.source.missing(folder) else reading.faults(folder)
            done += 1
        yield entry, faults


def count_items(data: Any) -> dict[str, int]:
    """Count the result of a reader: a corpus, item sets by name, or test cases of a scorer."""
    if isinstance(data, Corpus):
        n_clusters = sum(truth.n_clusters for truth in data.partitions)
        return {**_count_sets(data.item_sets), "clusters": n_clusters}
    if isinstance(data, Mapping):
        n_positive = sum(int((item_set.items.features > 0).sum()) for item_set in data.values())
        return {**_count_sets(data.values()), "positive pairs": n_positive}
    # Each expected score has three figures: recall, precision and F.
    return {"cases": len(data), "figures": 3 * sum(len(case.expected) for case in data)}


def _count_sets(item_sets: Iterable[Any]) -> dict[str, int]:
    sizes = [len(item_set) for item_set in item_sets]
    return {"item sets": len(sizes), "items": sum(sizes)}
