"""The settings of a run as a TOML file: complete, readable again, and enough to repeat the run."""

import inspect
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import tables
from coterie.exceptions import InputError
from coterie.tables import Schema, Table, propose_schema, read_settings, schema_text
from coterie.tables.schema import IGNORED, kind_classes
from coterie.tables.settings import SETTINGS
from coterie.tables.toml import MAX_BYTES
from tests.commands import error_of, run
from tests.people import people

PARAMETERS = {"jobs": "n_jobs", "seed": "random_state"}
READING = {"format", "long_cells"}

TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12)
NAMES = TEXTS.filter(str.strip)
KINDS = st.sampled_from([*kind_classes(), IGNORED])


@given(
    st.dictionaries(NAMES, KINDS, max_size=5),
    st.lists(NAMES | st.none(), min_size=3, max_size=3),
    st.lists(NAMES, max_size=3),
    st.dictionaries(NAMES, st.lists(TEXTS, max_size=2), max_size=5),
    TEXTS,
)
def test_a_written_file_is_read_as_it_was_written(kinds, roles, ignore, notes, source):
    schema = Schema(kinds, *roles)
    text = schema_text(schema, source, {"ignore": ignore, "seed": 7}, notes)
    settings = read_settings(text, "s.toml")
    assert settings["kinds"] == kinds
    assert [settings.get(role) for role in ("cluster", "set", "id")] == roles
    assert settings["ignore"] == ignore
    assert settings["seed"] == 7


def test_the_file_has_all_settings_of_fit_with_their_defaults():
    parameters = inspect.signature(tables.fit).parameters
    names = {PARAMETERS.get(setting.name, setting.name) for setting in SETTINGS}
    assert names - READING == {*parameters} - {"frame", "kinds"}
    for setting in SETTINGS:
        if setting.name not in READING | {"cluster"}:
            name = PARAMETERS.get(setting.name, setting.name)
            assert setting.default == parameters[name].default
    text = schema_text(Schema({"name": "name"}), "t.csv")
    assert all(f"{setting.name} = " in text for setting in SETTINGS)


