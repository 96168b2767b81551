"""Must-link and cannot-link pairs: read by id, and refused with their chain of links."""

import gzip
import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from coterie._core.texts import quote
from coterie.clusterers.constraints import refuse_contradictions
from coterie.exceptions import InputError
from coterie.tables.constraints import PairFile, as_links

IDS = ["a", "b", "c,d", "04"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b'a,b\n04,"c,d"\n'),
        ("t.csv", b'one,two\na,b\n\n04,"c,d"\n'),
        ("t.tsv", b"one\ttwo\na\tb\n04\tc,d\n"),
        ("t.csv.gz", gzip.compress(b'a,b\n04,"c,d"\n', mtime=0)),
        ("t.jsonl", b'{"x": "a", "y": "b"}\n{"y": "c,d", "x": "04"}\n'),
    ],
)
def test_a_header_is_optional(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert as_links(PairFile(tmp_path / name), IDS) == [(0, 1), (3, 2)]


def test_ids_in_parquet_may_be_numbers(tmp_path):
    parquet.write_table(pa.table({"x": [7, 8], "y": [8.0, 9.0]}), tmp_path / "t.parquet")
    assert as_links(PairFile(tmp_path / "t.parquet"), ["9", "8", "7"]) == [(2, 1), (1, 0)]
    with pytest.raises(InputError, match=r"t.parquet: row 1 has the id 9, but no row has this id"):
        as_links(PairFile(tmp_path / "t.parquet"), ["8", "7"])


def test_a_header_alone_has_no_links(tmp_path):
    (tmp_path / "t.csv").write_text("one,two\n")
    assert as_links(PairFile(tmp_path / "t.csv"), IDS) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "the file is empty"),
        ("t.csv", "one,two\na,b\na,x\n", "line 3 has the id x, but no row has this id"),
        ("t.csv", '"one\n",two\na,b\n\na,4\n', "line 5 has the id 4, but no row has this id"),
        ("t.csv", "a,B\n", "line 1 has the id B"),
        ("t.csv", "a,\n", "line 1 has the id '', but"),
        ("t.csv", "a,b\na,b,a\n", "line 2 has 3 cells; give two ids per row"),
        ("t.csv", "a\n", "line 1 has 1 cell; give two ids per row"),
        ("t.csv", 'a,b\na,"b\n', "line 2 has an opening quote without a closing one"),
        ("t.jsonl", '{"x": "a", "y": "b"}\n\n{"x": "a"}\n', "line 3 has the id ''"),
        ("t.jsonl", '{"x": "a"}\n', "the table has 1 column; give two ids per row"),
        ("t.csv", f"a,{'x' * 99}\n", "the id x{39}…, but"),
    ],
)
def test_errors_of_bad_files_name_the_line(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: .*{message}") as caught:
        as_links(PairFile(tmp_path / name), IDS)
    assert "\n" not in str(caught.value)


def test_ids_are_compared_as_text():
    pairs = [(1, "2"), (np.int64(3), 2.0), np.array([1, 3])]
    assert as_links(pairs, [1, 2, "3"]) == [(0, 1), (2, 1), (0, 2)]
    assert as_links((), []) == []


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b"), ("a", "x")], "pair 1 has the id x"),
        ([("a", "b", "04")], "pair 0 is .*, not two ids; give a list of pairs"),
        (["ab"], "pair 0 is 'ab', not two ids; give a list of pairs"),
        ([7], "pair 0 is 7, not two ids; give a list of pairs"),
        ([("a", b"b")], "pair 0: an id is bytes; decode"),
    ],
)
def test_errors_name_the_bad_pair(pairs, message):
    with pytest.raises(InputError, match=message):
        as_links(pairs, IDS)


def test_ids_must_differ():
    with pytest.raises(InputError, match="rows 0 and 2 have the same id a; "):
        as_links([], ["a", "b", "a"])


LETTERS = [chr(97 + i) for i in range(26)]


def refuse(together, apart, ids):
    """Refuse contradictions as `TableModel.cluster` does."""
    pairs = (np.array(links, dtype=np.intp).reshape(-1, 2) for links in (together, apart))
    refuse_contradictions(*pairs, len(ids), lambda row: quote(ids[row]))


def pairs_of_letters(*texts):
    return [(LETTERS.index(one), LETTERS.index(two)) for one, two in texts]


@pytest.mark.parametrize(
    ("together", "apart", "message"),
    [
        (
            ["ab", "bc", "cd"],
            ["xy", "ad"],
            "a and d are a cannot-link pair, but .*: a = b = c = d;",
        ),
        (["ba", "cb", "cd", "bd"], ["da"], "d and a are a cannot-link pair, but .*: d = b = a;"),
        (
            ["ab", "bc", "cd", "de", "ea"],
            ["ac"],
            "a and c are a cannot-link pair, but .*: a = b = c;",
        ),
        (["ab", "ba"], ["ab"], "must-link pairs connect them: a = b; drop one of"),
        ([], ["xy", "cc"], "c is in a cannot-link pair with itself"),
        (
            [f"{one}{two}" for one, two in pairwise(LETTERS)],
            ["az"],
            r"them: a = b = c = d = e = f = … \(14 more\) … = u = v = w = x = y = z;",
        ),
    ],
)
def test_a_contradiction_names_its_chain(together, apart, message):
    with pytest.raises(InputError, match=message):
        refuse(pairs_of_letters(*together), pairs_of_letters(*apart), LETTERS)


def test_a_chain_of_twelve_rows_is_shown_in_full():
    path = pairs_of_letters(*(f"{one}{two}" for one, two in pairwise(LETTERS[:12])))
    with pytest.raises(InputError, match=" = ".join(LETTERS[:12])):
        refuse(path, [(0, 11)], LETTERS)


def test_ids_are_shown_in_one_line():
    with pytest.raises(InputError, match=r"^'a\\n' and ' ' are .*: 'a\\n' = ' ';"):
        refuse([(0, 1)], [(0, 1)], ["a\n", " "])


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=7)


def distances(links):
    """Compute the lengths of shortest paths between six items by squaring a matrix."""
    steps = np.full((6, 6), np.inf)
    np.fill_diagonal(steps, 0)
    for one, two in links:
        steps[one, two] = steps[two, one] = min(steps[one, two], 1)
    for _ in range(3):
        steps = np.min(steps[:, :, None] + steps[None], axis=1)
    return steps


@given(PAIRS, PAIRS)
def test_contradictions_are_explained_by_the_shortest_chain(together, apart):
    steps = distances(together)
    bad = [pair for pair in apart if np.isfinite(steps[pair])]
    if not bad:
        refuse(together, apart, LETTERS)
        return
    with pytest.raises(InputError) as caught:
        refuse(together, apart, LETTERS)
    message = str(caught.value)
    one, two = bad[0]
    if one == two:
        assert message.startswith(f"{LETTERS[one]} is in a cannot-link pair with itself")
        return
    chain = [LETTERS.index(x) for x in re.search("them: (.*); drop", message)[1].split(" = ")]
    assert (chain[0], chain[-1]) == (one, two)
    assert len(chain) - 1 == steps[one, two]
    links = {frozenset(pair) for pair in together}
    assert all(frozenset(pair) in links for pair in pairwise(chain))
