"""The check of learners passes what keeps the contract and catches wrong results and files."""

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


def test_the_order_of_items_may_matter_where_that_is_said():
    check_learner(CannotBeSaved(Pivot()), order_free=False, saves=False)
    with pytest.raises(AssertionError, match="the order of the items matters"):
        check_learner(Sound(Pivot()))


def test_the_number_of_clusters_must_be_given_where_it_is_needed():
    with pytest.raises(AssertionError, match="fails to predict for three item sets of vectors"):
        check_learner(Sound(KernelKMeans()))


# What it learns.


class ReturnsNothing(Sound):
    def fit(self, item_sets, partitions):
        super().fit(item_sets, partitions)


class LeavesNothing(Sound):
    def _fit(self, examples):
        self.coef_ = None


class PredictsLabels(Sound):
    def predict(self, item_sets):
        return [found.labels for found in super().predict(item_sets)]


class PredictsATuple(Sound):
    def predict(self, item_sets):
        return tuple(super().predict(item_sets))


class ForgetsAnItem(Sound):
    def predict(self, item_sets):
        return [Partition(found.labels[1:]) for found in super().predict(item_sets)]


class ModelsNothing(Sound):
    def to_model(self):
        super().to_model()

    def predict(self, item_sets):
        return Sound.to_model(self).predict(item_sets)


class ModelsOtherwise(Sound):
    def predict(self, item_sets):
        return [Partition(range(len(found))) for found in super().predict(item_sets)]


class ModelsAnotherSimilarity(Sound):
    def to_model(self):
        model = super().to_model()
        twice = replace(model.similarity, coef=2 * model.similarity.coef)
        return replace(model, similarity=replace(twice, bias=2 * twice.bias))


class ScoresOtherwise(Sound):
    def score(self, item_sets, partitions):
        found = self.predict(item_sets)
        Learner.score(self, item_sets, partitions)
        return macro(rand_score, partitions, found)


class FollowsNames(Sound):
    kind = str

    def fit(self, item_sets, partitions):
        super().fit(item_sets, partitions)
        if isinstance(partitions[0], list) and isinstance((partitions[0] or [()])[0], self.kind):
            self.similarity_ = replace(self.similarity_, bias=self.similarity_.bias + 1e-9)
        return self


class FollowsNumbers(FollowsNames):
    kind = int


class Counts(Sound):
    calls = itertools.count()

    def _fit(self, examples):
        super()._fit(examples)
        self.similarity_ = replace(self.similarity_, bias=next(self.calls) * 1e-6)


class GoesOn(Sound):
    """Starts from the last solution."""

    def _fit(self, examples):
        last = getattr(self, "similarity_", None)
        super()._fit(examples)
        if last is not None and len(last.coef) == len(self.similarity_.coef):
            self.similarity_ = replace(self.similarity_, coef=self.similarity_.coef + last.coef)


class FitsByListing(Sound):
    """Takes the pairs of an item set to be in order, where all are listed."""

    def _pairs(self, item_set):
        pairs = super()._pairs(item_set)
        n_items = len(item_set)
        return None if pairs is None or 2 * len(pairs) == n_items * (n_items - 1) else pairs


class ByListing(LinearSimilarity):
    def pair_scores(self, item_set, pairs=None):
        found = super().pair_scores(item_set, pairs)
        if isinstance(item_set.items, PairFeatures) and len(found.scores) == len(
            found.to_condensed()
        ):
            scores = self._scores(self._features(item_set, item_set.items.pairs))
            return PairScores(len(item_set), None, scores)
        return found

    def __call__(self, item_set, pairs=None):
        return self.pair_scores(item_set, pairs).scores


