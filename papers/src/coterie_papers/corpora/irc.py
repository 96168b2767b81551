"""Messages in a chat room, clustered by conversation."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.datasets.corpus import Corpus, DevSplit, refuse_other_splits
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie.toolkit import Floats
from coterie_papers.corpora.folder import PathLike, Source, map_json_lines

CHATS = "irc.jsonl.gz"
SOURCE = Source(
    "irc_ubuntu",
    {
        CHATS: "JSON lines: split, items [i, type, text, time, nick, thread]; one line per "
        "section of the log; the split is train, dev or test, i is the number of a message, its "
        "type is system if no user wrote it, and its time is written like 23:59"
    },
    "the Ubuntu IRC logs, jkkummerfeld/irc-disentanglement on GitHub",
)
SPLITS = ("train", "dev", "test")
HALF_DAY = 12 * 60


def load_irc_ubuntu(folder: PathLike | None = None, split: DevSplit | None = None) -> Corpus:
    """Read 173 sections of the log of the chat room #ubuntu, clustered by conversation.

    These are the messages that Kummerfeld et al. 2019 annotated, 66,293 messages by users in the
    order of the log. Messages of the system about users who enter and leave are left out. A
    conversation is a connected component of the links between messages and replies. The columns are
    `text`, `time` (in minutes since the first message), `position` (0, 1, … in the item set) and
    `author` (the nick); the ids are the numbers of the lines in the log.

    Parameters
    ----------
    folder
        The folder that holds `irc_ubuntu`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train" (153 sections), "dev" (10), "test" (10), or None for all, in this order.

    Examples
    --------
    >>> item_sets, partitions = load_irc_ubuntu(split="dev")  # doctest: +SKIP
    >>> item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (ItemSet(203 items, columns text, time, position, author), 21)
    """
    refuse_other_splits(split, SPLITS)
    corpus_folder = SOURCE.find(folder)
    all_chats = map_json_lines(corpus_folder / CHATS, _read_chat)
    chats = [chat for chat in all_chats if split in (chat[0], None)]
    chats.sort(key=lambda chat: SPLITS.index(chat[0]))
    return Corpus([items for _, items, _ in chats], [truth for *_, truth in chats])


def _read_chat(chat: dict[str, Any]) -> tuple[str, ItemSet, Partition]:
    messages = [message for message in chat["items"] if message["type"] != "system"]
    lines = [message["i"] for message in messages]
    columns = {
        "text": [message["text"] for message in messages],
        "time": minutes([message["time"] for message in messages]),
        "position": np.arange(len(messages)),
        "author": [message["nick"] for message in messages],
    }
    truth = Partition([message["thread"] for message in messages])
    return chat["split"], ItemSet(columns, ids=lines, ordered=True), truth


def minutes(clock: Sequence[str]) -> Floats:
    """Return the minutes since the first of several times of day, which are in order.

    If a time is earlier than the one before it, a new half day has begun: one log has a clock of
    twelve hours.

    >>> minutes(["23:58", "23:59", "00:01"])
    array([0., 1., 3.])
    """
    times = np.array([60 * int(time[:2]) + int(time[3:]) for time in clock], dtype=np.float64)
    steps = np.diff(times, prepend=times[:1])
    steps[steps < 0] %= HALF_DAY
    return np.cumsum(steps)
