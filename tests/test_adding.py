"""The examples of docs/extending.md: members that are added to a family are in use."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import coterie

REPOSITORY = Path(__file__).parents[1]
GUIDE = (REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8")


class Example(NamedTuple):
    """The new files of a member, and the line that adds it to the list of its family."""

    files: dict[str, str]
    list_file: str
    line: str


def examples_in(guide):
    """Return the examples by the headings of their sections."""
    examples = {}
    for section in guide.split("\n## ")[1:]:
        diff = re.search(r"```diff\n(.*?)```", section, re.DOTALL)[1]
        parts = re.split(r"^\+\+\+ (\S+)\n", diff, flags=re.MULTILINE)[1:]
        texts = {
            file: re.sub(r"^\+", "", text, flags=re.MULTILINE)
            for file, text in zip(parts[::2], parts[1::2], strict=True)
        }
        list_file, line = texts.popitem()
        examples[section.partition("\n")[0]] = Example(texts, list_file, line.rstrip("\n"))
    return examples


EXAMPLES = examples_in(GUIDE)


@pytest.fixture(scope="module")
def sources_with_members(tmp_path_factory):
    """Copy the sources of both distributions, and add the members of the guide."""
    folder = tmp_path_factory.mktemp("adding")
    sources = {
        "src/coterie": Path(coterie.__file__).parent,
        "papers/src/coterie_papers": REPOSITORY / "papers" / "src" / "coterie_papers",
    }
    for name, source in sources.items():
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for example in EXAMPLES.values():
        for file, text in example.files.items():
            assert not (folder / file).exists()
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        members = folder / example.list_file
        members.write_text(with_line(members.read_text("utf-8"), example.line), encoding="utf-8")
    (folder / "table.csv").write_text(
        "plate,who\n" + "".join(f"KA-{row // 2},{row // 2}\n" for row in range(60)), "utf-8"
    )
    return folder


def with_line(text, line):
    """Insert a line after the last line that begins with the same word, or with a key."""
    word = re.match(r"\w*", line)[0]
    start = re.compile(rf"(\s*){word}\b" if word else r'(\s*)"[\w-]+": ')
    lines = text.splitlines()
    index = max(number for number, other in enumerate(lines) if start.match(other))
    indent = start.match(lines[index])[1]
    return "\n".join([*lines[: index + 1], indent + line, *lines[index + 1 :], ""])


def run(folder, *arguments):
    """Run Python with the copied sources."""
    paths = [str(folder / "src"), str(folder / "papers" / "src")]
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def results_of(folder, program):
    """Return the mapping `results` that a program fills."""
    head = "import json\nimport coterie as ct\nresults = {}\n"
    process = run(folder, "-c", f"{head}{program}\nprint(json.dumps(results))")
    assert not process.returncode, process.stderr
    return json.loads(process.stdout)


def command(folder, *arguments):
    """Return everything that a command prints."""
    process = run(folder, "-m", "coterie", *arguments)
    return process.stdout + process.stderr


def test_every_family_has_an_example_of_one_line():
    assert len(EXAMPLES) == GUIDE.count("```diff") == GUIDE.count("\n## ")
    assert all(example.files and "\n" not in example.line for example in EXAMPLES.values())


def test_an_added_clusterer_is_used_checked_and_saved(sources_with_members):
    results = results_of(
        sources_with_members,
        """
from coterie.checks import check_clusterer
from coterie.clusterers import LeftLink, OneOrMany, SpanningForest, SumLink
from coterie.clusterers.constraints import constrained_partition
from coterie.learners.structural.oracles import refuse_incompatible
from coterie.losses import PairLoss
check_clusterer(OneOrMany())
scores = ct.PairScores(3, None, [1.0, 3.0, -1.0])
results["dir"] = "OneOrMany" in dir(ct.clusterers)
must_link = constrained_partition(OneOrMany(), scores, must_link=[(0, 1)])
cannot_link = constrained_partition(OneOrMany(), scores, cannot_link=[(0, 1)])
results["must_link"] = must_link.labels.tolist()
results["cannot_link"] = cannot_link.labels.tolist()
refuse_incompatible(OneOrMany(), PairLoss(), True)
results["errors"] = []
for call in (
    lambda: constrained_partition(LeftLink(), scores, must_link=[(0, 1)]),
    lambda: constrained_partition(SumLink(), scores, cannot_link=[(0, 1)]),
    lambda: refuse_incompatible(SpanningForest(), PairLoss(), True),
):
    try:
        call()
    except ValueError as error:
        results["errors"].append(str(error))
similarity = ct.similarities.ConstantSimilarity(1.0)
ct.Model(ct.blocking.AllPairs(), similarity, OneOrMany()).save("clusterer.coterie")
results["loaded"] = repr(ct.Model.load("clusterer.coterie").clusterer)
""",
    )
    assert results["dir"]
    assert results["must_link"] == [0, 0, 0]
    assert results["cannot_link"] == [0, 1, 2]
    assert len(results["errors"]) == 3
    assert all("OneOrMany" in error for error in results["errors"])
    assert results["loaded"] == "OneOrMany()"


def test_an_added_metric_is_an_option(sources_with_members):
    results = results_of(
        sources_with_members,
        """
