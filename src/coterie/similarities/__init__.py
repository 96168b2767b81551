"""Similarities: what learning leaves behind, frozen callables that score pairs of items."""

from typing import TYPE_CHECKING

__all__ = ["ClassifierSimilarity", "ConstantSimilarity", "DistanceSimilarity", "LinearSimilarity"]

if TYPE_CHECKING:
    from coterie.similarities.classifier import ClassifierSimilarity as ClassifierSimilarity
    from coterie.similarities.constant import ConstantSimilarity as ConstantSimilarity
    from coterie.similarities.distance import DistanceSimilarity as DistanceSimilarity
    from coterie.similarities.linear import LinearSimilarity as LinearSimilarity
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "classifier": ["ClassifierSimilarity"],
            "constant": ["ConstantSimilarity"],
            "distance": ["DistanceSimilarity"],
            "linear": ["LinearSimilarity"],
        },
    )
