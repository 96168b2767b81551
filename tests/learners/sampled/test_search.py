"""The automatic choice from a sample of pairs."""

import numpy as np
import pytest

from coterie import metrics
from coterie.datasets import make_item_sets
from coterie.features import AbsoluteDifferences
from coterie.features.operators import to_matrix
from coterie.learners.auto.choice import choose_simplest
from coterie.learners.auto.entities import as_entities
from coterie.learners.auto.families import FAMILIES
from coterie.learners.auto.plan import plan_validation
from coterie.learners.base import Examples
from coterie.learners.boosting.trees import HistogramTrees, LightTrees
from coterie.learners.sampled import efforts
from coterie.learners.sampled.folds import ItemFolds
from coterie.learners.sampled.pools import PairPool
from coterie.learners.sampled.search import SampleSearch
from coterie.learners.sampled.settings import LearningSettings

SAMPLED = [family for family in FAMILIES if family.sample_module is not None]


class Matrix:
    """Features of pairs that were computed before, in blocks of any size."""

    def __init__(self, matrix):
        self.matrix = matrix.astype(np.float32)
        self.n_columns = matrix.shape[1]

    def blocks(self, rows=None):
        numbers = np.arange(len(self.matrix)) if rows is None else rows
        for part in np.array_split(numbers, 7):
            yield part, self.matrix[part]


def examples(n_sets=1, n_clusters=60, seed=0):
    sets, truths = make_item_sets(
        n_sets, 4 * n_clusters, n_clusters, n_nuisance=2, separation=9.0, random_state=seed
    )
    return Examples(list(sets), list(truths))


def search_of(data, families=SAMPLED, n_jobs=1, budget=None):
    matrices = [to_matrix(AbsoluteDifferences()(item_set, None)) for item_set in data.item_sets]
    pool = PairPool(data.truths, [None] * len(matrices), Matrix(np.concatenate(matrices)))
    entities = as_entities(None, data.truths)
    plan = plan_validation(data, entities, 3, 0, named=True)
    labels = np.concatenate(entities)
    settings = LearningSettings("normal", metrics.b_cubed, n_jobs=n_jobs, budget=budget)
    return SampleSearch(pool, labels, plan, families, settings)


def run(search):
    return search.run(np.arange(len(search.pool)) % 3 == 0)


@pytest.fixture(autouse=True, scope="module")
def small_samples():
    """Samples of 4,000 pairs, so that the pairs of the tests are more."""
    with pytest.MonkeyPatch.context() as patch:
        effort = efforts.SAMPLED["normal"]._replace(least_pairs=4000, most_pairs=4000)
        patch.setitem(efforts.SAMPLED, "normal", effort)
        yield


@pytest.fixture(scope="module")
def choice():
    return run(search_of(examples()))


def test_all_families_are_compared_and_the_choice_is_among_them(choice):
    assert [row.name for row in choice.table] == [family.name for family in SAMPLED]
    assert choice.chosen in choice.table
    assert all(0.5 < row.mean <= 1.0 for row in choice.table)
    assert choice.name in choice.report()


def test_held_out_scores_predict_as_well_as_the_metric_says(choice):
    (held_out,) = choice.held_out
    value = metrics.b_cubed(held_out.truth, choice.clusterer(held_out.scores)).f1
    # The mean of the table is averaged over neighbouring thresholds.
    assert value == pytest.approx(choice.chosen.mean, abs=0.05)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_the_result(choice, n_jobs):
    again = run(search_of(examples(), n_jobs=n_jobs))
    assert again.chosen._replace(seconds=0.0) == choice.chosen._replace(seconds=0.0)
    np.testing.assert_array_equal(again.held_out[0].scores.scores, choice.held_out[0].scores.scores)


