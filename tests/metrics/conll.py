"""Reads the mentions of a CoNLL file, as its scorer does."""

import re
from pathlib import Path

Span = tuple[int, int]


def read_clusters(path: Path) -> list[list[Span]]:
    """Return the clusters of (first, last) token spans; of repeats the first opened counts."""
    clusters: dict[str, list[Span]] = {}
    seen: set[Span] = set()
    for _, name, span in sorted(_mentions(path)):
        if span not in seen:
            seen.add(span)
            clusters.setdefault(name, []).append(span)
    return list(clusters.values())


def _mentions(path: Path) -> list[tuple[int, str, Span]]:
    """Return the rank of opening, the cluster and the span of each mention."""
    mentions = []
    waiting: dict[str, list[tuple[int, int]]] = {}
    n_opened = 0
    for token, column in enumerate(_last_columns(path)):
        for opens, name, closes in re.findall(r"(\(?)(\d+)(\)?)", column):
            if opens:
                waiting.setdefault(name, []).append((n_opened, token))
                n_opened += 1
            if closes:
                rank, start = waiting[name].pop()
                mentions.append((rank, name, (start, token)))
    return mentions


def _last_columns(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split()[-1] for line in lines if line.strip() and not line.startswith("#")]
