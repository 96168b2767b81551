"""The readers of citations and of USPS digits, on the real corpora and on tiny folders."""

import csv
import gzip
from collections import Counter
from functools import cache

import numpy as np
import pytest

from coterie import Partition
from coterie.exceptions import InputError, ItemSetError
from coterie_papers.corpora import load_cora_ksf, load_cora_refs, load_usps

LOADERS = {"cora_refs": load_cora_refs, "cora_ksf": load_cora_ksf}
NAMES = {"cora_refs": ("fahl", "kibl", "utgo"), "cora_ksf": ("kearns", "schapire", "freund")}
LABELS = {"cora_refs": ("item_set", "gold_cluster"), "cora_ksf": ("author_set", "cluster")}
# The READMEs' figures: citations and publications.
SIZES = {
    "cora_refs": [(529, 65), (594, 45), (756, 72)],
    "cora_ksf": [(658, 47), (309, 38), (325, 25)],
}
# Numbers of images of the digits 0 to 9, in both halves of the file.
DIGITS = np.array([1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]) + np.array(
    [359, 264, 198, 166, 200, 160, 170, 147, 166, 177]
)
SPLITS = {"train": [0, 2, 4, 6, 7], "test": [1, 3, 5, 8, 9]}


@pytest.fixture(params=sorted(LOADERS))
def cora(request, data_folder):
    if not (data_folder / request.param).is_dir():
        pytest.skip(f"the corpus {request.param} is missing from COTERIE_DATA")
    return request.param, data_folder


@pytest.fixture
def usps(data_folder):
    if not (data_folder / "usps").is_dir():
        pytest.skip("the corpus usps is missing from COTERIE_DATA")
    return data_folder


@cache
def corpus_of(name, folder):
    return LOADERS[name](folder)


def raw(name, folder):
    path = folder / name / "citations.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


# Citations.


def test_citations_have_the_sizes_in_the_readme(cora):
    item_sets, partitions = corpus_of(*cora)
    sizes = [(len(items), t.n_clusters) for items, t in zip(item_sets, partitions, strict=True)]
    assert sizes == SIZES[cora[0]]
    pairs = sum(int(truth.together(None).sum()) for truth in partitions)
    # The README of cora_ksf counts all of them, also the pair among the three that are left out.
    assert pairs == {"cora_refs": 64_578, "cora_ksf": 17_184 - 1}[cora[0]]
    assert all(not items.ordered and items.n_clusters is None for items in item_sets)


def test_citations_agree_with_the_file(cora):
    rows = raw(*cora)
    where, cluster = LABELS[cora[0]]
    for name, item_set, truth in zip(NAMES[cora[0]], *corpus_of(*cora), strict=True):
        set_rows = [row for row in rows if row[where] == name]
        assert item_set.ids == tuple(int(row["id"]) for row in set_rows)
        assert truth == Partition([row[cluster] for row in set_rows])
        for column in set(item_set.items) - {"venue", "year"}:
            assert item_set.items[column] == tuple(row[column] or None for row in set_rows)


def test_venues_and_years_have_one_column(cora):
    for item_set in corpus_of(*cora).item_sets:
        columns = item_set.items
        assert {"title", "author", "venue", "year"} <= set(columns)
        for number in range(len(item_set)):
            for column, sources in {
                "venue": ("booktitle", "journal", "tech", "institution"),
                "year": ("year", "date"),
            }.items():
                if sources[-1] in columns and cora[0] == "cora_refs":
                    values = [columns[source][number] for source in sources]
                    assert columns[column][number] == next(filter(None, values), None)
        assert sum(venue is None for venue in columns["venue"]) < 0.2 * len(item_set)


def test_a_fold_has_one_item_set(cora):
    name, folder = cora
    for fold, (item_set, truth) in enumerate(zip(*corpus_of(name, folder), strict=True)):
        (alone,), (same,) = LOADERS[name](folder, fold)
        assert alone.ids == item_set.ids
        assert same == truth


def write(folder, name, rows):
    """Write citations, which are mappings of columns to values."""
    corpus_folder = folder / name
    corpus_folder.mkdir(exist_ok=True)
    where, cluster = LABELS[name]
    fields = "text,author,title,venue,booktitle,journal,volume,pages,year,date,month,publisher"
    columns = ["id", where, cluster, *fields.split(","), "address"]
    columns += ["institution", "tech", "type", "editor", "note"]
    with gzip.open(corpus_folder / "citations.csv.gz", "wt", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, columns, restval="")
        table.writeheader()
        table.writerows(rows)
    return folder


