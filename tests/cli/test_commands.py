import io
import re
import subprocess
import sys
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

import coterie
from coterie import cli
from coterie.cli.bars import TimeEstimate, bars
from coterie.cli.ending import ending
from coterie.demo.run import FILES, MARK
from coterie.exceptions import InputError
from coterie.tables import read_table

run = CliRunner().invoke


def test_version_is_printed():
    assert run(cli.app, ["--version"]).output == f"coterie {coterie.__version__}\n"


def test_help_names_the_commands():
    result = run(cli.app, ["--help"])
    assert result.exit_code == 0
    assert "demo" in result.output
    assert "reproduce" in result.output


def test_demo_goes_from_tables_to_clusters_and_reports(tmp_path):
    result = run(cli.app, ["demo", "--rows", "300", "--output", str(tmp_path / "made")])
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines() if line.startswith("people")]
    rule_f1, classifier_f1, coterie_f1 = (float(line[-3]) for line in lines)  # F1 over pairs
    assert coterie_f1 >= classifier_f1 - 0.02
    assert coterie_f1 > rule_f1
    assert {path.name for path in (tmp_path / "made").iterdir()} == {*FILES, MARK}
    assert (tmp_path / "made" / MARK).read_text().split("\n")[1:-1] == list(FILES)
    for name in ("people", "digits"):
        for file_name in (f"{name}.csv", f"new-{name}.csv", f"{name}.coterie", f"{name}.html"):
            assert (tmp_path / "made" / file_name).stat().st_size
        clustered = read_table(tmp_path / "made" / f"{name}-clustered.csv")
        assert {"cluster_id", "confidence", "linked_to", "reason"} < set(clustered.names)


def commands_below(command, words=()):
    """Yield each command that is not a group, with the words that call it."""
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, subcommand in command.commands.items():
        if not subcommand.hidden:
            yield from commands_below(subcommand, (*words, name))


