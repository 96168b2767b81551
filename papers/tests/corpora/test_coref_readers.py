"""The readers of mentions, on the real corpora and on tiny folders."""

import gzip
import json
from collections import Counter
from functools import cache

import pytest

from coterie import Partition
from coterie.datasets.corpus import refuse_other_folds, refuse_other_splits
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie_papers.corpora.folder import map_json_lines, reading
from coterie_papers.corpora.gum import (
    GUM_GENRES,
    gum_genre,
    load_gum_mentions,
    load_ontogum_mentions,
)
from coterie_papers.corpora.litbank import load_litbank_coref
from coterie_papers.corpora.mention_columns import quotation_numbers

TEXT_COLUMNS = ["text", "start", "end", "sentence", "position", "before", "after", "turn", "quoted"]
SYNTAX = ["head", "lemma", "name", "upos", "number", "gender", "role", "governor"]


@cache
def read_once(load, folder):
    """Read a corpus once for all tests that use it."""
    return load(folder)


@pytest.fixture
def gum_folder(data_folder):
    if not (data_folder / "gum_coref").is_dir():
        pytest.skip("the corpus gum_coref is missing from COTERIE_DATA")
    return data_folder


@pytest.fixture
def litbank_folder(data_folder):
    if not (data_folder / "litbank_coref").is_dir():
        pytest.skip("the corpus litbank_coref is missing from COTERIE_DATA")
    return data_folder


def counts(corpus):
    item_sets, partitions = corpus
    assert [len(item_set) for item_set in item_sets] == list(map(len, partitions))
    return len(item_sets), sum(map(len, partitions)), sum(p.n_clusters for p in partitions)


def raw(folder):
    with gzip.open(folder / "gum_coref" / "gum.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_gum_has_the_sizes_in_its_readme(gum_folder):
    corpus = read_once(load_gum_mentions, gum_folder)
    assert counts(corpus) == (222, 60_940, 32_512)
    assert {gum_genre(item_set) for item_set in corpus.item_sets} == set(GUM_GENRES)
    for item_set in corpus.item_sets:
        assert item_set.ordered
        assert list(item_set.items) == [*TEXT_COLUMNS, "speaker", *SYNTAX]
        spans = list(zip(item_set.items["start"], [-e for e in item_set.items["end"]], strict=True))
        assert spans == sorted(set(spans))


def test_gum_has_its_official_split_and_genres(gum_folder):
    corpus = load_gum_mentions(gum_folder, "dev")
    assert counts(corpus) == (28, 7_308, 3_751)
    records = {record["doc"]: record for record in read_once(raw, gum_folder)}
    parts = Counter(record["split"] for record in records.values())
    assert parts == {"train": 166, "dev": 28, "test": 28}
    for item_set, truth in zip(*corpus, strict=True):
        record = records[item_set.ids[0].split(":")[0]]
        assert record["split"] == "dev"
        assert gum_genre(item_set) == record["genre"]
        assert truth == Partition([mention["cluster"] for mention in record["mentions"]])


def test_no_column_leaks_the_answer(gum_folder):
    """The values of the fields that were annotated with coreference are in no column."""
    item_sets = read_once(load_gum_mentions, gum_folder).item_sets
    for record, item_set in zip(read_once(raw, gum_folder)[:30], item_sets, strict=False):
        assert item_set.ids[0].startswith(record["doc"])
        for field in ("infstat", "salience", "link", "wiki", "etype", "cluster"):
            secret = [mention[field] for mention in record["mentions"]]
            assert all(list(column) != secret for column in item_set.items.values())


def test_ontogum_has_the_spans_of_its_file(gum_folder):
    corpus = read_once(load_ontogum_mentions, gum_folder)
    assert counts(corpus) == (222, 27_682, 6_463)
    has_syntax = [upos != "" for item_set in corpus.item_sets for upos in item_set.items["upos"]]
    assert sum(has_syntax) == 26_577
    # The README of the corpus promises none, but ten clusters have one mention.
    assert sum((truth.sizes == 1).sum() for truth in corpus.partitions) == 10


def test_litbank_has_the_sizes_in_its_readme(litbank_folder):
    corpus = read_once(load_litbank_coref, litbank_folder)
    assert counts(corpus) == (100, 29_094, 7_235)
    assert all(list(i.items) == [*TEXT_COLUMNS, "form"] for i in corpus.item_sets)
    assert all(item_set.ordered for item_set in corpus.item_sets)
    fold = load_litbank_coref(litbank_folder, 9)
    assert len(fold.item_sets) == 10
    assert {i.ids[0] for i in fold.item_sets} < {i.ids[0] for i in corpus.item_sets}


def mention(start, end, cluster, sentence=0, **changes):
    syntax = {"head": "x", "head_lemma": "x", "name": None, "upos": "NOUN", "deprel": "obj"}
    secret = {"infstat": "new", "salience": "n", "link": "sgl", "wiki": None, "etype": "person"}
    fields = {"s": start, "e": end, "sent": sentence, "cluster": cluster, "text": "never read"}
    return fields | syntax | {"gov": None, "feats": {}, "form": "NOM"} | secret | changes


SENTS = [["Ann", "saw", "Bo", "."], ['"', "She", "saw", "him", '"', "said", "Bo"]]
MENTIONS = [
    mention(0, 0, 5, upos="PROPN", name="Ann", feats={"Number": "Sing", "Gender": "Fem"}),
    mention(2, 2, 7, gov="see"),
    mention(5, 5, 5, 1),
    mention(10, 10, 7, 1),
]
RECORD = {
    "doc": "GUM_news_ann", "genre": "news", "split": "dev", "fold": 3, "sents": SENTS,
    "speakers": ["", "Ann"], "mentions": MENTIONS,
}  # fmt: skip
BRACKETS = ["(1)", "_", "_", "_", "_", "(1)", "(2(1)", "_", "_", "_", "2)"]


def write(folder, records, brackets=BRACKETS):
    """Write tiny corpora of all three kinds."""
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    rows = "".join(f"{number}\tx\t{column}\n" for number, column in enumerate(brackets))
    document = f"# begin document \n{rows}\n# end document\n"
    for name, file, text in (
        ("gum_coref", "gum.jsonl.gz", lines),
        ("gum_coref", "ontogum.conll.gz", document * len(records)),
        ("litbank_coref", "litbank.jsonl.gz", lines),
    ):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / file).write_bytes(gzip.compress(text.encode(), mtime=0))
    return folder