def test_a_tiny_folder_of_references(tmp_path):
    rows = [
        {"id": 7, "item_set": "kibl", "gold_cluster": "a", "booktitle": "B", "journal": "J"},
        {"id": 5, "item_set": "fahl", "gold_cluster": "b", "journal": "J", "year": "1990."},
        {"id": 3, "item_set": "kibl", "gold_cluster": "c", "institution": "I", "date": "May 1991"},
        {"id": 4, "item_set": "kibl", "gold_cluster": "a", "tech": "T", "institution": "I"},
        {"id": 9, "item_set": "kibl", "gold_cluster": "d", "title": 'Żółć, "quoted"'},
    ]
    (item_set,), (truth,) = load_cora_refs(write(tmp_path, "cora_refs", rows), 1)
    assert item_set.ids == (7, 3, 4, 9)
    assert truth == Partition([0, 1, 0, 2])
    assert item_set.items["venue"] == ("B", "I", "T", None)
    assert item_set.items["year"] == (None, "May 1991", None, None)
    assert item_set.items["title"] == (None, None, None, 'Żółć, "quoted"')
    with pytest.raises(
        InputError, match=r"citations.csv.gz cannot be read \(the rows of the item set 'utgo' are"
    ):
        load_cora_refs(tmp_path)


def test_other_authors_are_left_out(tmp_path):
    names = ["freund", "other", "schapire", "kearns", "freund"]
    rows = [{"id": n, "author_set": name, "cluster": n % 3} for n, name in enumerate(names)]
    item_sets, partitions = load_cora_ksf(write(tmp_path, "cora_ksf", rows))
    assert [item_set.ids for item_set in item_sets] == [(3,), (2,), (0, 4)]
    assert partitions[2] == Partition([0, 1])


@pytest.mark.parametrize("load", LOADERS.values())
@pytest.mark.parametrize("split", [3, -1, "train", True, 0.0])
def test_other_folds_are_refused_before_reading(load, split):
    with pytest.raises(InputError, match="give the index of a fold, 0 to 2, or None for all"):
        load("nowhere", split)


def test_damaged_citations_are_reported(tmp_path):
    rows = [{"id": "x", "author_set": "kearns", "cluster": 1}]
    with pytest.raises(InputError, match=r"citations.csv.gz cannot be read .*invalid literal"):
        load_cora_ksf(write(tmp_path, "cora_ksf", rows), 0)
    twice = [{"id": 1, "author_set": "kearns", "cluster": 1}] * 2
    with pytest.raises(ItemSetError, match=r"citations.csv.gz: the id 1 occurs more than once"):
        load_cora_ksf(write(tmp_path, "cora_ksf", twice), 0)
    path = tmp_path / "cora_ksf" / "citations.csv.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"cannot be read .*; fetch it again"):
        load_cora_ksf(tmp_path)


# Digits.


def test_digits_have_the_sizes_in_the_readme(usps):
    for split, digits in SPLITS.items():
        item_sets, partitions = load_usps(usps, split, n_items=4338)
        (item_set,), (truth,) = item_sets, partitions
        sizes = np.bincount(truth.labels)
        # All images of the split that fill sets.
        assert sizes.sum() == 4338
        n_unused = DIGITS[digits].sum() - 4338
        assert np.all(np.sort(DIGITS[digits])[::-1] - np.sort(sizes)[::-1] <= n_unused)
        assert item_set.items.shape == (4338, 256)
        assert (item_set.items.min(), item_set.items.max()) == (-1.0, 1.0)
    assert sorted(sizes) == sorted(DIGITS[SPLITS["test"]])


def test_each_image_is_in_one_set_with_its_digit(usps):
    with np.load(usps / "usps" / "usps.npz") as arrays:
        images = np.concatenate([arrays["X_train"], arrays["X_test"]])
        digits = np.concatenate([arrays["y_train"], arrays["y_test"]])
    expected = Counter(image.tobytes() for image in images[np.isin(digits, SPLITS["test"])])
    digit_of_image = {image.tobytes(): digit for image, digit in zip(images, digits, strict=True)}
    item_sets, partitions = load_usps(usps, "test")
    assert len(item_sets) == 43
    image_counts = Counter()
    for item_set, truth in zip(item_sets, partitions, strict=True):
        rows = [row.tobytes() for row in np.rint(item_set.items * 1000).astype(np.int16)]
        assert truth == Partition([digit_of_image[row] for row in rows])
        image_counts.update(rows)
    assert image_counts <= expected
    assert image_counts.total() == 4300


