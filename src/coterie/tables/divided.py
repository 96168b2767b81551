"""True clusters that the sets of a table divide: nothing can find their pairs across sets."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coterie._core.texts import pluralize


class DividedClusters(NamedTuple):
    """True clusters with rows in several sets, and the share of all true pairs across sets.

    The share is None if no two rows of the table belong together.
    """

    n_clusters: int = 0
    share: float | None = None

    def note(self) -> str | None:
        """Return a warning in words; None if no cluster is divided.

        >>> DividedClusters(3, 0.25).note()[:73]
        'the sets divide 3 true clusters: 25.0% of the true pairs lie across sets,'
        """
        if not self.n_clusters or self.share is None:
            return None
        return (
            f"the sets divide {pluralize(self.n_clusters, 'true cluster')}: {self.share:.1%} of "
            "the true pairs lie across sets, so they cannot be found; metrics count only pairs "
            "within sets, as if each part of such a cluster were a cluster"
        )


def divided_clusters(sets: Iterable[Sequence[str]]) -> DividedClusters:
    """Count the clusters that are divided, from the names of the true clusters of each set's rows.

    >>> divided_clusters([["a", "a", "b"], ["a", "c"]])
    DividedClusters(n_clusters=1, share=0.6666666666666666)
    """
    total: Counter[str] = Counter()
    n_sets: Counter[str] = Counter()
    within = 0
    for names in sets:
        sizes = Counter(names)
        total.update(sizes)
        n_sets.update(sizes.keys())
        within += _n_pairs(sizes)
    n_pairs = _n_pairs(total)
    share = (n_pairs - within) / n_pairs if n_pairs else None
    return DividedClusters(sum(count > 1 for count in n_sets.values()), share)


def _n_pairs(sizes: Counter[str]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes.values())
