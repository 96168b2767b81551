"""Signed graphs for checks of correlation clustering."""

from pathlib import Path

import numpy as np

from coterie.items import ItemSet
from coterie.pairs import upper_triangle
from coterie_papers.corpora.folder import PathLike, Source, map_lines, reading

GRAPHS = ("allsports", "captchas", "gym", "cora200", "landmarks")
MAX_NODES = 1_000
"""A larger number of nodes is an error; its pairs might not fit into memory."""

SOURCE = Source(
    "corrclust_graphs",
    dict.fromkeys(
        (f"{name}.txt" for name in GRAPHS),
        "lines with blanks: node, node; one positive pair per line, nodes counted from 0; the "
        "first line begins with the number of nodes instead",
    ),
    "crowd-sourced answers, nathan-cordner/size-correlation-clustering on GitHub",
)


def load_corrclust_graphs(folder: PathLike | None = None) -> dict[str, ItemSet]:
    """Read five signed graphs on which solvers of correlation clustering are compared.

    Each graph is an item set whose pairs have one feature: 1 if people said that two records are
    the same, and -1 otherwise. The graphs are `allsports` (200 items, 65 positive pairs),
    `captchas` (244, 602), `gym` (94, 465), `cora200` (190, 1,588) and `landmarks` (266, 30,251).
    Their correct partitions are unknown. Therefore this reader returns only the item sets, by name,
    and it has no argument `split`.

    Parameters
    ----------
    folder
        The folder that holds `corrclust_graphs`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.

    Examples
    --------
    >>> load_corrclust_graphs()["gym"]  # doctest: +SKIP
    ItemSet(94 items, 4371 pairs × 1 features)
    """
    corpus_folder = SOURCE.find(folder)
    return {name: _read_graph(corpus_folder / f"{name}.txt") for name in GRAPHS}


def _read_graph(path: Path) -> ItemSet:
    """Read the number of nodes from the first line, and one positive pair from each other line."""
    rows = list(map_lines(path, lambda line: [int(number) for number in line.split()]))
    with reading(path):
        if not rows or not rows[0]:
            raise ValueError("line 1: the number of nodes is missing")
        n_nodes = rows[0][0]
        if not 0 < n_nodes <= MAX_NODES:
            raise ValueError(f"line 1: there are {n_nodes} nodes instead of 1 to {MAX_NODES}")
        signs = np.full((n_nodes, n_nodes), -1.0)
        for line, pair in enumerate(rows[1:], start=2):
            first, second = sorted(pair) if len(pair) == 2 else (0, 0)
            if not 0 <= first < second < n_nodes:
                raise ValueError(f"line {line}: {pair} is not a pair of {n_nodes} nodes")
            signs[first, second] = 1.0
        return ItemSet.from_pair_features(upper_triangle(signs)[:, None], n_nodes)
