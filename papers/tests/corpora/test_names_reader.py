"""The reader of names, on the real corpus and on tiny folders."""

import csv
import gzip
from collections import Counter
from functools import cache

import numpy as np
import pytest

from coterie import Partition
from coterie.exceptions import InputError, ItemSetError
from coterie.metrics import pair_scores
from coterie_papers.corpora.folder import read_rows
from coterie_papers.corpora.names import load_entity_names, load_source_names

KINDS = ("person", "location", "organization")
# The README's table: source, kind, names, entities, distinct names, documents.
TABLE = [
    ("gum", "person", 1791, 705, 982, 153),
    ("gum", "location", 2305, 796, 876, 167),
    ("gum", "organization", 1078, 433, 483, 154),
    ("ecbplus", "person", 710, 197, 289, 390),
    ("ecbplus", "location", 187, 93, 101, 140),
    ("ecbplus", "organization", 540, 165, 220, 310),
    ("hipe2020", "person", 154, 73, 112, 40),
    ("hipe2020", "location", 487, 245, 331, 106),
    ("hipe2020", "organization", 120, 79, 102, 48),
    ("topres19th", "location", 3781, 1129, 1723, 446),
]
REFERENCE = {"person": 0.60, "location": 0.75, "organization": 0.69}
COLUMNS = "id,source,etype,name,entity,doc,split,context"


