"""Products of item features as features of pairs, which are not written out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._types import Features
from coterie.features.operators.base import LinearOperator, refuse_unwritable
from coterie.features.operators.blocks import pairs_at
from coterie.features.operators.nodes import DenseNodes, Nodes, SparseNodes
from coterie.items import as_matrix
from coterie.pairs import all_pairs, as_links, as_pairs, condensed_positions, count_pairs


@dataclass(frozen=True, eq=False, repr=False)
class NodeProducts(LinearOperator):
    """Products ψᵢ∘ψⱼ of item features, which are not written out (Finley & Joachims 2008, eq. 4).

    Parameters
    ----------
    nodes
        Item features of shape (n, d), dense or sparse.
    pairs
        The pairs, of shape (m, 2); None means all pairs in condensed order.

    Examples
    --------
    >>> features = NodeProducts([[1.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    >>> features @ [1.0, 1.0]
    array([3., 3., 3.])
    >>> features.diagonal @ [1.0, 1.0]
    array([5., 9., 2.])
    """

    nodes: Any
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", as_matrix(self.nodes))
        object.__setattr__(self, "pairs", as_pairs(self.pairs, self.nodes.shape[0]))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_items, n_columns = self.nodes.shape
        return count_pairs(n_items, self.pairs), n_columns

    @property
    def diagonal(self) -> Features:
        """The products ψᵢ∘ψᵢ of items paired with themselves."""
        return self._form.diagonal

    def at(self, pairs: ArrayLike | None) -> "NodeProducts":
        """Return the products of other pairs of the same items; prepared arrays are shared.

        >>> features = NodeProducts([[1.0], [2.0], [3.0]])
        >>> features.at([(2, 0)]) @ [1.0]
        array([3.])
        """
        requested = as_pairs(pairs, self.nodes.shape[0])
        return self if requested is None and self.pairs is None else self._at(requested)

    def to_matrix(self) -> Any:
        """Return the products as a matrix, which is sparse if the item features are."""
        n_pairs, n_columns = self.shape
        if sp.issparse(self.nodes):
            # Each entry is stored with its column index, and each pair with its two items.
            refuse_unwritable(self.shape, 2 * (n_pairs + self._max_entries()))
        else:
            refuse_unwritable(self.shape, n_pairs * (n_columns + 2))
        return self._form.products(self._all_or_listed_pairs)

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p (ψ_if ψ_jf)² of each column f."""
        return self._form.squared().sums(np.ones(self.shape[0]), self.pairs)

    @cached_property
    def _form(self) -> Nodes:
        """The item features, prepared for products over pairs."""
        return SparseNodes(self.nodes) if sp.issparse(self.nodes) else DenseNodes(self.nodes)

    @property
    def _all_or_listed_pairs(self) -> Pairs:
        return all_pairs(self.nodes.shape[0]) if self.pairs is None else self.pairs

    def _max_entries(self) -> int:
        """Return an upper bound of the number of nonzero products."""
        counts = np.bincount(self.nodes.indices, minlength=1)
        total = int(np.sum(counts * (counts - 1) // 2))
        if self.pairs is None:
            return total
        return min(total, int(np.diff(self.nodes.indptr)[self.pairs].min(axis=1).sum()))

    def _at(self, pairs: Pairs | None) -> "NodeProducts":
        # Reading `_form` prepares it here, so that all copies share it.
        return self._copy_with(pairs=pairs, _form=self._form)

    def _take(self, rows: Ints) -> "NodeProducts":
        return self._at(_pairs_of(self.pairs, rows, self.nodes.shape[0]))

    def _apply(self, coef: Floats) -> Floats:
        return self._form.scores(coef, self.pairs)

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self._form.sums(weights, self.pairs)


@dataclass(frozen=True, eq=False, repr=False)
class LinkedNodeProducts(LinearOperator):
    """Products ψᵢ∘ψⱼ and an indicator 1 for linked pairs; zeros for all other pairs.

    With hyperlinks as links, and with pairs of pages that are linked from the same page, these are
    the two pairwise regions of WebKB-L (Finley & Joachims 2008, 6.1.1).

    Parameters
    ----------
    nodes
        Item features of shape (n, d), dense or sparse.
    links
        Pairs of linked items, of shape (l, 2), in either order. Repeated links count once; links
        from an item to itself are ignored.
    pairs
        The pairs, of shape (m, 2); None means all pairs in condensed order.

    Examples
    --------
    >>> features = LinkedNodeProducts([[1.0], [3.0], [5.0]], links=[(2, 0)])
    >>> features @ [10.0, 7.0]
    array([ 0., 57.,  0.])
    """

    nodes: Any
    links: Pairs
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        products = NodeProducts(self.nodes, self.pairs)
        object.__setattr__(self, "nodes", products.nodes)
        object.__setattr__(self, "pairs", products.pairs)
        object.__setattr__(self, "links", as_links(self.links, products.nodes.shape[0]))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs, and of columns; the indicator is the last column."""
        n_items, n_columns = self.nodes.shape
        return count_pairs(n_items, self.pairs), n_columns + 1

    def to_matrix(self) -> Any:
        """Return the features as a sparse matrix, as most pairs are not linked."""
        rows, products = self._linked
        product_matrix = sp.csr_array(products.to_matrix())
        linked = sp.hstack([product_matrix, np.ones((len(rows), 1))], format="csr")
        lengths = np.zeros(self.shape[0] + 1, dtype=np.intp)
        lengths[rows + 1] = np.diff(linked.indptr)
        return sp.csr_array((linked.data, linked.indices, np.cumsum(lengths)), shape=self.shape)

    def column_squares(self) -> Floats:
        """Return the sum of squares Σ_p F_pf² of each column f."""
        rows, products = self._linked
        return np.append(products.column_squares(), len(rows))

    @cached_property
    def _products(self) -> NodeProducts:
        """The products of all links, whether or not they are among the pairs."""
        return NodeProducts(self.nodes, self.links)

    @cached_property
    def _linked(self) -> tuple[Ints, LinearOperator]:
        """The rows of the linked pairs, and their products."""
        n_items = self.nodes.shape[0]
        if self.pairs is None:
            return condensed_positions(self.links, n_items), self._products
        positions = condensed_positions(self.pairs, n_items)
        links = condensed_positions(self.links, n_items)
        rows = np.flatnonzero(np.isin(positions, links))
        return rows, self._products.take(np.searchsorted(links, positions[rows]))

    def _take(self, rows: Ints) -> "LinkedNodeProducts":
        selected = self._copy_with(
            pairs=_pairs_of(self.pairs, rows, self.nodes.shape[0]), _products=self._products
        )
        # The cached rows of linked pairs are those of the old pairs.
        vars(selected).pop("_linked", None)
        return selected

    def _apply(self, coef: Floats) -> Floats:
        rows, products = self._linked
        scores = np.zeros(self.shape[0])
        scores[rows] = products @ coef[:-1] + coef[-1]
        return scores

    def _apply_transposed(self, weights: Floats) -> Floats:
        rows, products = self._linked
        return np.append(products.T @ weights[rows], weights[rows].sum())


def _pairs_of(pairs: Pairs | None, rows: Ints, n_items: int) -> Pairs:
    return pairs_at(rows, n_items) if pairs is None else read_only(pairs[rows])
