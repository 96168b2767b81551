"""The Dirichlet-process mixture behind `DirichletClustering`: priors, chains, posteriors."""

from typing import TYPE_CHECKING

__all__ = [
    "AuxiliaryGibbs",
    "Categories",
    "CollapsedGibbs",
    "ConditionalGibbs",
    "Diagnostics",
    "DirichletSimilarity",
    "Estimate",
    "Gibbs",
    "MaximumPosterior",
    "MinimumPairLoss",
    "MinimumVariation",
    "NormalPrior",
    "Posterior",
    "ReferenceTypes",
    "Sampler",
    "Space",
    "SplitMerge",
    "effective_sample_size",
    "estimate_concentration",
    "fit_categories",
    "log_crp",
    "r_hat",
    "sample_concentration",
]

if TYPE_CHECKING:
    from coterie.dirichlet.categories import Categories as Categories
    from coterie.dirichlet.categories import fit_categories as fit_categories
    from coterie.dirichlet.concentration import estimate_concentration as estimate_concentration
    from coterie.dirichlet.concentration import log_crp as log_crp
    from coterie.dirichlet.concentration import sample_concentration as sample_concentration
    from coterie.dirichlet.diagnostics import Diagnostics as Diagnostics
    from coterie.dirichlet.diagnostics import effective_sample_size as effective_sample_size
    from coterie.dirichlet.diagnostics import r_hat as r_hat
    from coterie.dirichlet.estimates import Estimate as Estimate
    from coterie.dirichlet.estimates import MaximumPosterior as MaximumPosterior
    from coterie.dirichlet.estimates import MinimumPairLoss as MinimumPairLoss
    from coterie.dirichlet.estimates import MinimumVariation as MinimumVariation
    from coterie.dirichlet.moves import AuxiliaryGibbs as AuxiliaryGibbs
    from coterie.dirichlet.moves import CollapsedGibbs as CollapsedGibbs
    from coterie.dirichlet.moves import ConditionalGibbs as ConditionalGibbs
    from coterie.dirichlet.moves import Gibbs as Gibbs
    from coterie.dirichlet.moves import SplitMerge as SplitMerge
    from coterie.dirichlet.posterior import Posterior as Posterior
    from coterie.dirichlet.priors import NormalPrior as NormalPrior
    from coterie.dirichlet.sampler import Sampler as Sampler
    from coterie.dirichlet.similarity import DirichletSimilarity as DirichletSimilarity
    from coterie.dirichlet.space import Space as Space
    from coterie.dirichlet.types import ReferenceTypes as ReferenceTypes
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "concentration": ["estimate_concentration", "log_crp", "sample_concentration"],
            "diagnostics": ["Diagnostics", "effective_sample_size", "r_hat"],
            "estimates": ["Estimate", "MaximumPosterior", "MinimumPairLoss", "MinimumVariation"],
            "moves": [
                "AuxiliaryGibbs",
                "CollapsedGibbs",
                "ConditionalGibbs",
                "Gibbs",
                "SplitMerge",
            ],
            "posterior": ["Posterior"],
            "priors": ["NormalPrior"],
            "sampler": ["Sampler"],
            "similarity": ["DirichletSimilarity"],
            "types": ["ReferenceTypes"],
            "space": ["Space"],
            "categories": ["Categories", "fit_categories"],
        },
    )