def test_lines_of_settings_without_a_value_are_valid_once_the_mark_is_removed():
    text = schema_text(Schema({"name": "name"}), "t.csv")
    lines = [line.removeprefix("# ") for line in text.splitlines() if " = " in line]
    settings = tomllib.loads("\n".join(line for line in lines if "`" not in line))
    assert {setting.name for setting in SETTINGS} <= settings.keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignore = 'name'", "ignore is 'name'; it must be a list of strings"),
        ("ignore = [1]", r"ignore is \[1\]; it must be a list of strings"),
        ("long_cells = 1", "long_cells is 1; it must be true or false"),
    ],
)
def test_wrong_values_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_settings(text, "s.toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    names = ("given_name", "surname", "birth_date", "city")
    tables.write_table(folder / "t.csv", Table(people(160, 0, names)))
    return folder


def test_a_saved_file_alone_repeats_the_run(folder, tmp_path):
    first, second = tmp_path / "1.coterie", tmp_path / "2.coterie"
    saved = tmp_path / "run.toml"
    words = ("--cluster", "who", "--learner", "logistic", "--seed", 3, "--ignore", "city")
    more = ("--min-entities", 4, "--max-size", 5, "--sample", "rows", "--metric", "pair_scores")
    done = run("fit", folder / "t.csv", *words, *more, "-o", first, "--save-schema", saved)
    assert done.exit_code == 0, done.output
    assert run("fit", folder / "t.csv", "--schema", saved, "-o", second).exit_code == 0
    assert first.read_bytes() == second.read_bytes()
    again = tmp_path / "again.toml"
    done = run("fit", folder / "t.csv", "--schema", saved, "-o", second, "--save-schema", again)
    assert again.read_text() == saved.read_text()


def test_the_file_of_init_gives_the_model_of_the_defaults(folder, tmp_path):
    first, second = tmp_path / "1.coterie", tmp_path / "2.coterie"
    schema = tmp_path / "s.toml"
    assert run("init", folder / "t.csv", "--cluster", "who", "-o", schema).exit_code == 0
    words = ("--learner", "logistic", "-o")
    assert run("fit", folder / "t.csv", "--schema", schema, *words, first).exit_code == 0
    assert run("fit", folder / "t.csv", "--cluster", "who", *words, second).exit_code == 0
    assert first.read_bytes() == second.read_bytes()


def test_ignored_columns_of_file_and_options_are_joined(folder, tmp_path):
    schema, model = tmp_path / "s.toml", tmp_path / "m.coterie"
    schema.write_text('cluster = "who"\nlearner = "logistic"\nignore = ["city"]\n')
    words = ("fit", folder / "t.csv", "--schema", schema, "-o", model, "--ignore")
    assert run(*words, "given_name").exit_code == 0
    assert set(tables.load(model).schema.columns) == {"surname", "birth_date"}
    assert "no column 'x', which --ignore names" in error_of(run(*words, "x")).replace("`", "--")


def test_settings_cannot_overwrite_the_table_or_the_model(folder, tmp_path):
    words = ("fit", folder / "t.csv", "--cluster", "who", "-o", tmp_path / "m.coterie")
    for path in (folder / "t.csv", tmp_path / "m.coterie"):
        assert "give another file" in error_of(run(*words, "--save-schema", path))


CELLS = st.lists(TEXTS, min_size=4, max_size=4)


@given(st.dictionaries(NAMES, CELLS, min_size=1, max_size=4))
def test_init_describes_any_table_in_a_valid_file(columns):
    table = Table({**columns, "name ok": ["Ann", "Bob", "Cy", "Di"]})
    proposal = propose_schema(table)
    text = schema_text(proposal.schema, "t.csv", None, proposal.notes)
    settings = read_settings(text, "s.toml")
    assert settings["kinds"] == proposal.schema.kinds
    assert settings.get("id") == proposal.schema.id


AWKWARD = {
    "id": ["1", "1", "2", ""],
    'a "quoted"\nname = 1': ["x = 1", '"', "\n[kinds]", "#"],
    "long": ["word " * 100, "other " * 100, "third " * 100, ""],
    "who": ["a", "a", "b", "c"],
}


def test_init_says_why_a_column_cannot_be_an_id():
    proposal = propose_schema(Table(AWKWARD), cluster="who")
    assert proposal.schema.id is None
    assert proposal.schema.kinds["id"] == IGNORED
    assert proposal.warnings == ["column id is not used for ids: 1 of 4 rows have no value"]
    doubled = Table({**AWKWARD, "id": ["1", "1", "2", "3"]})
    (warning,) = propose_schema(doubled, cluster="who").warnings
    assert warning == "column id is not used for ids: only 3 of 4 values are different"
    text = schema_text(proposal.schema, "t.csv", None, proposal.notes)
    assert "# Ignored, and not used for ids: 1 of 4 rows have no value." in text
    settings = read_settings(text, "s.toml")
    arguments = {name: settings[name] for name in ("cluster", "kinds")}
    with pytest.raises(InputError, match="rows 1 and 2 have the same id 1"):
        tables.fit(Table(AWKWARD), cluster="who")
    assert tables.infer_schema(Table(AWKWARD), **arguments).id is None


def test_init_names_a_requested_id_column_without_a_check():
    assert propose_schema(Table(AWKWARD), cluster="who", id="id").schema.id == "id"


def test_examples_are_cut_and_can_be_left_out(tmp_path):
    tables.write_table(tmp_path / "t.csv", Table(AWKWARD))
    text = run("init", tmp_path / "t.csv", "--cluster", "who").stdout
    assert '# Such as "word word word word word word word word…"' in text
    assert '# Such as "x = 1", """, "\\n[kinds]".' in text
    assert "75% filled, 3 different" in text
    bare = run("init", tmp_path / "t.csv", "--cluster", "who", "--no-examples").stdout
    assert "Such as" not in bare
    assert "75% filled, 3 different" in bare


def test_a_file_for_very_many_columns_can_be_read(tmp_path):
    columns = {f"column {number}": ["some words", "other words"] for number in range(10_000)}
    proposal = propose_schema(Table(columns))
    text = schema_text(proposal.schema, "t.csv", None, proposal.notes)
    assert len(text) <= MAX_BYTES
    assert len(read_settings(text, "s.toml")["kinds"]) == 10_000


def test_init_names_leaks(tmp_path):
    table = people(300, 0)
    leak = [f"C-{name}" for name in table["who"]]
    tables.write_table(tmp_path / "t.csv", Table({**table, "copy": leak}))
    done = run("init", tmp_path / "t.csv", "--cluster", "who", "-o", tmp_path / "s.toml")
    assert "coterie: column copy may give the true clusters away" in done.stderr
    text = (tmp_path / "s.toml").read_text()
    assert "# Warning: column copy may give the true clusters away: 100% of its cells" in text
    assert "may give" not in run("init", tmp_path / "t.csv").stdout