@pytest.fixture
def names_folder(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    return data_folder


@cache
def sets_of(folder, kind):
    return load_entity_names(folder, kind=kind)


def raw(folder):
    corpus_folder = folder / "entity_names"
    with gzip.open(corpus_folder / "names.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        names = {row["id"]: row for row in csv.DictReader(lines)}
    with (corpus_folder / "sets.csv").open(encoding="utf-8", newline="") as lines:
        return names, list(csv.DictReader(lines))


@pytest.mark.parametrize(("source", "kind", *"nedt"), TABLE)
def test_sources_have_the_sizes_in_the_readme(source, kind, n, e, d, t, names_folder):
    (item_set,), (truth,) = load_source_names(names_folder, source, kind)
    columns = item_set.items
    assert list(columns) == ["name", "doc", "source"]
    assert (len(item_set), truth.n_clusters) == (n, e)
    assert (len(set(columns["name"])), len(set(columns["doc"]))) == (d, t)
    assert set(columns["source"]) == {source}


@pytest.mark.parametrize("kind", KINDS)
def test_sets_have_the_sizes_in_the_readme(kind, names_folder):
    item_sets, partitions = sets_of(names_folder, kind)
    assert len(item_sets) == 6
    for item_set, truth in zip(item_sets, partitions, strict=True):
        assert 300 <= len(item_set) == len(truth) <= 303
        assert 131 <= truth.n_clusters <= 214
        assert set(item_set.items["source"]) == {"gum", "ecbplus"}
        assert item_set.n_clusters is None
        assert not item_set.ordered


@pytest.mark.parametrize("kind", KINDS)
def test_equal_names_have_the_f1_in_the_readme(kind, names_folder):
    item_sets, truths = load_entity_names(names_folder, "test", kind)
    scores_by_set = [
        pair_scores(truth, Partition([name.lower() for name in item_set.items["name"]]))
        for item_set, truth in zip(item_sets, truths, strict=True)
    ]
    assert np.mean([scores.f1 for scores in scores_by_set]) == pytest.approx(
        REFERENCE[kind], abs=0.005
    )


@pytest.mark.parametrize("kind", KINDS)
def test_sets_agree_with_the_file(kind, names_folder):
    names, rows = raw(names_folder)
    parts = [(pair, part) for pair in "123" for part in ("train", "test")]
    entities = {}
    for where, item_set, truth in zip(parts, *sets_of(names_folder, kind), strict=True):
        here = {"etype": kind, "pair": where[0], "part": where[1]}
        of_set = [row["id"] for row in rows if here.items() <= row.items()]
        assert item_set.ids == tuple(map(int, of_set))
        for column in ("name", "doc", "source"):
            assert list(item_set.items[column]) == [names[number][column] for number in of_set]
        labels = [(names[number]["source"], names[number]["entity"]) for number in of_set]
        assert truth == Partition(list(map("/".join, labels)))
        entities[where] = set(labels)
        once = Counter((names[n]["name"], names[n]["entity"], names[n]["doc"]) for n in of_set)
        assert once.most_common(1)[0][1] == 1
    assert not any(entities[pair, "train"] & entities[pair, "test"] for pair in "123")


def test_split_and_pair_choose_among_the_sets(names_folder):
    all_ids = [item_set.ids for item_set in sets_of(names_folder, "person").item_sets]

    def ids(*arguments):
        return [item_set.ids for item_set in load_entity_names(names_folder, *arguments).item_sets]

    assert ids() == all_ids
    assert ids("train") == all_ids[::2]
    assert ids("test", "person") == all_ids[1::2]
    assert ids(None, "person", 2) == all_ids[2:4]
    assert ids("test", "person", 3) == all_ids[5:]


def write(folder, names=None, sets=None):
    """Write seven names, four of them people, and one pair of sets for each of two kinds."""
    corpus_folder = folder / "entity_names"
    corpus_folder.mkdir(exist_ok=True)
    people = [
        "3,gum,person,Ann Lee,A,d1,train,",
        '4,gum,person,"Lee, Ann",A,d2,train,"a sentence, ""quoted"""',
        "5,ecbplus,person,Ann,A,d3,train,",
        "6,ecbplus,person,Bo,B,d3,train,",
    ]
    others = [
        "7,hipe2020,person,Żółć,C,d4,dev,",
        "8,topres19th,location,Bath,C,d5,test,",
        "9,gum,location,Bath,C,d5,test,",
    ]
    text = names if names is not None else "\n".join([COLUMNS, *people, *others])
    (corpus_folder / "names.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    rows = ["person,1,test,6", "location,1,train,9", "person,1,train,5"]
    rows += ["person,1,train,3", "person,1,train,4"]
    text = sets if sets is not None else "\n".join(["etype,pair,part,id", *rows])
    (corpus_folder / "sets.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_tiny_folder(tmp_path):
    item_sets, partitions = load_entity_names(write(tmp_path), pair=1)
    assert [item_set.ids for item_set in item_sets] == [(5, 3, 4), (6,)]
    assert list(item_sets[0].items["name"]) == ["Ann", "Ann Lee", "Lee, Ann"]
    assert list(item_sets[0].items["doc"]) == ["d3", "d1", "d2"]
    # The entities of two sources differ, whatever they are called.
    assert partitions == [Partition([0, 1, 1]), Partition([0])]


def test_a_tiny_source(tmp_path):
    write(tmp_path)
    (item_set,), (truth,) = load_source_names(tmp_path, "ecbplus")
    assert (item_set.ids, truth) == ((5, 6), Partition([0, 1]))
    assert list(load_source_names(str(tmp_path)).item_sets[0].items["name"]) == ["Żółć"]
    assert len(load_source_names(tmp_path, "topres19th", "location").item_sets[0]) == 1
    assert len(load_source_names(tmp_path, "gum", "organization").item_sets[0]) == 0


@pytest.mark.parametrize("load", [load_entity_names, load_source_names])
def test_a_missing_corpus_is_reported(load, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError) as error_info:
        load()
    for part in (str(tmp_path), "names.csv.gz (", "sets.csv (", "COTERIE_DATA", "on GitHub"):
        assert part in str(error_info.value)


@pytest.mark.parametrize(
    ("load", "arguments", "message"),
    [
        (load_entity_names, {"split": "dev"}, "'dev'; give 'train', 'test' or None for all"),
        (load_entity_names, {"pair": 4}, "pair is 4; give 1, 2, 3 or None"),
        (load_entity_names, {"pair": "1"}, "pair is '1'; give"),
        (load_entity_names, {"kind": "people"}, "'people'; give 'person', 'location' or 'organiz"),
        (load_entity_names, {"kind": None}, "kind is None; give"),
        (load_source_names, {"source": "ace"}, "'ace'; give 'gum', 'ecbplus', 'hipe2020' or 'top"),
        (load_source_names, {"source": None}, "source is None; give"),
        (load_source_names, {"kind": "people"}, "'hipe2020', but kind is 'people'; give 'person'"),
        (
            load_source_names,
            {"source": "topres19th", "kind": "person"},
            "the source is 'topres19th', but kind is 'person'; give 'location'$",
        ),
    ],
)
def test_other_arguments_are_refused_before_reading(load, arguments, message):
    with pytest.raises(InputError, match=message):
        load("nowhere", **arguments)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("etype,pair,part\nperson,1,train\n", "'id'"),
        ("etype,pair,part,id\nperson,1,train\n", "line 2: the row has more or fewer cells than"),
        ("etype,pair,part,id\nperson,1,train,3,3\n", "line 2: the row has more"),
        (
            "etype,pair,part,id\nperson,1,train,99\n",
            "line 2: the id 99 does not belong to a person",
        ),
        ("etype,pair,part,id\nperson,1,train,9\n", "the id 9 does not belong to a person"),
        ("etype,pair,part,id\nperson,1,train,x\n", "invalid literal"),
        ("etype,pair,part,id\nperson,1,train,3\n", "the rows of part test of pair 1 are missing"),
        ('etype,pair,part,id\nperson,1,train,"3\n', "unexpected end"),
        ("etype,pair,part,id\n", "the rows of part train of pair 1 are missing"),
        ("", "line 1: the column 'etype' is missing"),
    ],
)
def test_damaged_sets_are_reported(rows, message, tmp_path):
    with pytest.raises(
        InputError, match=r"sets.csv cannot be read .*; fetch it again"
    ) as error_info:
        load_entity_names(write(tmp_path, sets=rows), pair=1)
    assert message in str(error_info.value)


def test_a_name_is_in_a_set_once(tmp_path):
    rows = "etype,pair,part,id\nperson,1,train,3\nperson,1,train,3\n"
    with pytest.raises(ItemSetError, match=r"sets.csv: the id 3 occurs more than once"):
        load_entity_names(write(tmp_path, sets=rows), "train", pair=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,source,etype,name,doc\n3,gum,person,Ann,d1\n", "'entity'"),
        (f"{COLUMNS}\nx,gum,person,Ann,A,d1,train,\n", "line 2: invalid literal"),
        (f"{COLUMNS}\n3,gum,person,Ann\n", "line 2: the row has more or fewer cells than"),
    ],
)
@pytest.mark.parametrize("load", [load_entity_names, load_source_names])
def test_damaged_names_are_reported(load, text, message, tmp_path):
    with pytest.raises(
        InputError, match=r"names.csv.gz cannot be read .*; fetch it again"
    ) as error_info:
        load(write(tmp_path, names=text))
    assert message in str(error_info.value)


@pytest.mark.parametrize("cut", [0, 20, -9, -30])
def test_a_broken_archive_is_reported(cut, tmp_path):
    path = write(tmp_path) / "entity_names" / "names.csv.gz"
    path.write_bytes(path.read_bytes()[:cut] or b"no archive")
    with pytest.raises(InputError, match=r"names.csv.gz cannot be read .*; fetch it again"):
        load_entity_names(tmp_path, pair=1)


def test_values_keep_their_line_ends_in_compressed_files_too(tmp_path):
    text = b'a,b\r\n"x\r\ny",1\r\nz,2\r\n'
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    for name in ("t.csv", "t.csv.gz"):
        assert read_rows(tmp_path / name, ("b", "a")) == [("1", "x\r\ny"), ("2", "z")]
