"""Blockers: they list the candidate pairs of an item set, the only pairs that are compared.

A blocker is a frozen callable from an item set to its candidate pairs, i < j, sorted, without
duplicates; None means all pairs. If an item set consists of pair features, only pairs that have
features are candidates.

- For any items: `AllPairs`, `Window`. For vectors: `NearestNeighbours` and `Canopies`; the latter
  takes texts too.
- For columns of any values: `SharedKeys`.
- Blocking keys for columns of texts: `WholeValue`, `Prefix`, `Combined`, `RareTokens`, `QGrams`,
  `SortedNeighbourhood` and `NearestTexts`; `Union` combines several.
- `AllIfSmall` takes all pairs of small item sets. `learn_blocking` chooses keys by a partition.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
