"""The readers of signed graphs and of the scorer's tests, on real and on tiny folders."""

import json
from itertools import combinations

import pytest

from coterie.exceptions import InputError
from coterie.metrics import Scores
from coterie_papers.corpora import load_coref_scorer_tests, load_corrclust_graphs

# The README's figures: nodes and positive pairs.
GRAPHS = {
    "allsports": (200, 65),
    "captchas": (244, 602),
    "gym": (94, 465),
    "cora200": (190, 1_588),
    "landmarks": (266, 30_251),
}
SAME_MENTIONS = {"A1", "A10", "A11", "D1", "E1", "F1", "G1", "H1", "I1"}
SAME_MENTIONS |= {f"{letter}{number}" for letter in "MN" for number in (1, 2, 3)}


def folder_of(data_folder, name):
    if not (data_folder / name).is_dir():
        pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    return data_folder


def test_graphs_have_the_sizes_in_the_readme(data_folder):
    graphs = load_corrclust_graphs(folder_of(data_folder, "corrclust_graphs"))
    sizes = {name: (len(g), int((g.items.features > 0).sum())) for name, g in graphs.items()}
    assert sizes == GRAPHS


def test_graphs_have_the_pairs_of_the_file(data_folder):
    graph = load_corrclust_graphs(folder_of(data_folder, "corrclust_graphs"))["gym"]
    lines = (data_folder / "corrclust_graphs" / "gym.txt").read_text().splitlines()[1:]
    positive = {frozenset(map(int, line.split())) for line in lines}
    expected = [[1.0 if frozenset(p) in positive else -1.0] for p in combinations(range(94), 2)]
    assert graph.items.features.tolist() == expected


def test_the_cases_have_the_sizes_in_the_readme(data_folder):
    cases = load_coref_scorer_tests(folder_of(data_folder, "coref_scorer_tests"))
    assert len(cases) == len({case.id for case in cases}) == 36
    assert {case.id for case in cases if case.same_mentions} == SAME_MENTIONS
    for case in cases:
        sides = [{m for cluster in side for m in cluster} for side in (case.truth, case.predicted)]
        assert (sides[0] == sides[1]) == case.same_mentions


def write_graphs(folder, gym="3 9\n2 0\n"):
    (folder / "corrclust_graphs").mkdir()
    for name in GRAPHS:
        text = gym if name == "gym" else "2\n0 1\n"
        (folder / "corrclust_graphs" / f"{name}.txt").write_text(text)
    return folder


def test_tiny_graphs(tmp_path):
    graphs = load_corrclust_graphs(write_graphs(tmp_path))
    assert list(graphs) == list(GRAPHS)
    assert graphs["gym"].items.features.tolist() == [[-1.0], [1.0], [-1.0]]
    assert graphs["cora200"].items.features.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the number of nodes is missing"),
        ("\n", "line 1: the number of nodes is missing"),
        ("x\n", "line 1: invalid literal"),
        ("0\n", "line 1: there are 0 nodes instead of 1 to 1000"),
        ("-1\n", "line 1: there are -1 nodes instead of 1 to 1000"),
        ("1000000000\n", "line 1: there are 1000000000 nodes instead of 1 to 1000"),
        ("3\n0 1\n1\n", r"line 3: \[1\] is not a pair of 3 nodes"),
        ("3\n0 3\n", r"line 2: \[0, 3\] is not a pair of 3 nodes"),
        ("3\n2 2\n", r"line 2: \[2, 2\] is not a pair of 3 nodes"),
        ("3\n0 -1\n", r"line 2: \[0, -1\] is not"),
        ("3\n0 1\n0 y\n", "line 3: invalid literal"),
    ],
)
def test_damaged_graphs_are_reported_with_the_line(text, message, tmp_path):
    with pytest.raises(InputError, match=rf"gym.txt cannot be read \({message}.*; fetch it again"):
        load_corrclust_graphs(write_graphs(tmp_path, text))


KEY = "#begin document (d);\nd\t0\t(1\nd\t1\t1)\n\nd\t2\t(2)\nd\t3\t(1)\n#end document\n"
RESPONSE = "d 0 (7(8)\nd 1 7)\nd 2 -\nd 3 (8)|(9)\n"
CASE = {
    "id": "Z1",
    "key": "DataFiles/z.key",
    "response": "DataFiles/z.response",
    "expected_RPF": {"muc": [0.25, 0.5, 0.333333]},
    "same_mentions": False,
}


def write_cases(folder, response=RESPONSE, **changes):
    corpus_folder = folder / "coref_scorer_tests"
    (corpus_folder / "DataFiles").mkdir(parents=True)
    (corpus_folder / "DataFiles" / "z.key").write_text(KEY)
    (corpus_folder / "DataFiles" / "z.response").write_text(response)
    (corpus_folder / "expected.json").write_text(json.dumps([CASE | changes]))
    return folder


def test_a_tiny_case(tmp_path):
    (case,) = load_coref_scorer_tests(write_cases(tmp_path))
    assert case.truth == [[(0, 1), (3, 3)], [(2, 2)]]
    # Token 3 is a mention twice: the first opened counts.
    assert case.predicted == [[(0, 1)], [(0, 0), (3, 3)]]
    assert case.expected == {"muc": Scores(precision=0.5, recall=0.25, f1=0.333333)}
    assert (case.id, case.same_mentions) == ("Z1", False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"response": "d 0 (7\nd 1 8)\n"},
            "z.response cannot be read .token 1: a mention of cluster 8 end",
        ),
        ({"key": "DataFiles/other"}, "other cannot be read .*No such file"),
        ({"key": 3}, "expected.json cannot be read .the key is 3"),
        ({"expected_RPF": {"muc": [1.0]}}, "expected.json cannot be read"),
    ],
)
def test_damaged_cases_are_reported(changes, message, tmp_path):
    other_changes = dict(changes)
    response = other_changes.pop("response", RESPONSE)
    with pytest.raises(InputError, match=message):
        load_coref_scorer_tests(write_cases(tmp_path, response, **other_changes))


@pytest.mark.parametrize("load", [load_corrclust_graphs, load_coref_scorer_tests])
def test_a_missing_corpus_is_reported(load, tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"COTERIE_DATA") as error_info:
        load()
    assert str(tmp_path) in str(error_info.value)
    assert "on GitHub" in str(error_info.value)
