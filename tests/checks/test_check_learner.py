"""The check of learners passes sound learners, and catches wrong results and files."""

import importlib
import itertools
import sys
from dataclasses import dataclass, replace

import pytest

from coterie import checks
from coterie.checks import check_learner
from coterie.clusterers import AverageLinkage, KernelKMeans, Pivot
from coterie.exceptions import InputError
from coterie.items import PairFeatures
from coterie.learners.base import Learner
from coterie.metrics import macro, rand_score
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity
from tests.checks.sound_learner import CannotBeSaved, Sound


def test_sound_learners_pass():
    check_learner(Sound())
    check_learner(Sound(AverageLinkage()), needs_n_clusters=True, random_state=1)


def test_the_order_of_items_may_matter_only_without_order_free():
    check_learner(CannotBeSaved(Pivot()), order_free=False, saves=False)
    with pytest.raises(AssertionError, match="the order of the items matters"):
        check_learner(Sound(Pivot()))


def test_the_number_of_clusters_is_given_only_with_needs_n_clusters():
    with pytest.raises(AssertionError, match="fails to predict for three item sets of vectors"):
        check_learner(Sound(KernelKMeans()))


# Results.


class ReturnsNone(Sound):
    def fit(self, item_sets, partitions):
        super().fit(item_sets, partitions)


class SetsNoSimilarity(Sound):
    def _fit(self, examples):
        self.coef_ = None


class PredictsLabels(Sound):
    def predict(self, item_sets):
        return [partition.labels for partition in super().predict(item_sets)]


class PredictsATuple(Sound):
    def predict(self, item_sets):
        return tuple(super().predict(item_sets))


class ForgetsAnItem(Sound):
    def predict(self, item_sets):
        return [Partition(partition.labels[1:]) for partition in super().predict(item_sets)]


class MakesNoModel(Sound):
    def to_model(self):
        super().to_model()

    def predict(self, item_sets):
        return Sound.to_model(self).predict(item_sets)


class MakesAnotherModel(Sound):
    def predict(self, item_sets):
        return [Partition(range(len(partition))) for partition in super().predict(item_sets)]


class DoublesTheSimilarity(Sound):
    def to_model(self):
        model = super().to_model()
        twice = replace(model.similarity, coef=2 * model.similarity.coef)
        return replace(model, similarity=replace(twice, bias=2 * twice.bias))


class ScoresByAnotherMetric(Sound):
    def score(self, item_sets, partitions):
        predictions = self.predict(item_sets)
        Learner.score(self, item_sets, partitions)
        return macro(rand_score, partitions, predictions)


class DependsOnNames(Sound):
    kind = str

    def fit(self, item_sets, partitions):
        super().fit(item_sets, partitions)
        if isinstance(partitions[0], list) and isinstance((partitions[0] or [()])[0], self.kind):
            self.similarity_ = replace(self.similarity_, bias=self.similarity_.bias + 1e-9)
        return self


class DependsOnNumbers(DependsOnNames):
    kind = int


class CountsFits(Sound):
    calls = itertools.count()

    def _fit(self, examples):
        super()._fit(examples)
        self.similarity_ = replace(self.similarity_, bias=next(self.calls) * 1e-6)


class ContinuesTraining(Sound):
    """Starts from the previous solution."""

    def _fit(self, examples):
        previous = getattr(self, "similarity_", None)
        super()._fit(examples)
        if previous is not None and len(previous.coef) == len(self.similarity_.coef):
            self.similarity_ = replace(self.similarity_, coef=self.similarity_.coef + previous.coef)


class FitsByPairOrder(Sound):
    """Ignores the order of the pairs if all pairs are given."""

    def _pairs(self, item_set):
        pairs = super()._pairs(item_set)
        n_items = len(item_set)
        return None if pairs is None or 2 * len(pairs) == n_items * (n_items - 1) else pairs


class ScoresByPairOrder(LinearSimilarity):
    def pair_scores(self, item_set, pairs=None):
        pair_scores = super().pair_scores(item_set, pairs)
        if isinstance(item_set.items, PairFeatures) and len(pair_scores.scores) == len(
            pair_scores.to_condensed()
        ):
            scores = self._scores(self._features(item_set, item_set.items.pairs))
            return PairScores(len(item_set), None, scores)
        return pair_scores

    def __call__(self, item_set, pairs=None):
        return self.pair_scores(item_set, pairs).scores


