"""Mistakes that new users make: each error says what is wrong, where, and what to do."""

from pathlib import Path

import pytest

from coterie import tables
from coterie.exceptions import InputError
from coterie.tables import Table, write_table
from tests.commands import error_of, run
from tests.people import people as records


def people(n_rows, seed, names=("given_name", "surname", "birth_date", "city")):
    return Table(records(n_rows, seed, names))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistakes")
    write_table(folder / "train.csv", people(120, 0))
    write_table(folder / "new.csv", people(40, 1).without(["who"]))
    model = tables.fit(people(120, 0), cluster="who", learner="logistic")
    model.save(folder / "m.coterie")
    return folder


@pytest.fixture
def fit_error(folder, tmp_path):
    """Return a function that fits the training table and returns the one line of the error."""

    def fit(*words, table=None, toml=None):
        if toml is not None:
            (tmp_path / "s.toml").write_text(toml, encoding="utf-8")
            words = (*words, "--schema", tmp_path / "s.toml")
        table = table or folder / "train.csv"
        return error_of(run("fit", table, "-o", tmp_path / "m.coterie", *words))

    return fit


@pytest.fixture
def predict_error(folder, tmp_path):
    def predict(table, *words, model=None, output="o.csv"):
        model = model or folder / "m.coterie"
        return error_of(run("predict", model, table, "-o", tmp_path / output, *words))

    return predict


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('cluster = "person"', "no column 'person', which `cluster` in "),
        ('set = "town"', "no column 'town', which `set` in "),
        ('id = "key"', "no column 'key', which `id` in "),
        ('learner = "best"', "s.toml is 'best'; use one of auto"),
        ('metric = "f1"', "s.toml is 'f1'; use one of"),
        ("jobs = 0", "s.toml: jobs is 0; it must be a whole number of at least 1"),
        ("seed = -1", "s.toml: seed is -1; it must be a whole number of at least 0"),
        ("budget = 0", "s.toml: budget is 0; it must be a number of seconds above 0"),
        ("budget = nan", "s.toml: budget is nan; it must be a number of seconds above 0"),
        ('[kinds]\nwho = "name"', "names the column 'who', which is therefore not compared"),
    ],
)
def test_errors_name_the_file_that_gave_a_setting(fit_error, toml, message):
    flags = () if "cluster =" in toml else ("--cluster", "who")
    assert message in fit_error(*flags, toml=toml)


def test_flags_are_named_where_they_override_the_file(fit_error):
    line = fit_error("--cluster", "person", toml='cluster = "who"')
    assert "no column 'person', which --cluster names" in line


@pytest.mark.parametrize("budget", ["-5", "0", "nan"])
def test_a_budget_must_be_above_zero(fit_error, budget):
    line = fit_error("--cluster", "who", "--budget", budget)
    assert line == f"--budget is {float(budget)}; give a finite number above 0"


def test_a_column_has_one_role(fit_error):
    line = fit_error("--cluster", "who", "--set", "who")
    assert line == "--cluster and --set both name the column 'who'; name two columns"


def test_the_name_of_a_column_that_evaluate_needs_was_given_by_flag_or_model(folder):
    line = error_of(run("evaluate", folder / "m.coterie", folder / "new.csv"))
    assert "no column 'who', which --cluster or the model names; its columns are id," in line


def test_all_missing_columns_are_named(predict_error, tmp_path):
    write_table(tmp_path / "t.csv", people(20, 2, names=("surname",)).without(["who"]))
    line = predict_error(tmp_path / "t.csv")
    assert "no columns given_name, birth_date, city, which the model compares" in line


def test_other_delimiters_are_recognised(predict_error, tmp_path):
    text = "id;given_name;surname\nr1;Ann;Lee\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    for line in (predict_error(tmp_path / "t.csv"), error_of(run("init", tmp_path / "t.csv"))):
        assert "the cells seem to be separated by semicolons; separate them by commas" in line


