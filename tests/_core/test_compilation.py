"""The times of compiling, and deadlines that leave them out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._core import compilation
from coterie._core.compilation import NEVER, Compilation, Deadline


def test_what_is_compiled_for_another_function_counts_once():
    times = Compilation()
    times.start(now=1.0)
    times.start(now=2.0)
    times.end(now=3.0)
    times.end(now=5.0)
    assert times.seconds_since(0.0) == 4.0


@given(st.lists(st.integers(0, 100), min_size=2, max_size=9, unique=True), st.integers(0, 100))
def test_seconds_since_a_moment_are_those_after_it(moments, since):
    """Count whole seconds one by one."""
    moments = sorted(moments[: len(moments) // 2 * 2])
    times = Compilation()
    spans = list(zip(moments[::2], moments[1::2], strict=True))
    for start, end in spans:
        times.start(now=float(start))
        times.end(now=float(end))
    seconds = [second for start, end in spans for second in range(start, end)]
    assert times.seconds_since(float(since)) == sum(second >= since for second in seconds)


def test_compiling_that_has_not_ended_counts_until_now():
    times = Compilation()
    times.start(now=10.0)
    assert times.seconds_since(12.0, now=15.0) == 3.0


def test_a_long_wait_is_told_once():
    told = []
    times = Compilation()
    times.tell_once(lambda: told.append("compiling"))
    times.start(now=0.0)
    times.end(now=0.4)
    assert not told
    times.start(now=5.0)
    times.start(now=5.7)
    assert told == ["compiling"]
    times.end(now=9.0)
    times.end(now=9.0)
    assert told == ["compiling"]


def test_nobody_is_told_after_tell_once_of_none():
    times = Compilation()
    times.tell_once(pytest.fail)
    times.tell_once(None)
    times.start(now=0.0)
    times.end(now=9.0)


@pytest.mark.parametrize(("compiling", "has_passed"), [(0.0, True), (4.0, True), (6.0, False)])
def test_a_deadline_leaves_out_compiling(monkeypatch, compiling, has_passed):
    times = Compilation()
    times.start(now=101.0)
    times.end(now=101.0 + compiling)
    monkeypatch.setattr(compilation, "compilation", times)
    monkeypatch.setattr(compilation, "monotonic", lambda: 110.0)
    assert Deadline(100.0, 5.0).has_passed() == has_passed
    assert not NEVER.has_passed()