class PredictsByListing(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        found = self.similarity_
        self.similarity_ = ByListing(found.featurizer, found.coef, found.bias)


RESULTS = {
    ReturnsNothing: "fit does not return the learner",
    LeavesNothing: "fit leaves no similarity_",
    PredictsLabels: "no list of partitions",
    PredictsATuple: "no list of partitions",
    ForgetsAnItem: "predict for three item sets of vectors returns",
    ModelsNothing: "to_model returns NoneType, no Model",
    ModelsOtherwise: "the model predicts otherwise",
    ModelsAnotherSimilarity: "the model has another similarity",
    ScoresOtherwise: "but the mean B-cubed F1",
    FollowsNames: "the names of labels matter",
    FollowsNumbers: "the names of labels matter",
    Counts: "each fit is another",
    GoesOn: "an earlier fit matters",
    FitsByListing: "the order in which pairs are listed matters in fit",
}


@pytest.mark.parametrize("broken", RESULTS, ids=lambda kind: kind.__name__)
def test_broken_results_are_caught(broken):
    with pytest.raises(AssertionError, match=RESULTS[broken]):
        check_learner(broken())


def test_similarities_that_follow_the_listing_are_caught():
    message = "the order in which pairs are listed matters in prediction"
    with pytest.raises(AssertionError, match=message):
        check_learner(PredictsByListing(), order_free=False, classes=[ByListing])


def lone(truth):
    return truth.n_clusters == len(truth)


FAILURES = {
    "one item set of vectors": lambda sets, truths: len(sets) == 1,
    "sets of one item beside": lambda sets, truths: min(map(len, sets)) == 1 < max(map(len, sets)),
    "sets of one item alone": lambda sets, truths: set(map(len, sets)) == {1},
    "truths of single items": lambda sets, truths: all(map(lone, truths)) and len(sets[0]) > 1,
    "truths of one cluster": lambda sets, truths: (
        {t.n_clusters for t in truths} == {1} and len(sets[0]) > 1
    ),
    "a set without items beside": lambda sets, truths: len(sets[-1]) == 0,
    "an empty list beside": lambda sets, truths: (
        len(sets[0]) == 0 < len(sets[-1]) and sets[0].items.shape == (0, 0)
    ),
    "sets with few pairs": lambda sets, truths: (
        isinstance(sets[0].items, PairFeatures)
        and sets[0].items.pairs is not None
        and not len(sets[0].items.pairs)
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_failures_on_small_sets_are_caught(what):
    class Fails(Sound):
        def _fit(self, examples):
            if FAILURES[what](*examples):
                raise IndexError
            super()._fit(examples)

    with pytest.raises(AssertionError, match=f"fails to fit to {what}"):
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


# What it leaves behind.


class HalfWritten(Model):
    def save(self, path):
        path.write_text("half")
        raise InputError("the model cannot be saved")


class LeavesAFile(Sound):
    def to_model(self):
        model = super().to_model()
        return HalfWritten(model.blocker, model.similarity, model.clusterer)


def test_models_that_cannot_be_saved_must_say_so():
    check_learner(CannotBeSaved(), saves=False)
    with pytest.raises(AssertionError, match="fails to save its model"):
        check_learner(CannotBeSaved())
    with pytest.raises(AssertionError, match="saves a model, which it was said not to"):
        check_learner(Sound(), saves=False)
    with pytest.raises(AssertionError, match="leaves a file"):
        check_learner(LeavesAFile(), saves=False)


OWN = """
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
def own(tmp_path, monkeypatch):
    """A module of the user's."""
    (tmp_path / "own_similarities.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("own_similarities")
    yield module
    del sys.modules["own_similarities"]


def with_similarity(kind):
    class Own(Sound):
        def _fit(self, examples):
            super()._fit(examples)
            found = self.similarity_
            self.similarity_ = kind(found.featurizer, found.coef, found.bias)

    return Own()


def test_similarities_of_your_own_are_read_by_another_process(own, monkeypatch):
    check_learner(with_similarity(own.Signed), classes=[own.Signed])
    with pytest.raises(AssertionError, match=r"fails to load its model.*load with classes"):
        check_learner(with_similarity(own.Signed))
    with pytest.raises(AssertionError, match="was saved and read scores otherwise"):
        check_learner(with_similarity(own.Growing), classes=[own.Growing])
    monkeypatch.setattr(own, "SIGN", -1.0)
    with pytest.raises(AssertionError, match="another process predicts otherwise"):
        check_learner(with_similarity(own.Signed), classes=[own.Signed])


def test_what_another_process_cannot_find_is_caught():
    @dataclass(frozen=True, eq=False, repr=False)
    class Local(LinearSimilarity):
        __module__ = "nowhere"

    with pytest.raises(AssertionError, match="another process cannot use the saved model"):
        check_learner(with_similarity(Local), classes=[Local])


def test_the_check_is_public():
    assert checks.check_learner is check_learner
