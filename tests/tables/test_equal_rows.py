"""Many equal and nearly equal rows of a table are one cluster, however the rows are ordered."""

from collections import Counter
from dataclasses import replace
from hashlib import blake2b
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.clusterers import AverageLinkage
from coterie.clusterers.together import must_link_groups
from coterie.items import ItemSet
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition
from coterie.tables import fit, row_order
from coterie.tables.equal_rows import EqualRows
from coterie.tables.links import RowConstraints
from tests.people import people

NAMES = ("given_name", "surname", "birth_date", "street", "postcode", "email")
NONE = np.empty((0, 2), dtype=np.intp)


@pytest.fixture(scope="module")
def model():
    """A model whose clusterer counts absent pairs against a join."""
    fitted = fit(people(120, 5, NAMES), "who", learner="logistic")
    assert isinstance(fitted.model.clusterer, AverageLinkage)
    assert fitted.model.clusterer.missing < 0
    return fitted


@pytest.fixture(scope="module")
def blocked(model):
    """The same model with keys and small blocks in tables of any size."""
    keys = replace(model.model.blocker.otherwise, max_block=20)
    return replace(model, model=replace(model.model, blocker=keys))


def rows_of(table):
    names = [name for name in table if name not in ("id", "who")]
    return names, list(zip(*(table[name] for name in names), strict=True))


def table_of(names, rows, *, ids=True):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return {"id": [f"i{number:05}" for number in range(len(rows))], **columns} if ids else columns


def near_copy(row, rng):
    """Change one character of one cell."""
    column = int(rng.choice([index for index, cell in enumerate(row) if len(cell) > 2]))
    cell = row[column]
    place = int(rng.integers(len(cell)))
    letters = "abcdefghijklmnopqrstuvwxyz" if cell[place].isalpha() else "0123456789"
    changed = cell[:place] + str(rng.choice(list(letters))) + cell[place + 1 :]
    return (*row[:column], changed, *row[column + 1 :])


@pytest.fixture(scope="module")
def others():
    """The rows of some records, and one of them with all cells filled in."""
    names, rows = rows_of(people(2_000, 7, NAMES))
    return names, rows, max(rows, key=lambda row: sum(map(bool, row)))


@pytest.mark.parametrize(("n_rows", "n_copies"), [(100, 300), (2_000, 1_000)])
@pytest.mark.parametrize("is_equal", [True, False])
def test_copies_and_near_copies_are_one_cluster(model, blocked, others, n_rows, n_copies, is_equal):
    names, rows, base = others
    rng = np.random.default_rng(n_copies)
    rows = [*rows[: n_rows - 1], base]
    copies = [base if is_equal else near_copy(base, rng) for _ in range(n_copies)]
    chosen = model if n_rows > 1_000 else blocked
    predicted = chosen.predict(table_of(names, [*rows, *copies]))["cluster_id"]
    assert len(set(predicted[n_rows - 1 :])) == 1
    without = chosen.predict(table_of(names, rows))["cluster_id"]
    assert abs(len(set(predicted)) - len(set(without))) <= 3


def test_a_table_of_equal_rows_is_one_cluster(model, others):
    names, _, base = others
    predicted = model.predict(table_of(names, [base] * 50_000))
    assert set(predicted["cluster_id"]) == {"i00000"}
    assert set(predicted["reason"]) == {f"{', '.join(names)} equal"}
    assert min(predicted["confidence"]) > 0.9
    assert predicted["linked_to"][:3] == ["i00001", "i00000", "i00000"]


@pytest.mark.parametrize("ids", [True, False])
def test_the_order_of_rows_changes_nothing(blocked, others, ids):
    names, rows, base = others
    rng = np.random.default_rng(0)
    all_rows = [*rows[:60], *[base] * 50, *(near_copy(base, rng) for _ in range(150))]
    table = table_of(names, all_rows)
    results = set()
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(all_rows)).tolist()
        shuffled = {name: [cells[row] for row in order] for name, cells in table.items()}
        numbers = shuffled["id"] if ids else shuffled.pop("id")
        predicted = blocked.predict(shuffled)
        if ids:
            columns = zip(*predicted.values(), strict=True)
            results.add("\n".join(sorted("\t".join(map(str, row)) for row in columns)))
        else:
            # Without ids, row numbers name clusters; the clusters and confidences are the same.
            clusters: dict[str, set] = {}
            for row, name in enumerate(predicted["cluster_id"]):
                entry = numbers[row], predicted["confidence"][row]
                clusters.setdefault(name, set()).add(entry)
            results.add(frozenset(map(frozenset, clusters.values())))
    assert len(results) == 1


def test_blank_rows_stay_apart(model, others):
    names, rows, _ = others
    blank = ("",) * len(names)
    predicted = model.predict(table_of(names, [*rows[:50], *[blank] * 40]))
    assert len(set(predicted["cluster_id"][50:])) == 40


def test_equal_rows_that_the_model_keeps_apart_stay_apart():
    texts = ["a", "b", "a", "b", "c", "a"]

    def score(item_set, pairs):
        return np.array(
            [1.0 if item_set.items["text"][first] == "a" else -1.0 for first, _ in pairs]
        )

    equal = EqualRows.of(ItemSet({"text": texts}), RowConstraints(NONE, NONE), score)
    assert Partition(equal.item_of_row) == Partition([0, 1, 0, 2, 3, 0])
    a, b, later_b, _ = items = equal.item_of_row[[0, 1, 3, 4]].tolist()
    assert np.nan_to_num(equal.twin_scores[items]).tolist() == [1.0, 0.0, 0.0, 0.0]
    scores = equal.row_scores(PairScores(4, [(a, b), (b, later_b)], [0.5, -0.5]))
    assert scores.pairs.tolist() == [[0, 1], [1, 3], [0, 2], [0, 5]]
    assert scores.scores.tolist() == [0.5, -0.5, 1.0, 1.0]
    assert equal.n_pairs(scores.pairs).tolist() == [3.0, 1.0, 1.5, 1.5]


