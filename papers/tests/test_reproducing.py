"""The registry of papers, and complete runs of a tiny paper."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from threading import TIMEOUT_MAX

import pytest
from typer.testing import CliRunner

import coterie
from coterie import cli
from coterie.exceptions import InputError
from coterie_papers import reproducing
from coterie_papers.engine.storage import QUICK_NOTE
from coterie_papers.engine.tables import Table
from coterie_papers.reproducing import PAPERS, folder_of, reproduce, summary, tables_of
from tests import house

TESTS = Path(__file__).parent


def computed(folder):
    path = folder / "computed.txt"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_tables_are_made_and_written(fake):
    tables = list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    titles = ["Squares", "Half 0", "Half 1", "What the paper claims"]
    assert [table.title for table in tables] == titles
    assert tables[0].entries[2][0].value == 4.0
    assert computed(fake) == [0, 1, 2]
    folder = fake / "out" / "fake"
    assert {path.name for path in folder.iterdir()} == {
        "cells", "index.html",
        "table1.csv", "table1.md", "table1.json",
        "table2-1.csv", "table2-1.md", "table2-1.svg",
        "table2-2.csv", "table2-2.md", "table2-2.svg", "table2.json",
        "claims.csv", "claims.md", "claims.json",
    }  # fmt: skip
    assert (
        folder / "table1.csv"
    ).read_text() == ',square,"square, paper"\n0,0.0,\n1,1.0,\n2,4.0,4.1\nx & y,,9\n'
    assert (folder / "table1.md").read_text(encoding="utf-8") == tables[0].to_markdown() + "\n"


def test_a_second_run_computes_nothing(fake):
    list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    tables = list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    assert len(tables) == 4
    assert computed(fake) == [0, 1, 2]


def test_a_fresh_run_computes_all(fake):
    list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1, fresh=True))
    assert computed(fake) == [0, 1, 2, 0, 1, 2]


def test_a_fresh_run_deletes_the_tables_of_deleted_cells(fake):
    out, folder = fake / "out", fake / "out" / "fake"
    list(reproduce("fake", out=out, data_folder=fake, n_jobs=1))
    list(reproduce("fake", out=out, data_folder=fake, n_jobs=1, quick=True))
    other_files = {folder / name for name in ("table1-other.csv", "table10.csv", "table2.txt")}
    for path in other_files:
        path.write_text("other")
    quick = {path: path.read_bytes() for path in (folder / "quick").rglob("*") if path.is_file()}
    list(reproduce("fake", ["table1"], out, fake, n_jobs=1, fresh=True))
    assert set(folder.iterdir()) - other_files == {
        folder / name
        for name in ("cells", "quick", "index.html", "table1.csv", "table1.md", "table1.json")
    }
    assert other_files <= set(folder.iterdir())
    for text in ((out / "results" / "fake.md").read_text(), (folder / "index.html").read_text()):
        assert "Squares" in text
        assert "Half" not in text
        assert "Not made yet: claims, table2." in text
    assert {path: path.read_bytes() for path in quick} == quick


def test_a_fresh_run_that_fails_leaves_no_old_results(fake, monkeypatch):
    list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    monkeypatch.setattr(import_module("fake_paper.tables"), "compute", lambda key, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1, fresh=True))
    results = fake / "out" / "results"
    assert "Squares" not in (results / "index.md").read_text()
    assert not (results / "fake.md").exists()
    assert "4.0 (4.1)" not in (fake / "out" / "fake" / "index.html").read_text()


def test_a_first_run_that_fails_leaves_nothing(fake, monkeypatch):
    monkeypatch.setattr(import_module("fake_paper.tables"), "compute", lambda key, folder: 1 / 0)
    for fresh in (False, True):
        with pytest.raises(ZeroDivisionError):
            list(reproduce("fake", out=fake / "a" / "out", n_jobs=1, fresh=fresh))
        assert list(fake.iterdir()) == []


def test_a_folder_that_cannot_be_created_is_reported_once(fake, caplog):
    (fake / "file").write_text("")
    for fresh in (False, True):
        with pytest.raises(InputError, match="file/fake/cells cannot be created"):
            list(reproduce("fake", out=fake / "file", data_folder=fake, n_jobs=1, fresh=fresh))
    assert caplog.text == ""
    assert computed(fake) == []


def test_some_tables_only(fake):
    tables = list(reproduce("fake", ["table2", "table2"], fake / "out", fake, n_jobs=1))
    assert [table.title for table in tables] == ["Half 0", "Half 1"]
    assert computed(fake) == [1, 2]
    assert not (fake / "out" / "fake" / "table1.csv").exists()


def test_quick_runs_have_a_separate_folder(fake):
    list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    before = {path: path.read_bytes() for path in (fake / "out").rglob("*") if path.is_file()}
    quick = list(reproduce("fake", ["table1"], fake / "out", fake, n_jobs=1, quick=True))
    assert computed(fake) == [0, 1, 2, 0, 1, 2]
    assert quick[0].notes == ("Not all agree.", "Less <b>data</b>.", QUICK_NOTE)
    folder = folder_of("fake", fake / "out", quick=True)
    assert {path.name for path in folder.iterdir()} == {
        "cells", "index.html", "table1.csv", "table1.md", "table1.json",
    }  # fmt: skip
    assert QUICK_NOTE in (folder / "index.html").read_text(encoding="utf-8")
    list(reproduce("fake", ["table1"], fake / "out", fake, n_jobs=1, fresh=True, quick=True))
    assert {path: path.read_bytes() for path in before} == before


def test_a_table_without_a_line_on_its_data_is_refused(fake, monkeypatch):
    bare = {"table1": lambda context: [Table.from_rows("Bare", {"a": {"x": 1.0}})]}
    monkeypatch.setattr(import_module("fake_paper.tables"), "TABLES", bare)
    with pytest.raises(InputError, match="table1 makes the table 'Bare' without a line on its da"):
        list(reproduce("fake", out=fake / "out"))


def test_progress_names_the_table(fake):
    steps = []
    with coterie.progress(steps.append):
        list(reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1))
    assert [(s.task, s.done, s.total) for s in steps] == [
        *(("table1 (1 of 3)", done, 3) for done in range(4)),
        ("table2 (2 of 3)", 2, 2),
        ("claims (3 of 3)", 3, 3),
    ]
    steps.clear()
    with coterie.progress(steps.append):
        list(reproduce("fake", ["table2"], fake / "out", fake, n_jobs=1))
    assert steps[0].task == "table2"


def test_unknown_papers_and_tables_are_refused_before_any_work(fake):
    with pytest.raises(InputError, match=r"no paper 'em'; give svm-cluster or .* or fake"):
        reproduce("em", out=fake / "out")
    with pytest.raises(InputError, match=r"fake has no table 'table9'; give table1 or table2"):
        reproduce("fake", ["table1", "table9"], fake / "out", fresh=True)
    assert list(fake.iterdir()) == []


def test_the_summary_of_a_table(fake):
    assert [summary(make) for make in tables_of("fake").values()] == [
        "Squares of small numbers.",
        "Halves, in two tables.",
        "Claims about squares.",
    ]
    assert summary(lambda context: []) == ""


@pytest.mark.parametrize("name", PAPERS)
def test_all_papers_describe_their_tables(name):
    pytest.importorskip(f"{PAPERS[name]}.tables", exc_type=ModuleNotFoundError)
    tables = tables_of(name)
    assert tables
    for make in tables.values():
        assert summary(make).endswith(".")


TITLE = '"""Somebody 2024, Sums."""\n'
SUMS = '''
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Table

def sums(context):
    """Sums of small numbers."""
    return [Table.from_rows("Sums", {"1 + 1": {"sum": 2}}, data="made.")]

def claims(context):
    """Claims about sums."""
    return [claims_table([Claim("Sums grow", -1.0, 0.3)], data="made.")]

TABLES = {"sums": sums, "claims": claims}
'''


def test_an_experiment_is_one_folder_and_one_line(tmp_path, monkeypatch):
    """An experiment needs only its folder and its line in `PAPERS`."""
    package = tmp_path / "paper_of_sums"
    package.mkdir()
    (package / "__init__.py").write_text(TITLE)
    (package / "tables.py").write_text(SUMS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PAPERS, "sums", "paper_of_sums")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(cli.app, ["reproduce", *arguments])

    lines = (
        "sums: Somebody 2024, Sums\n  sums    Sums of small numbers.\n  claims  Claims about sums."
    )
    assert lines in run("--list").stdout
    for names in (["nothing"], []):
        assert run(*names).stderr.endswith(" or peers or sums\n")
    assert run("sums", "--out", "out").exit_code == 0
    page = (tmp_path / "out" / "results" / "sums.md").read_text()
    assert page.startswith("# Somebody 2024, Sums\n")
    assert "| 1 + 1 | 2 |" in page
    index = (tmp_path / "out" / "results" / "index.md").read_text()
    assert (
        "| [Somebody 2024, Sums](sums.md) | `coterie reproduce sums` | 0 of 1 confirmed |" in index
    )
    assert "(sums.md): Not confirmed: Sums grow." in index
    assert "Sums grow" in (tmp_path / "out" / "sums" / "index.html").read_text()


REPOSITORY = Path(__file__).parents[2]
SHARED = {"engine", "corpora", "commands"}


def test_every_folder_but_the_shared_ones_is_a_paper():
    folders = {path.parent for path in Path(reproducing.__file__).parent.glob("*/__init__.py")}
    packages = {f"coterie_papers.{path.name}" for path in folders if path.name not in SHARED}
    assert packages == set(PAPERS.values())


def test_papers_are_imported_only_by_their_own_modules():
    papers = set(PAPERS.values())
    for module in house.modules_of(REPOSITORY / "papers" / "src").values():
        imported = {".".join(name.split(".")[:2]) for name in house.imports_of(module)}
        assert imported & papers <= {".".join(module.name.split(".")[:2])}, module.name


def start(folder, seconds):
    """Start the tiny paper in a separate process that writes no progress."""
    program = (
        "from coterie import cli\n"
        "from coterie.cli import bars\n"
        "from coterie_papers.reproducing import PAPERS\n"
        f"bars.PAUSES = ({TIMEOUT_MAX},)\n"
        "PAPERS['fake'] = 'fake_paper'\n"
        "cli.main()"
    )
    command = ["reproduce", "fake", "--out", "out", "--data", ".", "--jobs", "2"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), "FAKE_PAPER_SECONDS": str(seconds),
    }  # fmt: skip
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", program, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_a_stopped_run_can_be_continued(tmp_path):
    """Cell 0 takes no time; the others take very long."""
    process = start(tmp_path, seconds=1000)
    cells = tmp_path / "out" / "fake" / "cells"
    while process.poll() is None:
        if list(cells.glob("n=0*.json")) and len(computed(tmp_path)) == 3:
            process.send_signal(signal.SIGINT)
            break
        time.sleep(0.05)
    output, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "coterie: stopped; run the same command again to continue\n"
    assert output == ""
    assert sorted(computed(tmp_path)) == [0, 1, 2]
    assert [path.name[:4] for path in cells.iterdir()] == ["n=0-"]
    process = start(tmp_path, seconds=0)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert "Not all agree." in output
    assert output.endswith(f"All tables: {Path('out', 'fake', 'index.html')}\n")
    assert sorted(computed(tmp_path)) == [0, 1, 1, 2, 2]


def test_importing_the_registry_loads_no_paper():
    program = "import sys; import coterie_papers.reproducing; print(*sys.modules)"
    process = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(process.stdout.split())
    assert not loaded & set(PAPERS.values())
    assert not loaded & {"sklearn", "numba", "rich"}
    assert reproducing.__all__ == sorted(reproducing.__all__)
