"""Ctrl+C at any moment: one line and exit code 130, never a traceback."""

import signal
import subprocess
import sys

import pytest

from coterie import tables
from tests.cli.signals import run_with_stop
from tests.people import people

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """Return a command that loads most libraries, but runs for a short time only."""
    folder = tmp_path_factory.mktemp("stops")
    table = tables.Table(people(60, 0, ("given_name", "surname", "birth_date")))
    tables.write_table(folder / "t.csv", table)
    model = tables.fit(table, cluster="who", learner="logistic")
    model.save(folder / "m.coterie")
    return "clusters", folder / "m.coterie", folder / "t.csv"


def assert_stopped(done):
    assert done.stderr == "coterie: stopped\n"
    assert done.returncode == 130


# The second import of the program is the first in `main`, and before the 500th the command runs.
@pytest.mark.parametrize("nth", [2, 3, 4, 6, 10, 30, 80, 160, 240, 320, 400, 500])
def test_a_stop_while_modules_load_is_one_line(words, nth, tmp_path):
    assert_stopped(run_with_stop(tmp_path, words, nth))


@pytest.mark.slow
def test_a_stop_at_any_import_is_one_line(words, tmp_path):
    count = tmp_path / "count"
    assert run_with_stop(tmp_path, words, 0, count).returncode == 0
    n_imports = int(count.read_text(encoding="utf-8"))
    assert n_imports > 500
    for nth in range(2, n_imports, 5):
        assert_stopped(run_with_stop(tmp_path, words, nth))


def run_program(program):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


KILL = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    "stop",
    [
        KILL,
        f"try:\n        {KILL}\n    except KeyboardInterrupt:\n        pass",
        f"try:\n        {KILL}\n    except KeyboardInterrupt:\n        raise ValueError from None",
        f"try:\n        {KILL}\n    finally:\n        {KILL}",
        f"exec({KILL!r})",
        f"import atexit; atexit.register(lambda: {KILL})",
        f"import weakref\n    class A: __del__ = lambda self: {KILL}\n    A()",
    ],
    ids=["raised", "ignored", "another error", "twice", "in exec", "at exit", "in a destructor"],
)
def test_a_stop_ends_the_program_whatever_the_code_does_with_it(stop):
    program = (
        "import os, signal, sys\n"
        "from coterie.cli import main\n"
        "import coterie.tables\n"
        f"def stop(*args, **options):\n    {stop}\n    return read(*args, **options)\n"
        "read = coterie.tables.read_table\n"
        "coterie.tables.read_table = stop\n"
        "sys.argv = ['coterie', 'init', 'none.csv']\n"
        "main()\n"
    )
    done = run_program(program)
    first = "coterie: there is no file none.csv; check the name\n" if "atexit" in stop else ""
    assert done.stderr == f"{first}coterie: stopped\n"
    assert done.returncode == 130


def test_a_program_that_was_made_deaf_to_stops_stays_deaf():
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "stop = lambda event, _: event == 'import' and os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.addaudithook(stop)\n"
        "sys.argv = ['coterie', '--version']\n"
        "from coterie.cli import main\n"
        "main()\n"
    )
    done = run_program(program)
    assert done.returncode == 0
    assert done.stderr == ""
