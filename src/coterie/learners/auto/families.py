"""The families of learners that the automatic choice compares: one line each, the simplest first.

This module imports none of the learners, so that the help of the command line stays fast.
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
        Name in candidates and reports.
    slug
        Name as a value of `coterie fit --learner` and `coterie.tables.fit(learner=...)`.
    factory
        The function that returns its variants for a `Setup`, as "module:function" in the package
        `coterie.learners`.
    sample_module
        The module of `coterie.learners` that learns it from a sample of pairs, for low efforts;
        None if it always learns from all pairs.
    """

    name: str
    slug: str
    factory: str
    sample_module: str | None = None

    def variants(self, setup: "Setup") -> list["Variant"]:
        """Return the unfitted learners of the family; the first is the default."""
        module, _, function = self.factory.partition(":")
        make_variants: Callable[[Any], list[Variant]] = getattr(
            import_module(f"coterie.learners.{module}"), function
        )
        return make_variants(setup)


FAMILIES = (
    Family("logistic regression", "logistic", "auto.variants:logistic", "sampled.logistic"),
    Family("spanning forest", "forest", "auto.variants:forest", "sampled.forest"),
    Family("latent left-linking", "left-linking", "auto.variants:left_linking"),
    Family("boosted pairs", "boosted", "auto.variants:boosted_pairs", "sampled.boosted"),
    Family("structured boosting", "structured", "auto.variants:structured"),
)
"""All families, in the order of simplicity."""

AUTO = "auto"
"""The slug of the choice among all families."""

SLUGS: Mapping[str, tuple[str, ...]] = {
    AUTO: tuple(family.name for family in FAMILIES),
    **{family.slug: (family.name,) for family in FAMILIES},
}
"""The names of the families that each value of `coterie fit --learner` chooses from."""


def family_of(name: str) -> Family:
    """Return the family that has a name."""
    return next(family for family in FAMILIES if family.name == name)
