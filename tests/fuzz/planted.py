"""A target whose cases fail in every way, for the tests of the fuzzer."""

import os
import random
import signal
import time
from pathlib import Path

from coterie import Partition
from tests.fuzz.cases import ACCEPTED, REFUSED, is_refused, require

WAYS = ("accepted", "refused", "error", "promise", "hang", "memory", "crash", "writing")


def prepare() -> None:
    """Compile nothing."""


def way_of(seed: int) -> str:
    """Return what the case of a seed does."""
    return random.Random(seed).choice(WAYS)  # noqa: S311


def case(rng: random.Random, folder: Path) -> str:
    """Do one of the ways."""
    way = rng.choice(WAYS)
    (folder / "file").write_text(way)
    if way == "refused":
        return REFUSED if is_refused(lambda: Partition.from_clusters([[0], [0]])) else ACCEPTED
    if way == "error":
        Partition.from_clusters([1 // 0] for _ in range(2))
    require(way != "promise", "a promise is broken")
    if way == "hang":
        sleep_or_work()
    if way == "memory":
        bytearray(2**40)
    if way == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if way == "writing":
        Path(__file__).with_name("written").write_text("x")
    return ACCEPTED


def sleep_or_work() -> None:
    """Never return; the environment says whether this takes CPU time."""
    sleeps = "COTERIE_FUZZ_SLEEP" in os.environ
    while True:
        if sleeps:
            time.sleep(1000)
