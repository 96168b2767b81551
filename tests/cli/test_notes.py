"""Notes of commands beside their results, so that nothing goes wrong in silence."""

import pytest

from coterie import tables
from coterie.tables import Table, write_table
from tests.commands import error_of, run
from tests.people import people

NAMES = ("given_name", "surname", "birth_date")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    table = Table(people(80, 0, NAMES))
    write_table(folder / "train.csv", table)
    write_table(folder / "new.csv", Table(people(40, 1, NAMES)))
    write_table(folder / "no-ids.csv", Table(people(40, 1, NAMES)).without(["id"]))
    tables.fit(table, cluster="who", learner="logistic").save(folder / "m.coterie")
    without_ids = table.without(["id"])
    tables.fit(without_ids, cluster="who", learner="logistic").save(folder / "no-ids.coterie")
    return folder


def notes(done):
    assert done.exit_code == 0, done.output
    return done.stderr.splitlines()


MISSING_IDS = (
    "coterie: the table has no column id, from which the model took the ids of rows; rows are "
    "named by their numbers, counting from 1; to name another column, use --id"
)


@pytest.mark.parametrize("command", ["predict", "clusters"])
@pytest.mark.parametrize(
    ("model", "table", "words", "is_missing"),
    [
        ("m", "no-ids", [], True),
        ("m", "no-ids", ["--id", "given_name"], False),
        ("m", "new", [], False),
        ("no-ids", "no-ids", [], False),
    ],
)
def test_a_missing_column_of_ids_is_noted(
    folder, tmp_path, command, model, table, words, is_missing
):
    output = ["-o", tmp_path / "o.csv"] if command == "predict" else []
    if words:
        unique = Table(people(40, 1, NAMES)).without(["id"])
        unique = unique.with_columns({"given_name": [f"n{row}" for row in range(len(unique))]})
        write_table(tmp_path / "t.csv", unique)
    file = tmp_path / "t.csv" if words else folder / f"{table}.csv"
    done = run(command, folder / f"{model}.coterie", file, *output, *words)
    assert notes(done).count(MISSING_IDS) == is_missing


def ids(folder):
    return tables.read_table(folder / "new.csv")["id"]


def test_a_row_that_must_not_be_with_itself_is_refused_by_line(folder, tmp_path):
    first, second = ids(folder)[:2]
    (tmp_path / "p.csv").write_text(f"a,b\n{first},{second}\n{second},{second}\n")
    words = ("predict", folder / "m.coterie", folder / "new.csv", "-o", tmp_path / "o.csv")
    line = error_of(run(*words, "--cannot-link", tmp_path / "p.csv"))
    assert line == (
        f"{tmp_path / 'p.csv'}: line 3: {second} is in a cannot-link pair with itself; drop this "
        "pair"
    )


def test_a_row_that_must_be_with_itself_changes_nothing(folder, tmp_path):
    first = ids(folder)[0]
    (tmp_path / "p.csv").write_text(f"{first},{first}\n")
    words = ("predict", folder / "m.coterie", folder / "new.csv", "-o")
    notes(run(*words, tmp_path / "o.csv"))
    lines = notes(run(*words, tmp_path / "p_o.csv", "--must-link", tmp_path / "p.csv"))
    assert (tmp_path / "o.csv").read_bytes() == (tmp_path / "p_o.csv").read_bytes()
    assert f"coterie: used 1 must-link pair from {tmp_path / 'p.csv'}" in lines


@pytest.mark.parametrize(
    ("kind", "values", "sentence"),
    [
        ("date", "names", "but none of its 80 values can be read as a date; only their characters"),
        ("number", "names", "but none of its 80 values can be read as a number; only their"),
        ("number", "few", "but only 20 of its 80 values can be read as a number; only the char"),
        ("number", "most", None),
        ("name", "names", None),
        ("date", "blank", None),
    ],
)
def test_columns_that_their_kind_cannot_read_are_noted(kind, values, sentence, tmp_path):
    table = Table(people(80, 0, NAMES))
    cells = {
        "names": [cell or "x" for cell in table["surname"]],
        "few": [str(row) if row < 20 else "x" for row in range(80)],
        "most": [str(row) if row < 60 else "x" for row in range(80)],
        "blank": [""] * 79 + ["1999-12-31"],
    }
    write_table(tmp_path / "t.csv", table.with_columns({"surname": cells[values]}))
    (tmp_path / "s.toml").write_text(f'cluster = "who"\n[kinds]\nsurname = "{kind}"\n')
    words = ("--schema", tmp_path / "s.toml", "--learner", "logistic", "-o", tmp_path / "m.coterie")
    lines = [line for line in notes(run("fit", tmp_path / "t.csv", *words)) if "is of kind" in line]
    if sentence is None:
        assert lines == []
    else:
        (line,) = lines
        assert line.startswith(f"coterie: column surname is of kind {kind}, {sentence}")


TRAINED = "seems to be the table from which the model learned, on which the quality looks better"


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_an_evaluation_on_the_training_table_is_noted(folder, tmp_path, command):
    train = tables.read_table(folder / "train.csv")
    backwards = train.take(range(len(train) - 1, -1, -1))
    write_table(tmp_path / "backwards.csv", backwards.with_columns({"more": ["x"] * len(train)}))
    names = list(train["surname"])
    changed = train.with_columns({"surname": ["Other", *names[1:]]})
    write_table(tmp_path / "changed.csv", changed)
    write_table(tmp_path / "part.csv", train.take(range(len(train) - 1)))
    output = ["-o", tmp_path / "r.html"] if command == "report" else []
    for table, is_trained in {
        folder / "train.csv": True,
        tmp_path / "backwards.csv": True,
        tmp_path / "changed.csv": False,
        tmp_path / "part.csv": False,
        folder / "new.csv": False,
    }.items():
        lines = notes(run(command, folder / "m.coterie", table, *output))
        assert any(line.startswith(f"coterie: {table} {TRAINED}") for line in lines) == is_trained


def test_models_without_a_fingerprint_say_nothing(folder, tmp_path):
    model = tables.load(folder / "m.coterie")
    del model.facts["fingerprint"]
    model.save(tmp_path / "old.coterie")
    lines = notes(run("evaluate", tmp_path / "old.coterie", folder / "train.csv"))
    assert not any(TRAINED in line for line in lines)
