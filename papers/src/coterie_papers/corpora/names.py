"""Names of people, locations and organisations in texts, clustered by entity."""

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
        "organization, the source is gum, ecbplus, hipe2020 or topres19th",
        SETS: "CSV: etype, pair, part, id; the pair is 1, 2 or 3, the part is train or test, and "
        f"the id is that of {NAMES}",
    },
    "amir-zeldes/gum, anastasia-zhukova/Diverse_CDCR_datasets and hipe-eval/HIPE-2022-data on "
    "GitHub",
)
PAIRS = (1, 2, 3)
SPLITS = ("train", "test")
KINDS = ("person", "location", "organization")
KINDS_OF = {"gum": KINDS, "ecbplus": KINDS, "hipe2020": KINDS, "topres19th": ("location",)}


class Name(NamedTuple):
    """An occurrence of a name; entities can be compared only within one source."""

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

    This is the stand-in for the names of Li & Roth 2005. For each kind there are three pairs of a
    training set and a test set. Each set has about 300 names of 131 to 214 entities, from GUM and
    from the news of ECB+. In a document, a name of an entity counts only once. The two sets of a
    pair share no entity; sets of different pairs share names. The columns are `name`, `doc` and
    `source`, and the ids are those of the file.

    Entities are annotated within one source only. An entity that is in both sources counts as two.
    This is the case for most equal names of locations that are in different clusters. If all names
    that are equal apart from case are put together, the pairwise F1 on the test sets is .60 for
    people, .75 for locations and .69 for organisations.

    Parameters
    ----------
    folder
        The folder that holds `entity_names`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test" or None for both, pair by pair: train of pair 1, test of pair 1, train of
        pair 2, and so on.
    kind
        The kind of the entities: "person", "location" or "organization".
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
    corpus_folder = SOURCE.find(folder)
    names = {name.id: name for name in _read_names(corpus_folder / NAMES, kind)}
    names_by_set = _read_sets(corpus_folder / SETS, kind, names)
    selected = product(PAIRS if pair is None else (pair,), SPLITS if split is None else (split,))
    with reading(corpus_folder / SETS):
        return _corpus(_names_of_set(names_by_set, *pair_and_part) for pair_and_part in selected)


def load_source_names(
    folder: PathLike | None = None, source: str = "hipe2020", kind: Kind = "person"
) -> Corpus:
    """Read all names of one kind from one source as one item set, clustered by entity.

    This item set is meant for tests on other texts than those of `load_entity_names`: "hipe2020"
    and "topres19th" are historical newspapers, whose names contain the errors of text recognition.
    All occurrences of a name are included. The columns and ids are as in `load_entity_names`.

    Parameters
    ----------
    folder
        The folder that holds `entity_names`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    source
        The source of the names: "gum", "ecbplus", "hipe2020" or "topres19th".
    kind
        The kind of the entities: "person", "location" or "organization"; "topres19th" has only
        locations.

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
    def convert(etype: str, number: str, *values: str) -> Name | None:
        return Name(int(number), *values) if etype == kind else None

    columns = ("etype", "id", "name", "doc", "source", "entity")
    return list(filter(None, map_rows(path, columns, convert)))


def _read_sets(path: Path, kind: Kind, names: Mapping[int, Name]) -> dict[str, list[Name]]:
    """Return the names of each set of a kind, by the name of the set."""
    names_by_set = defaultdict(list)

    def convert(etype: str, pair: str, part: str, number: str) -> None:
        if etype == kind:
            names_by_set[_set_name(pair, part)].append(_name_of_id(names, int(number), kind))

    map_rows(path, ("etype", "pair", "part", "id"), convert)
    return dict(names_by_set)


def _set_name(pair: object, part: str) -> str:
    return f"part {part} of pair {pair}"


def _name_of_id(names: Mapping[int, Name], number: int, kind: Kind) -> Name:
    if number not in names:
        raise ValueError(f"the id {number} does not belong to a {kind} in {NAMES}")
    return names[number]


def _names_of_set(names_by_set: Mapping[str, list[Name]], pair: int, part: str) -> list[Name]:
    set_name = _set_name(pair, part)
    if set_name not in names_by_set:
        raise ValueError(f"the rows of {set_name} are missing")
    return names_by_set[set_name]


def _corpus(sets: Iterable[list[Name]]) -> Corpus:
    sets = list(sets)
    return Corpus([_item_set(names) for names in sets], [_truth(names) for names in sets])


def _item_set(names: list[Name]) -> ItemSet:
    columns = {
        "name": [name.name for name in names],
        "doc": [name.doc for name in names],
        "source": [name.source for name in names],
    }
    return ItemSet(columns, ids=[name.id for name in names])


def _truth(names: list[Name]) -> Partition:
    return Partition([f"{name.source}:{name.entity}" for name in names])
