"""The readers of newsgroups and chats, on the real corpora and on tiny folders."""

import csv
import gzip
import json
from functools import cache

import numpy as np
import pytest

from coterie import Partition
from coterie.exceptions import InputError
from coterie_papers.corpora.irc import load_irc_ubuntu, minutes
from coterie_papers.corpora.newsgroups import load_newsgroups_threads, without_quoted_lines

LOADERS = {"newsgroups_threads": load_newsgroups_threads, "irc_ubuntu": load_irc_ubuntu}
FILES = {
    "newsgroups_threads": ("item_sets.csv", "posts.jsonl.gz"),
    "irc_ubuntu": ("irc.jsonl.gz",),
}


def corpus_of(data_folder, name):
    if not (data_folder / name).is_dir():
        pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    return data_folder / name


@cache
def newsgroups(folder, split=None, target="thread"):
    corpus_of(folder, "newsgroups_threads")
    return load_newsgroups_threads(folder, split, target)


@cache
def stored_chats(folder):
    path = corpus_of(folder, "irc_ubuntu") / "irc.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(("target", "mean"), [("thread", 110), ("author", 134)])
def test_newsgroups_have_the_sizes_in_the_readme(data_folder, target, mean):
    item_sets, partitions = newsgroups(data_folder, target=target)
    with (data_folder / "newsgroups_threads" / "item_sets.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        rows = list(csv.DictReader(lines))
    assert len(item_sets) == len(partitions) == 97
    assert [len(item_set) for item_set in item_sets] == [int(row["posts"]) for row in rows]
    assert sum(map(len, item_sets)) == 17_639
    assert max(map(len, item_sets)) == 512
    assert [truth.n_clusters for truth in partitions] == [int(row[f"{target}s"]) for row in rows]
    assert round(np.mean([truth.n_clusters for truth in partitions])) == mean
    for item_set in item_sets:
        assert item_set.ordered
        assert np.all(np.diff(item_set.items["time"]) >= 0)
        assert item_set.items["position"].tolist() == list(range(len(item_set)))


def test_a_fold_of_newsgroups_is_a_part_of_all(data_folder):
    all_sets, fold = newsgroups(data_folder), newsgroups(data_folder, 9)
    indices_by_ids = {item_set.ids: index for index, item_set in enumerate(all_sets.item_sets)}
    indices = [indices_by_ids[item_set.ids] for item_set in fold.item_sets]
    assert len(indices) == 9
    assert indices == sorted(indices)
    for index, item_set, truth in zip(indices, *fold, strict=True):
        assert item_set.items["text"] == all_sets.item_sets[index].items["text"]
        assert truth == all_sets.partitions[index]


def test_newsgroups_without_quotations(data_folder):
    """By author, a text is a part of the text by thread, with few quotation marks."""
    by_thread = newsgroups(data_folder).item_sets[1]
    by_author = newsgroups(data_folder, target="author").item_sets[1]
    assert by_author.ids == by_thread.ids
    for text, remainder in zip(by_thread.items["text"], by_author.items["text"], strict=True):
        lines = iter(text.split("\n"))
        assert not remainder or all(line in lines for line in remainder.split("\n"))
        assert not any(line.lstrip().startswith(">") for line in remainder.split("\n"))
    n_before, n_after = (sum(map(len, items.items["text"])) for items in (by_thread, by_author))
    assert 0.3 * n_before < n_after < 0.9 * n_before


@pytest.mark.parametrize(
    ("split", "n_sets", "n_messages"),
    [("train", 153, 59_347), ("dev", 10, 2_327), ("test", 10, 4_619)],
)
def test_chats_have_the_sizes_in_the_readme(data_folder, split, n_sets, n_messages):
    stored = [chat for chat in stored_chats(data_folder) if chat["split"] == split]
    item_sets, partitions = load_irc_ubuntu(data_folder, split)
    assert len(item_sets) == len(partitions) == n_sets
    assert sum(map(len, item_sets)) == n_messages
    for chat, item_set, truth in zip(stored, item_sets, partitions, strict=True):
        users = [m for m in chat["items"] if m["type"] != "system"]
        assert item_set.items["author"] == tuple(m["nick"] for m in users)
        assert item_set.ids == tuple(m["i"] for m in users)
        assert truth == Partition([m["thread"] for m in users])
        assert item_set.ordered


def test_the_time_of_chats_increases(data_folder):
    corpus_of(data_folder, "irc_ubuntu")
    item_sets, partitions = load_irc_ubuntu(data_folder)
    assert len(partitions) == 173
    steps = [np.diff(item_set.items["time"]) for item_set in item_sets]
    assert all(item_set.items["time"][0] == 0 for item_set in item_sets)
    assert min(step.min() for step in steps) == 0
    assert max(step.max() for step in steps) <= 120  # so that no clock was taken amiss


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ([], []),
        (["07:30"], [0]),
        (["07:30", "07:30", "09:00"], [0, 0, 90]),
        (["23:50", "00:10", "23:59", "00:00"], [0, 20, 1449, 1450]),
        (["12:59", "01:00", "02:30"], [0, 1, 91]),
    ],
)
def test_minutes_across_midnight_and_noon(clock, expected):
    assert minutes(clock).tolist() == expected


@pytest.mark.parametrize(
    "line",
    [
        "> quoted",
        "  >> quoted",
        ":quoted",
        "| quoted",
        "|> quoted",
        "# quoted",
        "}quoted",
        "] quoted",
        "AB> quoted",
        "In article <EMAILADDR> EMAILADDR (A. Name) writes:",
        "In <EMAILADDR> EMAILADDR",
        "From article <EMAILADDR>, by EMAILADDR",
        "EMAILADDR (A. Name) wrote:",
        "A. Name says...",
        "Thus spoke EMAILADDR (A. Name): ",
    ],
)
def test_quoted_lines_are_removed(line):
    assert without_quoted_lines(f"first\n{line}\nlast") == "first\nlast"


