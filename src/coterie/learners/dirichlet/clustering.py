"""Supervised clustering with the Dirichlet process, which learns reference types of items."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import refuse_class
from coterie._core.arrays import Floats
from coterie._types import Clusterer
from coterie.clusterers import LocalSearch
from coterie.dirichlet.chains import run_chains
from coterie.dirichlet.concentration import estimate_concentration
from coterie.dirichlet.estimates import Estimate, MinimumVariation
from coterie.dirichlet.posterior import Posterior
from coterie.dirichlet.priors import NormalPrior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.similarity import DirichletSimilarity
from coterie.dirichlet.space import Space
from coterie.dirichlet.types import ReferenceTypes
from coterie.exceptions import InputError
from coterie.learners.base import Examples, Learner, warn_of_interrupt
from coterie.learners.dirichlet.type_chains import TypeChain, TypeDraw, prepare_task, thin_samples
from coterie.partition import PartitionLike

NORMAL = NormalPrior()
MINIMUM_VARIATION = MinimumVariation()


class DirichletClustering(Learner):
    """Learn the reference types in which items differ from the mean of their cluster (SCM).

    The supervised clustering model of Daumé & Marcu 2004: an item is normal around the mean of its
    cluster, with the precisions of one of several reference types. Training samples the types from
    their posterior, given the true clusters. The clusters of a new item set are different ones, and
    their number is unknown: prediction samples partitions of the item set from the posterior, given
    the types, and summarises them by one partition.

    The concentration of the Dirichlet process of clusters is the most probable one given the
    training partitions, and the variance of cluster means is that of the training clusters.

    By default, each chain makes 500 sweeps; use `DirichletClustering(n_samples=1000,
    burn_in=10_000, spacing=100)` for the paper's 110,000. In one run each on citations and digits,
    five times the default gave no higher F, although the chains agreed better (`coterie reproduce
    dirichlet --only budget`). `posterior(item_set).diagnostics()` shows whether chains agree; see
    there the number of clusters and the least certain pair, because in prediction each chain has
    its own sample of the types, and so its own level of the log joint. If an item set gives its
    number of clusters, that is ignored.

    Parameters
    ----------
    n_samples
        The number of samples that each chain keeps, of types in training and of partitions in
        prediction.
    burn_in
        The number of first sweeps, whose samples are dropped.
    spacing
        The number of sweeps from one kept sample to the next.
    n_chains
        The number of chains, which start from different states.
    prior
        The model and the moves of its chains: `NormalPrior`, for vectors and for distances.
    estimate
        The rule that summarises partitions by one: `MinimumVariation`, `MinimumPairLoss` or
        `MaximumPosterior`.
    n_jobs
        The number of chains that run at a time, in threads; it does not change the result.
    random_state
        The seed of all chains.

    Attributes
    ----------
    similarity_
        The similarity, which runs the chains of prediction.
    reference_types_
        Up to 24 samples of the reference types, evenly spread over the samples of all chains.
    alpha_
        The concentration of the Dirichlet process of clusters.
    prior_variance_
        The variance of cluster means, one number per feature.
    history_
        One `TypeDraw` per sample of training.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> train, test = make_item_sets(random_state=0), make_item_sets(random_state=1)
    >>> learner = DirichletClustering(n_samples=20, burn_in=30, spacing=1).fit(*train)
    >>> round(learner.score(*test), 2)
    0.98
    """

    _prediction_params = ("estimate", "n_jobs")

    reference_types_: tuple[ReferenceTypes, ...]
    alpha_: float
    prior_variance_: Floats
    history_: list[TypeDraw]
    _space: Space
    _shared: bool

    def __init__(
        self,
        n_samples: int = 100,
        burn_in: int = 300,
        spacing: int = 2,
        n_chains: int = 3,
        prior: NormalPrior = NORMAL,
        estimate: Estimate = MINIMUM_VARIATION,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.n_samples = n_samples
        self.burn_in = burn_in
        self.spacing = spacing
        self.n_chains = n_chains
        self.prior = prior
        self.estimate = estimate
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def with_types(
        cls,
        reference_types: ArrayLike | ReferenceTypes,
        alpha: float,
        prior_variance: ArrayLike,
        **params: Any,
    ) -> Self:
        """Return a learner that needs no training, because its parameters are given.

        Parameters
        ----------
        reference_types
            The precisions of equally frequent types, one row per type and one column per feature;
            or a `ReferenceTypes`, which has their frequencies too.
        alpha
            The concentration of the Dirichlet process of clusters.
        prior_variance
            The variance of cluster means around 0, one number for all features or one per feature.
        params
            Other parameters of the learner.

        Examples
        --------
        >>> learner = DirichletClustering.with_types([[1.0]], alpha=1.0, prior_variance=25.0)
        >>> learner.predict([[[0.0], [0.3], [9.0]]])
        [Partition([0, 0, 1])]
        """
        learner = cls(**params)
        types = reference_types
        if not isinstance(types, ReferenceTypes):
            types = ReferenceTypes(types)  # type: ignore[arg-type]
        checked = DirichletSimilarity((types,), alpha, prior_variance)  # type: ignore[arg-type]
        prior = learner._as_prior()
        if prior.categorical:
            raise InputError(
                "the prior has categorical columns, but with_types cannot learn their categories; "
                "use fit(item_sets, partitions, reference_types=…)"
            )
        learner._space = Space(prior.featurizer)
        learner._shared = prior.type_per_cluster
        learner._set_result((types,), checked.alpha, checked.prior_variance, [])
        return learner

    @property
    def similarity_(self) -> DirichletSimilarity:  # type: ignore[override]
        """The similarity, with the current sampler and estimate."""
        check_is_fitted(self, "reference_types_")
        return DirichletSimilarity(
            self.reference_types_,
            self.alpha_,
            self.prior_variance_,
            self._space,
            self._shared,
            self._sampler(),
            self._as_estimate(),
        )

    def posterior(self, item_set: Any) -> Posterior:
        """Sample partitions of an item set; the result has summaries and diagnostics."""
        return self.similarity_.posterior(item_set)

    def pair_probabilities(self, item_set: Any) -> Floats:
        """Return the probability that two items are together, as n × n matrix of diagonal 1."""
        return self.posterior(item_set).pair_probabilities

    def fit(
        self,
        item_sets: Iterable[Any],
        partitions: Iterable[PartitionLike],
        *,
        reference_types: ArrayLike | ReferenceTypes | None = None,
    ) -> Self:
        """Learn from item sets and their correct partitions.

        An interrupt (Ctrl-C) keeps the samples so far, with a warning.

        Parameters
        ----------
        item_sets
            A list of item sets, or of anything that `ItemSet` takes.
        partitions
            The correct partition of each item set: a `Partition`, or one label per item.
        reference_types
            Given types as in `with_types`, or a number for all precisions of a single type. Then
            only the concentration and the variance of means are learned. The number 1 gives PT-SCM
            of the paper.
        """
        examples = self._examples(item_sets, partitions)
        if reference_types is None:
            self._fit(examples)
        else:
            self._fit_given_types(examples, reference_types)
        return self

    def _fit_given_types(self, examples: Examples, reference_types: Any) -> None:
        """Learn everything except the types."""
        self._as_estimate()
        prior, task = self._as_prior(), prepare_task(self._as_prior(), examples)
        types = reference_types
        if not isinstance(types, ReferenceTypes):
            n_features = len(task.moments.between)
            types = ReferenceTypes(
                np.full((1, n_features), types) if np.ndim(types) == 0 else types
            )
        alpha = estimate_concentration(examples.truths)
        DirichletSimilarity(
            (types,), alpha, task.moments.between
        )  # refuses types of a wrong number of features
        self._space, self._shared = task.space, prior.type_per_cluster
        self._set_result((types,), alpha, task.moments.between, [])

    def _fit(self, examples: Examples) -> None:
        self._as_estimate()
        prior, sampler = self._as_prior(), self._sampler()
        task = prepare_task(prior, examples)
        chains = [TypeChain(task, index, sampler) for index in range(sampler.n_chains)]
        interrupted = False
        try:
            if task.n_items:
                run_chains(chains, sampler.n_sweeps, sampler.n_jobs, "fit")
        except KeyboardInterrupt:
            if not all(chain.samples for chain in chains):
                raise
            interrupted = True
        history = [draw for chain in chains for draw in chain.history()]
        self._space, self._shared = task.space, prior.type_per_cluster
        alpha = estimate_concentration(examples.truths)
        self._set_result(thin_samples(task, chains), alpha, task.moments.between, history)
        if interrupted:
            warn_of_interrupt(stacklevel=3)

    def _set_result(
        self,
        types: Sequence[ReferenceTypes],
        alpha: float,
        prior_variance: Floats,
        history: list[TypeDraw],
    ) -> None:
        self.reference_types_ = tuple(types)
        self.alpha_, self.prior_variance_ = alpha, prior_variance
        self.history_ = history
        self._finish()

    def _sampler(self) -> Sampler:
        prior = self._as_prior()
        return Sampler(
            self.n_samples,
            self.burn_in,
            self.spacing,
            self.n_chains,
            prior.gibbs,
            prior.split_merge,
            self.n_jobs,
            self.random_state,
        )

    def _as_prior(self) -> NormalPrior:
        refuse_class("prior", self.prior)
        if not isinstance(self.prior, NormalPrior):
            raise InputError(f"prior is {self.prior!r}; use NormalPrior()")
        return self.prior

    def _as_estimate(self) -> Estimate:
        refuse_class("estimate", self.estimate)
        if not isinstance(self.estimate, Estimate):
            raise InputError(
                f"estimate is {self.estimate!r}; use MinimumVariation(), MinimumPairLoss() or "
                "MaximumPosterior()"
            )
        return self.estimate

    @property
    def _predictor(self) -> Clusterer:
        return LocalSearch()
