"""Kernels of pair features, as explicit maps.

A linear similarity ⟨w, ψ⟩ of pair features ψ turns non-linear where w = Σ_l α_l φ(ψ_l) combines
training pairs and their inner products are a kernel κ (Finley & Joachims 2008, eq. 8):

    K_ij = Σ_l α_l κ(ψ_l, ψ_ij).

`Kernelized` writes φ out, exactly or approximately, so that every learner of linear similarities
learns such ones as it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats, Pairs
from coterie._core.values import Value
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, InputError, located
from coterie.features.featurizer import PairFeaturizer, as_featurizer
from coterie.features.given import sample_pairs
from coterie.features.kernels import RBF, Kernel, Polynomial, refuse_overflow
from coterie.features.operators import DenseFeatures, ZeroDiagonal, blocks, taken, written
from coterie.features.operators.base import refuse_unwritable
from coterie.items import ItemSet, as_item_sets

__all__ = ["RBF", "ExactKernel", "Kernelized", "Nystroem", "Polynomial", "RandomFourier"]

MOST_LANDMARKS = 5000
"""How many different training pairs an exact expansion takes: their kernel is a full matrix."""

DRAWS = 20
"""How many pairs are drawn for each landmark, since many may have the same features."""


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """What an expansion is fitted to: the pair features of item sets, one set at a time."""

    featurizer: Featurizer
    item_sets: Sequence[ItemSet]

    def whole(self) -> Iterator[Features]:
        """Yield the features of all pairs, and of items with themselves where there are such."""
        return self._features(lambda _: None)

    def some(self) -> Iterator[Features]:
        """Yield the same, but of large item sets only some pairs."""
        return self._features(lambda item_set: sample_pairs(item_set)[0])

    def _features(self, choose: Callable[[ItemSet], Pairs | None]) -> Iterator[Features]:
        for number, item_set in enumerate(self.item_sets):
            with located(f"item set {number}"):
                features = self.featurizer(item_set, choose(item_set))
            yield features
            if not isinstance(features.diagonal, ZeroDiagonal):
                yield features.diagonal


class Expansion(Value, ABC):
    """A map φ with ⟨φ(ψ), φ(ψ′)⟩ = κ(ψ, ψ′), or nearly so."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The numbers that a pair takes on the way, and the columns that it is mapped to."""

    @abstractmethod
    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Return the map for a kernel and training pairs, anew if there is one already."""

    @abstractmethod
    def __call__(self, kernel: Kernel, matrix: Any) -> Floats:
        """Return φ of each row."""

    def _keep(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_floats(name, getattr(self, name)))


class LandmarkExpansion(Expansion):
    """The map by the kernel with landmarks L: φ(ψ) = κ(ψ, L) K_LL^(−1/2), up to a rotation.

    Only the eigenvectors of K_LL with eigenvalues above rounding are kept.
    """

    landmarks: Floats | None
    projection: Floats | None

    def __post_init__(self) -> None:
        self._keep("landmarks", "projection")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of landmarks, and of columns."""
        n_landmarks, n_columns = _fitted(self.projection).shape
        return n_landmarks, n_columns

    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Choose the landmarks among the training pairs."""
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
        """Return different features of training pairs."""


@dataclass(frozen=True, eq=False)
class ExactKernel(LandmarkExpansion):
    """Take all different features of training pairs as landmarks: nothing is lost.

    A learner that minimises a norm and a loss of training pairs finds w among the combinations of
    those pairs (and of items with themselves, for k-means), and there the map is exact.

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
        found: dict[bytes, None] = {}
        for features in training.whole():
            for rows in blocks.row_blocks(*features.shape):
                found |= _different(_dense(_written_rows(features, rows)))
                _refuse_many(len(found))
        return _rows(found, len(training.featurizer.names))


