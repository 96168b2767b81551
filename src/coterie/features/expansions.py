"""Kernels of pair features, as explicit feature maps.

A linear similarity ⟨w, ψ⟩ of pair features ψ becomes non-linear if a map φ replaces ψ by φ(ψ). If
w = Σ_l α_l φ(ψ_l) is a combination of training pairs and κ is the kernel of φ, the similarity of
items i and j is (Finley & Joachims 2008, eq. 8)

    K_ij = Σ_l α_l κ(ψ_l, ψ_ij).

`Kernelized` computes φ(ψ), exactly or approximately, so that every learner of linear similarities
can learn this similarity.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_whole, refuse_uncallable
from coterie._core.arrays import Floats, Pairs
from coterie._core.values import Value
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError, located
from coterie.features.featurizer import PairFeaturizer, as_featurizer
from coterie.features.given import sample_pairs
from coterie.features.kernels import RBF, Kernel, Polynomial, refuse_overflow
from coterie.features.operators import DenseFeatures, ZeroDiagonal, blocks, select_rows, to_matrix
from coterie.features.operators.base import refuse_unwritable
from coterie.items import ItemSet, as_item_sets

__all__ = ["RBF", "ExactKernel", "Kernelized", "Nystroem", "Polynomial", "RandomFourier"]

MOST_LANDMARKS = 5000
"""The largest number of landmarks of an exact expansion, whose kernel is a full matrix."""

DRAWS = 20
"""The number of pairs drawn per landmark, since many pairs may have the same features."""


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """The pair features of the training item sets, computed one set at a time."""

    featurizer: Featurizer
    item_sets: Sequence[ItemSet]

    def all_features(self) -> Iterator[Features]:
        """Yield the features of all pairs, and of items with themselves if there are any."""
        return self._features(lambda _: None)

    def sampled_features(self) -> Iterator[Features]:
        """Yield the same features, but those of random pairs for large item sets."""
        return self._features(lambda item_set: sample_pairs(item_set)[0])

    def _features(self, choose: Callable[[ItemSet], Pairs | None]) -> Iterator[Features]:
        for index, item_set in enumerate(self.item_sets):
            with located(f"item set {index}"):
                features = self.featurizer(item_set, choose(item_set))
            yield features
            if not isinstance(features.diagonal, ZeroDiagonal):
                yield features.diagonal


class Expansion(Value, ABC):
    """A map φ with ⟨φ(ψ), φ(ψ′)⟩ = κ(ψ, ψ′), exactly or approximately."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The number of intermediate values per pair, and the number of columns of the map."""

    @abstractmethod
    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Return the map for a kernel and training pairs; an earlier fit has no effect."""

    @abstractmethod
    def __call__(self, kernel: Kernel, matrix: Any) -> Floats:
        """Return φ of each row."""

    def _check_arrays(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_floats(name, getattr(self, name)))


class LandmarkExpansion(Expansion):
    """A map by the kernel with landmarks L: φ(ψ) = κ(ψ, L) K_LL^(−1/2), up to a rotation.

    Eigenvectors of K_LL whose eigenvalues are rounding errors are dropped.
    """

    landmarks: Floats | None
    projection: Floats | None

    def __post_init__(self) -> None:
        self._check_arrays("landmarks", "projection")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of landmarks, and of columns."""
        n_landmarks, n_columns = _fitted(self.projection).shape
        return n_landmarks, n_columns

    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Choose the landmarks among the training pairs, and compute the projection."""
        landmarks = self._choose(training)
        if not len(landmarks):
            raise FeatureError("there are no pairs to fit to; give item sets of at least two items")
        projection = _inverse_root(kernel(landmarks, landmarks))
        return replace(self, landmarks=landmarks, projection=projection)  # type: ignore[type-var]

    def __call__(self, kernel: Kernel, matrix: Any) -> Floats:
        """Return φ of each row."""
        return kernel(matrix, _fitted(self.landmarks)) @ _fitted(self.projection)

    @abstractmethod
    def _choose(self, training: TrainingPairs) -> Floats:
        """Return the features of some training pairs, each row once."""


@dataclass(frozen=True, eq=False)
class ExactKernel(LandmarkExpansion):
    """Use all distinct features of training pairs as landmarks, so that nothing is lost.

    A learner that minimises a norm and a loss of the training pairs finds its w among the
    combinations of those pairs (for k-means, also of items with themselves). For these, the map is
    exact.

    Parameters
    ----------
    landmarks, projection
        The fitted map.

    Examples
    --------
    >>> from coterie.features.given import GivenFeatures
    >>> sets = [ItemSet.from_pair_features([[0.0], [1.0], [3.0]], n_items=3)]
    >>> featurizer = Kernelized(GivenFeatures(), RBF(1.0), ExactKernel()).fit(sets)
    >>> phi = featurizer(sets[0], None).to_matrix()
    >>> (phi @ phi.T).round(3) + 0.0
    array([[1.   , 0.368, 0.   ],
           [0.368, 1.   , 0.018],
           [0.   , 0.018, 1.   ]])
    """

    landmarks: Floats | None = field(default=None, kw_only=True, repr=False)
    projection: Floats | None = field(default=None, kw_only=True, repr=False)

    def _choose(self, training: TrainingPairs) -> Floats:
        landmarks: dict[bytes, None] = {}
        for features in training.all_features():
            for rows in blocks.row_blocks(*features.shape):
                landmarks |= _distinct_rows(_as_dense(_written_rows(features, rows)))
                _refuse_too_many(len(landmarks))
        return _as_matrix(landmarks, len(training.featurizer.names))


@dataclass(frozen=True, eq=False)
class Nystroem(LandmarkExpansion):
    """Use the features of random training pairs as landmarks.

    The kernel of two pairs is then the kernel of their projections on the span of the landmarks
    (Williams & Seeger 2001). If all training pairs are landmarks, it is exact.

    Parameters
    ----------
    n_components
        The number of landmarks, which are distinct; fewer if there are fewer distinct pairs.
    random_state
        Seed of the draw.
    landmarks, projection
        The fitted map.

    Examples
    --------
    >>> from coterie.features.given import GivenFeatures
    >>> sets = [ItemSet.from_pair_features([[0.0], [1.0], [3.0]], n_items=3)]
    >>> Kernelized(GivenFeatures(), RBF(1.0), Nystroem(2)).fit(sets).names
    ('component 0', 'component 1')
    """

    n_components: int = 100
    random_state: int = 0
    landmarks: Floats | None = field(default=None, kw_only=True, repr=False)
    projection: Floats | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_sampling(self)

    def _choose(self, training: TrainingPairs) -> Floats:
        n_columns = len(training.featurizer.names)
        affordable = min(DRAWS * self.n_components, blocks.BLOCK_ENTRIES // max(n_columns, 1))
        rng = np.random.default_rng(self.random_state)
        parts = list(training.sampled_features())
        sample = _sample_rows(parts, max(self.n_components, affordable), rng)
        return _as_matrix(_distinct_rows(sample), n_columns)[: self.n_components]


@dataclass(frozen=True, eq=False)
class RandomFourier(Expansion):
    """Map by cosines in random directions: φ(ψ) = √(2/D) cos(√(2γ) Wᵀψ + b), for RBF kernels.

    The entries of W are standard normal, and those of b are uniform in [0, 2π). The error of the
    kernel falls with 1/√D (Rahimi & Recht 2007). The map does not depend on the training pairs,
    except on their number of columns.

    Parameters
    ----------
    n_components
        The number D of columns.
    random_state
        Seed of W and b.
    directions, offsets
        The fitted map: W and b.

    Examples
    --------
    >>> from coterie.features.given import GivenFeatures
    >>> sets = [ItemSet.from_pair_features([[0.0], [1.0], [3.0]], n_items=3)]
    >>> Kernelized(GivenFeatures(), RBF(1.0), RandomFourier(50)).fit(sets)(sets[0], None)
    DenseFeatures(3 pairs × 50 columns)
    """

    n_components: int = 100
    random_state: int = 0
    directions: Floats | None = field(default=None, kw_only=True, repr=False)
    offsets: Floats | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        self._check_arrays("directions", "offsets")
        _check_sampling(self)

    @property
    def shape(self) -> tuple[int, int]:
        """The number D of columns, which is also the number of intermediate values per pair."""
        return len(_fitted(self.offsets)), len(_fitted(self.offsets))

    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Draw the directions W and the offsets b."""
        _as_rbf(kernel)
        rng = np.random.default_rng(self.random_state)
        directions = rng.normal(size=(len(training.featurizer.names), self.n_components))
        offsets = rng.uniform(0.0, 2.0 * np.pi, size=self.n_components)
        return replace(self, directions=directions, offsets=offsets)

    def __call__(self, kernel: Kernel, matrix: Any) -> Floats:
        """Return φ of each row."""
        directions = np.sqrt(2.0 * _as_rbf(kernel).gamma) * _fitted(self.directions)
        offsets = _fitted(self.offsets)
        with np.errstate(over="ignore", invalid="ignore"):
            angles = refuse_overflow(matrix @ directions + offsets)
        phi: Floats = np.sqrt(2.0 / len(offsets)) * np.cos(angles)
        return phi


