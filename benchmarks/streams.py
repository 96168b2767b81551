"""Measure the items per second of streams, and whether time and memory grow with their length.

    python benchmarks/streams.py [CASE …]

Cases are the names in CASES; without any, all cases run, each in its own process. Items are vectors
of 10 numbers, or a column. 5,000 items are drawn at a time, which is not timed. Kernels are
compiled. `items/s` is by wall clock, `by CPU` by CPU time. `last : first` is the ratio of the CPU
times for the last tenth of the items and for a first tenth; a second stream takes the first tenth
in turns with the last, so that both meet the same state of the machine. `growth` is the peak memory
after nine tenths of the items minus the peak after one tenth.
"""

import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie.blocking import AllPairs
from coterie.clusterers import LeftLink, SumLink
from coterie.features import GivenFeatures, WithConstant
from coterie.model import Model
from coterie.similarities import LinearSimilarity
from coterie.stream import Latest, LatestInTime, LatestOfKeys, NearestOfLatest, Stream

CHUNK, WIDTH = 5_000, 10
NOISE = np.random.default_rng(1).normal(-1.0, 1.0, 2**20)


@dataclass(frozen=True)
class GivenScores:
    """Scores that take no time, so that only the work of the stream is timed."""

    def __call__(self, item_set: Any, pairs: Any) -> Any:  # noqa: ARG002
        """Return the first scores of the noise, one per pair."""
        return NOISE[: len(pairs)]

    pair_scores = None


COEF = np.append(np.full(WIDTH, 0.5), -3.0)
PRODUCTS = LinearSimilarity(WithConstant(GivenFeatures()), COEF)


class Case(NamedTuple):
    """A stream, and the number and size of the chunks that it takes."""

    name: str
    similarity: Any
    clusterer: Any
    candidates: Any
    n_items: int = 1_000_000
    chunk: int = CHUNK


CASES = {
    "given": Case("scores given, γ = 0.5", GivenScores(), LeftLink(0.5), Latest(20)),
    "given0": Case("scores given, γ = 0", GivenScores(), LeftLink(0), Latest(20)),
    "sums": Case("scores given, Sum-Link", GivenScores(), SumLink(), Latest(20)),
    "scored": Case("products scored, γ = 0.5", PRODUCTS, LeftLink(0.5), Latest(20)),
    "near": Case("20 nearest of 500, scored", PRODUCTS, LeftLink(0.5), NearestOfLatest(20, 500)),
    "keys": Case(
        "20 latest of a key, given",
        GivenScores(),
        LeftLink(0.5),
        LatestOfKeys("key", 20, window=10_000),
    ),
    "times": Case(
        "20 latest in time, given", GivenScores(), LeftLink(0.5), LatestInTime("time", 1e3, 20)
    ),
    "one": Case("one by one, given", GivenScores(), LeftLink(0.5), Latest(20), 50_000, 1),
    "one_scored": Case("one by one, scored", PRODUCTS, LeftLink(0.5), Latest(20), 50_000, 1),
}


def main() -> None:
    if len(sys.argv) == 2 and sys.argv[1] in CASES:
        show(CASES[sys.argv[1]])
        return
    heads = ["items", "items/s", "by CPU", "last : first", "growth"]
    print(f"{'20 candidates per item':28}" + "".join(f"{head:>14}" for head in heads), flush=True)
    for case in sys.argv[1:] or CASES:
        subprocess.run([sys.executable, __file__, case], check=True)  # noqa: S603


def show(case: Case) -> None:
    model = Model(AllPairs(), case.similarity, case.clusterer)
    rng = np.random.default_rng(0)
    feed(Stream(model, case.candidates), case, rng, 0, 3)
    stream, second_stream = (Stream(model, case.candidates) for _ in range(2))
    n_chunks = case.n_items // case.chunk
    tenth = n_chunks // 10
    first_seconds = feed(stream, case, rng, 0, tenth)
    peak = peak_megabytes()
    middle_seconds = feed(stream, case, rng, tenth, n_chunks - tenth)
    growth = peak_megabytes() - peak
    pairs = [
        (feed(stream, case, rng, n, n + 1), feed(second_stream, case, rng, n, n + 1))
        for n in range(n_chunks - tenth, n_chunks)
    ]
    last, first = np.sum(pairs, axis=0)
    wall, cpu = first_seconds + middle_seconds + last
    numbers = [
        f"{len(stream):,}",
        f"{len(stream) / wall:,.0f}",
        f"{len(stream) / cpu:,.0f}",
        f"{last[1] / first[1]:.2f}",
        f"{growth:.1f} MB",
    ]
    print(f"{case.name:28}" + "".join(f"{number:>14}" for number in numbers), flush=True)


def feed(stream: Stream, case: Case, rng: np.random.Generator, start: int, stop: int) -> Any:
    """Add chunks of items, and return wall and CPU seconds."""
    seconds = np.zeros(2)
    for number in range(start, stop):
        items = items_of(case, rng, number * case.chunk)
        wall, cpu = time.perf_counter(), time.process_time()
        stream.add_many(items) if case.chunk > 1 else stream.add(items[0])
        seconds += time.perf_counter() - wall, time.process_time() - cpu
    return seconds


def items_of(case: Case, rng: np.random.Generator, start: int) -> Any:
    if isinstance(case.candidates, LatestOfKeys):
        return {"key": rng.integers(500, size=case.chunk)}
    if isinstance(case.candidates, LatestInTime):
        return {"time": np.arange(start, start + case.chunk)}
    return rng.normal(size=(case.chunk, WIDTH))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
