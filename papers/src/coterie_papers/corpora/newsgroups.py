"""Posts in newsgroups, to be clustered by thread or by author."""

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
        ITEM_SETS: "CSV: item_set, fold; the item set is called day_family, the fold is 0 to 9",
        POSTS: "JSON lines: day, family, id, time, text, thread, author; all posts in the order "
        "of time, the time in seconds, thread and author as numbers",
    },
    "20 Newsgroups, guifigueiroa/20newsgroup on GitHub",
)
N_FOLDS = 10

_OTHERS = re.compile(
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
    """What is taken of a post; the cluster is the number of its thread or of its author."""

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

    The stand-in for the forum of Samdani, Chang & Roth 2014: 97 item sets, one a day and family of
    newsgroups, on average of 182 posts in 110 threads by 134 authors, in the order of time. The
    columns are `text`, `time` (in seconds, UTC) and `position` (0, 1, … in the item set), and the
    ids are those of the posts.

    The subject, which would nearly name the thread, is left out, and senders' addresses are masked.
    What is left in the texts helps, as in any forum. By thread, it is the lines that a post quotes
    from another and the line that says whose they are; now and then a header in a forwarded text.
    By author these lines are taken out, since others wrote them; what remains is the signature,
    often with the name. Threads and authors go on over days, so that most posts of a fold have
    theirs in other folds too, and a learner that weighs single words may know them again.

    Parameters
    ----------
    folder
        The folder that holds `newsgroups_threads`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        The number of one of 10 folds, 0 to 9, or None for all, in the order of days.
    target
        What a cluster is: the posts of a "thread" or of an "author".

    Examples
    --------
    >>> item_sets, partitions = load_newsgroups_threads(split=0)  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(72 items, columns text, time, position), 69)
    """
    refuse_other_folds(split, N_FOLDS)
    if target not in ("thread", "author"):
        raise InputError(f"target is {target!r}; give 'thread' or 'author'")
    place = SOURCE.find(folder)
    rows = read_rows(place / ITEM_SETS, ("item_set", "fold"))
    names = [name for name, fold in rows if split is None or fold == str(split)]
    found = _read_posts(place / POSTS, target, set(names))
    with reading(place / POSTS):
        return Corpus(
            [_item_set(found[name]) for name in names],
            [Partition([post.cluster for post in found[name]]) for name in names],
        )


def without_quoted_lines(text: str) -> str:
    r"""Leave out the lines that others wrote, and those that say who did.

    >>> without_quoted_lines("In article 7 A. Name writes:\n>Is it so?\nIt is.\n|> Why?\nLook.")
    'It is.\nLook.'
    """
    return "\n".join(line for line in text.split("\n") if not _OTHERS.match(line))


def _read_posts(path: Path, target: Target, names: set[str]) -> dict[str, Posts]:
    """Return the posts of each of some item sets."""

    def take(post: Record) -> NewsgroupPost | None:
        name = f"{post['day']}_{post['family']}"
        if name not in names:
            return None
        text = as_text(post, "text")
        own = without_quoted_lines(text) if target == "author" else text
        return NewsgroupPost(name, int(post["id"]), int(post["time"]), own, int(post[target]))

    found = defaultdict(list)
    for post in map_json_lines(path, take):
        if post is not None:
            found[post.item_set].append(post)
    return dict(found)


def _item_set(posts: Posts) -> ItemSet:
    columns = {
        "text": [post.text for post in posts],
        "time": np.array([post.time for post in posts]),
        "position": np.arange(len(posts)),
    }
    return ItemSet(columns, ids=[post.id for post in posts], ordered=True)