def test_splits_and_seeds(usps):
    all_sets, train = load_usps(usps, n_items=900), load_usps(usps, "train", n_items=900)
    assert [len(all_sets.item_sets), len(train.item_sets)] == [9, 5]
    np.testing.assert_array_equal(all_sets.item_sets[4].items, train.item_sets[4].items)
    np.testing.assert_array_equal(
        all_sets.item_sets[5].items, load_usps(usps, "test", n_items=900).item_sets[0].items
    )
    other = load_usps(usps, "train", n_items=900, random_state=1)
    assert not np.array_equal(other.item_sets[0].items, train.item_sets[0].items)


def test_digits_can_be_chosen(usps):
    item_sets, partitions = load_usps(usps, digits=[0, 2])
    assert len(item_sets) == (DIGITS[0] + DIGITS[2]) // 100
    assert {truth.n_clusters for truth in partitions} == {2}
    assert {item_set.items.shape for item_set in item_sets} == {(100, 256)}
    sizes = sum(np.sort(np.bincount(truth.labels)) for truth in partitions)
    assert abs(sizes[1] - DIGITS[0]) < 100
    other = load_usps(usps, random_state=1, digits=[0, 2])
    assert not np.array_equal(other.item_sets[0].items, item_sets[0].items)


def write_images(folder, **changes):
    corpus_folder = folder / "usps"
    corpus_folder.mkdir(exist_ok=True)
    arrays = {
        "X_train": np.full((6, 256), -1000, dtype=np.int16),
        "y_train": np.array([0, 2, 1, 3, 0, 2]),
        "X_test": np.full((4, 256), 500, dtype=np.int16),
        "y_test": np.array([9, 8, 7, 6]),
    }
    np.savez(corpus_folder / "usps.npz", **(arrays | changes))
    return folder


def test_a_tiny_folder_of_digits(tmp_path):
    item_sets, partitions = load_usps(write_images(tmp_path), n_items=2)
    assert [len(item_set) for item_set in item_sets] == [2, 2, 2, 2, 2]
    assert sum(item_set.items[:, 0].sum() for item_set in item_sets) == -6 * 1.0 + 4 * 0.5
    assert all(truth.n_clusters in (1, 2) for truth in partitions)
    chosen = load_usps(tmp_path, n_items=3, digits=(7, 0))
    assert chosen.partitions[0].n_clusters == 2
    with pytest.raises(InputError, match=r"n_items is 4, but there are 3 images of the digits"):
        load_usps(tmp_path, n_items=4, digits=(7, 0))


@pytest.mark.parametrize(
    "changes",
    [
        {"X_train": np.zeros((6, 255), dtype=np.int16), "X_test": np.zeros((4, 255), np.int16)},
        {"X_test": np.zeros((4, 255), dtype=np.int16)},
        {"y_test": np.array([1])},
        {"X_test": np.zeros((4, 256))},
        {"X_train": np.array([{}], dtype=object)},
    ],
)
def test_damaged_images_are_reported(changes, tmp_path):
    with pytest.raises(InputError, match=r"usps.npz cannot be read .*; fetch it again"):
        load_usps(write_images(tmp_path, **changes), n_items=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "dev"}, "'dev'; give 'train', 'test' or None for all"),
        (
            {"split": "test", "digits": [1]},
            "split is 'test' and digits is .*; give only one of them",
        ),
        ({"digits": []}, r"digits is \[\]; give a list of digits"),
        ({"digits": [10]}, "a digit is 10; give a whole number from 0 to 9"),
        ({"digits": 3}, "digits is 3; give a list"),
        ({"n_items": 0}, "n_items is 0; give a whole number from 1 to 4338"),
        ({"n_items": 5000}, "n_items is 5000; give"),
        ({"random_state": -1}, "random_state is -1; give"),
    ],
)
def test_other_arguments_are_refused_before_reading(arguments, message):
    with pytest.raises(InputError, match=message):
        load_usps("nowhere", **arguments)


@pytest.mark.parametrize("load", [load_usps, load_cora_refs, load_cora_ksf])
def test_a_missing_corpus_is_reported(load, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"COTERIE_DATA") as error_info:
        load()
    assert str(tmp_path) in str(error_info.value)
    assert "on GitHub" in str(error_info.value)