class PredictsByPairOrder(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        similarity = self.similarity_
        self.similarity_ = ScoresByPairOrder(
            similarity.featurizer, similarity.coef, similarity.bias
        )


RESULTS = {
    ReturnsNone: "fit does not return the learner",
    SetsNoSimilarity: "fit sets no similarity_",
    PredictsLabels: "not a list of partitions",
    PredictsATuple: "not a list of partitions",
    ForgetsAnItem: "predict for three item sets of vectors returns",
    MakesNoModel: "to_model returns NoneType, not Model",
    MakesAnotherModel: "the model predicts other partitions",
    DoublesTheSimilarity: "the model has another similarity",
    ScoresByAnotherMetric: "but the mean B-cubed F1 is",
    DependsOnNames: "the names of labels matter",
    DependsOnNumbers: "the names of labels matter",
    CountsFits: "a second fit gives another result",
    ContinuesTraining: "an earlier fit matters",
    FitsByPairOrder: "the order of the pairs matters in fit",
}


@pytest.mark.parametrize("broken", RESULTS, ids=lambda kind: kind.__name__)
def test_broken_results_are_caught(broken):
    with pytest.raises(AssertionError, match=RESULTS[broken]):
        check_learner(broken())


def test_similarities_that_depend_on_the_order_of_pairs_are_caught():
    message = "the order of the pairs matters in prediction"
    with pytest.raises(AssertionError, match=message):
        check_learner(PredictsByPairOrder(), order_free=False, classes=[ScoresByPairOrder])


def has_only_singletons(truth):
    return truth.n_clusters == len(truth)


FAILURES = {
    "one item set of vectors": lambda sets, truths: len(sets) == 1,
    "sets of one item among": lambda sets, truths: min(map(len, sets)) == 1 < max(map(len, sets)),
    "only sets of one item": lambda sets, truths: set(map(len, sets)) == {1},
    "truths of singletons": lambda sets, truths: (
        all(map(has_only_singletons, truths)) and len(sets[0]) > 1
    ),
    "truths of one cluster": lambda sets, truths: (
        {t.n_clusters for t in truths} == {1} and len(sets[0]) > 1
    ),
    "sets without items among": lambda sets, truths: len(sets[-1]) == 0,
    "an empty list among": lambda sets, truths: (
        len(sets[0]) == 0 < len(sets[-1]) and sets[0].items.shape == (0, 0)
    ),
    "sets with few pairs": lambda sets, truths: (
        isinstance(sets[0].items, PairFeatures)
        and sets[0].items.pairs is not None
        and not len(sets[0].items.pairs)
    ),
}


@pytest.mark.parametrize("description", FAILURES)
def test_failures_on_small_sets_are_caught(description):
    class Fails(Sound):
        def _fit(self, examples):
            if FAILURES[description](*examples):
                raise IndexError
            super()._fit(examples)

    with pytest.raises(AssertionError, match=f"fails to fit to {description}"):
        check_learner(Fails())


def test_models_of_small_sets_must_predict_larger_ones():
    class Fails(Sound):
        def _fit(self, examples):
            super()._fit(examples)
            self.small_ = max(map(len, examples.item_sets)) == 1

        def predict(self, item_sets):
            if getattr(self, "small_", False) and len(item_sets) == 3:
                raise IndexError
            return super().predict(item_sets)

    with pytest.raises(AssertionError, match="fails to predict for three item sets"):
        check_learner(Fails())


# Saved models.


class HalfWritten(Model):
    def save(self, path):
        path.write_text("half")
        raise InputError("the model cannot be saved")


class LeavesAFile(Sound):
    def to_model(self):
        model = super().to_model()
        return HalfWritten(model.blocker, model.similarity, model.clusterer)


def test_models_that_cannot_be_saved_are_refused():
    check_learner(CannotBeSaved(), saves=False)
    with pytest.raises(AssertionError, match="fails to save its model"):
        check_learner(CannotBeSaved())
    with pytest.raises(AssertionError, match="saving its model although saves=False"):
        check_learner(Sound(), saves=False)
    with pytest.raises(AssertionError, match="leaves a file"):
        check_learner(LeavesAFile(), saves=False)


USER_MODULE = """
from dataclasses import dataclass
from coterie.similarities import LinearSimilarity

SIGN = 1.0

@dataclass(frozen=True, eq=False, repr=False)
class Signed(LinearSimilarity):
    def _scores(self, features):
        return SIGN * super()._scores(features)

@dataclass(frozen=True, eq=False, repr=False)
class Growing(LinearSimilarity):
    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "bias", self.bias + 1.0)
"""


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    """Return a module that a user might write."""
    (tmp_path / "user_similarities.py").write_text(USER_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("user_similarities")
    yield module
    del sys.modules["user_similarities"]


def with_similarity(kind):
    class WithSimilarity(Sound):
        def _fit(self, examples):
            super()._fit(examples)
            similarity = self.similarity_
            self.similarity_ = kind(similarity.featurizer, similarity.coef, similarity.bias)

    return WithSimilarity()


def test_user_similarities_are_read_by_another_process(user_module, monkeypatch):
    check_learner(with_similarity(user_module.Signed), classes=[user_module.Signed])
    with pytest.raises(AssertionError, match=r"fails to load its model.*load with classes"):
        check_learner(with_similarity(user_module.Signed))
    with pytest.raises(AssertionError, match="the saved and loaded model gives other scores"):
        check_learner(with_similarity(user_module.Growing), classes=[user_module.Growing])
    monkeypatch.setattr(user_module, "SIGN", -1.0)
    with pytest.raises(AssertionError, match="another process predicts other partitions"):
        check_learner(with_similarity(user_module.Signed), classes=[user_module.Signed])


def test_classes_that_another_process_cannot_import_are_caught():
    @dataclass(frozen=True, eq=False, repr=False)
    class Local(LinearSimilarity):
        __module__ = "nowhere"

    with pytest.raises(AssertionError, match="another process cannot use the saved model"):
        check_learner(with_similarity(Local), classes=[Local])


def test_the_check_is_public():
    assert checks.check_learner is check_learner
