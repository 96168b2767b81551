"""The tables of the changelog: moved and renamed names are as they say."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
import typer

from coterie import cli
from coterie.cli.options import FORMER_NAMES
from coterie.model import Model
from coterie.report import report_of
from coterie.tables import TableModel, infer_schema, plan_fit, plan_predict

CHANGELOG = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
MOVED = re.findall(
    r"^\| `(coterie[\w.]*)`(?:: (.*?))? \| `(coterie[\w.]*)` \|$", CHANGELOG, re.MULTILINE
)
MEMBERS = re.findall(
    r"^\| `(coterie[\w.]*)\.(\w+)` \| `(\w+).*?` \| `(\w+).*?` \|$", CHANGELOG, re.MULTILINE
)
OPTIONS = re.findall(r"^\| `--(\w+)` \| `--([\w-]+)` \|", CHANGELOG, re.MULTILINE)
PARAMETERS = re.findall(r"^\| `(\w+)=` \| `(\w+)=` \|", CHANGELOG, re.MULTILINE)

FUNCTIONS = {
    "must_link": [TableModel.predict, TableModel.explain, TableModel.report, report_of],
    "cannot_link": [Model.predict, TableModel.cluster, TableModel.clusters, TableModel.evaluate],
    "id": [infer_schema, report_of, plan_predict],
    "set": [infer_schema],
    "frame": [infer_schema, plan_fit, plan_predict],
}
"""Functions that have a parameter whose name changed."""


def test_the_tables_of_the_changelog_are_found():
    assert len(MOVED) > 60
    assert len(MEMBERS) > 10
    assert dict(OPTIONS) == FORMER_NAMES
    assert {new for _, new in PARAMETERS} == set(FUNCTIONS)


@pytest.mark.parametrize(
    ("names", "new"), [row[1:] for row in MOVED], ids=[row[0] for row in MOVED]
)
def test_moved_names_are_where_the_changelog_says(names, new):
    module = import_module(new)
    for name in re.findall(r"`(\w+)`", names):
        assert hasattr(module, name)


@pytest.mark.parametrize(("module", "name", "old", "new"), MEMBERS)
def test_a_renamed_member_has_its_new_name_only(module, name, old, new):
    cls = getattr(import_module(module), name)
    members = {*dir(cls), *inspect.signature(cls).parameters}
    assert new in members
    assert old == new or old not in members


@pytest.mark.parametrize(("old", "new"), PARAMETERS)
def test_a_former_parameter_is_passed_on_under_its_new_name(old, new):
    for function in FUNCTIONS[new]:
        assert new in inspect.signature(function).parameters
        with pytest.raises(TypeError, match=f"both {new}= and {old}="):
            function(**{old: 1, new: 1})


@pytest.mark.parametrize(("old", "new"), OPTIONS)
def test_a_former_option_works_and_is_not_in_the_help(old, new):
    program = typer.main.get_command(cli.app)
    for name in ("predict", "evaluate", "explain", "clusters", "report"):
        arguments = ["m", "t", *(["a", "b"] if name == "explain" else []), f"--{old}", "pairs.csv"]
        arguments += ["-o", "x"] if name in {"predict", "report"} else []
        context = program.commands[name].make_context(
            name,
            arguments,
            parent=program.make_context("coterie", ["--version"], resilient_parsing=True),
        )
        assert context.params[new.replace("-", "_")] == "pairs.csv"
        assert f"--{old}" not in context.get_help()