@dataclass(frozen=True, eq=False)
class Nystroem(LandmarkExpansion):
    """Take some features of training pairs, drawn at random, as landmarks.

    The kernel of two pairs is then that of their projections on the landmarks (Williams & Seeger
    2001); with all landmarks it is exact.

    Parameters
    ----------
    n_components
        The number of landmarks, all different; fewer where there are not so many.
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
        _check_draw(self)

    def _choose(self, training: TrainingPairs) -> Floats:
        n_columns = len(training.featurizer.names)
        affordable = min(DRAWS * self.n_components, blocks.BLOCK_ENTRIES // max(n_columns, 1))
        rng = np.random.default_rng(self.random_state)
        drawn = _drawn(list(training.some()), max(self.n_components, affordable), rng)
        return _rows(_different(drawn), n_columns)[: self.n_components]


@dataclass(frozen=True, eq=False)
class RandomFourier(Expansion):
    """Map by cosines in random directions: φ(ψ) = √(2/D) cos(√(2γ) Wᵀψ + b), for RBF kernels.

    W is normal, b uniform in [0, 2π); the error of the kernel falls with 1/√D (Rahimi & Recht
    2007). Nothing of the training pairs is kept but their number of columns.

    Parameters
    ----------
    n_components
        The number D of columns.
    random_state
        Seed of the directions.
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
        self._keep("directions", "offsets")
        _check_draw(self)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of columns, twice."""
        return len(_fitted(self.offsets)), len(_fitted(self.offsets))

    def fit(self, kernel: Kernel, training: TrainingPairs) -> Self:
        """Draw the directions."""
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
        mapped: Floats = np.sqrt(2.0 / len(offsets)) * np.cos(angles)
        return mapped


@dataclass(frozen=True, eq=False)
class Kernelized(PairFeaturizer):
    """Replace pair features by a map whose inner product is a kernel of them, or nearly so.

    A linear similarity of the mapped features is a non-linear one of the pair features (Finley &
    Joachims 2008, eq. 8). Items without features with themselves have none in the map either. The
    features are a dense matrix; put `WithConstant` and other linear columns around it, `Scaled`
    inside.

    Parameters
    ----------
    featurizer
        Computes the pair features.
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
        if isinstance(self.kernel, type) or not callable(self.kernel):
            raise InputError(f"kernel is {self.kernel!r}; give a value such as RBF(gamma=1.0)")
        if not isinstance(self.expansion, Expansion):
            raise InputError(f"expansion is {self.expansion!r}; give a value such as Nystroem()")

    @property
    def names(self) -> tuple[str, ...]:
        """`component 0`, `component 1`, …: known after `fit`."""
        return tuple(f"component {column}" for column in range(self.expansion.shape[1]))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer, then the map to its pair features."""
        sets = as_item_sets(item_sets)
        inner = self.featurizer.fit(sets)
        expansion = self.expansion.fit(self.kernel, TrainingPairs(inner, sets))
        return replace(self, featurizer=inner, expansion=expansion)

    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once, as the inner featurizer does."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the mapped features of some pairs, None for all."""
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        own = features.diagonal
        diagonal = None if isinstance(own, ZeroDiagonal) else self._mapped(own)
        return DenseFeatures(self._mapped(features), diagonal)

    def _mapped(self, features: Features) -> Floats:
        n_pairs, n_given = features.shape
        n_passing, n_columns = self.expansion.shape
        refuse_unwritable((n_pairs, n_columns), n_pairs * n_columns)
        mapped = np.empty((n_pairs, n_columns))
        for rows in blocks.row_blocks(n_pairs, max(n_given, n_passing)):
            mapped[rows] = self.expansion(self.kernel, _written_rows(features, rows))
        return mapped


def _written_rows(features: Features, rows: slice) -> Any:
    return written(taken(features, np.arange(rows.start, rows.stop)))


def _drawn(parts: Sequence[Features], n_rows: int, rng: np.random.Generator) -> Floats:
    """Return up to so many rows of several features, drawn at random, in random order."""
    counts = np.array([features.shape[0] for features in parts], dtype=np.intp)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    drawn = np.sort(rng.choice(total, min(n_rows, total), replace=False)) if total else counts[:0]
    shares = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
    matrices = [
        _dense(written(taken(features, share - start)))
        for features, share, start in zip(parts, shares, ends - counts, strict=True)
        if len(share)
    ]
    return rng.permutation(np.concatenate(matrices)) if matrices else np.zeros((0, 0))


def _different(matrix: Floats) -> dict[bytes, None]:
    """Return the different rows, as bytes, in the order of their first appearance."""
    # Adding 0 makes 0 of -0, which equals it in other bytes.
    return dict.fromkeys(row.tobytes() for row in matrix + 0.0)


def _rows(found: Collection[bytes], n_columns: int) -> Floats:
    return np.frombuffer(b"".join(found)).reshape(len(found), n_columns)


def _dense(matrix: Any) -> Floats:
    dense: Floats = matrix.toarray() if sp.issparse(matrix) else matrix
    return dense


def _inverse_root(kernel: Floats) -> Floats:
    """Return P with P Pᵀ the pseudo-inverse, one column an eigenvalue above rounding."""
    values, vectors = np.linalg.eigh(kernel)
    noise = len(values) * np.finfo(np.float64).eps * values.max(initial=0.0)
    kept = np.flatnonzero(values > noise)[::-1]
    root: Floats = vectors[:, kept] / np.sqrt(values[kept])
    return root


def _fitted(array: Floats | None) -> Floats:
    if array is None:
        raise FeatureError("the expansion of the kernel is not known yet; call fit first")
    return array


def _as_rbf(kernel: Kernel) -> RBF:
    if not isinstance(kernel, RBF):
        raise InputError(f"RandomFourier expands RBF kernels, not {kernel!r}; use Nystroem")
    return kernel


def _refuse_many(n_landmarks: int) -> None:
    if n_landmarks > MOST_LANDMARKS:
        raise FeatureError(
            f"the training pairs have more than {MOST_LANDMARKS:,} different features, too many "
            "for an exact kernel; use Nystroem"
        )


def _check_draw(expansion: Nystroem | RandomFourier) -> None:
    as_whole("n_components", expansion.n_components, 1)
    as_whole("random_state", expansion.random_state)
