"""How long supervised k-means trains (Finley & Joachims 2008, Figures 1 to 4)."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from coterie.datasets.corpus import Corpus
from coterie.datasets.synth import make_synth
from coterie.learners.structural.cutting_planes import OneSlack
from coterie.learners.structural.recipes import SupervisedKMeans
from coterie_papers.engine.cells import Context, Key, Values
from coterie_papers.engine.charts import Curves
from coterie_papers.engine.tables import Entry, Table
from coterie_papers.supervised_kmeans.cells import counted_stops

VERSION = 1
"""To be raised when cells are computed in another way."""

LEARNERS = {
    "Iterative": SupervisedKMeans(C=1e4, clusterer="iterative", solver=OneSlack(tol=0.01)),
    "Spectral": SupervisedKMeans(
        C=1e4, clusterer="spectral", solver=OneSlack(tol=0.01, max_iter=100, n_cached=0)
    ),
}
VARIED: Mapping[str, Sequence[int]] = {
    "clusterings": (2, 5, 10, 15, 20),
    "clusters": (2, 4, 5, 10, 20),
    "features": (150, 750, 1500, 3000, 6000),
    "points": (25, 50, 100, 150, 200),
}
SAYINGS = {
    "clusterings": "linear for Spectral, about linear for Iterative",
    "clusters": "less and less for Spectral, often longer for Iterative",
    "features": "linear",
    "points": "polynomial for Spectral, a hump at few points for Iterative",
}
"""What the paper says of its curves, of which it prints no figures."""

DATA = "made as the paper says: Synth with 5 clusterings, 5 clusters, 750 features and 100 points."
MEASURED = (
    "Seconds of CPU of one thread, means over {} training sets, and the exponent b of the best fit "
    "of a · number^b. One number is varied at a time, C = 1e4. Points stay 100 and features about "
    "750 while clusters vary; while features vary, a tenth of those of a region is active."
)
STOPPED = (
    "Iterative converges, to a gap of 1%. Spectral would need thousands of planes with this C and "
    "is stopped after 100, each with one search in every clustering: its times are those of as "
    "many steps, and say nothing of how many are needed."
)


@dataclass(frozen=True)
class Size:
    """The size of a training set, by the paper's four quantities."""

    clusterings: int = 5
    clusters: int = 5
    features: int = 750
    points: int = 100

    def make(self, seed: int) -> Corpus:
        """Make a training set; as many features as the regions can share evenly."""
        n_regions = self.clusters * (self.clusters + 1) // 2
        region_size = round(self.features / n_regions)
        n_active = max(self.features // 150, 1)  # 5 of 50 in the paper
        return make_synth(
            self.clusterings,
            self.clusters,
            self.points // self.clusters,
            region_size,
            min(n_active, region_size),
            random_state=seed,
        )


class Timing(NamedTuple):
    """How long a learner took at one size: the mean over training sets."""

    seconds: float
    searches: float


def timed(key: Key, data_folder: Path | None) -> Values:  # noqa: ARG001
    """Time the fits of one learner to training sets of one size."""
    size = Size(**{name: int(str(key[name])) for name in asdict(Size())})
    learner: SupervisedKMeans = clone(LEARNERS[str(key["learner"])])
    with counted_stops():
        learner.fit(*Size(points=10).make(0))  # compile, or load, what is timed
    seconds, searches = [], []
    with threadpool_limits(1, "blas"), counted_stops() as stopped:
        for seed in range(int(str(key["sets"]))):
            examples = size.make(seed)
            start = time.process_time()
            learner.fit(*examples)
            seconds.append(time.process_time() - start)
            searches.append(learner.n_oracle_calls_)
    return {"seconds": seconds, "searches": searches, "stopped": len(stopped)}


def times_tables(
    context: Context, n_sets: int, varied: Mapping[str, Sequence[int]] = VARIED
) -> list[Table]:
    """Show the seconds of training by each quantity, one table a figure."""
    wanted = [
        (learner, Size(**{quantity: value}))
        for quantity, values in varied.items()
        for value in values
        for learner in LEARNERS
    ]
    keys = [_key(learner, size, n_sets) for learner, size in wanted]
    found = {
        cell: Timing(float(np.mean(values["seconds"])), float(np.mean(values["searches"])))
        for cell, values in zip(wanted, context.run(keys, timed), strict=True)
    }
    return [
        _table(number, quantity, values, found, n_sets)
        for number, (quantity, values) in enumerate(varied.items(), start=1)
    ]


def _key(learner: str, size: Size, n_sets: int) -> Key:
    named = {"data": "times", "learner": learner, "sets": n_sets, "version": VERSION}
    return {**named, **asdict(size)}


def _table(
    number: int,
    quantity: str,
    values: Sequence[int],
    found: Mapping[tuple[str, Size], Timing],
    n_sets: int,
) -> Table:
    series = {
        name: [found[name, Size(**{quantity: value})] for value in values] for name in LEARNERS
    }
    ours: dict[str, dict[str, Entry | float | str | None]] = {
        str(value): {
            name: Entry(timings[at].seconds, note=f"{timings[at].searches:.0f} searches")
            for name, timings in series.items()
        }
        for at, value in enumerate(values)
    }
    ours["exponent"] = {name: exponent(values, timings) for name, timings in series.items()}
    title = f"Figure {number}: seconds of training by the number of {quantity}"
    seconds = {name: [each.seconds for each in timings] for name, timings in series.items()}
    short = f"Figure {number}: training time"
    chart = Curves(short, [str(value) for value in values], {"": seconds}, (quantity, "seconds"))
    said = f"The paper, of its own curves: {SAYINGS[quantity]}."
    notes = [said, MEASURED.format(n_sets), STOPPED]
    return Table.from_rows(title, ours, notes=notes, digits=3, chart=chart, data=DATA)


def exponent(values: Sequence[int], timings: Sequence[Timing]) -> float:
    """Return b of the least-squares fit of seconds = a · value^b, in logarithms."""
    seconds = [each.seconds for each in timings]
    return float(np.polyfit(np.log(values), np.log(seconds), 1)[0])
