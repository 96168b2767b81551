"""The message that functions are compiled."""

import pytest

from coterie._core.compilation import Compilation
from coterie.cli import compiling


@pytest.fixture
def times(monkeypatch):
    monkeypatch.setattr(compiling, "compilation", Compilation())
    return compiling.compilation


def compile_for(times, seconds):
    times.start(now=0.0)
    times.end(now=seconds)


def test_one_line_on_standard_error_says_it(times, capsys):
    with compiling.noting_compilation():
        compile_for(times, 9.0)
        compile_for(times, 9.0)
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    assert line.startswith("coterie: compiling functions for this computer; this happens once")


def test_one_small_function_is_compiled_in_silence(times, capsys):
    with compiling.noting_compilation():
        compile_for(times, 0.5)
    assert capsys.readouterr().err == ""


def test_after_the_command_nothing_is_said(times, capsys):
    with compiling.noting_compilation():
        pass
    compile_for(times, 9.0)
    assert capsys.readouterr().err == ""
