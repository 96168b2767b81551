"""A new member of a family is one file and one line: those of docs/extending.md, in a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coterie

SOURCES = Path(coterie.__file__).parent
GUIDE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
WORKED = re.compile(
    r"^## (?P<name>[^\n]+)\n\n```diff\n"
    r"\+\+\+ (?P<file>\S+)\n(?P<text>.*?)"
    r"\+\+\+ (?P<list>\S+)\n\+(?P<line>[^\n]+)\n```",
    re.MULTILINE | re.DOTALL,
)
EXAMPLES = {found["name"]: found for found in WORKED.finditer(GUIDE)}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the sources with the members of the guide, and what runs programs there."""
    folder = tmp_path_factory.mktemp("adding")
    shutil.copytree(
        SOURCES, folder / "src" / "coterie", ignore=shutil.ignore_patterns("__pycache__")
    )
    for example in EXAMPLES.values():
        new, names = folder / example["file"], folder / example["list"]
        assert not new.exists()
        new.write_text(re.sub(r"^\+", "", example["text"], flags=re.MULTILINE), encoding="utf-8")
        names.write_text(with_line(names.read_text("utf-8"), example["line"]), encoding="utf-8")
    (folder / "table.csv").write_text(
        "plate,who\n" + "".join(f"KA-{at // 2},{at // 2}\n" for at in range(60)), encoding="utf-8"
    )
    return folder


def with_line(text, line):
    """Add a line behind the last one that begins alike."""
    lines = text.splitlines()
    first = re.match(r"\w+", line)[0]
    last = max(at for at, own in enumerate(lines) if re.match(rf"\s*{first}\b", own))
    indent = re.match(r"\s*", lines[last])[0]
    return "\n".join([*lines[: last + 1], indent + line, *lines[last + 1 :], ""])


def run(folder, *arguments):
    """Run Python on the copy."""
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def answers(folder, program):
    """Return what a program prints as JSON, which it is to make in `found`."""
    head = "import json\nimport coterie as ct\nfound = {}\n"
    done = run(folder, "-c", f"{head}{program}\nprint(json.dumps(found))")
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def command(folder, *arguments):
    done = run(folder, "-m", "coterie", *arguments)
    return done.stdout + done.stderr


def test_the_guide_has_an_example_of_every_family():
    assert len(EXAMPLES) == GUIDE.count("```diff") == GUIDE.count("\n## ") - 1
    assert len(GUIDE.splitlines()) <= 150


def test_a_clusterer(copied):
    found = answers(
        copied,
        """
from coterie.checks import check_clusterer
from coterie.clusterers import LeftLink, OneOrMany, SpanningForest, SumLink
from coterie.clusterers.constraints import constrained_partition
from coterie.learners.structural.oracles import refuse_incompatible
from coterie.losses import PairLoss
check_clusterer(OneOrMany())
scores = ct.PairScores(3, None, [1.0, 3.0, -1.0])
found["dir"] = "OneOrMany" in dir(ct.clusterers)
found["together"] = constrained_partition(OneOrMany(), scores, [(0, 1)]).labels.tolist()
found["apart"] = constrained_partition(OneOrMany(), scores, apart=[(0, 1)]).labels.tolist()
refuse_incompatible(OneOrMany(), PairLoss(), True)
found["errors"] = []
for refused in (
    lambda: constrained_partition(LeftLink(), scores, [(0, 1)]),
    lambda: constrained_partition(SumLink(), scores, apart=[(0, 1)]),
    lambda: refuse_incompatible(SpanningForest(), PairLoss(), True),
):
    try:
        refused()
    except ValueError as error:
        found["errors"].append(str(error))
similarity = ct.similarities.ConstantSimilarity(1.0)
ct.Model(ct.blocking.AllPairs(), similarity, OneOrMany()).save("clusterer.coterie")
found["loaded"] = repr(ct.Model.load("clusterer.coterie").clusterer)
""",
    )
    assert found["dir"]
    assert found["together"] == [0, 0, 0]
    assert found["apart"] == [0, 1, 2]
    assert len(found["errors"]) == 3
    assert all("OneOrMany" in error for error in found["errors"])
    assert found["loaded"] == "OneOrMany()"


