from .classifier import ClassifierSimilarity as ClassifierSimilarity
from .constant import ConstantSimilarity as ConstantSimilarity
from .context import ContextSimilarity as ContextSimilarity
from .distance import DistanceSimilarity as DistanceSimilarity
from .linear import LinearSimilarity as LinearSimilarity
from .trees import Trees as Trees
from .trees import TreeSimilarity as TreeSimilarity
