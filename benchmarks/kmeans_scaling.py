"""How long supervised k-means trains (Finley & Joachims 2008, Figures 1 to 4).

Run by `python benchmarks/kmeans_scaling.py [--sets 20] [--plot FILE.png]`. From the Synth data with
5 clusterings, 5 clusters, 750 features and 100 points, one quantity is varied at a time; C = 1e4.
Times are seconds of CPU of one thread, means over `--sets` training sets, which is the paper's 20
unless told otherwise: about 10 minutes in all.

Points stay 100 and features about 750 while clusters vary; while features vary, a tenth of those of
a region is active. Iterative converges, to a gap of 1%. Spectral would need thousands of planes
with this C, and is stopped after 100, each with one search in every clustering: its times are those
of as many steps, and say nothing of how many are needed.
"""

import argparse
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie.datasets import make_synth
from coterie.learners import OneSlack, SupervisedKMeans

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


@dataclass(frozen=True)
class Size:
    """The size of a training set, by the paper's four quantities."""

    clusterings: int = 5
    clusters: int = 5
    features: int = 750
    points: int = 100

    def make(self, seed: int) -> Any:
        """Make a training set; as many features as the regions can share evenly."""
        n_regions = self.clusters * (self.clusters + 1) // 2
        region_size = round(self.features / n_regions)
        n_active = self.features // 150  # 5 of 50 in the paper
        return make_synth(
            self.clusterings,
            self.clusters,
            self.points // self.clusters,
            region_size,
            min(n_active, region_size),
            random_state=seed,
        )


class Timing(NamedTuple):
    """How long fits took, how many searches they made on average, and how many converged."""

    seconds: list[float]
    searches: float
    converged: int

    @property
    def mean(self) -> float:
        """The mean number of seconds."""
        return float(np.mean(self.seconds))


def timing(learner: SupervisedKMeans, size: Size, n_sets: int) -> Timing:
    seconds, searches, converged = [], [], 0
    for seed in range(n_sets):
        examples = size.make(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            start = time.process_time()
            learner.fit(*examples)
            seconds.append(time.process_time() - start)
        searches.append(learner.n_oracle_calls_)
        converged += not caught
    return Timing(seconds, float(np.mean(searches)), converged)


def exponent(values: Sequence[int], timings: Sequence[Timing]) -> float:
    """Return b of the least-squares fit of seconds = a · value^b, in logarithms."""
    return float(np.polyfit(np.log(values), np.log([found.mean for found in timings]), 1)[0])


def measure(n_sets: int) -> dict[str, dict[str, list[Timing]]]:
    """Time all sizes, and print them as they are found."""
    kept: dict[tuple[str, Size], Timing] = {}
    found: dict[str, dict[str, list[Timing]]] = {}
    for quantity, values in VARIED.items():
        print(
            f"\n{quantity:>11}", *(f"{name:>11}{'± dev':>8}{'searches':>10}" for name in LEARNERS)
        )
        found[quantity] = {name: [] for name in LEARNERS}
        for value in values:
            size = Size(**{quantity: value})
            cells = []
            for name, learner in LEARNERS.items():
                if (name, size) not in kept:
                    kept[name, size] = timing(learner, size, n_sets)
                timed = kept[name, size]
                found[quantity][name].append(timed)
                cells.append(
                    f"{timed.mean:11.3f}{np.std(timed.seconds):8.3f}{timed.searches:10.0f}"
                )
            print(f"{value:11}", *cells, flush=True)
        fits = (f"{exponent(values, found[quantity][name]):11.2f}{'':18}" for name in LEARNERS)
        print(f"{'exponent':>11}", *fits, flush=True)
    return found


def print_convergence(found: Mapping[str, Mapping[str, Sequence[Timing]]]) -> None:
    for name in LEARNERS:
        timed = [one for timings in found.values() for one in timings[name]]
        n_fits = sum(len(one.seconds) for one in timed)
        print(f"{name}: {sum(one.converged for one in timed)} of {n_fits} fits converged")


def plot(found: Mapping[str, Mapping[str, Sequence[Timing]]], path: Path) -> None:
    """Draw one panel for each figure of the paper, with standard errors."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    for number, (axes, quantity) in enumerate(zip(figure.subplots(2, 2).flat, found, strict=True)):
        for (name, timings), style in zip(found[quantity].items(), ("o-", "s--"), strict=True):
            values = VARIED[quantity]
            errors = [np.std(one.seconds) / np.sqrt(len(one.seconds)) for one in timings]
            label = f"{name}, exponent {exponent(values, timings):.2f}"
            means = [one.mean for one in timings]
            axes.errorbar(values, means, errors, fmt=style, capsize=3, label=label)
        axes.set(xlabel=f"number of {quantity}", ylabel="seconds", title=f"Figure {number + 1}")
        axes.set_xticks(VARIED[quantity])
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the legend
        axes.legend(loc="upper left")
    figure.suptitle("Training time of supervised k-means on Synth, C = 1e4")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="Training time of supervised k-means.")
    parser.add_argument("--sets", type=int, default=20, help="training sets of each size")
    parser.add_argument("--plot", type=Path, help="write the four figures to this file")
    given = parser.parse_args()
    if given.plot and find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib; install the extra: pip install '.[charts]'")
    for learner in LEARNERS.values():  # compile, or load, what is timed
        timing(learner, Size(points=10), 1)
    found = measure(given.sets)
    print()
    print_convergence(found)
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