@pytest.mark.parametrize(
    "line", ["I wrote a letter: no", "a > b", "In articles I read", "", "write EMAILADDR: now"]
)
def test_other_lines_are_kept(line):
    assert without_quoted_lines(f"first\n{line}\nlast") == f"first\n{line}\nlast"


def post(number, **change):
    return {
        "id": number,
        "time": 100 * number,
        "day": "1993-04-05",
        "family": "comp",
        "author": number % 2,
        "thread": 7,
        "subject": "Re: it",
        "text": ">so?\nso",
    } | change


def write_newsgroups(folder, posts=None):
    """Write a set of three posts in fold 0, one of one post in fold 3, and a post in no set."""
    corpus_folder = folder / "newsgroups_threads"
    default_posts = [post(0), post(1), post(2), post(5, day="1993-04-06"), post(9, family="sci")]
    write_lines(corpus_folder / "posts.jsonl.gz", default_posts if posts is None else posts)
    (corpus_folder / "item_sets.csv").write_text(
        "item_set,day,family,fold\n1993-04-05_comp,,,0\n1993-04-06_comp,,,3\n", encoding="utf-8"
    )
    return folder


def message(line, time, **change):
    fields = {"i": line, "time": time, "type": "msg", "nick": "Ann", "text": "hi", "thread": 3}
    return fields | change


def write_irc(folder, items=None):
    """Write a chat for tests before a chat for training."""
    first = [
        message(1000, "23:59"),
        message(1001, None, type="system", nick=None, thread=4),
        message(1002, "00:01", type="action", nick="Bob", thread=5),
        message(1003, "00:01"),
    ]
    chats = [
        {"split": "test", "items": first if items is None else items},
        {"split": "train", "items": [message(1000, "12:00")]},
    ]
    write_lines(folder / "irc_ubuntu" / "irc.jsonl.gz", chats)
    return folder


def test_tiny_newsgroups(tmp_path):
    item_sets, partitions = load_newsgroups_threads(write_newsgroups(tmp_path))
    assert [item_set.ids for item_set in item_sets] == [(0, 1, 2), (5,)]
    assert [truth.labels.tolist() for truth in partitions] == [[0, 0, 0], [0]]
    assert sorted(item_sets[0].items) == ["position", "text", "time"]
    assert item_sets[0].items["text"] == (">so?\nso",) * 3
    by_author = load_newsgroups_threads(tmp_path, 0, target="author")
    assert by_author.item_sets[0].items["text"] == ("so",) * 3
    assert by_author.partitions[0].labels.tolist() == [0, 1, 0]
    assert load_newsgroups_threads(tmp_path, 3).item_sets[0].items["time"].tolist() == [500]
    assert load_newsgroups_threads(tmp_path, 4) == ([], [])


def test_a_tiny_chat(tmp_path):
    item_sets, partitions = load_irc_ubuntu(write_irc(tmp_path))
    assert [len(item_set) for item_set in item_sets] == [1, 3]
    chat = item_sets[1]
    assert chat.ids == (1000, 1002, 1003)
    assert chat.items["time"].tolist() == [0, 2, 2]
    assert chat.items["position"].tolist() == [0, 1, 2]
    assert chat.items["author"] == ("Ann", "Bob", "Ann")
    assert partitions[1].labels.tolist() == [0, 1, 0]
    assert load_irc_ubuntu(tmp_path, "dev") == ([], [])


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_corpus_is_reported(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError) as error_info:
        LOADERS[name]()
    for part in (str(tmp_path / name), *FILES[name], "COTERIE_DATA", "on GitHub"):
        assert part in str(error_info.value)


@pytest.mark.parametrize("split", [-1, 10, "train", True, 1.0])
def test_other_folds_are_refused(split):
    with pytest.raises(InputError, match="give the index of a fold, 0 to 9, or None"):
        load_newsgroups_threads("nowhere", split)


def test_other_splits_and_targets_are_refused():
    with pytest.raises(InputError, match="'valid'; give 'train', 'dev', 'test' or None"):
        load_irc_ubuntu("nowhere", "valid")
    with pytest.raises(InputError, match="target is 'topic'; give 'thread' or 'author'"):
        load_newsgroups_threads("nowhere", target="topic")


@pytest.mark.parametrize(
    "posts",
    [
        [{"id": 0}],
        [post(0, text=5)],
        [post(0)],
        [post(0), post(0), post(5, day="1993-04-06")],
        [post(0, time="noon"), post(5, day="1993-04-06")],
    ],
)
def test_damaged_newsgroups_are_named(posts, tmp_path):
    with pytest.raises(InputError, match=r"posts.jsonl.gz"):
        load_newsgroups_threads(write_newsgroups(tmp_path, posts), target="author")


@pytest.mark.parametrize(
    "items", [[{}], 7, [message(0, "noon")], [message(0, None)], [{"type": 1}]]
)
def test_damaged_chats_are_named(items, tmp_path):
    with pytest.raises(InputError, match=r"irc.jsonl.gz cannot be read .*line 1.*fetch it again"):
        load_irc_ubuntu(write_irc(tmp_path, items))


@pytest.mark.parametrize(
    ("name", "write"), [("newsgroups_threads", write_newsgroups), ("irc_ubuntu", write_irc)]
)
def test_a_cut_file_is_named(name, write, tmp_path):
    path = write(tmp_path) / name / FILES[name][-1]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=f"{path.name} cannot be read"):
        LOADERS[name](tmp_path)
