import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import ItemSet, Model
from coterie.blocking import (
    AllIfSmall,
    Combined,
    NearestTexts,
    Prefix,
    QGrams,
    RareTokens,
    SortedNeighbourhood,
    Union,
    WholeValue,
    Window,
)
from coterie.blocking._keys import NEXT_FEW
from coterie.clusterers import Greedy
from coterie.exceptions import InputError
from coterie.features import GivenFeatures
from coterie.similarities import LinearSimilarity

PEOPLE = {
    "name": ["Ann Lee", "Bob", "Lee, Ann", None, "Bo", "Anne Lee"],
    "town": ["Rome", "Bari", "", "Rome", "Bari", "Pisa"],
}


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


def test_a_union_has_the_pairs_of_all_its_keys():
    keys = [WholeValue("town"), Prefix("name", 3), RareTokens("name", 3)]
    people = ItemSet(PEOPLE)
    result = Union(keys).listed(people)
    assert as_set(result.pairs) == set.union(*(as_set(key(people)) for key in keys))
    assert result.counts == tuple(len(key(people)) for key in keys)
    assert result.dropped == 0
    assert np.array_equal(result.pairs, Union(keys)(people))


@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=2, max_size=40, unique=True),
    st.integers(2, 12),
)
def test_of_large_blocks_the_next_few_are_brute_force(rows, max_block):
    table = dict(zip(["x", "y", "z"], map(list, zip(*rows, strict=True)), strict=True))
    expected, dropped = set(), 0
    for value in "abc":
        block = sorted((row, number) for number, row in enumerate(rows) if row[0] == value)
        few = len(block) if len(block) <= max_block else NEXT_FEW
        pairs = [(a, b) for a in range(len(block)) for b in range(a + 1, len(block))]
        near_pairs = [(a, b) for a, b in pairs if b - a <= few]
        expected |= {tuple(sorted((block[a][1], block[b][1]))) for a, b in near_pairs}
        dropped += len(pairs) - len(near_pairs)
    result = Union([WholeValue("x")], max_block).listed(ItemSet(table))
    assert as_set(result.pairs) == expected
    assert result.dropped == dropped


def test_what_is_left_out_is_told(caplog):
    table = ItemSet({"town": ["Rome"] * 10 + ["Bari"] * 3})
    with caplog.at_level(logging.DEBUG):
        pairs = Union([WholeValue("town")], max_block=4)(table)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("coterie.blocking", logging.WARNING)
    assert "up to 10 pairs of rows were left out" in record.getMessage()
    assert len(pairs) == 45 - 10 + 3
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        Union([WholeValue("town")], max_block=10)(table)
    assert not caplog.records


@pytest.mark.parametrize("keys", [[], WholeValue("a"), [Window(1)], [WholeValue], None])
def test_unions_are_of_keys(keys):
    with pytest.raises(InputError, match="give a list of at least one blocking key"):
        Union(keys)


def test_all_pairs_are_taken_up_to_the_limit():
    union = Union([WholeValue("town")])
    people = ItemSet(PEOPLE)
    assert AllIfSmall(union, 15)(people) is None
    assert np.array_equal(AllIfSmall(union, 14)(people), union(people))
    with pytest.raises(InputError, match="`otherwise` is 3; give a blocker"):
        AllIfSmall(3)
    with pytest.raises(InputError, match="limit is -1"):
        AllIfSmall(union, -1)


def test_unions_are_saved_with_a_model(tmp_path):
    keys = [
        Combined([Prefix("name", 2), WholeValue("town")]),
        RareTokens("name", 20),
        QGrams("name", 5, 30),
        SortedNeighbourhood("town", 3, backwards=True),
        NearestTexts(["name", "town"], 5),
    ]
    blocker = AllIfSmall(Union(keys, 300), 1000)
    model = Model(blocker, LinearSimilarity(GivenFeatures(), [1.0]), Greedy())
    model.save(tmp_path / "people.coterie")
    assert Model.load(tmp_path / "people.coterie").blocker == blocker


HOSTILE = """
import pathlib, re
from coterie import ItemSet
from coterie.blocking import *
n = 50_000
keys = [WholeValue("a"), Prefix("b", 3), RareTokens("a", 50), QGrams("b", 4, 100)]
keys += [Combined([WholeValue("a"), Prefix("b", 1)]), SortedNeighbourhood("a", 5)]
keys += [NearestTexts(["a", "b"], 10)]
same = ["John Smith, 12 High Street"] * n
for other in (same, [f"{row:05d} {row * 7919 % n}" for row in range(n)]):
    listed = Union(keys).listed(ItemSet({"a": same, "b": same, "c": other}))
    assert 0 < len(listed.pairs) < 60 * n, len(listed.pairs)
    assert listed.dropped > n * n
# Not `ru_maxrss`, which goes on from that of the process that this one was forked from.
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
def test_fifty_thousand_rows_of_one_value_take_little():
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", HOSTILE], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 1000 * 1024


def test_near_duplicates_meet_in_a_hostile_block():
    names = [f"name {row // 2:05d}" for row in range(4000)]
    shuffled = np.random.default_rng(0).permutation(4000)
    table = {"town": ["Rome"] * 4000, "name": [names[row] for row in shuffled]}
    pairs = Union([WholeValue("town")]).listed(ItemSet(table)).pairs
    twins = shuffled[pairs[:, 0]] // 2 == shuffled[pairs[:, 1]] // 2
    assert twins.sum() == 2000
    assert len(pairs) < 4000 * NEXT_FEW
