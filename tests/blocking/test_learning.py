import numpy as np
import pytest

from coterie import ItemSet
from coterie.blocking import AllIfSmall, LearnedBlocking, Union, learn_blocking
from coterie.datasets import make_records
from coterie.exceptions import InputError

COLUMNS = ("given_name", "surname", "birth_date", "street", "city", "postcode", "phone", "email")


def rows_of(item_set, rows):
    return ItemSet({name: [item_set.items[name][row] for row in rows] for name in COLUMNS})


def recall_of(pairs, labels):
    sizes = np.bincount(np.unique(labels, return_inverse=True)[1])
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return together.sum() / np.sum(sizes * (sizes - 1) // 2)


@pytest.fixture(scope="module")
def records():
    (item_set,), (truth,) = make_records(6000, random_state=5)
    return item_set, truth.labels


@pytest.fixture(scope="module")
def learned(records):
    item_set, labels = records
    rows = np.flatnonzero(labels < np.median(labels) / 2)
    return learn_blocking([rows_of(item_set, rows)], [labels[rows]], COLUMNS), rows


def test_few_candidate_pairs_have_a_high_recall(records, learned):
    blocking, rows = learned
    item_set, labels = records
    others = np.setdiff1d(np.arange(len(labels)), rows)
    pairs = blocking.blocker.otherwise(rows_of(item_set, others))
    assert recall_of(pairs, labels[others]) > 0.995
    assert len(pairs) < 10 * len(others)


def test_reported_counts_and_recalls_are_true(records, learned):
    blocking, rows = learned
    item_set, labels = records
    pairs = blocking.blocker.otherwise(rows_of(item_set, rows))
    assert isinstance(blocking, LearnedBlocking)
    assert blocking.n_pairs == len(pairs)
    assert blocking.recall.pairs == pytest.approx(recall_of(pairs, labels[rows]))
    assert blocking.recall.pairs <= blocking.recall.connected <= 1.0
    assert 0.98 < blocking.held_out_recall.pairs <= blocking.held_out_recall.connected <= 1.0
    assert blocking.foreseen.n_rows == 40 * len(rows)
    assert 0.99 < blocking.foreseen.recall <= 1.0
    assert blocking.foreseen.n_pairs < 200 * blocking.foreseen.n_rows
    chosen = tuple(row.key for row in blocking.table if row.chosen)
    assert set(chosen) == set(blocking.blocker.otherwise.keys)
    assert [row.chosen for row in blocking.table[: len(chosen)]] == [True] * len(chosen)
    assert len(blocking.table) > len(chosen)


def test_all_pairs_of_small_item_sets_are_candidates(learned):
    blocking, rows = learned
    assert blocking.all_pairs == (len(rows) * (len(rows) - 1) // 2 <= 1_200_000)
    assert isinstance(blocking.blocker, AllIfSmall)
    assert isinstance(blocking.blocker.otherwise, Union)
    (item_set,), (truth,) = make_records(60, random_state=1)
    small = learn_blocking([item_set], [truth], COLUMNS, all_pairs_up_to=1000)
    assert not small.all_pairs
    small = learn_blocking([item_set], [truth], COLUMNS, all_pairs_up_to=2000)
    assert small.all_pairs
    assert small.blocker(item_set) is None


def test_the_order_of_rows_and_names_of_clusters_do_not_matter():
    (item_set,), (truth,) = make_records(500, random_state=2)
    order = np.random.default_rng(0).permutation(500)
    once = learn_blocking([item_set], [truth], COLUMNS)
    names = [f"c{label}" for label in truth.labels[order]]
    again = learn_blocking([item_set.reordered(order)], [names], COLUMNS)
    assert again == once


def test_item_sets_are_pooled():
    corpora = [make_records(200, random_state=seed) for seed in (1, 2)]
    sets = [item_set for corpus in corpora for item_set in corpus.item_sets]
    truths = [truth for corpus in corpora for truth in corpus.partitions]
    empty = ItemSet({name: [] for name in COLUMNS})
    blocking = learn_blocking([*sets, empty], [*truths, []], COLUMNS)
    assert blocking.recall.pairs > 0.99
    assert blocking.foreseen.n_rows == 40 * 400


def test_values_that_many_rows_share_are_not_chosen(rng):
    # Blocks by state are small for 600 rows, but too large for 24,000.
    names = ["".join(rng.choice(list("abcdefghijklmnop"), 8)) for _ in range(300)]
    table = {
        "state": [f"state {row % 100}" for row in range(300)] * 2,
        "name": names + [name[:6] for name in names],
    }
    blocking = learn_blocking([ItemSet(table)], [[*range(300)] * 2], ["state", "name"])
    keys = blocking.blocker.otherwise.keys
    assert not any(key.names == ("state",) for key in keys)
    assert blocking.recall.pairs > 0.99


def test_a_giant_cluster_does_not_drown_the_small():
    # 19,900 of 20,000 true pairs are in one cluster, and the column "big" alone finds them.
    table = {
        "big": ["huge"] * 200 + [None] * 200,
        "small": [None] * 200 + [f"token{row // 2}" for row in range(200)],
    }
    labels = [0] * 200 + [1 + row // 2 for row in range(200)]
    blocking = learn_blocking([ItemSet(table)], [labels], ["big", "small"])
    pairs = blocking.blocker.otherwise(ItemSet(table))
    small = {(row, row + 1) for row in range(200, 400, 2)}
    assert small <= set(map(tuple, pairs.tolist()))


def test_a_table_of_one_column_is_enough():
    table = {"name": ["Ann Lee", "Lee, Ann", "Bob", "Bobby", "Cid"]}
    blocking = learn_blocking([ItemSet(table)], [[0, 0, 1, 1, 2]], "name")
    assert blocking.recall == (1.0, 1.0)
    assert blocking.blocker.otherwise.keys[0].names == ("name",)


def test_empty_texts_have_no_candidate_pairs():
    blocking = learn_blocking([ItemSet({"name": [None, "", "?"]})], [[0, 0, 1]], "name")
    assert blocking.recall == (0.0, 0.0)
    assert blocking.n_pairs == 0


@pytest.mark.parametrize(
    ("partitions", "options", "message"),
    [
        ([[0, 1, 2]], {}, "no two rows are in the same cluster"),
        ([[0, 1]], {}, "item set 0"),
        ([], {}, "1 item set"),
        ([[0, 0, 1]], {"recall": 1.5}, "recall is 1.5"),
        ([[0, 0, 1]], {"all_pairs_up_to": -1}, "all_pairs_up_to is -1"),
        ([[0, 0, 1]], {"n_rows": 0}, "n_rows is 0"),
        ([[0, 0, 1]], {"columns": ["nom"]}, "item set 0: there is no column 'nom'"),
        ([[0, 0, 1]], {"columns": []}, "give the name of at least one column"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(partitions, options, message):
    sets = [ItemSet({"name": ["a", "b", "c"]})]
    with pytest.raises(InputError, match=message):
        learn_blocking(sets, partitions, **({"columns": ["name"]} | options))


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr("coterie.blocking.learning.MOST_ROWS", 500)
    (item_set,), (truth,) = make_records(3000, random_state=3)
    blocking = learn_blocking([item_set], [truth], COLUMNS)
    assert recall_of(blocking.blocker.otherwise(item_set), truth.labels) > 0.98
    assert blocking.n_pairs < 10_000