@dataclass(frozen=True, eq=False)
class Kernelized(PairFeaturizer):
    """Map pair features so that their inner product is a kernel, exactly or approximately.

    A linear similarity of the mapped features is a non-linear similarity of the pair features
    (Finley & Joachims 2008, eq. 8). The diagonal, where an item is paired with itself, is mapped
    too if there is one. The mapped features are a dense matrix. Scale features before the map, and
    add columns that shall stay linear, such as a constant, after it:
    `WithConstant(Kernelized(Scaled(…), …))`.

    Parameters
    ----------
    featurizer
        The featurizer that computes the pair features.
    kernel
        `RBF` or `Polynomial`, or any positive semi-definite function of two matrices.
    expansion
        The kind of map: `ExactKernel` for small problems, `Nystroem` or `RandomFourier` for others.

    Examples
    --------
    >>> from coterie.features.given import GivenFeatures
    >>> sets = [ItemSet([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])]
    >>> featurizer = Kernelized(GivenFeatures(), Polynomial(2), Nystroem(50)).fit(sets)
    >>> featurizer(sets[0], None)
    DenseFeatures(3 pairs × 6 columns)
    >>> featurizer.names[:2]
    ('component 0', 'component 1')
    """

    featurizer: Featurizer
    kernel: Kernel
    expansion: Expansion

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        refuse_uncallable("kernel", self.kernel, 2, "RBF(gamma=1.0)")
        if not isinstance(self.expansion, Expansion):
            raise InputError(f"expansion is {self.expansion!r}; give one such as Nystroem()")

    @property
    def names(self) -> tuple[str, ...]:
        """`component 0`, `component 1`, …; available after `fit`."""
        return tuple(f"component {column}" for column in range(self.expansion.shape[1]))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer, then the map to the pair features that it computes."""
        sets = as_item_sets(item_sets)
        inner = self.featurizer.fit(sets)
        expansion = self.expansion.fit(self.kernel, TrainingPairs(inner, sets))
        return replace(self, featurizer=inner, expansion=expansion)

    def encode(self, item_set: ItemSet) -> Any:
        """Encode the items with the inner featurizer."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the mapped features of pairs (None: all pairs)."""
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        diagonal = features.diagonal
        phi_diagonal = None if isinstance(diagonal, ZeroDiagonal) else self._map(diagonal)
        return DenseFeatures(self._map(features), phi_diagonal)

    def _map(self, features: Features) -> Floats:
        n_pairs, n_features = features.shape
        n_intermediate, n_columns = self.expansion.shape
        refuse_unwritable((n_pairs, n_columns), n_pairs * n_columns)
        phi = np.empty((n_pairs, n_columns))
        for rows in blocks.row_blocks(n_pairs, max(n_features, n_intermediate)):
            phi[rows] = self.expansion(self.kernel, _written_rows(features, rows))
        return phi


