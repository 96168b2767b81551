"""Sizes of the data of left-linking: Table 2 (a) and section 5.1 of Samdani, Chang & Roth 2014."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coterie_papers.corpora.folder import Record, map_json_lines, read_rows
from coterie_papers.corpora.newsgroups import ITEM_SETS, SOURCE, without_quoted_lines
from coterie_papers.corpora.newsgroups import POSTS as POSTS_FILE
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.tables import Table
from coterie_papers.left_linking.coreference import GUM, GUM_60, LITBANK, ONTOGUM
from coterie_papers.left_linking.data import read_division
from coterie_papers.left_linking.forum import POSTS
from coterie_papers.left_linking.protocol import VERSION
from coterie_papers.left_linking.published import LEFT_LINKING

CORPORA = (GUM, LITBANK, GUM_60, ONTOGUM)
SIZES = ("to train on", "to choose by", "to test on")

TOKENS_NOTE = (
    "Tokens are separated by blanks, and counted in the first 4,000 characters of a post. The "
    "paper does not define its tokens, and does not state its number of threads."
)
CORPORA_DATA = "near equivalents; each row names the corpus of the paper that it replaces."
CORPORA_NOTE = (
    "LitBank is divided once per fold of ten; each division has the sizes shown. The paper counts "
    "only documents. Alone: the mentions that corefer with no other mention, in percent."
)


def statistics(context: Context) -> list[Table]:
    """Show the sizes of the posts (Table 2 (a)) and of the corpora of coreference."""
    names = ("posts", *(str(corpus.divisions[0]["data"]) for corpus in CORPORA))
    keys: list[Key] = [{"statistics": name, "version": VERSION} for name in names]
    posts, *corpora = context.run(keys, count_data)
    return [
        Table.from_rows(
            "Table 2 (a): the posts",
            {row: {"posts": figure} for row, figure in posts.items()},
            LEFT_LINKING["statistics"],
            notes=[TOKENS_NOTE],
            digits=2,
            data=POSTS,
        ),
        _corpora_table(corpora),
    ]


def _corpora_table(sizes: Sequence[Values]) -> Table:
    rows = {f"{corpus.name}, for {corpus.paper}": corpus for corpus in CORPORA}
    entries = dict(zip(rows, sizes, strict=True))
    printed = {row: LEFT_LINKING["corpora"][corpus.paper] for row, corpus in rows.items()}
    title, notes = "Section 5.1: the corpora of coreference", [CORPORA_NOTE]
    return Table.from_rows(title, entries, printed, notes=notes, data=CORPORA_DATA)


def count_data(key: Key, folder: Path | None) -> Values:
    """Count the documents, mentions and clusters of a corpus, or the posts and their tokens."""
    name = str(key["statistics"])
    return _count_posts(folder) if name == "posts" else _count_corpus(name, folder)


def _count_corpus(name: str, folder: Path | None) -> Values:
    """Count the documents of each part, their mentions and clusters."""
    division = read_division(name, folder, 0 if name == "litbank" else None)
    truths = [truth for part in division for truth in part.partitions]
    n_mentions, sizes = sum(map(len, truths)), np.concatenate([truth.sizes for truth in truths])
    return {
        "documents": len(truths),
        **{size: len(part.partitions) for size, part in zip(SIZES, division, strict=True)},
        "mentions": n_mentions,
        "clusters": len(sizes),
        "mentions per document": n_mentions / len(truths),
        "alone": 100 * float(np.sum(sizes == 1)) / n_mentions,
    }


class PostSummary(NamedTuple):
    """The author and the thread of a post, and its tokens with and without quotations."""

    author: int
    thread: int
    n_tokens: int
    n_unquoted: int


def _count_posts(folder: Path | None) -> Values:
    """Count authors, threads, posts and tokens, in total and per item set."""
    sets = _read_posts(SOURCE.find(folder))
    all_posts = [post for posts in sets for post in posts]
    n_authors, n_threads = (len(set(numbers)) for numbers in list(zip(*all_posts, strict=True))[:2])
    return {
        "authors": n_authors,
        "item sets": len(sets),
        "posts": len(all_posts),
        "posts per author": len(all_posts) / n_authors,
        "posts per item set": len(all_posts) / len(sets),
        "tokens per post": float(np.mean([post.n_tokens for post in all_posts])),
        "tokens per post, without quotations": float(
            np.mean([post.n_unquoted for post in all_posts])
        ),
        "most posts of an author in an item set": max(
            max(Counter(post.author for post in posts).values()) for posts in sets
        ),
        "threads": n_threads,
        "posts per thread": len(all_posts) / n_threads,
    }


def _read_posts(place: Path) -> list[list[PostSummary]]:
    """Return the posts of each item set, whose authors are the same persons in all item sets."""

    def summarize(post: Record) -> tuple[str, PostSummary]:
        text = str(post["text"])
        n_tokens, n_unquoted = len(text.split()), len(without_quoted_lines(text).split())
        name = f"{post['day']}_{post['family']}"
        return name, PostSummary(int(post["author"]), int(post["thread"]), n_tokens, n_unquoted)

    posts: dict[str, list[PostSummary]] = {
        name: [] for (name,) in read_rows(place / ITEM_SETS, ("item_set",))
    }
    for name, post in map_json_lines(place / POSTS_FILE, summarize):
        if name in posts:
            posts[name].append(post)
    return list(posts.values())
