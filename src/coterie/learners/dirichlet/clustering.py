"""Supervised clustering with the Dirichlet process: learn the types in which items differ."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from coterie._core.arguments import refuse_class
from coterie._core.arrays import Floats
from coterie._types import Clusterer
from coterie.clusterers import LocalSearch
from coterie.dirichlet.chains import run
from coterie.dirichlet.concentration import estimate_concentration
from coterie.dirichlet.estimates import Estimate, MinimumVariation
from coterie.dirichlet.posterior import Posterior
from coterie.dirichlet.priors import NormalPrior
from coterie.dirichlet.sampler import Sampler
from coterie.dirichlet.similarity import DirichletSimilarity
from coterie.dirichlet.space import Space
from coterie.dirichlet.types import ReferenceTypes
from coterie.exceptions import InputError
from coterie.learners.base import Examples, Learner, as_examples, warn_of_interrupt
from coterie.learners.dirichlet.type_chains import TypeChain, TypeDraw, prepare_task, thin_samples
from coterie.partition import PartitionLike

NORMAL = NormalPrior()
MINIMUM_VARIATION = MinimumVariation()


class DirichletClustering(Learner):
    """Learn the reference types in which items differ from the mean of their cluster (SCM).

    The supervised clustering model of Daumé & Marcu 2004: an item is normal around the mean of its
    cluster, with the precisions of one of several reference types. Training draws types from their
    posterior given the true clusters. Prediction draws partitions of a new item set, whose clusters
    are others and of unknown number, from theirs given the types, and sums them up in one.

    The concentration of the Dirichlet process of clusters is the most probable one of the training
    partitions, the variance of cluster means that of the training clusters.

    The default takes 500 sweeps a chain; the paper's 110,000 are
    `DirichletClustering(n_samples=1000, burn_in=10_000, spacing=100)`. Five times the default gave
    no higher F in one run each on citations and digits, though chains then agree better (`coterie
    reproduce dirichlet --only budget`); `posterior(item_set).diagnostics()` tells whether they do.
    In prediction each has its own sample of the types, and so its own level of the log joint: look
    at the number of clusters and at the least sure pair. The number of clusters of an item set,
    where it is known, is not used.

    Parameters
    ----------
    n_samples
        How many samples each chain keeps, of types in training and of partitions in prediction.
    burn_in
        How many sweeps come before the first that may be kept.
    spacing
        Each how-manieth sweep after that is kept.
    n_chains
        The number of chains, which start from unlike states.
    prior
        The model and the moves of its chains: `NormalPrior`, for vectors and for distances.
    estimate
        How partitions are summed up in one: `MinimumVariation`, `MinimumPairLoss` or
        `MaximumPosterior`.
    n_jobs
        How many chains run at a time, in threads; it does not change what they find.
    random_state
        Seed of all chains.

    Attributes
    ----------
    similarity_
        The similarity, which runs the chains of prediction.
    reference_types_
        Up to 24 samples of the reference types, evenly spread over chains and samples.
    alpha_
        The concentration of the Dirichlet process of clusters.
    prior_variance_
        The variance of cluster means, one number a feature.
    history_
        One `TypeDraw` for each sample of training.

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
        """Return a learner that needs no training, because all is known.

        Parameters
        ----------
        reference_types
            The precisions of each type, one row a type and one column a feature, all as frequent;
            or a `ReferenceTypes`, which says how frequent they are.
        alpha
            The concentration of the Dirichlet process of clusters.
        prior_variance
            The variance of cluster means about 0, one number or one a feature.
        params
            Parameters of the learner.

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
                "with_types knows no categories, but the prior has categorical columns; give "
                "fit(…, reference_types=…) item sets to learn them from"
            )
        learner._space = Space(prior.featurizer)
        learner._shared = prior.type_per_cluster
        learner._keep((types,), checked.alpha, checked.prior_variance, [])
        return learner

    @property
    def similarity_(self) -> DirichletSimilarity:  # type: ignore[override]
        """The similarity, with the sampler and the estimate as they are set now."""
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
        """Draw partitions of an item set: their number of clusters, diagnostics and more."""
        return self.similarity_.posterior(item_set)

    def pair_probabilities(self, item_set: Any) -> Floats:
        """Return the probability that each two items are together, (n, n) with 1 as diagonal."""
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
            The correct partition of each: a `Partition`, or one label an item.
        reference_types
            Types that are known, as in `with_types`, or one number for all precisions of one type.
            Then the concentration and the variance of means alone are learned: with 1, this is
            PT-SCM of the paper.
        """
        examples = as_examples(item_sets, partitions)
        if reference_types is None:
            self._fit(examples)
        else:
            self._fit_around(examples, reference_types)
        return self

    def _fit_around(self, examples: Examples, reference_types: Any) -> None:
        """Learn all but the types."""
        self._as_estimate()
        prior, task = self._as_prior(), prepare_task(self._as_prior(), examples)
        types = reference_types
        if not isinstance(types, ReferenceTypes):
            n_features = len(task.moments.between)
            types = ReferenceTypes(
                np.full((1, n_features), types) if np.ndim(types) == 0 else types
            )
        alpha = estimate_concentration(examples.truths)
        DirichletSimilarity((types,), alpha, task.moments.between)  # refuses other features
        self._space, self._shared = task.space, prior.type_per_cluster
        self._keep((types,), alpha, task.moments.between, [])

    def _fit(self, examples: Examples) -> None:
        self._as_estimate()
        prior, sampler = self._as_prior(), self._sampler()
        task = prepare_task(prior, examples)
        chains = [TypeChain(task, number, sampler) for number in range(sampler.n_chains)]
        interrupted = False
        try:
            if task.n_items:
                run(chains, sampler.n_sweeps, sampler.n_jobs, "fit")
        except KeyboardInterrupt:
            if not all(chain.samples for chain in chains):
                raise
            interrupted = True
        history = [draw for chain in chains for draw in chain.history()]
        self._space, self._shared = task.space, prior.type_per_cluster
        alpha = estimate_concentration(examples.truths)
        self._keep(thin_samples(task, chains), alpha, task.moments.between, history)
        if interrupted:
            warn_of_interrupt(stacklevel=3)

    def _keep(
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
            raise InputError(f"prior is {self.prior!r}; give NormalPrior()")
        return self.prior

    def _as_estimate(self) -> Estimate:
        refuse_class("estimate", self.estimate)
        if not isinstance(self.estimate, Estimate):
            raise InputError(f"estimate is {self.estimate!r}; give MinimumVariation() or another")
        return self.estimate

    @property
    def _predictor(self) -> Clusterer:
        return LocalSearch()