def _written_rows(features: Features, rows: slice) -> Any:
    return to_matrix(select_rows(features, np.arange(rows.start, rows.stop)))


def _sample_rows(parts: Sequence[Features], n_rows: int, rng: np.random.Generator) -> Floats:
    """Return at most `n_rows` random rows of all parts together, in random order."""
    counts = np.array([features.shape[0] for features in parts], dtype=np.intp)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    rows = np.sort(rng.choice(total, min(n_rows, total), replace=False)) if total else counts[:0]
    rows_by_part = np.split(rows, np.searchsorted(rows, ends[:-1]))
    matrices = [
        _as_dense(to_matrix(select_rows(features, part_rows - start)))
        for features, part_rows, start in zip(parts, rows_by_part, ends - counts, strict=True)
        if len(part_rows)
    ]
    return rng.permutation(np.concatenate(matrices)) if matrices else np.zeros((0, 0))


def _distinct_rows(matrix: Floats) -> dict[bytes, None]:
    """Return the distinct rows, as bytes, in the order of their first appearance."""
    # Adding 0 turns -0 into 0, which is equal but has other bytes.
    return dict.fromkeys(row.tobytes() for row in matrix + 0.0)


def _as_matrix(rows: Collection[bytes], n_columns: int) -> Floats:
    return np.frombuffer(b"".join(rows)).reshape(len(rows), n_columns)


def _as_dense(matrix: Any) -> Floats:
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    return dense


def _inverse_root(kernel: Floats) -> Floats:
    """Return P such that P Pᵀ is the pseudo-inverse, one column per nonzero eigenvalue."""
    values, vectors = np.linalg.eigh(kernel)
    rounding = len(values) * np.finfo(np.float64).eps * values.max(initial=0.0)
    nonzero = np.flatnonzero(values > rounding)[::-1]
    root: Floats = vectors[:, nonzero] / np.sqrt(values[nonzero])
    return root


def _fitted(array: Floats | None) -> Floats:
    if array is None:
        raise FeatureError("the expansion is not fitted; call fit and use the copy that it returns")
    return array


def _as_rbf(kernel: Kernel) -> RBF:
    if not isinstance(kernel, RBF):
        raise InputError(f"RandomFourier expands RBF kernels only, not {kernel!r}; use Nystroem")
    return kernel


def _refuse_too_many(n_landmarks: int) -> None:
    if n_landmarks > MOST_LANDMARKS:
        raise FeatureError(
            f"the training pairs have more than {MOST_LANDMARKS:,} distinct rows of features, too "
            "many for an exact kernel; use Nystroem"
        )


def _check_sampling(expansion: Nystroem | RandomFourier) -> None:
    as_whole("n_components", expansion.n_components, 1)
    as_whole("random_state", expansion.random_state)
