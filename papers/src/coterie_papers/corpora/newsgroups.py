"""Posts in newsgroups, clustered by thread or by author."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from coterie.datasets.corpus import Corpus, refuse_other_folds
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie_papers.corpora.folder import (
    PathLike,
    Record,
    Source,
    as_text,
    map_json_lines,
    read_rows,
    reading,
)

Target: TypeAlias = Literal["thread", "author"]

ITEM_SETS, POSTS = "item_sets.csv", "posts.jsonl.gz"
SOURCE = Source(
    "newsgroups_threads",
    {
        ITEM_SETS: "CSV: item_set, fold; the name of an item set is DAY_FAMILY, the fold is 0 to 9",
        POSTS: "JSON lines: day, family, id, time, text, thread, author; all posts in the order "
        "of time, with the time in seconds and with numbers for threads and authors",
    },
    "20 Newsgroups, guifigueiroa/20newsgroup on GitHub",
)
N_FOLDS = 10

_QUOTED = re.compile(
    r"""\s*(
        [>:|\#}\]]                                            # > quoted, :quoted, |> quoted
        | \w{1,12}>                                           # AB> quoted
        | (In|From)\ (article\b|message\b|<)                  # In article <…>
        | .{0,80}\b(writes|wrote|says|said)\s*(:|\.\.\.)      # … (A. Name) writes:
        | .*EMAILADDR.*:\s*$                                  # Thus spoke EMAILADDR (A. Name):
    )""",
    re.VERBOSE,
)


class NewsgroupPost(NamedTuple):
    """The parts of a post that are used; its cluster is the number of its thread or author."""

    item_set: str
    id: int
    time: int
    text: str
    cluster: int


Posts: TypeAlias = list[NewsgroupPost]


def load_newsgroups_threads(
    folder: PathLike | None = None, split: int | None = None, target: Target = "thread"
) -> Corpus:
    """Read 17,639 posts of 20 Newsgroups, clustered by thread or by author.

    This is the stand-in for the forum of Samdani, Chang & Roth 2014: 97 item sets, one per day and
    family of newsgroups, with 182 posts in 110 threads by 134 authors on average, in the order of
    time. The columns are `text`, `time` (in seconds, UTC) and `position` (0, 1, … in the item set),
    and the ids are those of the posts.

    The subject is left out, because it almost names the thread, and the addresses of senders are
    masked. The texts still contain hints, as in all forums. For threads, these are the lines that a
    post quotes, the line that names their author, and sometimes a header in a forwarded text. For
    authors, these lines are removed, because other people wrote them; the signature remains, often
    with the name. Threads and authors continue over days. Most posts of a fold therefore have their
    thread and author in other folds too, and a learner with weights of single words may recognise
    them.

    Parameters
    ----------
    folder
        The folder that holds `newsgroups_threads`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        The number of one of 10 folds, 0 to 9, or None for all, in the order of days.
    target
        "thread" or "author": the clusters are threads or authors.

    Examples
    --------
    >>> item_sets, partitions = load_newsgroups_threads(split=0)  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(72 items, columns text, time, position), 69)
    """
    refuse_other_folds(split, N_FOLDS)
    if target not in ("thread", "author"):
        raise InputError(f"target is {target!r}; give 'thread' or 'author'")
    corpus_folder = SOURCE.find(folder)
    rows = read_rows(corpus_folder / ITEM_SETS, ("item_set", "fold"))
    names = [name for name, fold in rows if split is None or fold == str(split)]
    posts_by_set = _read_posts(corpus_folder / POSTS, target, set(names))
    with reading(corpus_folder / POSTS):
        return Corpus(
            [_item_set(posts_by_set[name]) for name in names],
            [Partition([post.cluster for post in posts_by_set[name]]) for name in names],
        )


def without_quoted_lines(text: str) -> str:
    r"""Remove the lines that a post quotes, and the lines that name their author.

    >>> without_quoted_lines("In article 7 A. Name writes:\n>Is it so?\nIt is.\n|> Why?\nLook.")
    'It is.\nLook.'
    """
    return "\n".join(line for line in text.split("\n") if not _QUOTED.match(line))


def _read_posts(path: Path, target: Target, names: set[str]) -> dict[str, Posts]:
    """Return the posts of the item sets with these names."""

    def convert(post: Record) -> NewsgroupPost | None:
        name = f"{post['day']}_{post['family']}"
        if name not in names:
            return None
        text = as_text(post, "text")
        if target == "author":
            text = without_quoted_lines(text)
        return NewsgroupPost(name, int(post["id"]), int(post["time"]), text, int(post[target]))

    posts_by_set = defaultdict(list)
    for post in map_json_lines(path, convert):
        if post is not None:
            posts_by_set[post.item_set].append(post)
    return dict(posts_by_set)


def _item_set(posts: Posts) -> ItemSet:
    columns = {
        "text": [post.text for post in posts],
        "time": np.array([post.time for post in posts]),
        "position": np.arange(len(posts)),
    }
    return ItemSet(columns, ids=[post.id for post in posts], ordered=True)
