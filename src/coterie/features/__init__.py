"""Features of item pairs: linear operators, and what computes them from items."""

from typing import TYPE_CHECKING

__all__ = [
    "RBF",
    "AbsoluteDifferences",
    "AsDistances",
    "CitationFeatures",
    "ConstantFeatures",
    "ContextFeatures",
    "DenseFeatures",
    "Euclidean",
    "EuclideanEmbedding",
    "ExactKernel",
    "Field",
    "GivenFeatures",
    "Joined",
    "Kernelized",
    "KnownGrams",
    "Lead",
    "LinkedNodeProducts",
    "Manhattan",
    "MentionFeatures",
    "NameFeatures",
    "NodeProducts",
    "Nystroem",
    "PageFeatures",
    "Polynomial",
    "PostFeatures",
    "Quotations",
    "RandomFourier",
    "RecordFeatures",
    "Scaled",
    "SoftTFIDF",
    "SparseFeatures",
    "SquaredDifferences",
    "Stacked",
    "TextFeatures",
    "Vocabulary",
    "WithConstant",
    "as_features",
    "stack",
    "taken",
    "written",
]

if TYPE_CHECKING:
    from coterie.features._words import Vocabulary as Vocabulary
    from coterie.features.citations import CitationFeatures as CitationFeatures
    from coterie.features.context import ContextFeatures as ContextFeatures
    from coterie.features.differences import AbsoluteDifferences as AbsoluteDifferences
    from coterie.features.differences import AsDistances as AsDistances
    from coterie.features.differences import SquaredDifferences as SquaredDifferences
    from coterie.features.distances import Euclidean as Euclidean
    from coterie.features.distances import Manhattan as Manhattan
    from coterie.features.embedding import EuclideanEmbedding as EuclideanEmbedding
    from coterie.features.expansions import ExactKernel as ExactKernel
    from coterie.features.expansions import Kernelized as Kernelized
    from coterie.features.expansions import Nystroem as Nystroem
    from coterie.features.expansions import RandomFourier as RandomFourier
    from coterie.features.given import GivenFeatures as GivenFeatures
    from coterie.features.given import Scaled as Scaled
    from coterie.features.given import WithConstant as WithConstant
    from coterie.features.kernels import RBF as RBF
    from coterie.features.kernels import Polynomial as Polynomial
    from coterie.features.mentions import MentionFeatures as MentionFeatures
    from coterie.features.names import NameFeatures as NameFeatures
    from coterie.features.operators import ConstantFeatures as ConstantFeatures
    from coterie.features.operators import DenseFeatures as DenseFeatures
    from coterie.features.operators import LinkedNodeProducts as LinkedNodeProducts
    from coterie.features.operators import NodeProducts as NodeProducts
    from coterie.features.operators import SparseFeatures as SparseFeatures
    from coterie.features.operators import as_features as as_features
    from coterie.features.operators import stack as stack
    from coterie.features.operators import taken as taken
    from coterie.features.operators import written as written
    from coterie.features.pages import PageFeatures as PageFeatures
    from coterie.features.posts import PostFeatures as PostFeatures
    from coterie.features.records import Field as Field
    from coterie.features.records import RecordFeatures as RecordFeatures
    from coterie.features.soft_tfidf import SoftTFIDF as SoftTFIDF
    from coterie.features.stacked import Stacked as Stacked
    from coterie.features.text import Joined as Joined
    from coterie.features.text import KnownGrams as KnownGrams
    from coterie.features.text import Lead as Lead
    from coterie.features.text import Quotations as Quotations
    from coterie.features.text import TextFeatures as TextFeatures
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "expansions": ["ExactKernel", "Kernelized", "Nystroem", "RandomFourier"],
            "given": ["GivenFeatures", "Scaled", "WithConstant"],
            "kernels": ["Polynomial", "RBF"],
            "operators": [
                "ConstantFeatures",
                "DenseFeatures",
                "LinkedNodeProducts",
                "NodeProducts",
                "SparseFeatures",
                "as_features",
                "stack",
                "taken",
                "written",
            ],
            "mentions": ["MentionFeatures"],
            "posts": ["PostFeatures"],
            "_words": ["Vocabulary"],
            "soft_tfidf": ["SoftTFIDF"],
            "differences": ["AbsoluteDifferences", "AsDistances", "SquaredDifferences"],
            "context": ["ContextFeatures"],
            "citations": ["CitationFeatures"],
            "distances": ["Euclidean", "Manhattan"],
            "embedding": ["EuclideanEmbedding"],
            "names": ["NameFeatures"],
            "records": ["Field", "RecordFeatures"],
            "stacked": ["Stacked"],
            "text": ["Joined", "KnownGrams", "Lead", "Quotations", "TextFeatures"],
            "pages": ["PageFeatures"],
        },
    )
