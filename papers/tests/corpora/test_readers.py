"""The readers of public corpora, on the real corpora and on tiny folders."""

import csv
from pathlib import Path

import numpy as np
import pytest

from coterie import Partition
from coterie.exceptions import FeatureError, InputError
from coterie.metrics import pair_loss
from coterie_papers import corpora
from coterie_papers.corpora import folder as folder_module

LOADERS = {"gum_coref": corpora.load_gum_coref, "news_ecbplus": corpora.load_news_ecbplus}
FILES = {
    "gum_coref": ("muc6_like_split.csv", "muc6_like_pairs.npz"),
    "news_ecbplus": ("item_sets.csv", "pairwise30.npz"),
}


def corpus_of(data_folder, name):
    if not (data_folder / name).is_dir():
        pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    return data_folder / name


def default_loss(partitions):
    return np.mean([pair_loss(truth, range(len(truth))) for truth in partitions])


def test_gum_has_the_sizes_in_its_readme(data_folder):
    corpus_of(data_folder, "gum_coref")
    item_sets, partitions = corpora.load_gum_coref(data_folder)
    assert len(item_sets) == len(partitions) == 60
    assert sum(item_set.items.features.shape[0] for item_set in item_sets) == 1_978_713
    assert {item_set.items.features.shape[1] for item_set in item_sets} == {52}
    assert all(item_set.ordered and item_set.ids is None for item_set in item_sets)
    assert round(np.mean([truth.n_clusters for truth in partitions])) == 148
    mentions = sum(map(len, partitions))
    assert mentions / sum(truth.n_clusters for truth in partitions) == pytest.approx(1.64, abs=5e-3)


