"""Training times of supervised k-means (Finley & Joachims 2008, Figures 1 to 4)."""

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
from coterie_papers.supervised_kmeans.cells import collect_stops

VERSION = 1
"""Version of the timing in each key; raise it whenever training is timed differently."""

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
PAPER_DESCRIPTIONS = {
    "clusterings": "linear for Spectral, about linear for Iterative",
    "clusters": "less and less time for Spectral, often more time for Iterative",
    "features": "linear",
    "points": "polynomial for Spectral, a hump at few points for Iterative",
}
"""The paper's own words on its curves, for which it prints no figures."""

DATA = "made as the paper says: Synth with 5 clusterings, 5 clusters, 750 features and 100 points."
MEASURED = (
    "CPU seconds of one thread, as means over {} training sets, and the exponent b of the best fit "
    "of a · number^b. One number varies at a time, and C is 1e4. While the number of clusters "
    "varies, there are 100 points and about 750 features. While the number of features varies, a "
    "tenth of the features of a region is active."
)
STOPPED = (
    "Iterative converges to a gap of 1%. With this C, Spectral would need thousands of planes. It "
    "is stopped after 100 planes, each of which takes one search per clustering. So its times are "
    "those of 100 planes, and do not show how many planes are needed."
)


@dataclass(frozen=True)
class Size:
    """The size of a training set in the paper's four quantities, whose names are part of keys."""

    clusterings: int = 5
    clusters: int = 5
    features: int = 750
    points: int = 100

    def make(self, seed: int) -> Corpus:
        """Make a training set; the features are rounded to the same number per region."""
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


class MeanTiming(NamedTuple):
    """The mean seconds and the mean number of searches of a learner at one size."""

    seconds: float
    searches: float


def time_fits(key: Key, data_folder: Path | None) -> Values:  # noqa: ARG001
    """Time the fits of one learner to training sets of one size."""
    size = Size(**{name: int(str(key[name])) for name in asdict(Size())})
    learner: SupervisedKMeans = clone(LEARNERS[str(key["learner"])])
    with collect_stops():
        learner.fit(*Size(points=10).make(0))  # compile or load the kernels first
    seconds, searches = [], []
    with threadpool_limits(1, "blas"), collect_stops() as stops:
        for seed in range(int(str(key["sets"]))):
            examples = size.make(seed)
            start = time.process_time()
            learner.fit(*examples)
            seconds.append(time.process_time() - start)
            searches.append(learner.n_oracle_calls_)
    return {"seconds": seconds, "searches": searches, "stopped": len(stops)}


def times_tables(
    context: Context, n_sets: int, varied: Mapping[str, Sequence[int]] = VARIED
) -> list[Table]:
    """Show the seconds of training by each quantity, one table per figure of the paper."""
    combinations = [
        (learner, Size(**{quantity: value}))
        for quantity, values in varied.items()
        for value in values
        for learner in LEARNERS
    ]
    keys = [_key(learner, size, n_sets) for learner, size in combinations]
    timings = {
        combination: MeanTiming(
            float(np.mean(values["seconds"])), float(np.mean(values["searches"]))
        )
        for combination, values in zip(combinations, context.run(keys, time_fits), strict=True)
    }
    return [
        _table(number, quantity, values, timings, n_sets)
        for number, (quantity, values) in enumerate(varied.items(), start=1)
    ]


def _key(learner: str, size: Size, n_sets: int) -> Key:
    cell = {"data": "times", "learner": learner, "sets": n_sets, "version": VERSION}
    return {**cell, **asdict(size)}


def _table(
    number: int,
    quantity: str,
    values: Sequence[int],
    timings: Mapping[tuple[str, Size], MeanTiming],
    n_sets: int,
) -> Table:
    series = {
        name: [timings[name, Size(**{quantity: value})] for value in values] for name in LEARNERS
    }
    entries: dict[str, dict[str, Entry | float | str | None]] = {
        str(value): {
            name: Entry(line[index].seconds, note=f"{line[index].searches:.0f} searches")
            for name, line in series.items()
        }
        for index, value in enumerate(values)
    }
    entries["exponent"] = {name: exponent(values, line) for name, line in series.items()}
    title = f"Figure {number}: seconds of training by the number of {quantity}"
    seconds = {name: [timing.seconds for timing in line] for name, line in series.items()}
    chart_title = f"Figure {number}: training time"
    chart = Curves(
        chart_title, [str(value) for value in values], {"": seconds}, (quantity, "seconds")
    )
    paper_note = f"The paper describes its own curves as follows: {PAPER_DESCRIPTIONS[quantity]}."
    notes = [paper_note, MEASURED.format(n_sets), STOPPED]
    return Table.from_rows(title, entries, notes=notes, digits=3, chart=chart, data=DATA)


def exponent(values: Sequence[int], timings: Sequence[MeanTiming]) -> float:
    """Return b of the least-squares fit of seconds = a · value^b, in logarithms."""
    seconds = [timing.seconds for timing in timings]
    return float(np.polyfit(np.log(values), np.log(seconds), 1)[0])
