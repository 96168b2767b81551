"""A plain learner that keeps the contract; tests break it in subclasses."""

from dataclasses import dataclass, replace

import numpy as np

from coterie.clusterers import Greedy
from coterie.features.given import GivenFeatures
from coterie.features.operators import to_matrix
from coterie.learners.base import Learner
from coterie.similarities import LinearSimilarity

GREEDY = Greedy()


@dataclass(frozen=True)
class Ridge:
    """A parameter of a learner that has a parameter itself."""

    ridge: float = 1.0

    def get_params(self, deep=True):
        return {"ridge": self.ridge}


RIDGE = Ridge()


class Sound(Learner):
    """Least squares on pairs; each broken subclass differs from it in one fault."""

    def __init__(self, clusterer=GREEDY, solver=RIDGE):
        self.clusterer = clusterer
        self.solver = solver

    @property
    def _predictor(self):
        return self.clusterer

    def _fit(self, examples):
        featurizer = GivenFeatures().fit(examples.item_sets)
        rows, signs = [np.zeros((0, featurizer.n_columns))], [np.zeros(0)]
        for item_set, truth in zip(*examples, strict=True):
            pairs = self._pairs(item_set)
            rows.append(to_matrix(featurizer(item_set, pairs)))
            signs.append(np.where(truth.together(pairs), 1.0, -1.0))
        features = np.column_stack([np.vstack(rows), np.ones(sum(map(len, rows)))])
        gram = features.T @ features + self.solver.ridge * np.eye(features.shape[1])
        *coef, bias = np.linalg.solve(gram, features.T @ np.concatenate(signs))
        self.similarity_ = LinearSimilarity(featurizer, np.array(coef), bias)

    def _pairs(self, item_set):
        return self._blocker(item_set)


class CannotBeSaved(Sound):
    def _fit(self, examples):
        super()._fit(examples)
        self.similarity_ = replace(
            self.similarity_, featurizer=Unsavable(self.similarity_.featurizer)
        )


class Unsavable(GivenFeatures):
    """A featurizer that cannot be saved."""

    def __init__(self, featurizer):
        super().__init__(featurizer.n_columns, featurizer.of_pairs)
