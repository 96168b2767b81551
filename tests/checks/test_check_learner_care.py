"""The check of learners catches broken parameters, side effects and input that is not refused."""

import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from coterie.checks import check_learner
from coterie.clusterers import Greedy
from coterie.exceptions import InputError
from coterie.features.given import GivenFeatures
from coterie.items import ItemSet, PairFeatures
from coterie.model import Model
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity
from tests.checks.sound_learner import GREEDY, RIDGE, CannotBeSaved, Ridge, Sound

# The learner as a value.


class CopiesItsClusterer(Sound):
    def __init__(self, clusterer=GREEDY, solver=RIDGE):
        super().__init__(copy.copy(clusterer), solver)


class ChecksItsClusterer(Sound):
    def __init__(self, clusterer=GREEDY, solver=RIDGE):
        if not callable(clusterer):
            raise InputError("give a clusterer")
        super().__init__(clusterer, solver)


class StartsWithResults(Sound):
    def __init__(self, clusterer=GREEDY, solver=RIDGE):
        super().__init__(clusterer, solver)
        self.similarity_ = None


class CannotBeCloned(Sound):
    def __sklearn_clone__(self):
        raise TypeError("there is but one")


class ClonesDefaults(Sound):
    def __sklearn_clone__(self):
        return type(self)()


class ClonesResults(Sound):
    def __sklearn_clone__(self):
        clone = copy.copy(self)
        clone.similarity_ = None
        return clone


class SetsWithoutReturning(Sound):
    def set_params(self, **params):
        super().set_params(**params)


class SetsCopies(Sound):
    def set_params(self, **params):
        return super().set_params(**copy.deepcopy(params))


class SetsTwice(Sound):
    def set_params(self, **params):
        if "solver__ridge" in params:
            params["solver__ridge"] *= 2
        return super().set_params(**params)


class TakesUnknownParameters(Sound):
    def set_params(self, **params):
        return super().set_params(**{k: v for k, v in params.items() if k != "nothing"})


class TakesUnknownParametersInside(Sound):
    def set_params(self, **params):
        return super().set_params(**{k: v for k, v in params.items() if k != "solver__nothing"})


class RaisesKeyError(Sound):
    def set_params(self, **params):
        for name in params:
            if name == "nothing":
                raise KeyError(name)
        return super().set_params(**params)


class IgnoresNestedParameters(Sound):
    def set_params(self, **params):
        return super().set_params(**{k: v for k, v in params.items() if k != "solver__ridge"})


class FailsForNestedParameters(Sound):
    def set_params(self, **params):
        if params.keys() == {"solver__ridge"}:
            raise TypeError("no such thing")
        return super().set_params(**params)


class SetsOuterLast(Sound):
    """Sets parameters in the given order, so that an outer value replaces its parts."""

    def set_params(self, **params):
        for name, value in params.items():
            super().set_params(**{name: value})
        return self


class Mutable(BaseEstimator):
    def __init__(self, ridge=1.0):
        self.ridge = ridge


class ChangesValues(Sound):
    def set_params(self, **params):
        if "solver__ridge" in params:
            self.solver.set_params(ridge=params.pop("solver__ridge"))
        return super().set_params(**params)


class PredictsUnfitted(Sound):
    def predict(self, item_sets):
        if not hasattr(self, "similarity_"):
            return [Partition(range(len(items))) for items in item_sets]
        return super().predict(item_sets)


class ScoresUnfitted(Sound):
    def score(self, item_sets, partitions):
        return super().score(item_sets, partitions) if hasattr(self, "similarity_") else 0.0


class FailsUnfitted(Sound):
    def to_model(self):
        return Model(self._blocker, self.similarity_, self._predictor)


class GivesAnUnfittedModel(Sound):
    def to_model(self):
        if not hasattr(self, "similarity_"):
            similarity = LinearSimilarity(GivenFeatures(), [1.0])
            return Model(self._blocker, similarity, self._predictor)
        return super().to_model()

    def predict(self, item_sets):
        return Sound.to_model(self).predict(item_sets)


