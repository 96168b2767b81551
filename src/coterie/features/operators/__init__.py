"""Features of item pairs as linear operators.

All that a learner asks of the features of m pairs is `features @ coef` (scores, of shape (m,)) and
`features.T @ weights` (of shape (d,)). So they may be a matrix, or products of item features that
are never written out pair by pair. Results are float64, also where the storage is float32.

`features.diagonal` answers the same for items with themselves, as k-means needs: of shape (n, d),
or zero for any number of items where none are given.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
