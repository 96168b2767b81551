"""Names of people, locations and organisations in texts, to be clustered by what they denote."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from coterie.datasets.corpus import Corpus, Split, refuse_other_splits, refuse_other_values
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie_papers.corpora.folder import PathLike, Source, map_rows, reading

Kind: TypeAlias = Literal["person", "location", "organization"]

NAMES, SETS = "names.csv.gz", "sets.csv"
SOURCE = Source(
    "entity_names",
    {
        NAMES: "CSV: etype, id, name, doc, source, entity; the etype is person, location or "
        "organization, the source gum, ecbplus, hipe2020 or topres19th",
        SETS: "CSV: etype, pair, part, id; the pair is 1, 2 or 3, the part train or test, the id "
        f"that of {NAMES}",
    },
    "amir-zeldes/gum, anastasia-zhukova/Diverse_CDCR_datasets and hipe-eval/HIPE-2022-data on "
    "GitHub",
)
PAIRS = (1, 2, 3)
SPLITS = ("train", "test")
KINDS = ("person", "location", "organization")
KINDS_OF = {"gum": KINDS, "ecbplus": KINDS, "hipe2020": KINDS, "topres19th": ("location",)}


class Name(NamedTuple):
    """A name where it occurs; entities are comparable only inside one source."""

    id: int
    name: str
    doc: str
    source: str
    entity: str


def load_entity_names(
    folder: PathLike | None = None,
    split: Split | None = None,
    kind: Kind = "person",
    pair: int | None = None,
) -> Corpus:
    """Read names of people, locations or organisations, clustered by the entity that they denote.

    The stand-in for the names of Li & Roth 2005: for each kind three pairs of a set to train on and
    one to test on, each of about 300 names of 131 to 214 entities, from GUM and from the news of
    ECB+. A document gives a name of an entity once. The two sets of a pair share no entity; sets of
    different pairs share names. The columns are `name`, `doc` and `source`, and the ids are those
    of the file.

    An entity is known inside one source only: what is in both counts as two, which is so for most
    equal names of locations that do not belong together. To call two names one entity where they
    are equal but for case has a pairwise F1 of .60, .75 and .69 on the sets to test on (people,
    locations, organisations).

    Parameters
    ----------
    folder
        The folder that holds `entity_names`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test" or None for both, pair by pair: train of pair 1, test of pair 1, train of
        pair 2, and so on.
    kind
        What the names denote: "person", "location" or "organization".
    pair
        The number of a pair, 1 to 3, or None for all in this order.

    Examples
    --------
    >>> item_sets, partitions = load_entity_names(split="train", pair=1)  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(302 items, columns name, doc, source), 170)
    """
    refuse_other_splits(split)
    refuse_other_values("kind", kind, KINDS)
    refuse_other_values("pair", str(pair) if isinstance(pair, bool) else pair, (*PAIRS, None))
    place = SOURCE.find(folder)
    names = {name.id: name for name in _read_names(place / NAMES, kind)}
    found = _read_sets(place / SETS, kind, names)
    wanted = product(PAIRS if pair is None else (pair,), SPLITS if split is None else (split,))
    with reading(place / SETS):
        return _corpus(_in_set(found, *which) for which in wanted)


def load_source_names(
    folder: PathLike | None = None, source: str = "hipe2020", kind: Kind = "person"
) -> Corpus:
    """Read all names of one kind from one source as one item set, clustered by entity.

    Meant for tests on other texts than `load_entity_names` trains on: "hipe2020" and "topres19th"
    are historical newspapers, whose names were read by machine and have its errors. Every
    occurrence counts. The columns and ids are as in `load_entity_names`.

    Parameters
    ----------
    folder
        The folder that holds `entity_names`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    source
        Where the names are from: "gum", "ecbplus", "hipe2020" or "topres19th".
    kind
        What they denote: "person", "location" or "organization"; "topres19th" has locations only.

    Examples
    --------
    >>> item_sets, partitions = load_source_names(source="hipe2020")  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(154 items, columns name, doc, source), 73)
    """
    refuse_other_values("source", source, tuple(KINDS_OF))
    refuse_other_values(f"the source is {source!r}, but kind", kind, KINDS_OF[source])
    path = SOURCE.find(folder) / NAMES
    names = _read_names(path, kind)
    with reading(path):
        return _corpus([[name for name in names if name.source == source]])


def _read_names(path: Path, kind: Kind) -> list[Name]:
    def take(etype: str, number: str, *rest: str) -> Name | None:
        return Name(int(number), *rest) if etype == kind else None

    columns = ("etype", "id", "name", "doc", "source", "entity")
    return list(filter(None, map_rows(path, columns, take)))


def _read_sets(path: Path, kind: Kind, names: Mapping[int, Name]) -> dict[str, list[Name]]:
    """Return the names of each set of a kind, the sets called by their pair and part."""
    found = defaultdict(list)

    def take(etype: str, pair: str, part: str, number: str) -> None:
        if etype == kind:
            found[_called(pair, part)].append(_known(names, int(number), kind))

    map_rows(path, ("etype", "pair", "part", "id"), take)
    return dict(found)


def _called(pair: object, part: str) -> str:
    return f"{part} of pair {pair}"


def _known(names: Mapping[int, Name], number: int, kind: Kind) -> Name:
    if number not in names:
        raise ValueError(f"the id {number} is that of no {kind} in {NAMES}")
    return names[number]


def _in_set(found: Mapping[str, list[Name]], pair: int, part: str) -> list[Name]:
    called = _called(pair, part)
    if called not in found:
        raise ValueError(f"{called} is missing")
    return found[called]


def _corpus(sets: Iterable[list[Name]]) -> Corpus:
    given = list(sets)
    return Corpus([_item_set(names) for names in given], [_truth(names) for names in given])


def _item_set(names: list[Name]) -> ItemSet:
    columns = {
        "name": [name.name for name in names],
        "doc": [name.doc for name in names],
        "source": [name.source for name in names],
    }
    return ItemSet(columns, ids=[name.id for name in names])


def _truth(names: list[Name]) -> Partition:
    return Partition([f"{name.source}:{name.entity}" for name in names])