def test_gum_has_the_documents_in_the_order_of_the_file(data_folder):
    folder = corpus_of(data_folder, "gum_coref")
    with (folder / "muc6_like_split.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for split in ("train", "test"):
        item_sets, partitions = corpora.load_gum_coref(data_folder, split)
        expected = [(int(r["mentions"]), int(r["clusters"])) for r in rows if r["part"] == split]
        sizes = [
            (len(items), truth.n_clusters)
            for items, truth in zip(item_sets, partitions, strict=True)
        ]
        assert len(sizes) == 30
        assert sizes == expected
    assert default_loss(partitions) == pytest.approx(2.08, abs=5e-3)


def test_gum_features_do_not_leak_the_answer(data_folder):
    """The bits are read one by one, without NumPy's unpacking."""
    folder = corpus_of(data_folder, "gum_coref")
    features = corpora.load_gum_coref(data_folder, "train").item_sets[0].items.features
    assert features.dtype == np.float64
    with np.load(folder / "muc6_like_pairs.npz") as arrays:
        packed = arrays["B_GUM_academic_art"]
        distances = arrays["D_GUM_academic_art"]
        names = arrays["feature_names"].tolist()
    columns = [n for n, name in enumerate(names) if "etype" not in name and "_type" not in name]
    columns.remove(names.index("constant"))
    assert len(columns) == 50
    for row in (0, 1, 5000, len(packed) - 1):
        bits = [packed[row, n // 8] >> (7 - n % 8) & 1 for n in columns]
        spread = [np.log(1 + int(distance)) / 2 for distance in distances[row]]
        np.testing.assert_allclose(features[[row]].toarray()[0], bits + spread, rtol=1e-12)


def test_news_has_the_sizes_in_its_readme(data_folder):
    corpus_of(data_folder, "news_ecbplus")
    item_sets, partitions = corpora.load_news_ecbplus(data_folder)
    assert [truth.n_clusters for truth in partitions] == [10] * 8 + [6]
    assert min(map(len, item_sets)) == 79
    assert max(map(len, item_sets)) == 126
    assert max(truth.sizes.max() for truth in partitions) <= 15
    for item_set in item_sets:
        features = item_set.items.features
        assert features.dtype == np.float64
        assert features.shape[1] == 30
        assert features.min() >= 0
        assert features.max() <= 1
        assert not item_set.ordered
        assert item_set.n_clusters is None


def test_news_has_the_ids_of_its_articles(data_folder):
    folder = corpus_of(data_folder, "news_ecbplus")
    with (folder / "item_sets.csv").open(encoding="utf-8", newline="") as lines:
        stories = {row["doc"]: row["story"] for row in csv.DictReader(lines)}
    train = corpora.load_news_ecbplus(data_folder, "train")
    test = corpora.load_news_ecbplus(data_folder, "test")
    assert (len(train.item_sets), len(test.item_sets)) == (5, 4)
    assert default_loss(test.partitions) == pytest.approx(11.3, abs=0.05)
    for corpus in (train, test):
        for item_set, truth in zip(*corpus, strict=True):
            assert truth == Partition([stories[doc] for doc in item_set.ids])


def write_gum(folder, rows=3):
    """Write one document of three noun phrases for training and one for tests."""
    corpus_folder = folder / "gum_coref"
    corpus_folder.mkdir(parents=True)
    (corpus_folder / FILES["gum_coref"][0]).write_text(
        "doc,part,mentions,clusters\na,train,3,2\nb,test,3,1\n", encoding="utf-8"
    )
    names = np.array(["head_match", "etype_agree", "same_sentence", "constant"])
    bits = np.array([[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]], dtype=np.uint8)
    arrays = {"feature_names": names}
    for doc, labels in {"a": [4, 7, 4], "b": [1, 1, 1]}.items():
        arrays |= {f"B_{doc}": np.packbits(bits, axis=1)[:rows], f"y_{doc}": np.array(labels)}
        arrays |= {f"D_{doc}": np.array([[0, 1], [3, 2], [255, 1]], dtype=np.uint8)[:rows]}
    np.savez(corpus_folder / FILES["gum_coref"][1], **arrays)
    return folder


def write_news(folder):
    """Write one set of two articles for tests."""
    corpus_folder = folder / "news_ecbplus"
    corpus_folder.mkdir(parents=True)
    (corpus_folder / FILES["news_ecbplus"][0]).write_text(
        "item_set,part,doc,story\n7,test,x,s\n7,test,y,t\n", encoding="utf-8"
    )
    np.savez(
        corpus_folder / FILES["news_ecbplus"][1],
        phi_7=np.array([[65535, 0, 13107]], dtype=np.uint16),
        y_7=np.array([3, 1]),
        docs_7=np.array(["x", "y"]),
    )
    return folder


def test_a_tiny_gum(tmp_path):
    item_sets, partitions = corpora.load_gum_coref(write_gum(tmp_path))
    assert [truth.labels.tolist() for truth in partitions] == [[0, 1, 0], [0, 0, 0]]
    expected = [[1, 0, 0, 1], [0, 1, 3, 2], [1, 0, 255, 1]]
    half_logs = np.hstack([np.array(expected)[:, :2], np.log1p(np.array(expected)[:, 2:]) / 2])
    np.testing.assert_allclose(item_sets[1].items.features.toarray(), half_logs)
    assert len(corpora.load_gum_coref(tmp_path, "test").item_sets) == 1


def test_a_tiny_news(tmp_path):
    item_sets, partitions = corpora.load_news_ecbplus(str(write_news(tmp_path)))
    assert item_sets[0].items.features.tolist() == [[1.0, 0.0, 0.2]]
    assert item_sets[0].ids == ("x", "y")
    assert partitions[0].n_clusters == 2
    assert corpora.load_news_ecbplus(tmp_path, "train") == ([], [])


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_corpus_is_reported(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError) as error_info:
        LOADERS[name]()
    for part in (str(tmp_path / name), *FILES[name], "COTERIE_DATA", "on GitHub"):
        assert part in str(error_info.value)


@pytest.mark.parametrize("name", LOADERS)
def test_only_missing_files_are_named(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / FILES[name][0]).touch()
    with pytest.raises(InputError, match=rf"lacks {FILES[name][1]} \(NumPy arrays: "):
        LOADERS[name](tmp_path)


@pytest.mark.parametrize("name", LOADERS)
def test_other_splits_are_refused_before_reading(name):
    with pytest.raises(InputError, match=r"'dev'; give 'train', 'test' or None"):
        LOADERS[name]("nowhere", "dev")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("muc6_like_split.csv", b"doc\na\n"),
        ("muc6_like_split.csv", b'doc,part\n"a,train\n'),
        ("muc6_like_split.csv", b"doc,part\n\xff,train\n"),
        ("muc6_like_split.csv", b"doc,part\nunknown,train\n"),
        ("muc6_like_pairs.npz", b"PK\x03\x04 broken"),
        ("muc6_like_pairs.npz", b"no archive at all"),
        ("muc6_like_pairs.npz", b""),
    ],
)
def test_damaged_files_are_named(file, content, tmp_path):
    write_gum(tmp_path)
    (tmp_path / "gum_coref" / file).write_bytes(content)
    with pytest.raises(InputError, match=r"cannot be read .*; fetch it again") as error_info:
        corpora.load_gum_coref(tmp_path)
    damaged_file = "muc6_like_pairs.npz" if b"unknown" in content else file
    assert damaged_file in str(error_info.value)


def test_a_cut_archive_is_named(tmp_path):
    path = write_gum(tmp_path) / "gum_coref" / "muc6_like_pairs.npz"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InputError, match=r"muc6_like_pairs.npz cannot be read"):
        corpora.load_gum_coref(tmp_path)


def test_a_single_array_is_not_an_archive(tmp_path):
    path = write_gum(tmp_path) / "gum_coref" / "muc6_like_pairs.npz"
    with path.open("wb") as file:
        np.save(file, np.ones(3))
    with pytest.raises(InputError, match=r"muc6_like_pairs.npz cannot be read"):
        corpora.load_gum_coref(tmp_path)


def test_objects_are_never_unpickled(tmp_path):
    path = write_gum(tmp_path) / "gum_coref" / "muc6_like_pairs.npz"
    np.savez(path, feature_names=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match=r"allow_pickle=False"):
        corpora.load_gum_coref(tmp_path)


def test_pairs_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(FeatureError, match=r"muc6_like_pairs.npz: there are 2 rows"):
        corpora.load_gum_coref(write_gum(tmp_path, rows=2))


def test_the_default_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path / "named"))
    assert folder_module.default_folder() == tmp_path / "named"
    monkeypatch.setenv("COTERIE_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folder_module.default_folder() == tmp_path / "cache" / "coterie"
    monkeypatch.delenv("COTERIE_DATA")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    # The standard says that a relative path counts as none.
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    homes = {"linux": ".cache", "darwin": "Library/Caches", "win32": "AppData/Local"}
    for platform, cache in homes.items():
        monkeypatch.setattr(folder_module.sys, "platform", platform)
        assert folder_module.default_folder() == Path.home() / cache / "coterie"
