"""The coreference column in files of the CoNLL shared tasks."""

import re
from collections.abc import Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
Mention: TypeAlias = tuple[int, str, Span]


def read_mentions(columns: Sequence[str]) -> list[Mention]:
    """Return the opening rank, the cluster, and the first and last token of each mention.

    The text "(3(4)" of a token means that a mention of cluster 3 begins, and that a mention of
    cluster 4 consists of this token. The mentions are in the order in which they end.

    >>> read_mentions(["(3(4)", "-", "3)"])
    [(1, '4', (0, 0)), (0, '3', (0, 2))]
    """
    mentions = []
    open_mentions: dict[str, list[tuple[int, int]]] = {}
    n_opened = 0
    for token, column in enumerate(columns):
        for opens, name, closes in re.findall(r"(\(?)(\d+)(\)?)", column):
            if opens:
                open_mentions.setdefault(name, []).append((n_opened, token))
                n_opened += 1
            if closes:
                rank, start = _last_opened(open_mentions, name, token)
                mentions.append((rank, name, (start, token)))
    return mentions


def _last_opened(
    open_mentions: dict[str, list[tuple[int, int]]], name: str, token: int
) -> tuple[int, int]:
    if not open_mentions.get(name):
        raise ValueError(f"token {token}: a mention of cluster {name} ends, but has not begun")
    return open_mentions[name].pop()
