"""The readers of records and of publications, on the real corpora and on tiny folders."""

import csv
import gzip

import numpy as np
import pytest

from coterie import Partition
from coterie.exceptions import InputError
from coterie_papers.corpora import (
    DEDUP_TABLES,
    PEER_TABLES,
    load_aminer_names,
    load_dedup,
    load_peers,
)

# The READMEs' figures: records, clusters and the largest cluster.
DEDUP = {
    "febrl1": (1_000, 500, 2),
    "febrl3": (5_000, 2_000, 6),
    "RLdata500": (500, 450, 2),
    "RLdata10000": (10_000, 9_000, 2),
    "restaurants": (864, 752, 2),
    "musicbrainz_20k": (19_375, 10_000, 5),
    "patstat_nl": (2_379, 102, 676),
    "chicago_early_childhood": (3_337, 1_162, 18),
    "abt_buy": (2_152, 1_076, 2),
    "dblp_acm": (4_910, 2_686, 2),
}
PEERS = {
    "cora": (1_879, 182, 238),
    "affiliations": (2_260, 330, 47),
    "abtbuy": (2_161, 1_076, 3),
    "restaurant": (864, 752, 2),
    "febrl3": (5_000, 2_000, 6),
}
PEER_COLUMNS = {
    "cora": "title authors venue date volume pages publisher",
    "affiliations": "affiliation",
    "abtbuy": "name description price",
    "restaurant": "name addr city type",
    "febrl3": "given_name surname street_number address_1 suburb postcode state",
}
MISSING = ("", "NA", "null", "NONE", "0.0")
LOADERS = {"dedup": load_dedup, "peers": load_peers}
CASES = [("dedup", name, DEDUP[name]) for name in DEDUP]
CASES += [("peers", name, PEERS[name]) for name in PEERS]


def folder_of(data_folder, name):
    if not (data_folder / name).is_dir():
        pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    return data_folder


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def label_of(row):
    return row.get("cluster") or row.get("cluster_id") or row["CID"]


def test_all_tables_are_tested():
    assert tuple(DEDUP) == DEDUP_TABLES
    assert tuple(PEERS) == PEER_TABLES


@pytest.mark.parametrize(("corpus", "name", "expected"), CASES)
def test_tables_have_the_sizes_in_the_readme(corpus, name, expected, data_folder):
    (items,), (truth,) = LOADERS[corpus](name, folder_of(data_folder, corpus))
    assert (len(items), truth.n_clusters, truth.sizes.max()) == expected
    rows = rows_of(data_folder / corpus / f"{name}.csv.gz")
    assert truth == Partition([label_of(row) for row in rows])
    assert items.ids == tuple(range(len(rows)))
    for column, values in items.items.items():
        assert any(value is not None for value in values)
        for value, row in zip(values, rows, strict=True):
            assert value == row[column] or (value is None and row[column] in MISSING)


@pytest.mark.parametrize(("corpus", "name", "expected"), CASES)
def test_no_column_names_the_cluster(corpus, name, expected, data_folder):
    """The values of a column never give the same partition as the clusters."""
    (items,), (truth,) = LOADERS[corpus](name, folder_of(data_folder, corpus))
    for column, values in items.items.items():
        by_value = Partition([value or f"none {number}" for number, value in enumerate(values)])
        assert by_value != truth, column
        assert not any(str(value).startswith("rec-") for value in values)


