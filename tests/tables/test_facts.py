"""Facts of models: cards and reports can use all that load; other facts are refused."""

import copy
from dataclasses import replace

import pytest

from coterie import tables
from coterie.exceptions import InputError
from coterie.tables.card import card
from coterie.tables.facts import checked_facts
from tests.tables.model_files import change_fields, check_refused, rewrite, table


@pytest.fixture(scope="module")
def model():
    return tables.fit(table(60, 1), cluster="who", learner="logistic")


def at(facts, *path):
    for key in path:
        facts = facts[key]
    return facts


ODD = [None, True, -1, 2**70, "x", 0.5, [], [1], ["x"], {}, {"x": "y"}, float("inf"), "y" * 10**7]


def paths(facts):
    """Yield the path of every value in facts."""
    keys = (
        facts if isinstance(facts, dict) else range(len(facts)) if isinstance(facts, list) else ()
    )
    for key in keys:
        yield (key,)
        yield from ((key, *path) for path in paths(facts[key]))


def test_changed_facts_are_refused_or_shown(model):
    """All facts that pass the check can be shown in a card, a report and a manifest."""
    rows, messages = table(8, 2), []
    for path in paths(model.facts):
        for value in ODD:
            facts = copy.deepcopy(model.facts)
            at(facts, *path[:-1])[path[-1]] = value
            try:
                checked_facts(facts)
            except InputError as error:
                messages.append(str(error))
                continue
            changed = replace(model, facts=facts)
            card(changed)
            changed.report(rows)
    assert len(messages) > 200
    assert max(map(len, messages)) < 600


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("rows",), "many", "'many'; it must be a whole number"),
        (("clusters",), {"dict": {}}, "it must be a whole number"),
        (("held_out",), [1], "it must be a mapping"),
        (("held_out",), {"dict": {"b_cubed.f1": "high"}}, "it must be a finite number or NaN"),
        (("choice",), {"dict": {"headings": []}}, "it must be a mapping that has rows"),
        (("choice", "dict", "chosen"), 7, r"chosen'\] is 7; it must be a whole number from 0 to 0"),
        (("choice", "dict", "rows"), [["x"]], "a list of rows with one cell per heading"),
        (("blocking",), None, "facts.'blocking'. is None; it must be a mapping"),
        (("blocking", "dict", "keys"), 3, "it must be a list"),
        (("blocking", "dict", "recall"), "all", "it must be a finite number from 0 to 1"),
        (("surprise",), 1, "'surprise'; it must be one of rows, clusters"),
    ],
)
def test_facts_that_cards_and_reports_could_not_show_are_refused(
    model, tmp_path, path, value, message
):
    model.save(tmp_path / "m")

    def change(parts):
        at(parts["facts"]["dict"], *path[:-1])[path[-1]] = value

    rewrite(tmp_path / "m", model=change_fields(change))
    check_refused(tmp_path / "m", message)


def test_facts_are_checked_when_saved(model, tmp_path):
    with pytest.raises(InputError, match=r"facts\['rows'\] is 'many'; it must be a whole number"):
        replace(model, facts=model.facts | {"rows": "many"}).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_facts_may_be_missing(model, tmp_path):
    replace(model, facts={}).save(tmp_path / "m")
    loaded = tables.load(tmp_path / "m")
    assert loaded.report(table(30, 2)).startswith("<!DOCTYPE html>")
    assert "hold" in card(loaded)