TEXTS = st.lists(st.sampled_from(["x", "y", "z", "", " "]), min_size=1, max_size=9)


@pytest.mark.parametrize("hashes_collide", [False, True])
@given(texts=TEXTS, listed=st.booleans())
def test_items_are_ordered_by_the_hashes_of_their_cells(hashes_collide, texts, listed):
    with pytest.MonkeyPatch.context() as patch:
        if hashes_collide:
            constant = b"00000000"
            patch.setattr(row_order, "blake2b", lambda *_, **__: Mock(digest=lambda: constant))
        item_set, none = ItemSet({"text": texts}), RowConstraints(NONE, NONE)
        equal = EqualRows.of(item_set, none, lambda _, pairs: np.ones(len(pairs)))
    items = equal.items(item_set).items["text"]
    keys = [(not hashes_collide and content_hash(text), text) for text in items]
    assert keys == sorted(keys)
    assert len(items) == len({*filter(str.strip, texts)}) + sum(not text.strip() for text in texts)
    assert [items[item] for item in equal.item_of_row] == texts
    first_rows = [equal.item_of_row.tolist().index(item) for item in range(len(items))]
    assert equal.first_rows.tolist() == first_rows
    # The score of two rows is that of their items, also if the scores of all pairs are a list.
    pairs = all_pairs(len(items))
    values = np.arange(len(pairs), dtype=np.float64)
    scores = equal.row_scores(
        PairScores(len(items), pairs[1:] if listed else None, values[listed:])
    )
    expected = {
        tuple(sorted(first_rows[item] for item in pair)): value
        for pair, value in zip(pairs[listed:].tolist(), values[listed:], strict=True)
    }
    of_items = zip(map(tuple, scores.pairs.tolist()), scores.scores, strict=True)
    is_first = np.isin(np.arange(len(texts)), first_rows)
    assert {pair: s for pair, s in of_items if is_first[list(pair)].all()} == expected


def content_hash(text):
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def test_a_cannot_link_pair_parts_equal_rows(model, others):
    names, rows, base = others
    table = table_of(names, [*rows[:100], *[base] * 30])
    first, second, third = "i00100", "i00110", "i00003"
    predicted = model.predict(table, cannot_link=[(first, second)], must_link=[(first, third)])
    cluster_of = dict(zip(predicted["id"], predicted["cluster_id"], strict=True))
    assert cluster_of[first] != cluster_of[second]
    assert cluster_of[first] == cluster_of[third]
    copies = Counter(cluster_of[f"i{number:05}"] for number in range(100, 130))
    assert len(copies) == 2


def test_copies_are_explained_like_any_pair(model, others):
    names, rows, base = others
    table = table_of(names, [*rows[1:101], *[base] * 20])
    explanation = model.explain(table, "i00105", "i00110")
    assert explanation.together
    assert explanation.path == ["i00105", "i00100", "i00110"]
    assert explanation.score == pytest.approx(explanation.links[0].score)
    assert explanation.score > 0
    summaries = model.clusters(table)
    copies = next(summary for summary in summaries if "i00105" in summary.rows)
    assert copies.disagreement == 0.0


def test_copies_do_not_change_other_clusters(model, others):
    names, rows, _ = others
    plain = model.predict(table_of(names, rows[:200]))
    copied = model.predict(table_of(names, rows[:200] + rows[:200] * 2))
    cluster_of = dict(zip(plain["id"], plain["cluster_id"], strict=True))
    assert copied["cluster_id"] == list(cluster_of.values()) * 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_items_keep_every_constraint(data):
    """Equal rows become items such that constraints of rows that hold, hold for items, too."""
    n_rows = data.draw(st.integers(2, 9))
    texts = data.draw(st.lists(st.sampled_from("xyz "), min_size=n_rows, max_size=n_rows))
    hidden = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    ends = st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_rows - 1))
    pairs = np.array(
        [sorted(pair) for pair in data.draw(st.lists(ends, max_size=6)) if pair[0] != pair[1]],
        dtype=np.intp,
    ).reshape(-1, 2)
    is_same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    constraints = RowConstraints(pairs[is_same], pairs[~is_same])
    equal = EqualRows.of(
        ItemSet({"text": texts}), constraints, lambda _, asked: np.ones(len(asked))
    )
    cannot = equal.item_of_row[constraints.cannot_link]
    assert np.all(cannot[:, 0] != cannot[:, 1])
    # No chain of must-link pairs and equal rows connects the items of a cannot-link pair.
    groups = must_link_groups(equal.items_of(constraints.must_link), len(equal.twin_scores))
    assert np.all(groups[cannot[:, 0]] != groups[cannot[:, 1]])
    for item in range(len(equal.twin_scores)):
        rows = np.flatnonzero(equal.item_of_row == item)
        assert len({texts[row] for row in rows}) == 1
        assert len(rows) == 1 or texts[rows[0]].strip()
    if not len(constraints.cannot_link):
        distinct = [text for text in texts if text.strip()]
        assert len(equal.twin_scores) == len(set(distinct)) + texts.count(" ")
