"""What a catalogue says of a corpus, and how that is checked."""

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
    """A call of a reader of `coterie_papers.corpora`, the files it needs, what it must give."""

    loader: str
    source: Source
    counts: Counts
    arguments: Mapping[str, Any] = {}

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.loader}({shown})"

    def faults(self, folder: PathLike | None) -> list[str]:
        """Read the files, which must be there, and say what is wrong with them, if anything is."""
        load = getattr(import_module("coterie_papers.corpora"), self.loader)
        try:
            found = counted(load(folder=folder, **self.arguments))
        except InputError as error:
            return [str(error)]
        return [
            f"{self} gives {found.get(what, 0):,} {what} instead of {expected:,}"
            for what, expected in self.counts.items()
            if found.get(what, 0) != expected
        ]


class CorpusEntry(NamedTuple):
    """A corpus: what it is, whose data it is, its licence, and how it is read.

    Attributes
    ----------
    name
        The name of its folder.
    about
        What is clustered by what.
    data
        Whether it is the "same" data as a paper's, "near" to it, or an "extra".
    serves
        Which tables and figures of which papers.
    licence
        In short; what is not stated was published for research.
    readings
        The calls that read the corpus, which the counts of the catalogue are about.
    others
        Further calls: the same items in another form, or files that the first do not count.
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
        """The counts of all readings together."""
        total: Counter[str] = Counter()
        for reading in self.readings:
            total.update(reading.counts)
        return dict(total)

    @property
    def files(self) -> dict[str, str]:
        """The files and what each holds."""
        sources = (reading.source for reading in self.readings + self.others)
        return {file: layout for source in sources for file, layout in source.files.items()}

    @property
    def origins(self) -> dict[str, str]:
        """The files and what each is made from."""
        sources = (reading.source for reading in self.readings + self.others)
        return {file: source.origin for source in sources for file in source.files}

    def missing(self, folder: PathLike | None) -> list[str]:
        """Return the files that are not there."""
        return Source(self.name, self.files, "").missing(folder)

    def state(self, folder: PathLike | None) -> State:
        """Say whether the files are there."""
        n_missing = len(self.missing(folder))
        if n_missing == len(self.files):
            return "missing"
        return "in part" if n_missing else "there"


def check(
    entries: Iterable[CorpusEntry], folder: PathLike | None = None
) -> Iterator[tuple[CorpusEntry, list[str]]]:
    """Read what is there of each corpus by all its readers, and say what is wrong, if anything is.

    Files that are missing are wrong too.
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


def counted(found: Any) -> dict[str, int]:
    """Count what a reader returned: a corpus, or item sets by name, or cases of a scorer."""
    if isinstance(found, Corpus):
        n_clusters = sum(truth.n_clusters for truth in found.partitions)
        return {**_sized(found.item_sets), "clusters": n_clusters}
    if isinstance(found, Mapping):
        positive = sum(int((item_set.items.features > 0).sum()) for item_set in found.values())
        return {**_sized(found.values()), "positive pairs": positive}
    return {"cases": len(found), "figures": 3 * sum(len(case.expected) for case in found)}


def _sized(item_sets: Iterable[Any]) -> dict[str, int]:
    sizes = [len(item_set) for item_set in item_sets]
    return {"item sets": len(sizes), "items": sum(sizes)}
