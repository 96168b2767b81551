"""The data of left-linking in figures: Table 2 (a) of Samdani, Chang & Roth 2014, section 5.1."""

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
from coterie_papers.left_linking.data import divided
from coterie_papers.left_linking.forum import POSTS
from coterie_papers.left_linking.protocol import VERSION
from coterie_papers.left_linking.published import LEFT_LINKING

CORPORA = (GUM, LITBANK, GUM_60, ONTOGUM)
SIZES = ("to train on", "to choose by", "to test on")

TOKENS_NOTE = (
    "Tokens are what blanks part, of at most the first 4,000 characters of a post. The paper does "
    "not tell what its tokens are, nor the number of its threads."
)
CORPORA_DATA = "near equivalents, each with the corpus of the paper in whose place it stands."
CORPORA_NOTE = (
    "LitBank: sizes of each of ten folds. The paper counts documents alone. Alone: the share of "
    "mentions that corefer with no other, in percent."
)


def statistics(context: Context) -> list[Table]:
    """Show Table 2 (a), the posts in figures, and the corpora of coreference."""
    names = ("posts", *(str(corpus.divisions[0]["data"]) for corpus in CORPORA))
    keys: list[Key] = [{"statistics": name, "version": VERSION} for name in names]
    posts, *corpora = context.run(keys, counted)
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


def _corpora_table(found: Sequence[Values]) -> Table:
    rows = {f"{corpus.name}, for {corpus.paper}": corpus for corpus in CORPORA}
    ours = dict(zip(rows, found, strict=True))
    printed = {row: LEFT_LINKING["corpora"][corpus.paper] for row, corpus in rows.items()}
    title, notes = "Section 5.1: the corpora of coreference", [CORPORA_NOTE]
    return Table.from_rows(title, ours, printed, notes=notes, data=CORPORA_DATA)


def counted(key: Key, folder: Path | None) -> Values:
    """Count what a corpus has."""
    name = str(key["statistics"])
    return _counted_posts(folder) if name == "posts" else _counted_corpus(name, folder)


def _counted_corpus(name: str, folder: Path | None) -> Values:
    """Count the documents of each part, their mentions and clusters."""
    division = divided(name, folder, 0 if name == "litbank" else None)
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


class Post(NamedTuple):
    """Who wrote a post, in what thread, and how many tokens it has, and has without quotations."""

    author: int
    thread: int
    n_tokens: int
    n_own: int


def _counted_posts(folder: Path | None) -> Values:
    """Count authors, threads, posts and tokens, in all and by item set."""
    sets = _read_posts(SOURCE.find(folder))
    every = [post for posts in sets for post in posts]
    n_authors, n_threads = (len(set(numbers)) for numbers in list(zip(*every, strict=True))[:2])
    return {
        "authors": n_authors,
        "item sets": len(sets),
        "posts": len(every),
        "posts per author": len(every) / n_authors,
        "posts per item set": len(every) / len(sets),
        "tokens per post": float(np.mean([post.n_tokens for post in every])),
        "tokens per post, without quotations": float(np.mean([post.n_own for post in every])),
        "most posts of an author in an item set": max(
            max(Counter(post.author for post in posts).values()) for posts in sets
        ),
        "threads": n_threads,
        "posts per thread": len(every) / n_threads,
    }


def _read_posts(place: Path) -> list[list[Post]]:
    """Return the posts of each item set; partitions do not tell an author of two of them."""

    def take(post: Record) -> tuple[str, Post]:
        text = str(post["text"])
        n_tokens, n_own = len(text.split()), len(without_quoted_lines(text).split())
        name = f"{post['day']}_{post['family']}"
        return name, Post(int(post["author"]), int(post["thread"]), n_tokens, n_own)

    found: dict[str, list[Post]] = {
        name: [] for (name,) in read_rows(place / ITEM_SETS, ("item_set",))
    }
    for name, post in map_json_lines(place / POSTS_FILE, take):
        if name in found:
            found[name].append(post)
    return list(found.values())