COMMANDS = dict(commands_below(typer.main.get_command(cli.app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_every_word_and_every_default(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    printed = " ".join(run(cli.app, [*words, "--help"]).output.split())
    for option in COMMANDS[words].params:
        assert option.help or option.name == "help"
        # Square brackets are markup to Rich, which drops markup that it does not know.
        assert " ".join((option.help or "").split()) in printed
        default = option.show_default if isinstance(option.show_default, str) else option.default
        if option.show_default and default not in (None, False):
            assert re.search(rf"\[default: {re.escape(str(default))}[;\]]", printed)
    assert COMMANDS[words].params


def test_help_of_fit_names_defaults_that_its_options_do_not_declare(monkeypatch):
    """The options declare no defaults, because a schema file takes precedence over defaults."""
    monkeypatch.setenv("COLUMNS", "400")
    printed = " ".join(run(cli.app, ["fit", "--help"]).output.split())
    for default in ("normal", "auto", "b_cubed", "one per processor", "0"):
        assert f"[default: {default}]" in printed


def test_python_dash_m_runs_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "coterie", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("coterie ")


def test_an_error_of_the_user_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop, ending():
        raise InputError("item set 3: row 0 has a NaN")
    assert stop.value.code == 2
    assert capsys.readouterr().err == "coterie: item set 3: row 0 has a NaN\n"


LOGGING = """
import logging
from coterie import cli
from coterie.cli import application

logger = logging.getLogger("coterie.kernels")
application.app = lambda: logger.warning("%s is full; raise `max_block=`", "the disk")
for _ in range(2):
    cli.main()
"""


def test_what_the_library_logs_is_a_line_too():
    words = [sys.executable, "-c", LOGGING]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stderr == 2 * "coterie: the disk is full; raise --max-block\n"


def test_wrong_options_are_refused():
    assert run(cli.app, ["demo", "--rows", "0"]).exit_code == 2
    assert run(cli.app, ["nonsense"]).exit_code == 2


def test_bars_show_steps_on_a_terminal(monkeypatch):
    """The bars show the state at the end of the work."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, done = io.StringIO(), 0
    monkeypatch.setattr(sys, "stderr", stream)
    clock = SimpleNamespace(monotonic=lambda: 0.1 * done)
    monkeypatch.setattr("coterie.cli.bars.time", clock)
    with bars():
        for done in range(3):
            coterie._core.progress.report("table1", done, 7, f"cell {done}")
    assert "table1" in stream.getvalue()
    assert "2/7" in stream.getvalue()
    assert "cell 2" in stream.getvalue()
    assert "nearly done" in stream.getvalue()


class Pauses:
    """A stand-in for the event that ends the writing of lines; tests decide when a pause ends."""

    def __init__(self, monkeypatch):
        self.moments, self.seconds = SimpleQueue(), []
        monkeypatch.setattr("coterie.cli.bars.Event", lambda: self)
        monkeypatch.setattr("coterie.cli.bars.time", SimpleNamespace(monotonic=lambda: self.now))
        self.now = 0.0

    def wait(self, seconds):
        self.seconds.append(seconds)
        return self.moments.get()

    def over(self):
        self.moments.put(False)

    def set(self):
        self.moments.put(True)


def test_lines_report_steps_where_there_is_no_terminal(monkeypatch):
    """The line names the running task, and the task inside its steps."""
    stream, pauses = io.StringIO(), Pauses(monkeypatch)
    monkeypatch.setattr(sys, "stderr", stream)
    with bars():
        coterie._core.progress.report("data", 2, 2)
        for done in range(3):
            coterie._core.progress.report("table1", done, 7, f"cell {done}")
            coterie._core.progress.report("fit", 1, 2)
            coterie._core.progress.report("step", 1, 2)
            pauses.now += 2.0
        pauses.over()
    assert (
        stream.getvalue()
        == "table1: 2 of 7 (cell 2), 6 s so far, about 8 s left; fit: 1 of 2, 6 s so far\n"
    )
    assert pauses.seconds == [5.0, 10.0]
    coterie._core.progress.report("table1", 5, 7)
    assert stream.getvalue().count("\n") == 1  # no line is written after the end


def test_pauses_between_lines_grow(monkeypatch):
    pauses = Pauses(monkeypatch)
    with bars():
        for _ in range(5):
            pauses.over()
    assert pauses.seconds == [5.0, 10.0, 15.0, 30.0, 30.0, 30.0]


def test_short_work_prints_no_lines(monkeypatch):
    stream = io.StringIO()
    Pauses(monkeypatch)
    monkeypatch.setattr(sys, "stderr", stream)
    with bars():
        coterie._core.progress.report("table1", 1, 7)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_estimates_of_even_steps_are_near_the_true_time(processes):
    """Each process does one of 100 steps in a round of 10 s."""
    estimate = TimeEstimate(processes)
    estimate.update(0, 100, 1000.0)
    assert estimate.left(1005.0) is None
    for done in range(1, 21):
        estimate.update(done, 100, 1000.0 + 10.0 * -(-done // processes))
    now = estimate.updated
    assert estimate.left(now) == pytest.approx(80 * 10.0 / processes, rel=0.1)
    assert estimate.left(now + 5) == pytest.approx(80 * 10.0 / processes - 5, rel=0.1)


def test_estimates_ignore_stored_steps_and_restart_with_new_work():
    estimate = TimeEstimate()
    for done, now in [(50, 0.0), (51, 10.0)]:
        estimate.update(done, 100, now)
    assert estimate.left(10.0) == 490.0
    estimate.update(0, 4, 20.0)  # other work of the same name
    assert estimate.left(25.0) is None
    estimate.update(1, 4, 21.0)
    assert estimate.left(21.0) == 3.0
    assert estimate.left(22.0) == 2.0
    assert estimate.left(60.0) == 40.0  # the second step takes 39 s or more: it counts as done now
    estimate.update(3, 4, 61.0)
    assert 0.0 < estimate.left(61.0) < 20.0
    assert estimate.left(90.0) is None  # the last step takes longer than those before it
    estimate.update(4, 4, 91.0)
    assert estimate.left(91.0) == 0.0
    estimate.update(3, None, 92.0)
    assert estimate.left(92.0) is None