def test_workbooks_and_models_are_not_tables(fit_error, predict_error, folder, tmp_path):
    for name in ("people.xlsx", "people.csv"):
        (tmp_path / name).write_bytes(b"PK\x03\x04" + bytes(100))
    for table in (tmp_path / "people.xlsx", tmp_path / "people.csv", folder / "m.coterie"):
        line = fit_error("--cluster", "x", table=table)
        assert f"{table}: this is a zip file, such as an Excel workbook" in line
    line = predict_error(folder / "new.csv", model=folder / "train.csv")
    assert "train.csv: the file is not a saved model" in line
    assert "give a file that was saved as a model" in line


def test_the_remedy_for_an_unknown_format_works(predict_error, folder, tmp_path):
    (tmp_path / "pairs").write_text("r0,r1\n", encoding="utf-8")
    line = predict_error(folder / "new.csv", "--must-link", tmp_path / "pairs")
    assert "the format of" in line
    assert "--format" not in line
    assert "--format" not in predict_error(folder / "new.csv", output="o")


def test_a_folder_is_not_an_output(predict_error, folder, tmp_path):
    (tmp_path / "out").mkdir()
    assert "out is a folder" in predict_error(folder / "new.csv", output="out")


def test_ids_of_tables_without_ids_are_row_numbers(folder, tmp_path):
    write_table(tmp_path / "t.csv", people(20, 2).without(["id", "who"]))
    line = error_of(run("explain", folder / "m.coterie", tmp_path / "t.csv", "0", "1"))
    assert line == "there is no row with the id 0; give a row number from 1 to 20"


def test_python_names_arguments(folder):
    model = tables.load(folder / "m.coterie")
    table = people(20, 2)
    for pairs in ("same.csv", 5, {"a": ["r0"], "b": ["r1"]}):
        with pytest.raises(InputError, match=r"pairs are of type .*; give a list of pairs of ids"):
            model.predict(table, must_link=pairs)
    with pytest.raises(InputError, match=r"pair 0 is 'r0', not two ids; give a list of pairs"):
        model.predict(table, must_link=("r0", "r1"))
    with pytest.raises(InputError, match=r"of type str; read the file first, for example with"):
        tables.fit("people.csv", cluster="who")
    with pytest.raises(InputError, match="`learner=` is 'best'; use one of auto"):
        tables.fit(table, cluster="who", learner="best")
    with pytest.raises(InputError, match="`n_jobs=` is 0; give a whole number"):
        tables.fit(table, cluster="who", n_jobs=0)


def test_init_without_a_cluster_says_how_to_name_it(folder):
    done = run("init", folder / "train.csv")
    assert "#     coterie fit TABLE --schema THIS_FILE --cluster COLUMN -o MODEL" in done.stdout
    done = run("init", folder / "train.csv", "--cluster", "who")
    assert "#     coterie fit TABLE --schema THIS_FILE -o MODEL" in done.stdout


def test_commands_say_what_they_wrote(folder, tmp_path):
    done = run("init", folder / "train.csv", "-o", tmp_path / "s.toml")
    assert f"coterie: wrote the kinds of columns to {tmp_path / 's.toml'}\n" in done.stderr
    done = run("predict", folder / "m.coterie", folder / "new.csv", "-o", tmp_path / "o.csv")
    assert f"coterie: wrote the table to {tmp_path / 'o.csv'}\n" in done.stderr


def test_large_and_hostile_schema_files_are_refused(fit_error, tmp_path):
    (tmp_path / "s.toml").write_bytes(b"#" * 2_000_000)
    line = fit_error("--schema", tmp_path / "s.toml")
    assert line == f"{tmp_path / 's.toml'} is larger than 1,000,000 bytes; give a smaller file"
    assert "s.toml is not valid TOML: its brackets" in fit_error(toml="x = " + "[" * 5000)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero")
def test_a_schema_file_without_an_end_is_not_read_to_its_end(fit_error):
    assert "/dev/zero is larger than 1,000,000 bytes" in fit_error("--schema", "/dev/zero")
