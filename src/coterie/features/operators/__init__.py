"""Features of item pairs as linear operators.

Learners use only two products of the features F of m pairs: `features @ coef`, the scores, of shape
(m,), and `features.T @ weights`, of shape (d,). So F may be a matrix, or products of item features
that are not written out pair by pair. Results are float64, even if the storage is float32.

`features.diagonal`, which k-means needs, has the same products for the n items paired with
themselves. Its shape is (n, d); it is zero if no such features exist.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
