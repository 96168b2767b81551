"""All partitions of a few items, for comparison by brute force."""

from collections.abc import Iterator


def all_partitions(n_items: int) -> Iterator[list[int]]:
    """Yield the labels of every partition of n items, by restricted growth."""

    def grow(labels: list[int], n_clusters: int) -> Iterator[list[int]]:
        if len(labels) == n_items:
            yield labels
            return
        for label in range(n_clusters + 1):
            yield from grow([*labels, label], max(n_clusters, label + 1))

    return grow([], 0)
