"""Reference types, the ways in which items differ from the mean of their cluster."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_floats, as_positive
from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import LOG_2PI, Mixture
from coterie.exceptions import FeatureError

__all__ = ["ReferenceTypes"]

MAX_PRECISION_RATIO = 1e12
"""The largest ratio between a type's precision and that of the prior of means, either way."""


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceTypes(Value):
    """Reference types, each with one precision (inverse variance) per feature.

    Parameters
    ----------
    precisions
        The precisions, one row per type and one column per feature; above 0.
    shares
        The frequencies of the types, which are divided by their sum; None means equal ones.
    alpha
        The concentration of the Dirichlet process that the types were drawn from.

    Examples
    --------
    >>> types = ReferenceTypes([[1.0, 4.0], [25.0, 4.0]], shares=[3, 1])
    >>> types, types.shares
    (ReferenceTypes(2 types × 2 features), array([0.75, 0.25]))
    """

    precisions: Floats
    shares: Floats | None = None
    alpha: float = 1.0

    def __post_init__(self) -> None:
        precisions = np.atleast_2d(as_floats("reference types", self.precisions, FeatureError))
        if precisions.ndim != 2 or not len(precisions):
            raise FeatureError(
                f"reference types have shape {precisions.shape}; give one row per type and one "
                "column per feature"
            )
        _refuse_bad_numbers("reference types", precisions)
        shares = np.ones(len(precisions)) if self.shares is None else self.shares
        shares = as_floats("shares", shares, FeatureError)
        if shares.shape != (len(precisions),):
            raise FeatureError(f"shares have shape {shares.shape}; give one number per type")
        _refuse_bad_numbers("shares", shares)
        object.__setattr__(self, "precisions", read_only(np.ascontiguousarray(precisions)))
        object.__setattr__(self, "shares", read_only(shares / shares.sum()))
        object.__setattr__(self, "alpha", as_positive("alpha", self.alpha))

    def __repr__(self) -> str:
        return "ReferenceTypes({} types × {} features)".format(*self.precisions.shape)

    def mixture(
        self,
        prior_variance: Floats,
        alpha: float,
        shared: bool,
        pseudo_counts: Floats,
        ends: Ints,
    ) -> Mixture:
        """Return the mixture for kernels; `ends` has the offsets of the categorical dimensions."""
        n_features = self.precisions.shape[1]
        half_logs = 0.5 * (np.log(self.precisions).sum(axis=1) - n_features * LOG_2PI)
        totals = np.add.reduceat(pseudo_counts, ends[:-1]) if len(ends) > 1 else np.empty(0)
        return Mixture(
            self.precisions,
            read_only(np.log(self.shares)),  # type: ignore[arg-type]
            read_only(half_logs),
            read_only(1.0 / prior_variance),
            alpha,
            shared,
            pseudo_counts,
            read_only(totals),
        )


def _refuse_bad_numbers(name: str, numbers: Floats) -> None:
    bad_numbers = numbers[~(np.isfinite(numbers) & (numbers > 0.0))]
    if len(bad_numbers):
        raise FeatureError(f"{name} contain {bad_numbers[0]}; give finite numbers above 0")
