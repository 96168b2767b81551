"""Metrics against their definitions, written out naively."""

import itertools
import math
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import metrics
from coterie.metrics._matching import heaviest_matching, largest_matching
from tests.partitions import all_partitions

LETTERS = "abcdefghij"


@st.composite
def mention_clusters(draw):
    """Clusters of some of ten mentions."""
    labels = draw(st.lists(st.integers(-1, 4), min_size=10, max_size=10))
    return [
        [LETTERS[item] for item in range(10) if labels[item] == label]
        for label in range(5)
        if label in labels
    ]


def f_score(precision, recall):
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def cluster_of(mention, clusters):
    return next((set(c) for c in clusters if mention in c), None)


def naive_muc_recall(key, response):
    n_found = possible = 0
    for cluster in key:
        parts = {frozenset(cluster_of(m, response) or {m}) for m in cluster}
        n_found += len(cluster) - len(parts)
        possible += len(cluster) - 1
    return n_found / possible if possible else 0.0


def naive_b_cubed_recall(key, response):
    shares = []
    for cluster in key:
        for mention in cluster:
            other = cluster_of(mention, response) or set()
            shares.append(len(set(cluster) & other) / len(cluster))
    return sum(shares) / len(shares) if shares else float(not response)


def naive_lea_recall(key, response):
    total = resolved = 0.0
    for cluster in key:
        if len(cluster) == 1:
            resolved_share = float(cluster_of(cluster[0], response) == set(cluster))
        else:
            links = list(itertools.combinations(cluster, 2))
            resolved_share = sum(b in (cluster_of(a, response) or ()) for a, b in links) / len(
                links
            )
        resolved += len(cluster) * resolved_share
        total += len(cluster)
    return resolved / total if total else float(not response)


def naive_matching(key, response, similarity):
    """The best assignment, by trying all."""
    small, large = sorted((key, response), key=len)
    return max(
        sum(similarity(set(a), set(b)) for a, b in zip(small, chosen, strict=True))
        for chosen in itertools.permutations(large, len(small))
    )


def pair_sets(clusters):
    mentions = sorted(m for c in clusters for m in c)
    inside = {tuple(sorted(p)) for c in clusters for p in itertools.combinations(c, 2)}
    return inside, set(itertools.combinations(mentions, 2)) - inside


@settings(max_examples=200)
@given(mention_clusters(), mention_clusters())
def test_link_and_entity_metrics_follow_their_definition(key, response):
    for metric, recall in (
        (metrics.muc, naive_muc_recall),
        (metrics.b_cubed, naive_b_cubed_recall),
        (metrics.lea, naive_lea_recall),
    ):
        r, p = recall(key, response), recall(response, key)
        assert metric(key, response) == pytest.approx((p, r, f_score(p, r)), abs=1e-12)


@settings(max_examples=100)
@given(mention_clusters(), mention_clusters())
def test_ceaf_is_the_best_assignment(key, response):
    if not key or not response:
        return
    mention = naive_matching(key, response, lambda a, b: len(a & b))
    entity = naive_matching(key, response, lambda a, b: 2 * len(a & b) / (len(a) + len(b)))
    n_key, n_response = sum(map(len, key)), sum(map(len, response))
    assert metrics.ceaf_mention(key, response)[:2] == pytest.approx(
        (mention / n_response, mention / n_key)
    )
    assert metrics.ceaf_entity(key, response)[:2] == pytest.approx(
        (entity / len(response), entity / len(key))
    )


@settings(max_examples=200)
@given(mention_clusters(), mention_clusters())
def test_blanc_follows_its_definition(key, response):
    inside_k, between_k = pair_sets(key)
    inside_r, between_r = pair_sets(response)
    parts = []
    for truth, guess in ((inside_k, inside_r), (between_k, between_r)):
        p = len(truth & guess) / len(guess) if guess else 0.0
        r = len(truth & guess) / len(truth) if truth else 0.0
        parts.append((p, r, f_score(p, r)))
    if not inside_k and not between_k:
        expected = (float(sorted(map(sorted, key)) == sorted(map(sorted, response))),) * 3
    elif not between_k:
        expected = parts[0]
    elif not inside_k:
        expected = parts[1]
    else:
        expected = tuple(np.mean(parts, axis=0))
    assert metrics.blanc(key, response) == pytest.approx(expected, abs=1e-12)


labelings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


@given(labelings)
def test_pair_metrics_follow_their_definition(sides):
    truth, predicted = map(np.array, sides)
    pairs = list(itertools.combinations(range(len(truth)), 2))
    same = [(truth[i] == truth[j], predicted[i] == predicted[j]) for i, j in pairs]
    wrong = sum(a != b for a, b in same)
    assert metrics.pair_loss(truth, predicted) == pytest.approx(100 * wrong / max(len(pairs), 1))
    n_shared, n_true, n_predicted = (
        sum(map(all, same)), sum(a for a, _ in same), sum(b for _, b in same)
    )  # fmt: skip
    if n_true and n_predicted:
        p, r = n_shared / n_predicted, n_shared / n_true
        assert metrics.pair_scores(truth, predicted) == pytest.approx((p, r, f_score(p, r)))


@given(labelings)
def test_mitre_loss_is_one_minus_f1_with_zero_by_zero_one(sides):
    truth, predicted = sides
    key = [[i for i, a in enumerate(truth) if a == label] for label in set(truth)]
    response = [[i for i, a in enumerate(predicted) if a == label] for label in set(predicted)]

    def recall(one, other):
        return naive_muc_recall(one, other) if any(len(c) > 1 for c in one) else 1.0

    f1 = f_score(recall(response, key), recall(key, response))
    assert metrics.mitre_loss(truth, predicted) == pytest.approx(100 * (1 - f1), abs=1e-9)


