"""Blockers: which pairs of an item set are looked at.

A blocker is a frozen callable from an item set to its pairs, i < j, sorted, each once; None stands
for all pairs. Of an item set of pair features only the pairs that it has are ever returned.

- of any items: `AllPairs`, `Window`; of vectors: `NearestNeighbours`, `Canopies` (of texts too);
- of columns of any values: `SharedKeys`;
- of columns of texts, keys: `WholeValue`, `Prefix`, `Combined`, `RareTokens`, `QGrams`,
  `SortedNeighbourhood`, `NearestTexts`, and `Union` of several; `AllIfSmall` takes all pairs where
  they are few. `learn_blocking` chooses keys from a partition.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
