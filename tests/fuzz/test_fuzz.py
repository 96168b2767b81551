"""The fuzzer: it finds planted failures of all kinds, and a case can be repeated alone."""

from itertools import count

import pytest

from tests.fuzz import planted
from tests.fuzz.__main__ import main, table, write_failures
from tests.fuzz.cases import (
    ACCEPTED,
    REFUSED,
    TARGETS,
    ViolationError,
    case_seed,
    failure_of,
    is_refused,
    load_target,
    run_case,
)
from tests.fuzz.driver import Limits, Worker, run_target

PLANTED = "tests.fuzz.planted"


def run_seed(*ways):
    """Return a seed whose first cases do all of these ways, in any order."""
    for seed in count():
        seeds = (case_seed(seed, PLANTED, index) for index in range(len(ways)))
        if sorted(map(planted.way_of, seeds)) == sorted(ways):
            return seed
    raise AssertionError


def seed_of(way):
    return next(seed for seed in count() if planted.way_of(seed) == way)


# NumPy warns of extreme numbers that overflow, and learners of steps that are too few.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_cases_that_can_be_repeated(name, tmp_path, monkeypatch):
    outcomes = []
    for index in range(5):
        folder = tmp_path / f"{index}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        outcomes.append(run_case(load_target(name), case_seed(0, name, index), folder))
    assert set(outcomes) <= {ACCEPTED, REFUSED}


def test_planted_failures_of_all_kinds_are_found(tmp_path):
    limits = Limits(seconds=600, cases=len(planted.WAYS), cpu_seconds=1)
    tally = run_target(PLANTED, run_seed(*planted.WAYS), limits)
    assert (tally.cases, tally.accepted, tally.refused, tally.n_failed) == (8, 1, 1, 6)
    keys = {planted.way_of(cases[0][0]): key for key, cases in tally.failures.items()}
    assert keys["error"].startswith("ZeroDivisionError in partition.py:")
    assert keys["promise"] == "ViolationError in planted.py:case a promise is broken"
    assert keys["hang"] == "hang in planted.py:sleep_or_work"
    assert keys["memory"] == "MemoryError in planted.py:case"
    assert keys["crash"] == "crash SIGSEGV in planted.py:case"
    assert keys["writing"].startswith("ViolationError in worker.py:check a file outside of")
    assert tally.slowest == (1.0, next(s for s in seeds(tally) if planted.way_of(s) == "hang"))
    lines = write_failures(tmp_path / "failures", PLANTED, tally)
    assert len(lines) == len(list((tmp_path / "failures").iterdir())) == 6
    assert "6 (6)" in table({PLANTED: tally})
    for seed in seeds(tally):
        text = (tmp_path / "failures" / f"{PLANTED}-{seed}.txt").read_text()
        assert f"python -m tests.fuzz --replay {PLANTED} {seed}\n" in text
        assert "planted.py" in text


def test_processes_share_the_cases():
    one_seed = run_seed("accepted", "refused")
    tally = run_target(PLANTED, one_seed, Limits(seconds=600, cases=2), jobs=2)
    assert (tally.cases, tally.accepted, tally.refused) == (2, 1, 1)


def seeds(tally):
    return [seed for cases in tally.failures.values() for seed, _ in cases]


def test_a_case_that_waits_for_ever_is_a_hang(monkeypatch):
    monkeypatch.setenv("COTERIE_FUZZ_SLEEP", "1")
    worker = Worker(PLANTED, Limits(wall_seconds=1))
    result = worker.run(seed_of("hang"))
    assert result["failure"].key == "hang in planted.py:sleep_or_work"
    assert worker.process is None


def test_a_run_ends_with_1_if_there_are_failures(tmp_path, capsys):
    words = ["--only", PLANTED, "--cases", "1", "--failures", str(tmp_path / "failures")]
    assert main([*words, "--seed", str(run_seed("accepted"))]) == 0
    assert not (tmp_path / "failures").exists()
    assert main([*words, "--seed", str(run_seed("error"))]) == 1
    (path,) = (tmp_path / "failures").iterdir()
    *_, head, row = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["target", "cases", "cases/s", "accepted", "refused"]
    assert row.split()[0] == PLANTED
    seed = path.stem.rpartition("-")[2]
    with pytest.raises(ZeroDivisionError):
        main(["--replay", PLANTED, seed])
    assert main(["--replay", PLANTED, str(seed_of("refused"))]) == 0
    assert capsys.readouterr().out == "refused\n"


def test_failures_in_the_same_function_are_the_same():
    def failure(call):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            call()
        return failure_of(caught.value)

    rows = [failure(lambda: planted.Partition.from_clusters(1 // 0 for _ in [0])) for _ in "ab"]
    assert rows[0].key == rows[1].key
    other = failure(lambda: planted.Partition.concatenate(1 // 0 for _ in [0]))
    assert other.key not in {rows[0].key, None}


def test_an_error_must_be_short():
    from coterie.exceptions import InputError

    def refuse(text):
        raise InputError(text)

    assert is_refused(lambda: refuse("the input is wrong; correct it"))
    for text in ("", "x" * 2001):
        with pytest.raises(ViolationError, match=f"an error has {len(text)} characters"):
            is_refused(lambda text=text: refuse(text))


def test_seeds_of_cases_do_not_depend_on_the_process():
    assert case_seed(0, "models", 0) == 66591899603125
    assert len({case_seed(s, t, i) for s in range(3) for t in "ab" for i in range(9)}) == 54