def test_mitre_loss_of_the_papers_default():
    """149 noun phrases in 101 clusters, all put in one: the paper's 51.0 (its Table 1)."""
    truth = [*range(101), *[0] * 48]
    assert metrics.mitre_loss(truth, [0] * 149) == pytest.approx(51.0, abs=0.05)


@given(labelings)
def test_variation_of_information_follows_its_definition(sides):
    truth, predicted = map(np.array, sides)
    n = len(truth)
    expected = 0.0
    for a, b in itertools.product(set(truth), set(predicted)):
        joint = np.mean((truth == a) & (predicted == b))
        if joint:
            expected -= joint * math.log(joint / np.mean(truth == a))
            expected -= joint * math.log(joint / np.mean(predicted == b))
    assert metrics.variation_of_information(truth, predicted) == pytest.approx(expected, abs=1e-12)
    bits = metrics.variation_of_information(truth, predicted, base=2)
    assert bits * math.log(2) == pytest.approx(expected, abs=1e-12)
    assert expected <= 2 * math.log(n) + 1e-12


@given(labelings)
def test_trace_loss_is_a_projection(sides):
    truth, predicted = map(np.array, sides)
    y, z = (np.equal.outer(s, np.unique(s)) / np.sqrt((s[:, None] == np.unique(s)).sum(0))
            for s in (truth, predicted))  # fmt: skip
    expected = 100 * (1 - np.linalg.norm(y.T @ z) ** 2 / len(np.unique(truth)))
    assert metrics.trace_loss(truth, predicted) == pytest.approx(expected, abs=1e-9)


@given(labelings, st.integers(0, 2**32 - 1))
def test_weighted_clustering_error_follows_its_definition(sides, seed):
    p, h = map(np.array, sides)
    n = len(p)
    d = np.random.default_rng(seed).random((n, n))
    d = np.triu(d, 1) + np.triu(d, 1).T
    split = np.equal.outer(p, p) & ~np.equal.outer(h, h)
    joined = ~np.equal.outer(p, p) & np.equal.outer(h, h)
    expected = (d * split + (d.max() - d) * joined).sum() / n**2
    assert metrics.weighted_clustering_error(p, h, d) == pytest.approx(expected, abs=1e-12)
    condensed = d[np.triu_indices(n, 1)]
    assert metrics.weighted_clustering_error(p, h, condensed) == pytest.approx(expected, abs=1e-12)


def edits_from(start):
    """Breadth-first search over all partitions: the fewest moves, creates and merges."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        partition = queue.popleft()
        for neighbor in neighbors(partition):
            if neighbor not in distance:
                distance[neighbor] = distance[partition] + 1
                queue.append(neighbor)
    return distance


def neighbors(clusters):
    for one, other in itertools.combinations(clusters, 2):
        yield clusters - {one, other} | {one | other}
    for cluster in clusters:
        for item in cluster:
            rest = clusters - {cluster} | ({cluster - {item}} - {frozenset()})
            yield rest | {frozenset([item])}
            for target in rest - {cluster - {item}}:
                yield rest - {target} | {target | {item}}


def as_sets(labels):
    return frozenset(
        frozenset(i for i, a in enumerate(labels) if a == label) for label in set(labels)
    )


@pytest.mark.parametrize("n_items", range(1, 6))
def test_cluster_edit_distance_is_the_shortest_path(n_items):
    partitions = list(all_partitions(n_items))
    for hypothesis in partitions:
        distance = edits_from(as_sets(hypothesis))
        for gold in partitions:
            assert metrics.cluster_edit_distance(gold, hypothesis) == distance[as_sets(gold)]


def test_cluster_edit_distance_of_seven_items(rng):
    for _ in range(3):
        hypothesis = rng.integers(4, size=7)
        distance = edits_from(as_sets(hypothesis.tolist()))
        for gold, edits in distance.items():
            assert metrics.cluster_edit_distance([list(c) for c in gold], hypothesis) == edits


def test_normalized_edit_score_of_the_straw_men():
    truth = [0, 0, 0, 1, 1, 2]
    assert metrics.normalized_edit_score(truth, [0] * 6) == pytest.approx(1 - (3 + 2) / 12)
    assert metrics.normalized_edit_score(truth, range(6)) == pytest.approx(3 / 6)


@settings(max_examples=150)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_heaviest_matching_is_the_best_of_all(n_rows, n_columns, seed, integers):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 4, size=(n_rows, n_columns)).astype(float)
    if not integers:
        dense *= rng.random((n_rows, n_columns))
    rows, columns = np.nonzero(dense)
    padded = dense if n_rows <= n_columns else dense.T
    best = max(
        sum(padded[row, column] for row, column in enumerate(chosen))
        for chosen in itertools.permutations(range(padded.shape[1]), padded.shape[0])
    )
    assert heaviest_matching(rows, columns, dense[rows, columns]) == pytest.approx(best)


def test_heaviest_matching_sparse_and_dense_agree(rng, monkeypatch):
    from coterie.metrics import _matching

    for _ in range(30):
        cells = rng.random((12, 9)) < 0.4
        rows, columns = np.nonzero(cells)
        weights = rng.random(len(rows))
        expected = heaviest_matching(rows, columns, weights)
        monkeypatch.setattr(_matching, "DENSE_ENTRIES", 0)
        assert heaviest_matching(rows, columns, weights) == pytest.approx(expected)
        monkeypatch.undo()


def test_largest_matching():
    assert largest_matching(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 0])) == 2
    assert largest_matching(np.array([], dtype=int), np.array([], dtype=int)) == 0