def test_a_tiny_gum(tmp_path):
    other = RECORD | {"doc": "GUM_bio_bo", "genre": "bio", "split": "test", "speakers": None}
    item_sets, partitions = load_gum_mentions(write(tmp_path, [RECORD, other]))
    items = item_sets[0].items
    assert items["text"] == ("Ann", "Bo", "She", "Bo")
    assert items["start"] == (0, 2, 5, 10)
    assert items["sentence"] == (0, 0, 1, 1)
    assert items["before"] == ("", "saw", '"', "said")
    assert items["after"] == ("saw", ".", "saw", "")
    assert items["turn"] == (0, 0, 1, 1)
    assert items["quoted"] == (0, 0, 1, 0)
    assert items["speaker"] == ("", "", "Ann", "Ann")
    assert items["gender"] == ("Fem", "", "", "")
    assert items["governor"] == ("", "see", "", "")
    assert item_sets[1].items["speaker"] == ("", "", "", "")
    assert partitions[0] == Partition([0, 1, 0, 1])
    assert [gum_genre(item_set) for item_set in item_sets] == ["news", "bio"]
    assert load_gum_mentions(tmp_path, "dev", "bio") == ([], [])
    assert load_gum_mentions(tmp_path, "test", "bio").partitions == partitions[1:]


def test_a_tiny_ontogum(tmp_path):
    [item_set], [truth] = load_ontogum_mentions(write(tmp_path, [RECORD]))
    assert item_set.items["text"] == ("Ann", "She", 'saw him " said Bo', "saw")
    assert item_set.items["upos"] == ("PROPN", "NOUN", "", "")
    assert item_set.items["head"] == ("x", "x", "", "")
    assert truth == Partition([0, 0, 1, 0])


def test_a_tiny_litbank(tmp_path):
    [item_set], [truth] = load_litbank_coref(write(tmp_path, [RECORD]), split=3)
    assert item_set.items["form"] == ("NOM",) * 4
    assert truth == Partition([0, 1, 0, 1])
    assert load_litbank_coref(tmp_path, split=4) == ([], [])