from coterie import metrics
from coterie.tables.fitting import as_metric
results["value"] = metrics.count_error([0, 0, 1], [0, 1, 2])
results["summary"] = metrics.summary([0, 0, 1], [0, 1, 2])["count_error"]
results["option"] = as_metric("count_error") is metrics.count_error
results["micro"] = metrics.micro(metrics.count_error, [[0, 1]], [[0, 0]])
""",
    )
    assert results == {"value": 1.0, "summary": 1.0, "option": True, "micro": 1.0}
    arguments = ("fit", "table.csv", "--cluster", "who", "-o", "m.coterie", "--metric", "other")
    assert "count_error" in command(sources_with_members, *arguments)


def test_a_learner_can_train_with_an_added_loss(sources_with_members):
    results = results_of(
        sources_with_members,
        """
from coterie.clusterers import Greedy
from coterie.learners import StructuralSVM
from coterie.losses import AllOrNothing
sets = [[[-2.0], [-3.0], [2.5]], [[-1.0], [1.0], [2.0], [3.0]]]
learner = StructuralSVM(Greedy(), AllOrNothing(), C=1e3).fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
results["labels"] = learner.predict([[[1.0], [-2.0], [-2.5]]])[0].labels.tolist()
""",
    )
    assert results == {"labels": [0, 1, 1]}


def test_an_added_kind_of_column_is_inferred_and_saved(sources_with_members):
    assert 'plate = "plate"' in command(
        sources_with_members, "init", "table.csv", "--cluster", "who"
    )
    results = results_of(
        sources_with_members,
        """
from coterie.features import Field, RecordFeatures
from coterie.features.kinds import Plate
from coterie.similarities import LinearSimilarity
similarity = LinearSimilarity(RecordFeatures((Field("plate", Plate()),)), [1.0] * 5)
ct.Model(ct.blocking.AllPairs(), similarity, ct.clusterers.Greedy()).save("kind.coterie")
results["loaded"] = ct.Model.load("kind.coterie").similarity.featurizer.fields[0].kind.word
""",
    )
    assert results == {"loaded": "plate"}


def test_an_added_featurizer_is_checked_and_saved(sources_with_members):
    results = results_of(
        sources_with_members,
        """
from coterie.checks import check_featurizer
from coterie.features import LengthFeatures
from coterie.similarities import LinearSimilarity
texts = ct.ItemSet(["a", "bcd", "ef"])
check_featurizer(LengthFeatures(), [texts])
similarity = LinearSimilarity(LengthFeatures(), [-1.0])
ct.Model(ct.blocking.AllPairs(), similarity, ct.clusterers.Greedy()).save("features.coterie")
results["scores"] = ct.Model.load("features.coterie").similarity(texts).tolist()
""",
    )
    assert results == {"scores": [-2.0, -1.0, -1.0]}


def test_an_added_learner_is_an_automatic_choice(sources_with_members):
    help_text = " ".join(command(sources_with_members, "fit", "--help").split())
    assert "boosted, structured or sums" in help_text
    arguments = ("fit", "table.csv", "--cluster", "who", "-o", "m.coterie", "--learner", "other")
    assert "boosted, structured, sums" in command(sources_with_members, *arguments)
    results = results_of(
        sources_with_members,
        """
from coterie.learners import AutoLearner
sets, truths = [[[1.0], [2.0]], [[3.0], [-1.0]]], [[0, 0], [0, 1]]
learner = AutoLearner(candidates=["plain sums"]).fit(sets, truths)
results["choice"], results["type"] = learner.choice_.name, type(learner.learner_).__name__
try:
    AutoLearner(candidates=["other"]).fit(sets, truths)
except ValueError as error:
    results["error"] = str(error)
""",
    )
    assert (results["choice"], results["type"]) == ("plain sums", "Untrained")
    assert results["error"].endswith("plain sums, plain sums with context")


def test_an_added_blocking_key_is_tried_and_saved(sources_with_members):
    results = results_of(
        sources_with_members,
        """
from coterie.blocking import SameLength, Union, learn_blocking
table = ct.ItemSet({"name": ["Ann", "Bob", "Jim Ray", "Jim Roy"] * 5})
results["pairs"] = SameLength("name")(ct.ItemSet({"name": ["Ann", "Bo", "Cyd"]})).tolist()
learned = learn_blocking([table], [[0, 1, 2, 3] * 5], ["name"])
results["tried"] = SameLength("name") in [row.key for row in learned.table]
similarity = ct.similarities.ConstantSimilarity(1.0)
ct.Model(Union([SameLength("name")]), similarity, ct.clusterers.Greedy()).save("key.coterie")
results["loaded"] = repr(ct.Model.load("key.coterie").blocker.keys[0])
""",
    )
    assert results == {"pairs": [[0, 2]], "tried": True, "loaded": "SameLength(column='name')"}


def test_an_added_experiment_is_reproduced(sources_with_members):
    overview = command(sources_with_members, "reproduce", "--list")
    assert "trivial: Trivial partitions: how metrics rate them\n  b-cubed  Show the" in overview
    assert "or trivial" in command(sources_with_members, "reproduce", "other")
    command(sources_with_members, "reproduce", "trivial", "--quick", "--jobs", "1", "--out", "out")
    folder = sources_with_members / "out" / "trivial" / "quick"
    # Of k clusters of 5 items, one cluster has precision 1/k and recall 1, and singletons have
    # precision 1 and recall 1/5.
    table = (folder / "b-cubed.md").read_text(encoding="utf-8")
    assert "| 2 clusters | 0.67 | 0.33 |\n| 4 clusters | 0.40 | 0.33 |" in table
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Trivial partitions" in page
    assert "0.67" in page