def test_a_metric(copied):
    found = answers(
        copied,
        """
from coterie import metrics
from coterie.tables.fitting import as_metric
found["value"] = metrics.count_error([0, 0, 1], [0, 1, 2])
found["summary"] = metrics.summary([0, 0, 1], [0, 1, 2])["count_error"]
found["option"] = as_metric("count_error") is metrics.count_error
found["micro"] = metrics.micro(metrics.count_error, [[0, 1]], [[0, 0]])
""",
    )
    assert found == {"value": 1.0, "summary": 1.0, "option": True, "micro": 1.0}
    told = ("fit", "table.csv", "--cluster", "who", "-o", "m.coterie", "--metric", "other")
    assert "count_error" in command(copied, *told)


def test_a_loss(copied):
    found = answers(
        copied,
        """
from coterie.clusterers import Greedy
from coterie.learners import StructuralSVM
from coterie.losses import AllOrNothing
sets = [[[-2.0], [-3.0], [2.5]], [[-1.0], [1.0], [2.0], [3.0]]]
learner = StructuralSVM(Greedy(), AllOrNothing(), C=1e3).fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
found["labels"] = learner.predict([[[1.0], [-2.0], [-2.5]]])[0].labels.tolist()
""",
    )
    assert found == {"labels": [0, 1, 1]}


def test_a_kind_of_column(copied):
    assert 'plate = "plate"' in command(copied, "init", "table.csv", "--cluster", "who")
    found = answers(
        copied,
        """
from coterie.features import Field, RecordFeatures
from coterie.features.kinds import Plate
from coterie.similarities import LinearSimilarity
similarity = LinearSimilarity(RecordFeatures((Field("plate", Plate()),)), [1.0] * 5)
ct.Model(ct.blocking.AllPairs(), similarity, ct.clusterers.Greedy()).save("kind.coterie")
found["loaded"] = ct.Model.load("kind.coterie").similarity.featurizer.fields[0].kind.word
""",
    )
    assert found == {"loaded": "plate"}


def test_a_featurizer(copied):
    found = answers(
        copied,
        """
from coterie.checks import check_featurizer
from coterie.features import LengthFeatures
from coterie.similarities import LinearSimilarity
texts = ct.ItemSet(["a", "bcd", "ef"])
check_featurizer(LengthFeatures(), [texts])
similarity = LinearSimilarity(LengthFeatures(), [-1.0])
ct.Model(ct.blocking.AllPairs(), similarity, ct.clusterers.Greedy()).save("features.coterie")
found["scores"] = ct.Model.load("features.coterie").similarity(texts).tolist()
""",
    )
    assert found == {"scores": [-2.0, -1.0, -1.0]}


def test_a_learner_of_the_automatic_choice(copied):
    assert "boosted, structured or sums" in command(copied, "fit", "--help")
    told = ("fit", "table.csv", "--cluster", "who", "-o", "m.coterie", "--learner", "other")
    assert "boosted, structured, sums" in command(copied, *told)
    assert "learning, sums" in command(copied, "plan", "table.csv", "--cluster", "who")
    found = answers(
        copied,
        """
from coterie.learners import AutoLearner
sets, truths = [[[1.0], [2.0]], [[3.0], [-1.0]]], [[0, 0], [0, 1]]
learner = AutoLearner(candidates=["plain sums"]).fit(sets, truths)
found["choice"], found["type"] = learner.choice_.name, type(learner.learner_).__name__
try:
    AutoLearner(candidates=["other"]).fit(sets, truths)
except ValueError as error:
    found["error"] = str(error)
""",
    )
    assert (found["choice"], found["type"]) == ("plain sums", "Untrained")
    assert found["error"].endswith("plain sums, plain sums with context")


def test_a_blocking_key(copied):
    found = answers(
        copied,
        """
from coterie.blocking import SameLength, Union, learn_blocking
table = ct.ItemSet({"name": ["Ann", "Bob", "Jim Ray", "Jim Roy"] * 5})
found["pairs"] = SameLength("name")(ct.ItemSet({"name": ["Ann", "Bo", "Cyd"]})).tolist()
learned = learn_blocking([table], [[0, 1, 2, 3] * 5], ["name"])
found["tried"] = SameLength("name") in [row.key for row in learned.table]
similarity = ct.similarities.ConstantSimilarity(1.0)
ct.Model(Union([SameLength("name")]), similarity, ct.clusterers.Greedy()).save("key.coterie")
found["loaded"] = repr(ct.Model.load("key.coterie").blocker.keys[0])
""",
    )
    assert found == {"pairs": [[0, 2]], "tried": True, "loaded": "SameLength(column='name')"}