def test_quotations_are_numbered():
    assert quotation_numbers(list("“a”b“c")) == [1, 1, 1, 0, 2, 2]
    assert quotation_numbers(list('a"b"c"d"')) == [0, 1, 1, 1, 0, 2, 2, 2]
    assert quotation_numbers(list("a”b")) == [0, 0, 0]
    assert quotation_numbers([]) == []


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: load_gum_mentions("x", "val"), "'val'; give 'train', 'dev', 'test' or None"),
        (lambda: load_gum_mentions("x", genre="rap"), r"genre is 'rap'; give one of academic, bio"),
        (lambda: load_ontogum_mentions("x", "val"), "give 'train', 'dev', 'test' or None for all"),
        (lambda: load_litbank_coref("x", 10), "split is 10; give the index of a fold, 0 to 9"),
        (lambda: load_litbank_coref("x", "test"), "split is 'test'; give the index of a fold"),
        (lambda: load_litbank_coref("x", True), "split is True; give the index of a fold"),
        (lambda: load_gum_mentions("x"), r"lacks gum.jsonl.gz .* made from the GUM corpus"),
        (lambda: load_ontogum_mentions("x"), r"lacks gum.jsonl.gz \(.* and ontogum.conll.gz \("),
        (lambda: load_litbank_coref("x"), r"lacks litbank.jsonl.gz .* made from the LitB"),
        (lambda: gum_genre(ItemSet([[1.0]])), "first id is '', which is not the id of a GUM doc"),
        (lambda: gum_genre(ItemSet([[1.0]], ids=["GUM_rap_x:0"])), "first id is 'GUM_rap_x:0'"),
    ],
)
def test_bad_input_is_refused(load, message):
    with pytest.raises(InputError, match=message):
        load()


@pytest.mark.parametrize("load", [load_gum_mentions, load_litbank_coref])
@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, r"jsonl.gz cannot be read \(line 2: '(split|fold)' is missing\); fetch it again"),
        (RECORD | {"mentions": [{"s": 0}]}, r"line 2: 'e' is missing"),
        (RECORD | {"mentions": [mention(99, 99, 0)]}, "line 2: list index out of range"),
        (RECORD | {"sents": None}, "line 2: 'NoneType' object is not iterable"),
        ([], "line 2: the line holds a list, not a JSON object"),
    ],
)
def test_damages_are_named_by_file_and_line(load, record, message, tmp_path):
    write(tmp_path, [RECORD, record])
    with pytest.raises(InputError, match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("brackets", "message"),
    [
        (
            BRACKETS[:-1],
            r"ontogum.conll.gz cannot be read|GUM_news_ann has 11 tokens in gum.jsonl.gz, but 10",
        ),
        (["1)"], r"ontogum.conll.gz cannot be read \(token 0: a mention of cluster 1 ends, b"),
        (["a\tb"], r"ontogum.conll.gz cannot be read \(line \d+: too many values"),
        (
            ["_"],
            r"line 1: GUM_news_ann has 11 tokens in gum.jsonl.gz, but 1 in ontogum.conll.gz; ",
        ),
    ],
)
def test_damages_of_ontogum_are_named(brackets, message, tmp_path):
    write(tmp_path, [RECORD], brackets)
    with pytest.raises(InputError, match=message):
        load_ontogum_mentions(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b'{"a": 1}\n{"a"', mtime=0), "line 2: Expecting ':' delimiter"),
        (gzip.compress(b'{"a": 1}\n\xff', mtime=0), "can't decode byte 0xff"),
        (gzip.compress(b'{"a": 1}\n' * 99, mtime=0)[:-9], "Compressed file ended before"),
        (b"no archive", "Not a gzipped file"),
        (gzip.compress(b"[" * 100_000, mtime=0), "line 1: maximum recursion depth"),
    ],
)
def test_damaged_json_lines(content, message, tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.jsonl\.gz cannot be read .*{message}.*fetch it"):
        list(map_json_lines(tmp_path / "a.jsonl.gz", dict))


def test_json_lines_can_be_compressed(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": "é"}\n{"a": 2}\n', encoding="utf-8")
    (tmp_path / "a.jsonl.gz").write_bytes(
        gzip.compress((tmp_path / "a.jsonl").read_bytes(), mtime=0)
    )
    for name in ("a.jsonl", "a.jsonl.gz"):
        assert list(map_json_lines(tmp_path / name, dict)) == [{"a": "é"}, {"a": 2}]
    assert list(map_json_lines(tmp_path / "a.jsonl", lambda record: record["a"])) == ["é", 2]


@pytest.mark.parametrize("error", [MemoryError, AttributeError, RecursionError])
def test_errors_of_damaged_values_name_the_file(error, tmp_path):
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")

    def fail(_):
        raise error

    with pytest.raises(InputError, match=rf"a.jsonl cannot be read \(line 1: {error.__name__}\)"):
        list(map_json_lines(tmp_path / "a.jsonl", fail))
    message = rf"a.npz cannot be read \({error.__name__}\); fetch it again"
    with pytest.raises(InputError, match=message), reading(tmp_path / "a.npz"):
        fail(None)


def test_errors_of_coterie_keep_their_type(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": [1, 2]}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a.jsonl: line 1: row 1 "):
        list(map_json_lines(tmp_path / "a.jsonl", lambda record: ItemSet([record["a"], [1]])))


def test_valid_splits_are_accepted():
    refuse_other_splits("dev", ("train", "dev"))
    refuse_other_splits(None)
    refuse_other_folds(0, n_folds=1)
    refuse_other_folds(None, n_folds=1)
