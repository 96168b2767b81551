"""The automatic choice: what is compared, what is chosen, and that it can be repeated."""

import math
import re
from functools import cache, partial
from itertools import chain, count

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import ItemSet, Partition
from coterie._core import compilation
from coterie._core.progress import progress
from coterie.blocking import AllPairs
from coterie.clusterers import AverageLinkage, Greedy, LeftLink
from coterie.clusterers.thresholds import lower_missing_score, partitions_at
from coterie.datasets import make_item_sets
from coterie.exceptions import CoterieError, FeatureError, InputError, MetricError
from coterie.features import GivenFeatures, NodeProducts, Scaled
from coterie.learners import LatentLeftLinking, PairwiseClustering, workers
from coterie.learners.auto import learner as learner_module
from coterie.learners.auto import search as search_module
from coterie.learners.auto import variants as variants_module
from coterie.learners.auto.candidates import CANDIDATES, Candidate, Setup, SizeLimit
from coterie.learners.auto.choice import MARGIN, is_tie
from coterie.learners.auto.decoding import mean_score_apart, threshold_grid
from coterie.learners.auto.entities import as_entities
from coterie.learners.auto.families import FAMILIES
from coterie.learners.auto.learner import AutoLearner
from coterie.learners.auto.plan import entity_folds, item_set_folds, plan_validation, pool_scores
from coterie.learners.base import Examples
from coterie.learners.boosting.risks import CorrelationRisk, LeftLinkRisk
from coterie.learners.classifiers.logistic import ConvergedLogistic
from coterie.learners.parts import assign_parts, subset_items
from coterie.metrics import b_cubed, conll_score, pair_loss, pair_scores, variation_of_information
from coterie.model import Model
from coterie.pairs import PairScores, all_pairs
from coterie.similarities import LinearSimilarity
from coterie.similarities.base import shift_similarity

LOGISTIC, LEFT_LINKING = "logistic regression", "latent left-linking"
BOOSTED_PAIRS, STRUCTURED = "boosted pairs", "structured boosting"
NAMES = [family.name for family in FAMILIES]


@pytest.fixture(autouse=True)
def _few_rounds(monkeypatch):
    monkeypatch.setattr(variants_module, "ROUNDS", (8, 4, 12))
    monkeypatch.setattr(variants_module, "PASSES", (2, 4))