@pytest.mark.parametrize("family", SAMPLED, ids=lambda family: family.slug)
def test_each_family_learns_to_cluster_new_items(family):
    data, new = examples(), examples(seed=1)
    fitted = run(search_of(data, [family]))
    assert fitted.reason == "it is the only one that was requested"
    similarity = fitted.similarity.with_featurizer(AbsoluteDifferences())
    predicted = fitted.clusterer(similarity.pair_scores(new.item_sets[0]))
    assert metrics.b_cubed(new.truths[0], predicted).f1 > 0.75


def test_a_used_up_budget_leaves_the_simplest_family():
    fitted = run(search_of(examples(), budget=1e-9))
    assert fitted.name == "logistic regression"
    assert fitted.table[1].status == "not tried: the budget of 1e-09 s was used up"


def test_without_enough_entities_nothing_is_compared():
    fitted = run(search_of(examples(n_clusters=8)))
    assert fitted.held_out == []
    assert fitted.reason == "there are too few examples to compare learners"
    assert fitted.table[0].status.startswith("not measured: needs at least")


def test_each_pair_is_scored_without_one_of_its_items():
    data = examples(n_sets=2)
    search = search_of(data)
    folds = ItemFolds.of(search.plan, search.pool)
    ends = search.pool.ends
    of_pairs = folds.of_pairs(ends)
    assert (folds.of_item >= 0).all()
    assert (of_pairs[:, None] == folds.of_item[ends]).any(axis=1).all()
    for fold in range(len(folds)):
        assert not (folds.is_training[fold] & (folds.of_item == fold)).any()
        entities = search.labels
        held_out = np.unique(entities[folds.of_item == fold])
        assert not np.isin(entities[folds.is_training[fold]], held_out).any()


def test_whole_item_sets_are_held_out_where_there_are_many():
    data = examples(n_sets=6, n_clusters=5)
    search = search_of(data)
    folds = ItemFolds.of(search.plan, search.pool)
    for start, stop in zip(search.pool.offsets, search.pool.offsets[1:], strict=False):
        assert len(set(folds.of_item[start:stop].tolist())) == 1
    assert 0.5 < run(search).chosen.mean <= 1.0


@pytest.mark.parametrize("grower", [LightTrees(n_leaves=7), HistogramTrees(n_leaves=7)])
def test_trees_fit_weighted_rows(grower):
    rng = np.random.default_rng(0)
    matrix = np.round(rng.normal(size=(600, 4)), 1)
    together = matrix[:, 0] + matrix[:, 1] + rng.normal(size=600) > 1
    weights = np.where(together, 1.0, 3.0)
    trees = grower.grow_classifier(matrix, together, weights, -1.0, 20, 0)
    scores = trees(matrix) - 1.0
    likelihoods = np.where(together, scores, -scores)
    loss = weights @ np.logaddexp(0, -likelihoods) / weights.sum()
    share = weights[together].sum() / weights.sum()
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert loss < 0.9 * entropy
    # The weighted mean of the probabilities is near the weighted share of rows together.
    assert np.average(1 / (1 + np.exp(-scores)), weights=weights) == pytest.approx(share, abs=0.05)


def test_the_reason_names_the_margin():
    from coterie.learners.auto.choice import Result

    values = np.array([0.9, 0.9])
    results = [Result("simple", 0.9, values), Result("best", 0.9005, values + 0.0005)]
    assert choose_simplest(results, 1.0) == (
        0,
        "it is the simplest within 0.001 or one standard error of the best, best",
    )


def test_a_pilot_finds_hard_pairs_where_there_are_many(monkeypatch):
    from coterie.learners.sampled import search as module

    monkeypatch.setattr(module, "MANY_TIMES", 0.1)
    search = search_of(examples())
    is_similar = np.arange(len(search.pool)) % 3 == 0
    sample = search._sample(is_similar)
    # By equal chances, all pairs of a stratum have one weight.
    assert len(np.unique(sample.weights)) > 100
    assert sample.weights.sum() == pytest.approx(len(search.pool), rel=0.1)
    chosen = search.run(is_similar)
    assert chosen.chosen.mean > 0.75