PARAMETERS = {
    CopiesItsClusterer: "does not store the clusterer",
    ChecksItsClusterer: "does more than store its parameters",
    StartsWithResults: "from its constructor; set results only in fit",
    CannotBeCloned: "fails to clone",
    ClonesResults: "from clone; set results only in fit",
    SetsWithoutReturning: "set_params must return self",
    SetsCopies: "set_params does not store",
    SetsTwice: "changes it",
    TakesUnknownParameters: "the unknown parameter 'nothing'",
    TakesUnknownParametersInside: "the unknown parameter 'solver__nothing'",
    RaisesKeyError: "must raise ValueError, but raises KeyError",
    IgnoresNestedParameters: "solver__ridge was set to 3.0, but is 1.0",
    FailsForNestedParameters: "fails to set solver__ridge",
    SetsOuterLast: "solver__ridge is lost if solver is set too",
    PredictsUnfitted: "predict before fit: .* raises no error",
    ScoresUnfitted: "score before fit",
    FailsUnfitted: "predict before fit: .*, but raises AttributeError",
    GivesAnUnfittedModel: "to_model before fit",
}


@pytest.mark.parametrize("broken", PARAMETERS, ids=lambda kind: kind.__name__)
def test_broken_parameters_are_caught(broken):
    with pytest.raises(AssertionError, match=PARAMETERS[broken]):
        check_learner(broken())


def test_values_that_change_are_caught():
    with pytest.raises(AssertionError, match="setting solver__ridge changes the original solver"):
        check_learner(ChangesValues(solver=Mutable()))
    with pytest.raises(AssertionError, match="a clone has other parameters"):
        check_learner(ClonesDefaults(solver=Ridge(2.0)))


# Side effects.


class HasSideEffects(Sound):
    """Calls `spoil` for labels in arrays, which only the check of side effects uses."""

    def fit(self, item_sets, partitions):
        super().fit(item_sets, partitions)
        if isinstance(partitions[0], np.ndarray):
            self.spoil(item_sets, partitions)
        return self


class ChangesVectors(HasSideEffects):
    def spoil(self, item_sets, partitions):
        if isinstance(item_sets[0], np.ndarray):
            item_sets[0][0] = 0.0


class ChangesFeatures(HasSideEffects):
    def spoil(self, item_sets, partitions):
        if isinstance(item_sets[0], ItemSet):
            item_sets[0].items.features.base[0] = 0.0


class ChangesLabels(HasSideEffects):
    def spoil(self, item_sets, partitions):
        partitions[1].sort()


class ChangesLists(HasSideEffects):
    def spoil(self, item_sets, partitions):
        item_sets[0] = ItemSet(item_sets[0])


class ShortensLists(HasSideEffects):
    def spoil(self, item_sets, partitions):
        partitions.pop()


class KeepsLabels(HasSideEffects):
    def spoil(self, item_sets, partitions):
        self.labels_ = partitions[2]


class KeepsVectors(HasSideEffects):
    def spoil(self, item_sets, partitions):
        self.first_ = item_sets[0][:1]


