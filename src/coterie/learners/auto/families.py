"""The families of learners that the automatic choice compares: one line each, the simplest first.

This module imports none of them, so that the help of the command line can list them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from coterie.learners.auto.candidates import Setup, Variant


class Family(NamedTuple):
    """A family of learners.

    Parameters
    ----------
    name
        What candidates and reports call it.
    slug
        What `coterie fit --learner` and `coterie.tables.fit` call it.
    home
        The function that returns its variants for a `Setup`: "module:function", in this package
        of learners.
    seconds
        How long it learns on a table, and on each pair of it, as was seen; None if nobody looked.
    """

    name: str
    slug: str
    home: str
    seconds: tuple[float, float] | None = None

    def variants(self, setup: "Setup") -> list["Variant"]:
        """Return the unfitted learners of the family; the first is the default."""
        module, _, function = self.home.partition(":")
        make: Callable[[Any], list[Variant]] = getattr(
            import_module(f"coterie.learners.{module}"), function
        )
        return make(setup)


FAMILIES = (
    Family("logistic regression", "logistic", "auto.variants:logistic", (0.5, 15e-6)),
    Family("latent left-linking", "left-linking", "auto.variants:left_linking"),
    Family("boosted pairs", "boosted", "auto.variants:boosted_pairs"),
    Family("structured boosting", "structured", "auto.variants:structured"),
)
"""All families, in the order of simplicity."""

AUTO, AUTO_SECONDS = "auto", (20.0, 100e-6)
"""What commands and tables call the choice among all families, and how long it takes."""

SLUGS: Mapping[str, tuple[str, ...]] = {
    AUTO: tuple(each.name for each in FAMILIES),
    **{each.slug: (each.name,) for each in FAMILIES},
}
"""The families that each word of `coterie fit --learner` chooses from."""

SECONDS: Mapping[str, tuple[float, float]] = {
    **{each.slug: each.seconds for each in FAMILIES if each.seconds is not None},
    AUTO: AUTO_SECONDS,
}
"""Seconds of learning on a table, and on each pair of it, by the same words, as far as was seen."""


def family_of(name: str) -> Family:
    """Return the family of a name."""
    return next(each for each in FAMILIES if each.name == name)
