"""Features of item pairs: linear operators, and what computes them from items."""

from typing import TYPE_CHECKING

__all__ = [
    "DenseFeatures",
    "LinkedNodeProducts",
    "NodeProducts",
    "SparseFeatures",
    "as_features",
    "stack",
]

if TYPE_CHECKING:
    from coterie.features.operators import DenseFeatures as DenseFeatures
    from coterie.features.operators import LinkedNodeProducts as LinkedNodeProducts
    from coterie.features.operators import NodeProducts as NodeProducts
    from coterie.features.operators import SparseFeatures as SparseFeatures
    from coterie.features.operators import as_features as as_features
    from coterie.features.operators import stack as stack
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(__name__, {"operators": __all__})