@pytest.mark.parametrize("name", PEERS)
def test_the_columns_are_those_of_the_other_tools(name, data_folder):
    (items,), _ = load_peers(name, folder_of(data_folder, "peers"))
    assert list(items.items) == PEER_COLUMNS[name].split()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_halves_are_those_of_the_other_tools(seed, data_folder):
    """Computed with pandas by the recipe in the README."""
    pd = pytest.importorskip("pandas")
    path = folder_of(data_folder, "peers") / "peers" / "cora.csv.gz"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    entities = np.array(sorted(table.cluster_id.unique()))
    np.random.default_rng(seed).shuffle(entities)
    train = table.cluster_id.isin(set(entities[: len(entities) // 2]))
    for split, selected in (("train", train), ("test", ~train)):
        (items,), (truth,) = load_peers("cora", data_folder, split, seed)
        assert list(items.ids) == np.flatnonzero(selected).tolist()
        assert truth == Partition(table.cluster_id[selected].tolist())


def test_publications_have_the_sizes_in_the_readme(data_folder):
    folder = folder_of(data_folder, "aminer_names")
    for split, expected in {
        None: (109, 7_528, 1_546),
        "train": (55, 3_407, 775),
        "test": (54, 4_121, 771),
    }.items():
        item_sets, partitions = load_aminer_names(folder, split)
        n_persons = sum(truth.n_clusters for truth in partitions)
        assert (len(item_sets), sum(map(len, item_sets)), n_persons) == expected
    assert {len(items) for items in load_aminer_names(folder).item_sets} >= {4, 484}


def test_publications_agree_with_the_file(data_folder):
    rows = rows_of(folder_of(data_folder, "aminer_names") / "aminer_names" / "publications.csv.gz")
    item_sets, partitions = load_aminer_names(data_folder)
    assert sum(map(len, item_sets)) == len(rows)
    for items, truth in zip(item_sets, partitions, strict=True):
        set_rows = [row for row in rows if row["item_set"] == items.ids[0].rpartition(":")[0]]
        assert list(items.items) == ["title", "authors", "venue", "year", "organization"]
        assert truth == Partition([row["cluster"] for row in set_rows])
        for column, values in items.items.items():
            assert list(values) == [row[column] or None for row in set_rows]


# On tiny folders.

PEOPLE = "cluster,fname_c1,fname_c2,lname_c1,lname_c2,by,bm,bd\n"
PEOPLE += "b,ANN,NA,MAY,NA,1960,1,2\na,BOB,,NA,NA,1961,1,2\nb,ANN,EVE,MAY,NA,1960,1,2\n"
PUBLICATIONS = "item_set,part,pub_id,cluster,title,year,authors,venue,organization\n"
PUBLICATIONS += 'A. Li,train,7,0,One,1999,"A. Li,B. Wu",VLDB,\nA. Li,train,7,1,Two,2000,A. Li,,X\n'
PUBLICATIONS += "B. Wu,test,7,0,Ü,2001,B. Wu,,\n"


def write(folder, corpus, file, text):
    (folder / corpus).mkdir(exist_ok=True)
    (folder / corpus / file).write_bytes(gzip.compress(text.encode(), mtime=0))
    return folder


def test_a_tiny_table(tmp_path):
    write(tmp_path, "dedup", "RLdata500.csv.gz", PEOPLE)
    (items,), (truth,) = load_dedup("RLdata500", str(tmp_path))
    assert items.items["fname_c2"] == (None, None, "EVE")
    assert items.items["lname_c1"] == ("MAY", None, "MAY")
    assert (items.ids, truth) == ((0, 1, 2), Partition([0, 1, 0]))


def test_halves_share_no_cluster(tmp_path):
    write(tmp_path, "dedup", "RLdata500.csv.gz", PEOPLE)
    divisions = set()
    for seed in range(9):
        halves = [load_dedup("RLdata500", tmp_path, split, seed) for split in ("train", "test")]
        ids = tuple(half.item_sets[0].ids for half in halves)
        assert ids in {((0, 2), (1,)), ((1,), (0, 2))}
        divisions.add(ids)
    assert len(divisions) == 2


def test_a_tiny_folder_of_publications(tmp_path):
    write(tmp_path, "aminer_names", "publications.csv.gz", PUBLICATIONS)
    item_sets, partitions = load_aminer_names(tmp_path)
    assert [items.ids for items in item_sets] == [("A. Li:0", "A. Li:1"), ("B. Wu:0",)]
    assert dict(item_sets[0].items) == {
        "title": ("One", "Two"),
        "authors": ("A. Li,B. Wu", "A. Li"),
        "venue": ("VLDB", None),
        "year": ("1999", "2000"),
        "organization": (None, "X"),
    }
    assert partitions == [Partition([0, 1]), Partition([0])]
    assert load_aminer_names(tmp_path, "test").item_sets[0].ids == ("B. Wu:0",)


@pytest.mark.parametrize(
    ("call", "file"),
    [
        (lambda: load_dedup("abt_buy"), "abt_buy.csv.gz"),
        (lambda: load_peers("cora"), "cora.csv.gz"),
        (load_aminer_names, "publications.csv.gz"),
    ],
)
def test_a_missing_corpus_is_reported(call, file, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError) as error_info:
        call()
    for part in (str(tmp_path), f"lacks {file} (CSV: ", "COTERIE_DATA", "on GitHub"):
        assert part in str(error_info.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_dedup("febrl2", "nowhere"), "name is 'febrl2'; give 'febrl1', 'febrl3',"),
        (lambda: load_dedup(["febrl1"], "nowhere"), r"name is \['febrl1'\]; give"),
        (lambda: load_peers("abt_buy", "nowhere"), "name is 'abt_buy'; give 'cora',"),
        (lambda: load_dedup("febrl1", "nowhere", "dev"), "'dev'; give 'train', 'test' or None"),
        (lambda: load_peers("cora", "nowhere", random_state=-1), "random_state is -1; give a"),
        (lambda: load_aminer_names("nowhere", 0), "split is 0; give 'train', 'test' or None"),
    ],
)
def test_other_arguments_are_refused_before_reading(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cluster,by\n1,2\n", "line 1: the column 'fname_c1' is missing"),
        (f"{PEOPLE},ANN,NA,MAY,NA,1960,1,2\n", "line 5: the cluster is missing"),
        (f"{PEOPLE}c,ANN\n", "line 5: the row has more or fewer cells than the header"),
    ],
)
def test_damaged_tables_are_reported_with_the_line(text, message, tmp_path):
    write(tmp_path, "dedup", "RLdata500.csv.gz", text)
    with pytest.raises(
        InputError, match=r"RLdata500.csv.gz cannot be read .*; fetch it"
    ) as error_info:
        load_dedup("RLdata500", tmp_path)
    assert message in str(error_info.value)


def test_damaged_publications_are_reported_with_the_line(tmp_path):
    write(tmp_path, "aminer_names", "publications.csv.gz", f"{PUBLICATIONS}C,test\n")
    with pytest.raises(InputError, match=r"publications.csv.gz cannot be read \(line 5: the row"):
        load_aminer_names(tmp_path)