class KeepsItemSets(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        self.item_sets_ = [s for s in examples.item_sets if isinstance(s.items, PairFeatures)]


class ChangesItsClusterer(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        self.clusterer = Greedy()


class FitsItsSolver(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        object.__setattr__(self.solver, "coef_", self.similarity_.coef)


SIDE_EFFECTS = {
    ChangesVectors: "changes its input",
    ChangesFeatures: "changes its input",
    ChangesLabels: "changes its input",
    ChangesLists: "changes its input lists",
    ShortensLists: "changes its input lists",
    KeepsItemSets: "of pair features keeps an item set",
    KeepsVectors: "of vectors keeps an array",
    KeepsLabels: "keeps an array",
    ChangesItsClusterer: "fit changes its clusterer",
}


@pytest.mark.parametrize("broken", SIDE_EFFECTS, ids=lambda kind: kind.__name__)
def test_side_effects_are_caught(broken):
    with pytest.raises(AssertionError, match=SIDE_EFFECTS[broken]):
        check_learner(broken())


@pytest.mark.parametrize("value", [Ridge(), Mutable()], ids=["shared", "cloned"])
def test_results_inside_parameters_are_caught(value):
    with pytest.raises(AssertionError, match="fit changes its parameters"):
        check_learner(FitsItsSolver(solver=value))


# Input that must be refused.


def as_list(item_sets):
    return [item_sets] if isinstance(item_sets, ItemSet | np.ndarray) else item_sets


class FitsOneArray(Sound):
    def fit(self, item_sets, partitions):
        sets = as_list(item_sets)
        return super().fit(sets, partitions[:1] if sets is not item_sets else partitions)


class PredictsOneArray(Sound):
    def predict(self, item_sets):
        return super().predict(as_list(item_sets))


class TakesASinglePartition(Sound):
    def fit(self, item_sets, partitions):
        is_single = isinstance(partitions, Partition)
        return super().fit(
            item_sets[:1] if is_single else item_sets, [partitions] if is_single else partitions
        )


class TakesFewerPartitions(Sound):
    def fit(self, item_sets, partitions):
        if len(partitions) == 2 and isinstance(partitions[0], Partition):
            return super().fit(item_sets[-len(partitions) :], partitions)
        return super().fit(item_sets, partitions)


class TakesLongerPartitions(Sound):
    def score(self, item_sets, partitions):
        if len(partitions) == 3 and isinstance(partitions[-2], list):
            partitions = [*partitions[:-2], partitions[-2][:-1], partitions[-1]]
        return super().score(item_sets, partitions)


class DoesNotNameTheItemSet(Sound):
    def fit(self, item_sets, partitions):
        try:
            return super().fit(item_sets, partitions)
        except InputError as error:
            message = str(error).replace("item set 1", "an item set")
            raise type(error)(message) from error


class TakesEmptyLists(Sound):
    def fit(self, item_sets, partitions):
        return self if partitions == [] else super().fit(item_sets, partitions)


class FailsOnEmptyLists(Sound):
    def score(self, item_sets, partitions):
        if partitions == []:
            raise ZeroDivisionError
        return super().score(item_sets, partitions)


def without_extra_features(item_sets):
    """Drop the features from the fourth on, if these are a list of item sets."""
    if not isinstance(item_sets, list):
        return item_sets
    return [
        ItemSet(s.items[:, :3])
        if isinstance(s, ItemSet) and isinstance(s.items, np.ndarray) and len(s)
        else s
        for s in item_sets
    ]


class PredictsMoreFeatures(Sound):
    def predict(self, item_sets):
        return super().predict(without_extra_features(item_sets))


class LearnsFromMoreFeatures(Sound):
    def fit(self, item_sets, partitions):
        return super().fit(without_extra_features(item_sets), partitions)


class DoesNotCountFeatures(Sound):
    def predict(self, item_sets):
        try:
            return super().predict(item_sets)
        except InputError as error:
            if "features" in str(error):
                raise InputError("item set 1: there are other features") from error
            raise


REFUSALS = {
    FitsOneArray: "an item set in place of a list: .*, but raises no error",
    PredictsOneArray: "an item set in place of a list: .*, but raises no error",
    TakesASinglePartition: "a partition in place of a list: .*, but raises no error",
    TakesFewerPartitions: "3 item sets with 2 partitions: .*, but raises no error",
    TakesLongerPartitions: "a partition of too many items: .*, but raises no error",
    DoesNotNameTheItemSet: "the error does not say 'item set 1'",
    TakesEmptyLists: "an empty list: .*, but raises no error",
    FailsOnEmptyLists: "an empty list: this must raise InputError, but raises ZeroDivisionError",
    PredictsMoreFeatures: "prediction for item sets of 3 and 5 features: this must raise",
    LearnsFromMoreFeatures: "training with item sets of 3 and 5 features: this must raise",
    DoesNotCountFeatures: "5 features: the error does not say '3'",
}


@pytest.mark.parametrize("broken", REFUSALS, ids=lambda kind: kind.__name__)
def test_missing_refusals_are_caught(broken):
    with pytest.raises(AssertionError, match=REFUSALS[broken]):
        check_learner(broken())


def test_learners_that_use_no_features_need_not_count_them():
    class Narrow(PredictsMoreFeatures, CannotBeSaved):
        pass

    check_learner(Narrow(), sees_features=False, saves=False)
