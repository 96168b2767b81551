"""Similarities: what learning leaves behind, frozen callables that score pairs of items."""

from typing import TYPE_CHECKING

__all__ = [
    "ClassifierSimilarity",
    "ConstantSimilarity",
    "ContextSimilarity",
    "DistanceSimilarity",
    "LinearSimilarity",
    "TreeSimilarity",
    "Trees",
]

if TYPE_CHECKING:
    from coterie.similarities.classifier import ClassifierSimilarity as ClassifierSimilarity
    from coterie.similarities.constant import ConstantSimilarity as ConstantSimilarity
    from coterie.similarities.context import ContextSimilarity as ContextSimilarity
    from coterie.similarities.distance import DistanceSimilarity as DistanceSimilarity
    from coterie.similarities.linear import LinearSimilarity as LinearSimilarity
    from coterie.similarities.trees import Trees as Trees
    from coterie.similarities.trees import TreeSimilarity as TreeSimilarity
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "classifier": ["ClassifierSimilarity"],
            "constant": ["ConstantSimilarity"],
            "context": ["ContextSimilarity"],
            "distance": ["DistanceSimilarity"],
            "linear": ["LinearSimilarity"],
            "trees": ["TreeSimilarity", "Trees"],
        },
    )
