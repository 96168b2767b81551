"""Processes of killed programs; `python tests/kills.py` kills `coterie fit` at many moments."""

import signal
from pathlib import Path

import pytest

from tests.kills import SHARED, Bench, start, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux")

PROGRAM = """
import sys, time
from pathlib import Path
import numpy as np
from joblib import delayed
from coterie.learners.workers import call_all

def work(values, number):
    Path(sys.argv[1], f"started {number}").touch()
    time.sleep(600)

if __name__ == "__main__":
    # Arrays of more than a megabyte lie in shared memory.
    list(call_all((delayed(work)(np.ones(200_000), number) for number in range(2)), 2))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent_and_leave_nothing(number, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    started = start([str(program), str(tmp_path)], tmp_path)
    assert wait_until(lambda: len(list(tmp_path.glob("started *"))) == 2)
    # This program, its two workers, and the processes that remove what is left of them.
    assert len(started.processes()) >= 3
    assert not SHARED.is_dir() or started.shared()
    assert started.end(number) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_fits_leave_nothing_but_a_whole_model(number, tmp_path):
    bench = Bench(tmp_path, 100)
    for moment in range(10):
        assert bench.kill_after(bench.seconds * moment / 10, number) == []
