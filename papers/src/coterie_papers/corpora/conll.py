"""Coreference in columns, as the files of the CoNLL tasks have it."""

import re
from collections.abc import Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
Mention: TypeAlias = tuple[int, str, Span]


def bracketed(columns: Sequence[str]) -> list[Mention]:
    """Return the rank of opening, the cluster, and the first and last token of each mention.

    A column such as "(3(4)" says that a mention of 3 begins, and one of 4, which ends here too. The
    mentions are in the order in which they end.

    >>> bracketed(["(3(4)", "-", "3)"])
    [(1, '4', (0, 0)), (0, '3', (0, 2))]
    """
    mentions = []
    waiting: dict[str, list[tuple[int, int]]] = {}
    n_opened = 0
    for token, column in enumerate(columns):
        for opens, name, closes in re.findall(r"(\(?)(\d+)(\)?)", column):
            if opens:
                waiting.setdefault(name, []).append((n_opened, token))
                n_opened += 1
            if closes:
                rank, start = _last_opened(waiting, name, token)
                mentions.append((rank, name, (start, token)))
    return mentions


def _last_opened(
    waiting: dict[str, list[tuple[int, int]]], name: str, token: int
) -> tuple[int, int]:
    if not waiting.get(name):
        raise ValueError(f"token {token}: a mention of {name} ends that has not begun")
    return waiting[name].pop()
