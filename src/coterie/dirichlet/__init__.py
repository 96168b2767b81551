"""The Dirichlet-process mixture behind `DirichletClustering`: priors, chains, posteriors."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
