"""The common part of the learners that learn from one item after the other."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from sklearn.base import clone

from coterie._core.arguments import as_real, as_whole, refuse_class
from coterie._core.arrays import Floats
from coterie._core.progress import report
from coterie._kernels.linking.descent import Scratch, Weights, start_weights
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.exceptions import InputError, InterruptedWarning
from coterie.learners.base import Examples, Learner
from coterie.learners.linking.link_sets import LinkSet, prepare_link_sets
from coterie.learners.linking.sgd import SGD, Descent, PassStep
from coterie.partition import PartitionLike
from coterie.similarities import LinearSimilarity

STOCHASTIC = SGD()


class OnlineLearner(Learner):
    """A learner of feature weights that makes passes over items.

    A subclass defines `_descend`, which makes a pass over one item set, and `_clusterer`.
    """

    coef_: Floats
    history_: list[Any]
    _path_param: ClassVar[str] = "n_passes"
    """The parameter for which one run gives the results of several values."""

    def __init__(
        self,
        lam: float = 1e-4,
        n_passes: int = 5,
        solver: Any = STOCHASTIC,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        self.lam = lam
        self.n_passes = n_passes
        self.solver = solver
        self.featurizer = featurizer
        self.blocker = blocker
        self.random_state = random_state

    def fit_path(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        n_passes: Sequence[int],
    ) -> list[Self]:
        """Fit for several numbers of passes, in a single run of the largest number.

        Returns fitted copies of this learner in the order of `n_passes`; the learner itself stays
        unfitted.
        """
        examples = self._examples(item_sets, partitions)
        counts = [as_whole("n_passes", count, 1) for count in _as_list(n_passes)]
        self._check_params()
        fitted: list[Self] = [clone(self).set_params(n_passes=count) for count in counts]
        featurizer, sets = self._prepare(examples)
        for n_done, (descent, history) in enumerate(self._passes(sets, max(counts)), 1):
            for learner in fitted:
                if learner.n_passes == n_done:
                    learner._set_result(featurizer, descent.coef, list(history), descent)  # noqa: SLF001
        return fitted

    def partial_fit(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        last: int | None = None,
    ) -> Self:
        """Continue learning with one more pass over these item sets.

        The pass uses the current values of the parameters.

        Parameters
        ----------
        item_sets, partitions
            As in `fit`. The first call fits the featurizer too; later ones leave it unchanged.
        last
            The number of items at the end of each set to learn from: 1 for one new item. None means
            all items.
        """
        examples = self._examples(item_sets, partitions)
        self._check_params()
        if not hasattr(self, "similarity_"):
            featurizer, sets = self._prepare(examples)
            descent, history = self._first_descent(sets), []
        else:
            featurizer = self.similarity_.featurizer  # type: ignore[attr-defined]
            sets = list(prepare_link_sets(*examples, featurizer, self._blocker))
            descent, history = self._last_descent, list(self.history_)
        count = None if last is None else as_whole("last", last, 1)
        firsts = [0 if count is None else max(len(link_set) - count, 0) for link_set in sets]
        descent, step = descent.run(sets, self._descend, self.lam, firsts)
        self._set_result(featurizer, descent.coef, [*history, step], descent)
        return self

    def _fit(self, examples: Examples) -> None:
        n_passes = as_whole("n_passes", self.n_passes, 1)
        self._check_params()
        featurizer, sets = self._prepare(examples)
        descent, history = self._first_descent(sets), list[PassStep]()
        try:
            for descent, history in self._passes(sets, n_passes):  # noqa: B007
                pass
        except KeyboardInterrupt:
            message = f"the fit was interrupted after {len(history)} of {n_passes} passes"
            warnings.warn(message, InterruptedWarning, stacklevel=4)
        self._set_result(featurizer, descent.coef, history, descent)

    @abstractmethod
    def _descend(
        self, link_set: LinkSet, first: int, rate: float, weights: Weights, scratch: Scratch
    ) -> float: ...

    @property
    @abstractmethod
    def _clusterer(self) -> Clusterer: ...

    @property
    def _predictor(self) -> Clusterer:
        return self._trained

    def _check_numbers(self) -> None:
        as_real("lam", self.lam)

    def _check_params(self) -> None:
        self._check_numbers()
        refuse_class("solver", self.solver)
        if not isinstance(self.solver, SGD):
            raise InputError(
                f"solver is of type {type(self.solver).__name__}, which cannot learn from one "
                "item at a time; use SGD()"
            )

    def _prepare(self, examples: Examples) -> tuple[Featurizer, list[LinkSet]]:
        featurizer = self._featurizer.fit(examples.item_sets)
        return featurizer, list(prepare_link_sets(*examples, featurizer, self._blocker))

    def _first_descent(self, sets: Sequence[LinkSet]) -> Descent:
        solver: SGD = self.solver
        return solver.begin(sets[0].features.shape[1], self.random_state)

    @property
    def _last_descent(self) -> Descent:
        """The descent to continue, with the current solver; after a batch fit, from its weights."""
        if self._descent is None:
            return Descent(self.solver, start_weights(self.coef_))
        return replace(self._descent, solver=self.solver)

    def _passes(
        self, sets: Sequence[LinkSet], n_passes: int
    ) -> Iterator[tuple[Descent, list[PassStep]]]:
        """Yield the state of the descent after each pass, and its history."""
        descent, history = self._first_descent(sets), list[PassStep]()
        for n_done in range(1, n_passes + 1):
            descent, step = descent.run(sets, self._descend, self.lam, [0] * len(sets))
            history = [*history, step]
            report("fit", n_done, n_passes, f"objective {step.objective:.4g}")
            yield descent, history

    def _set_result(
        self,
        featurizer: Featurizer,
        coef: Floats,
        history: list[Any],
        descent: Descent | None = None,
    ) -> None:
        """Set the fitted attributes, and keep the descent, if any, for `partial_fit`."""
        self._descent, self._trained = descent, self._clusterer
        self.similarity_ = LinearSimilarity(featurizer, coef)
        self.coef_, self.history_ = self.similarity_.coef, history
        self._finish()


def _as_list(counts: Any) -> list[int]:
    if isinstance(counts, str) or not isinstance(counts, Iterable):
        raise InputError(f"n_passes is {counts!r}; use a list of whole numbers")
    as_list = list(counts)
    if not as_list:
        raise InputError("n_passes is an empty list; give at least one number of passes")
    return as_list