def make_sets(n_sets=6, n_items=12, noise=0.8, ordered=False, seed=0):
    """Make item sets of pair features, the first of which separates clusters of three items."""
    rng = np.random.default_rng(seed)
    sets, truths = [], []
    for _ in range(n_sets):
        truth = Partition(rng.permutation(np.arange(n_items) // 3))
        features = rng.normal(size=(n_items * (n_items - 1) // 2, 3))
        features[:, 0] = noise * features[:, 0] + np.where(truth.together(), 1.0, -1.0)
        sets.append(ItemSet.from_pair_features(features, n_items, ordered=ordered))
        truths.append(truth)
    return sets, truths


def logistic(clusterer):
    return PairwiseClustering(clusterer, ConvergedLogistic(), featurizer=Scaled(GivenFeatures()))


def same_tables(one, other):
    return [row._replace(seconds=0.0) for row in one] == [
        row._replace(seconds=0.0) for row in other
    ]


# Clusterers and thresholds.


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_cuts_of_one_tree_are_those_of_average_linkage(seed, n_items):
    rng = np.random.default_rng(seed)
    scores = PairScores(n_items, None, rng.normal(size=n_items * (n_items - 1) // 2))
    thresholds = np.sort(np.append(rng.normal(size=5), scores.scores[:2]))
    partitions = partitions_at(AverageLinkage(), scores, thresholds)
    assert partitions == [AverageLinkage(threshold=t)(scores) for t in thresholds]


@pytest.mark.parametrize("clusterer", [AverageLinkage(), Greedy(), LeftLink(0.5), LeftLink()])
@pytest.mark.parametrize("blocked", [False, True])
def test_a_threshold_is_subtracted_from_every_score(clusterer, blocked):
    rng = np.random.default_rng(1)
    pairs = all_pairs(9)[::2] if blocked else None
    values = rng.normal(size=36)[: None if pairs is None else len(pairs)]
    thresholds = np.array([-0.5, 0.0, 0.7])
    partitions = partitions_at(clusterer, PairScores(9, pairs, values), thresholds)
    assert partitions == [clusterer(PairScores(9, pairs, values - t)) for t in thresholds]


def test_a_known_number_of_clusters_counts_whatever_the_threshold():
    scores = PairScores(4, None, [3.0, 2.0, 1.0, 0.5, -1.0, 0.2], n_clusters=2)
    partitions = partitions_at(AverageLinkage(), scores, np.array([-9.0, 9.0]))
    assert partitions == [AverageLinkage()(scores)] * 2
    assert partitions[0].n_clusters == 2


def test_the_thresholds_lie_around_the_base_rate():
    rng = np.random.default_rng(0)
    truths = [Partition(np.arange(60) // 3), Partition(np.arange(40) // 4)]
    scored = [PairScores(len(t), None, rng.normal(size=len(t) * (len(t) - 1) // 2)) for t in truths]
    together = sum(t.together().sum() for t in truths)
    grid = threshold_grid(scored, truths)
    assert 0.0 in grid
    assert len(grid) == 15
    above = [sum((s.scores > t).sum() for s in scored) for t in grid if t]
    assert np.all(np.diff(grid) > 0)
    np.testing.assert_allclose(above[-1] / together, 0.12, atol=0.01)
    np.testing.assert_allclose(above[0] / together, 8.0, atol=0.1)


def test_a_single_set_has_thresholds_between_scores_that_are_far_apart():
    truth = Partition(np.arange(60) // 3)
    scores = np.where(truth.together(), 50.0, -50.0)
    grid = threshold_grid([PairScores(60, None, scores)], [truth])
    assert np.diff(grid).max() < 10.0
    assert {-50.0, 0.0, 50.0} <= set(grid)


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_pairs_of_one_kind_give_no_threshold_but_0(labels):
    scored = [PairScores(3, None, [1.0, -2.0, 0.5])]
    assert threshold_grid(scored, [Partition(labels)]).tolist() == [0.0]


def test_every_similarity_of_a_candidate_can_be_shifted():
    sets, truths = make_sets(3)
    for candidate in CANDIDATES:
        setup = Setup()
        variant = setup.variants(candidate)[0]
        (learner,) = setup.fits(variant, Examples(sets, truths), variant.lengths[:1])
        similarity = learner.similarity_
        scores = similarity(sets[0], None)
        np.testing.assert_allclose(
            shift_similarity(similarity, 0.75)(sets[0], None), scores - 0.75, atol=1e-12
        )
        assert shift_similarity(similarity, 0.0) is similarity
    with pytest.raises(InputError, match="no bias"):
        shift_similarity(object(), 1.0)


# Parts.


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 5), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_no_cluster_is_divided_and_parts_are_of_one_size(labels, n_parts, seed):
    truth = Partition(labels)
    parts = assign_parts(truth, n_parts, seed)
    for cluster in truth.clusters:
        assert len(set(parts[cluster].tolist())) == 1
    sizes = np.bincount(parts, minlength=n_parts)
    assert sizes.max() - sizes.min() <= truth.sizes.max()


def _make_item_set(kind, values):
    n_items, pairs = len(values), all_pairs(len(values))
    products = np.abs(values[pairs[:, 0]] - values[pairs[:, 1]])
    blocked = np.arange(len(pairs)) % 3 > 0
    return {
        "rows": lambda: ItemSet(values, ids=list(range(n_items)), n_clusters=4),
        "columns": lambda: ItemSet({"x": values[:, 0].tolist(), "y": values[:, 1]}),
        "objects": lambda: ItemSet([str(value) for value in values]),
        "pair features": lambda: ItemSet.from_pair_features(products, n_items),
        "blocked pairs": lambda: ItemSet.from_pair_features(
            products[blocked], n_items, pairs[blocked]
        ),
        "operator": lambda: ItemSet.from_pair_features(NodeProducts(values), n_items),
    }[kind]()


@pytest.mark.parametrize(
    "kind", ["rows", "columns", "objects", "pair features", "blocked pairs", "operator"]
)
def test_a_part_is_made_as_if_its_items_were_all(kind):
    values = np.random.default_rng(0).normal(size=(7, 2))
    truth = Partition([0, 1, 1, 2, 0, 3, 3])
    indices = np.array([0, 1, 2, 4, 6])
    part, part_truth = subset_items(_make_item_set(kind, values), truth, indices)
    assert part_truth == Partition([0, 1, 1, 0, 3])
    assert len(part) == 5
    if kind == "rows":
        np.testing.assert_array_equal(part.items, values[indices])
        assert part.ids == (0, 1, 2, 4, 6)
        assert part.n_clusters == 3
    elif kind == "columns":
        assert part.items["x"] == tuple(values[indices, 0].tolist())
    elif kind == "objects":
        assert part.items == tuple(str(value) for value in values[indices])
    elif kind == "blocked pairs":
        blocked = {tuple(pair) for pair in all_pairs(7)[np.arange(21) % 3 > 0].tolist()}
        part_pairs = {tuple(sorted(indices[pair].tolist())) for pair in part.items.pairs}
        assert part_pairs == {pair for pair in blocked if set(pair) <= set(indices.tolist())}
        ends = indices[part.items.pairs]
        expected = np.abs(values[ends[:, 0]] - values[ends[:, 1]])
        np.testing.assert_allclose(part.items.features, expected)
    else:
        expected = _make_item_set(kind, values[indices])
        coef = np.array([1.0, -2.0])
        np.testing.assert_allclose(part.items.features @ coef, expected.items.features @ coef)


def test_held_out_entities_are_scored_against_all_records_of_other_entities():
    sets, truths = make_sets(1, n_items=30)
    folds = entity_folds(Examples(sets, truths), [truths[0].labels], np.arange(1), 5, 0)
    held_out = np.concatenate([fold.held_out[0].items for fold in folds])
    assert sorted(held_out.tolist()) == list(range(30))
    for fold in folds:
        assert len(fold.training_examples.item_sets[0]) + len(fold.held_out[0].items) == 30
        assert fold.held_out[0].item_set is sets[0]


def test_pooled_scores_are_of_whole_sets_and_from_fits_without_the_items():
    sets, truths = make_sets(1, n_items=60)
    folds = entity_folds(Examples(sets, truths), [truths[0].labels], np.arange(1), 5, 0)
    ends = all_pairs(60)
    part = np.empty(60, dtype=np.intp)
    scored = []
    for index, fold in enumerate(folds):
        (held_out,) = fold.held_out
        part[held_out.items] = index
        constant = LinearSimilarity(GivenFeatures(), np.zeros(3), bias=float(index))
        scored.append(held_out.scores(Model(AllPairs(), constant, Greedy())))
        assert np.isin(scored[-1].pairs, held_out.items).any(axis=1).all()
    pooled = pool_scores(scored)
    assert pooled.listed is None
    np.testing.assert_array_equal(pooled.scores, part[ends].mean(axis=1))


def test_pooled_scores_of_some_pairs_are_of_the_union_of_these_pairs():
    first = PairScores(4, [(0, 1), (0, 2)], [1.0, 3.0])
    second = PairScores(4, [(0, 2), (2, 3)], [5.0, -1.0])
    pooled = pool_scores([first, second])
    assert pooled.pairs.tolist() == [[0, 1], [0, 2], [2, 3]]
    assert pooled.scores.tolist() == [1.0, 4.0, -1.0]


def test_absent_pairs_get_the_mean_score_of_pairs_apart():
    scores = PairScores(3, [(0, 1), (0, 2)], [4.0, -3.0])
    assert mean_score_apart([scores], [Partition([0, 0, 1])]) == -3.0
    assert mean_score_apart([scores], [Partition([0, 1, 0])]) == 0.0  # never above
    lower = lower_missing_score(AverageLinkage(missing=-3.0), 2.0)
    assert lower == AverageLinkage(missing=-5.0)
    assert lower_missing_score(Greedy(), 2.0) == Greedy()


def test_the_largest_true_cluster_bounds_others_where_it_is_small():
    limited = Setup(limit=SizeLimit(3, 7))
    assert limited.clusterers(Setup().variants(Candidate(LOGISTIC))[0])[0].max_size == 3
    assert (
        SizeLimit.of([Partition([0, 0, 1, 1, 1]), Partition([0] * 3 + [1] * 3 + [2] * 3)]) is None
    )
    assert SizeLimit.of([Partition(np.repeat(np.arange(5), 3))]) == (3, 5)
    assert SizeLimit.of([Partition(np.repeat(np.arange(5), 11))]) is None
    assert SizeLimit.of([Partition(np.arange(9))]) is None
    unbounded = Setup().clusterers(Setup().variants(Candidate(LOGISTIC))[0])
    assert all(getattr(clusterer, "max_size", None) is None for clusterer in unbounded)


def test_candidates_bound_the_choice():
    sets, truths = make_sets(1, n_items=150)
    learner = AutoLearner(candidates=["latent left-linking"]).fit(sets, truths)
    assert {(row.name, row.context) for row in learner.table_} == {("latent left-linking", False)}
    for names in (["magic"], []):
        with pytest.raises(InputError, match="use some of logistic regression, logistic"):
            AutoLearner(candidates=names).fit(sets, truths)


@pytest.mark.parametrize("more", [[], ["boosted pairs with context"]])
def test_context_is_tried_only_if_it_is_a_candidate(more):
    sets, truths = make_sets(6)
    learner = AutoLearner(candidates=["logistic regression", *more]).fit(sets, truths)
    names = [f"{row.name}{' with context' * row.context}" for row in learner.table_]
    assert names == ["logistic regression", *more]
    assert {row.status for row in learner.table_} == {"tried"}


def test_held_out_scores_of_the_choice_are_kept():
    sets, truths = make_sets(1, n_items=150)
    learner = AutoLearner(pair_scores).fit(sets, truths)
    (held_out,) = learner.held_out_
    predicted = learner.to_model().clusterer(held_out.scores)
    # The mean of the choice is an average over neighbouring thresholds.
    assert pair_scores(held_out.truth, predicted).f1 == pytest.approx(
        learner.choice_.mean, abs=0.03
    )
    assert AutoLearner().fit(*make_sets(2, n_items=20)).held_out_ == []


def test_names_of_folds_have_the_indices_of_the_item_sets_as_passed():
    sets, truths = make_sets(6)
    single_item = ItemSet(["alone"])
    truths = [Partition([0]), *truths]
    entities = as_entities(None, truths)
    folds = item_set_folds(Examples([single_item, *sets], truths), entities, np.arange(1, 7), 3, 0)
    indices = sorted(int(n) for f in folds for n in re.findall(r"\d+", f.name))
    assert indices == [1, 2, 3, 4, 5, 6]


def test_a_metric_that_is_not_a_number_is_refused():
    sets, truths = make_sets(6)

    def broken(truth, predicted):
        return float("nan")

    broken.greater_is_better = True
    with pytest.raises(InputError, match=r"the metric is nan"):
        AutoLearner(broken).fit(sets, truths)


def test_each_item_set_is_held_out_once():
    sets, truths = make_sets(7)
    folds = item_set_folds(Examples(sets, truths), as_entities(None, truths), np.arange(7), 3, 0)
    held_out = [[id(held_out.item_set) for held_out in fold.held_out] for fold in folds]
    assert sorted(map(id, sets)) == sorted(chain(*held_out))
    for fold, held_out_sets in zip(folds, held_out, strict=True):
        training_sets = set(map(id, fold.training_examples.item_sets))
        assert training_sets == set(map(id, sets)) - set(held_out_sets)


# Few item sets.


@pytest.mark.parametrize(("ordered", "clusterer"), [(False, AverageLinkage()), (True, LeftLink())])
def test_few_item_sets_get_logistic_regression_at_threshold_0(ordered, clusterer):
    sets, truths = make_sets(4, ordered=ordered)
    learner = AutoLearner().fit(sets, truths)
    expected = logistic(clusterer).fit(sets, truths)
    assert learner.predict(sets) == expected.predict(sets)
    np.testing.assert_array_equal(learner.similarity_.coef, expected.similarity_.coef)
    assert learner.choice_.clusterer == clusterer
    assert learner.choice_.threshold == 0.0
    statuses = [row.status for row in learner.table_]
    n_entities = sum(truth.n_clusters for truth in truths)
    lack = f"needs at least 5 item sets (got 4) or 50 entities (got {n_entities})"
    assert statuses[0] == f"not measured: {lack}"
    assert set(statuses[1:]) == {f"not tried: {lack}"}


def test_no_threshold_joins_pairs_that_the_blocker_left_out():
    rng = np.random.default_rng(0)
    truth = Partition(np.arange(60) // 4)
    pairs = all_pairs(60)[rng.random(60 * 59 // 2) < 0.2]
    together = truth.together(pairs)
    values = rng.normal(size=len(pairs)) + 3.0 * together - 2.0
    grid = threshold_grid([PairScores(60, pairs, values)], [truth])
    assert grid.min() >= values[~together].mean()
    assert 0.0 in grid
    lower = threshold_grid([PairScores(60, None, np.where(truth.together(), 1.0, -1.0))], [truth])
    assert lower.min() == -1.0


def test_entities_of_few_item_sets_are_held_out_only_if_they_are_named():
    sets, truths = make_sets(4, n_items=60)
    names = [[f"{index} {label}" for label in truth.labels] for index, truth in enumerate(truths)]
    assert sum(truth.n_clusters for truth in truths) >= 50
    learner = AutoLearner(candidates=["logistic regression"])
    assert learner.fit(sets, truths, entities=names).choice_.status == "tried"
    assert learner.fit(sets, truths).choice_.status == (
        "not measured: needs at least 5 item sets (got 4), or entity names: "
        "fit(..., entities=names)"
    )
    assert learner.fit(sets[:1], truths[:1]).choice_.status.endswith("50 entities (got 20)")


def test_sets_of_one_item_do_not_count():
    sets, truths = make_sets(4)
    single_item = ItemSet.from_pair_features(np.empty((0, 3)), 1)
    learner = AutoLearner().fit([*sets, single_item], [*truths, [0]])
    assert learner.table_[1].status.startswith(
        "not tried: needs at least 5 item sets of two or more items (got 4)"
    )


@pytest.mark.parametrize(("n_items", "tried"), [(150, True), (147, False)])
def test_a_single_set_of_fifty_clusters_is_cut(n_items, tried):
    sets, truths = make_sets(1, n_items)
    learner = AutoLearner().fit(sets, truths)
    row = learner.table_[0]
    assert (row.mean is not None) is tried
    assert all(row.status.startswith("not tried") for row in learner.table_ if row.context)


# Entities that item sets share.


def make_entities(n_sets, n_entities, n_each=3, seed=0):
    """Return the entities of the items of sets that all have the same entities, in random order."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(np.repeat(np.arange(n_entities), n_each)) for _ in range(n_sets)]


def make_shared(names, noise=0.8, seed=0):
    rng = np.random.default_rng(seed)
    sets, truths = [], list(map(Partition, names))
    for truth in truths:
        features = rng.normal(size=(len(truth) * (len(truth) - 1) // 2, 3))
        features[:, 0] = noise * features[:, 0] + np.where(truth.together(), 1.0, -1.0)
        sets.append(ItemSet.from_pair_features(features, len(truth)))
    return sets, truths


def test_held_out_entities_are_not_in_the_training_items():
    # Neighbouring sets share one of their four entities.
    names = [entities + 3 * index for index, entities in enumerate(make_entities(7, 4))]
    examples = Examples(*make_shared(names))
    folds = plan_validation(examples, as_entities(names, examples.truths), 3, 0).folds
    n_removed = 0
    for fold in folds:
        held_out = {name for part in fold.held_out for name in names[part.set_index].tolist()}
        training_names = [
            np.array([name for name in names[index] if name not in held_out])
            for index in fold.training_items
        ]
        training = fold.training_examples
        assert training.truths == [Partition(set_names) for set_names in training_names]
        assert list(map(len, training.item_sets)) == list(map(len, training_names))
        assert all(part.items is None for part in fold.held_out)
        n_items = sum(len(names[index]) for index in fold.training_items)
        n_training = sum(map(len, training_names))
        assert fold.share == n_training / n_items
        n_removed += n_items - n_training
    assert n_removed > 0


def test_many_entities_that_all_sets_share_are_divided_into_parts():
    names = make_entities(6, 50)
    examples = Examples(*make_shared(names))
    plan = plan_validation(examples, as_entities(names, examples.truths), 5, 0)
    assert plan.holds_out_entities
    items_of_sets = [[] for _ in names]
    for fold in plan.folds:
        held_out = {
            name for index, part in enumerate(fold.held_out) for name in names[index][part.items]
        }
        for index, part in enumerate(fold.held_out):
            assert part.item_set is examples.item_sets[index]
            assert set(names[index][part.items].tolist()) == held_out
            items_of_sets[index] += part.items.tolist()
        training_names = [set_names[~np.isin(set_names, list(held_out))] for set_names in names]
        assert fold.training_examples.truths == list(map(Partition, training_names))
    assert [sorted(items) for items in items_of_sets] == [list(range(150))] * 6


def test_few_entities_that_all_sets_share_are_not_enough():
    names = make_entities(6, 5)
    sets, truths = make_shared(names)
    learner = AutoLearner().fit(sets, truths, entities=names)
    lack = "needs at least 50 entities, because the item sets share them (got 5)"
    assert learner.choice_.status == f"not measured: {lack}"
    assert {row.status for row in learner.table_[1:]} == {f"not tried: {lack}"}
    assert learner.predict(sets) == logistic(AverageLinkage()).fit(sets, truths).predict(sets)
    assert AutoLearner().fit(sets, truths).choice_.mean is not None


@cache
def fitted():
    """Return a learner fitted to `make_sets()`, for tests that only read it."""
    return AutoLearner().fit(*make_sets())


def test_entities_that_no_two_sets_share_change_nothing():
    sets, truths = make_sets()
    names = [[f"{index} {label}" for label in truth.labels] for index, truth in enumerate(truths)]
    learner = AutoLearner().fit(sets, truths, entities=names)
    assert same_tables(learner.table_, fitted().table_)


def test_memorising_entities_does_not_help_when_they_are_held_out():
    """The features identify entities, the same in all sets; that does not help with others."""
    names = make_entities(8, 50, n_each=2)
    rng = np.random.default_rng(0)
    entity_vectors = rng.normal(size=(50, 4))
    sets = []
    for entities in names:
        first, second = all_pairs(len(entities)).T
        vectors = entity_vectors[entities] + 0.01 * rng.normal(size=(len(entities), 4))
        sets.append(ItemSet.from_pair_features(vectors[first] * vectors[second], len(entities)))
    examples, boosted = Examples(sets, list(map(Partition, names))), Candidate(BOOSTED_PAIRS)
    searches = [
        AutoLearner(pair_scores)._prepare_search(examples, entities, None)
        for entities in (None, names)
    ]
    for search in searches:
        search.run([boosted])
    by_sets, by_entities = (search.selected_rule(boosted).mean for search in searches)
    assert by_sets > by_entities + 0.2


def test_entities_may_be_of_any_kind():
    truths = [Partition(["x", "x", "y"]), Partition([0, 1])]
    expected = [[0, 0, 1], [1, 2]]
    for names in (
        [["a", "a", "b"], ["b", "c"]],
        [np.array(["a", "a", "b"]), ["b", "c"]],
        (np.array(codes) for codes in ([7, 7, 900_000], [900_000, -1])),
        [[("a", 1), ("a", 1), "b"], ["b", 3]],
    ):
        assert [indices.tolist() for indices in as_entities(names, truths)] == expected


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ("ab", "entities are of type str; give a list"),
        ([["a", "a", "b"]], "there are 2 item sets, but entity names for 1; give one list"),
        (
            [["a", "a", "b"], ["c"]],
            "item set 1: 1 entity names for 2 items; give one name",
        ),
        ([["a", "a", "b"], Partition([0, 1])], "item set 1: the entities are a Partition"),
        ([["a", "a", "b"], [None, "c"]], "item set 1: item 0 has no label"),
        ([["a", "b", "b"], ["c", "d"]], "item set 0: items 0 and 1 are in the same cluster, but"),
        ([["a", "a", "b"], "cd"], "item set 1: labels are of type str"),
    ],
)
def test_entities_that_do_not_fit_are_refused(entities, message):
    sets, _ = make_sets(1, 3)
    item_sets = [sets[0], ItemSet.from_pair_features(np.zeros((1, 3)), 2)]
    with pytest.raises(CoterieError, match=message):
        AutoLearner().fit(item_sets, [[0, 0, 1], [0, 1]], entities=entities)


# The choice.


@pytest.mark.parametrize(("metric", "sign"), [(b_cubed, 1), (pair_loss, -1), (conll_score, 1)])
def test_the_choice_is_the_simplest_within_one_standard_error(metric, sign):
    learner = AutoLearner(metric).fit(*make_sets(noise=1.2))
    table = learner.table_
    assert [row[:2] for row in table] == list(map(tuple, CANDIDATES))
    tried = [row for row in table if row.status == "tried"]
    best = max(tried, key=lambda row: sign * row.mean)
    assert best.standard_error == 0.0
    errors = [max(row.standard_error, MARGIN) for row in tried]
    gaps = [sign * (best.mean - row.mean) for row in tried]
    level = [row for row, gap, error in zip(tried, gaps, errors, strict=True) if gap <= error]
    assert learner.choice_ == level[0]


def test_the_standard_error_is_that_of_paired_differences():
    assert not is_tie(1.0, np.array([1.0, 1.1, 0.9, 1.0]))
    assert is_tie(0.5, np.array([4.0, -3.0, 1.0, 0.0]))
    assert is_tie(MARGIN, np.zeros(4))
    assert not is_tie(1.1 * MARGIN, np.zeros(4))
    differences = np.array([0.1, 0.3, 0.2, 0.6])
    error = math.sqrt(np.sum((differences - 0.3) ** 2) / 3 / 4)
    for mean in (error - 1e-9, error + 1e-9):
        assert is_tie(mean, differences - 0.3 + mean) is (mean < error)


def test_the_mean_is_that_of_the_metric_on_held_out_sets():
    sets, truths = make_sets()
    learner = AutoLearner()
    search = learner.fit_search(sets, truths)
    row = learner.table_[0]
    values = {}
    for fold in plan_validation(Examples(sets, truths), as_entities(None, truths), 5, 0).folds:
        fitted = logistic(row.clusterer).fit(*fold.training_examples)
        fitted.set_params(threshold=row.threshold)
        for part in fold.held_out:
            (predicted,) = fitted.predict([part.item_set])
            values[id(part.item_set)] = b_cubed(part.truth, predicted).f1
    held_out = search.selected_rule(Candidate(LOGISTIC)).values
    assert row.mean == pytest.approx(np.mean(list(values.values())))
    assert held_out.tolist() == pytest.approx(list(values.values()))


@pytest.mark.parametrize("ordered", [False, True])
def test_only_ordered_items_are_predicted_by_what_depends_on_their_order(ordered):
    sets, truths = make_sets(ordered=ordered)
    setup = Setup(ordered=ordered)
    for candidate in CANDIDATES:
        for variant in setup.variants(candidate):
            kinds = list(map(type, setup.clusterers(variant)))
            assert kinds == [LeftLink, AverageLinkage, Greedy][not ordered :]
    objective = setup.variants(Candidate(STRUCTURED))[0].learner.objective
    assert isinstance(objective, LeftLinkRisk if ordered else CorrelationRisk)
    search = AutoLearner()._prepare_search(Examples(sets, truths), None, None)
    assert search.setup.ordered is ordered
    examples = Examples([*sets, *make_sets(1)[0]], [*truths, truths[0]])
    mixed = AutoLearner()._prepare_search(examples, None, None)
    assert not mixed.setup.ordered


def test_items_without_an_order_are_shuffled_for_left_linking():
    sets, truths = make_sets(3)
    setup = Setup()
    variant = setup.variants(Candidate(LEFT_LINKING))[0]
    (learner,) = setup.fits(variant, Examples(sets, truths), [2])
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(truth)) for truth in truths]
    expected = LatentLeftLinking(0.2, n_passes=2, featurizer=variant.learner.featurizer).fit(
        [items.reordered(order) for items, order in zip(sets, orders, strict=True)],
        [truth.labels[order] for truth, order in zip(truths, orders, strict=True)],
    )
    np.testing.assert_array_equal(learner.coef_, expected.coef_)


def test_the_similarity_is_that_of_the_learner_less_the_threshold():
    sets, truths = make_sets(noise=2.0)
    learner = AutoLearner(variation_of_information).fit(sets, truths)
    row = learner.choice_
    scores = learner.learner_.similarity_(sets[0], None)
    expected = scores - row.threshold
    np.testing.assert_allclose(learner.similarity_(sets[0], None), expected, atol=1e-9)
    model = learner.to_model()
    assert model.clusterer == row.clusterer
    assert model.predict(sets) == learner.predict(sets)


def test_context_is_tried_with_costlier_families_only_where_it_helped():
    for seed in range(2):
        table = AutoLearner().fit(*make_sets(noise=1.5, seed=seed)).table_
        rows = {row[:2]: row for row in table}
        plain_means = {name: rows[name, False].mean for name in NAMES}
        first_families = {LOGISTIC, max(plain_means, key=plain_means.get)}
        helped = any(rows[name, True].mean > plain_means[name] for name in first_families)
        for name in NAMES:
            assert rows[name, False].status == "tried"
            if helped or name in first_families:
                assert rows[name, True].status == "tried"
            else:
                assert rows[name, True].status.startswith("not tried: context did not help")


def test_the_search_fits_every_candidate_by_the_decision_rule_of_the_table():
    sets, truths = make_sets()
    learner = AutoLearner()
    search = learner.fit_search(sets, truths)
    for row in learner.table_:
        candidate = Candidate(*row[:2])
        search.run([candidate])
        _, similarity, clusterer = search.fit(candidate)
        if row.status == "tried":
            assert clusterer == row.clusterer
            assert search.selected_rule(candidate).values.mean() == pytest.approx(row.mean)
        if row == learner.choice_:
            model = Model(learner.to_model().blocker, similarity, clusterer)
            assert model.predict(sets) == learner.predict(sets)
    few = AutoLearner().fit_search(sets[:2], truths[:2])
    few.run(CANDIDATES[:3])
    assert not few.validated  # nothing can be held out


# Time, repetition and reports.


def test_without_time_only_the_simplest_is_tried():
    learner = AutoLearner(budget=1e-9).fit(*make_sets())
    statuses = [row.status for row in learner.table_]
    assert statuses[0] == "tried"
    assert set(statuses[1:]) == {"not tried: the budget of 1e-09 s was used up"}
    assert learner.choice_ == learner.table_[0]
    assert "used up" in learner.report()


@pytest.fixture
def times(monkeypatch):
    """Return the times of compiling, which are made up, as are all looks at the clock.

    The clock goes on by a second at each look before a fold, except for the simplest learner.
    """
    fitted()  # now nothing is compiled
    ticks, times = count(), compilation.Compilation()
    monkeypatch.setattr(learner_module, "monotonic", lambda: 0.0)
    monkeypatch.setattr(compilation, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setattr(compilation, "compilation", times)
    return times


def test_a_learner_whose_time_ends_between_folds_is_not_finished(times):
    learner = AutoLearner(budget=5.5).fit(*make_sets())
    status = "not finished: the budget of 5.5 s was used up after 1 of 5 rounds of cross-validation"
    (row,) = (row for row in learner.table_ if row.status.startswith("not finished"))
    assert row.status == status
    assert f"Not finished ({status.partition(': ')[2]}): {row.name}." in learner.report()


def test_seconds_of_compiling_are_not_seconds_of_the_budget(times):
    times.spans.append((0.0, 1e6))
    learner = AutoLearner(budget=5.5).fit(*make_sets())
    assert not [row for row in learner.table_ if "budget" in row.status]


def test_two_runs_are_the_same_bits_with_any_number_of_processes():
    sets, truths = make_sets(5, n_items=9)
    one = AutoLearner().fit(sets, truths)
    for other in (AutoLearner().fit(sets, truths), AutoLearner(n_jobs=2).fit(sets, truths)):
        assert same_tables(one.table_, other.table_)
        scores = one.similarity_(sets[0], None)
        assert scores.tobytes() == other.similarity_(sets[0], None).tobytes()


def test_there_are_no_more_processes_than_processors(monkeypatch):
    counts = []

    def call_all(calls, n_jobs):
        counts.append(n_jobs)
        return workers.call_all(calls, 1)

    monkeypatch.setattr(search_module, "call_all", call_all)
    AutoLearner(n_jobs=10_000).fit(*make_sets())
    assert set(counts) == {joblib.cpu_count()}


def test_the_report_names_what_was_tried_the_choice_and_the_reason():
    text = fitted().report()
    lines = text.splitlines()
    assert len(lines) == len(CANDIDATES) + 2
    for line, candidate in zip(lines[1:], CANDIDATES, strict=False):
        assert line.startswith(str(candidate))
    assert sum("chosen" in line for line in lines) == 1
    assert lines[-1].startswith("Chosen in ")
    assert str(Candidate(*fitted().choice_[:2])) in lines[-1]
    assert lines[-1].endswith(".")


def test_progress_is_reported():
    steps = []
    with progress(steps.append):
        AutoLearner(budget=1e-9).fit(*make_sets())
    choice_steps = [step for step in steps if step.task == "choose"]
    assert [step.done for step in choice_steps][:5] == [1, 2, 3, 4, 5]
    assert choice_steps[0].total == 30


def test_the_model_can_be_saved(tmp_path):
    model, (sets, _) = fitted().to_model(), make_sets(noise=1.2)
    model.save(tmp_path / "model.coterie")
    assert Model.load(tmp_path / "model.coterie").predict(sets) == model.predict(sets)


def test_bad_parameters_and_features_are_refused():
    sets, truths = make_sets(5)
    for learner, error, words in (
        (AutoLearner(metric=lambda a, b: 1.0), MetricError, "greater_is_better"),
        (AutoLearner(budget=0), InputError, "budget"),
        (AutoLearner(n_folds=1), InputError, "n_folds"),
        (AutoLearner(n_jobs=0), InputError, "n_jobs"),
    ):
        with pytest.raises(error, match=words):
            learner.fit(sets, truths)
    other = ItemSet.from_pair_features(np.ones((3, 2)), 3)
    with pytest.raises(FeatureError, match="item set 5"):
        AutoLearner().fit([*sets, other], [*truths, [0, 0, 1]])


@pytest.mark.parametrize("labels", [range(12), [0] * 12])
def test_truths_of_one_kind_of_pair_are_learned_from(labels):
    sets, _ = make_sets(5)
    truths = [Partition(labels)] * 5
    assert AutoLearner().fit(sets, truths).predict(sets) == truths


def test_vectors_and_a_metric_with_parameters_are_taken():
    metric = partial(pair_loss)
    metric.__name__, metric.greater_is_better = "pair loss", False
    sets, truths = make_item_sets(n_sets=5, random_state=3)
    learner = AutoLearner(metric, n_folds=2).fit(sets, truths)
    assert isinstance(learner.similarity_, LinearSimilarity) or learner.choice_.n_rounds
