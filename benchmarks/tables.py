"""Measure time and memory to learn from a table of people and to cluster a large one.

    python benchmarks/tables.py [ROWS [LABELLED]]

Makes a CSV file of 100,000 records. Takes all records of random entities until there are 5,000, and
learns from them as `coterie fit` does. Then clusters all records as `coterie predict` does. Each
command runs in its own process, which reports its CPU seconds per step and its peak memory: first
with an empty cache of compiled kernels (cold), then with the cache of the first run (warm).
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

N_ROWS, N_LABELLED = 100_000, 5_000
CLUSTER = "entity"
FIT = ("starting", "reading", "choosing blocking keys", "comparing pairs", "learning", "saving")
PREDICT = (
    "starting", "loading", "reading", "blocking", "features", "scoring", "clustering",
    "confidence", "reasons", "writing",
)  # fmt: skip


class Clock:
    """CPU seconds by step; the time of a step inside another counts for the inner step only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {"starting": process_time()}
        self._open: list[float] = []

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Count the CPU seconds inside the context for a step."""
        start = process_time()
        self._open.append(0.0)
        try:
            yield
        finally:
            spent = process_time() - start
            inner = self._open.pop()
            self.seconds[step] = self.seconds.get(step, 0.0) + spent - inner
            if self._open:
                self._open[-1] += spent

    def watch(self, owner: Any, name: str, step: str) -> None:
        """Count the CPU seconds inside a method of a class for a step."""
        method: Callable[..., Any] = getattr(owner, name)

        @wraps(method)
        def counted(*args: Any, **kwargs: Any) -> Any:
            with self(step):
                return method(*args, **kwargs)

        setattr(owner, name, counted)


def main(n_rows: int = N_ROWS, n_labelled: int = N_LABELLED) -> None:
    with TemporaryDirectory() as folder:
        # The tables are made in another process, because processes inherit the peak memory of their
        # parent.
        run("make", folder, {}, n_rows, n_labelled)
        for kind in ("cold", "warm"):
            kernels = {"NUMBA_CACHE_DIR": str(Path(folder, "kernels"))}
            fitted = run("fit", folder, kernels)
            predicted = run("predict", folder, kernels)
            show(f"{kind}: fit on {fitted['rows']:,} records", fitted, FIT)
            show(f"{kind}: predict {predicted['rows']:,} records", predicted, PREDICT)
            total = fitted["total"] + predicted["total"]
            print(f"{kind}: {total:.1f} s of CPU in total\n", flush=True)
        print(f"chosen: {fitted['chosen']}")
        print(
            f"{predicted['pairs']:,} pairs compared, {predicted['clusters']:,} clusters; ", end=""
        )
        print(f"pair F1 {predicted['pair F1']:.4f}, B³ {predicted['B³']:.4f}")


def run(step: str, folder: str, environment: dict[str, str], *numbers: int) -> dict[str, Any]:
    """Run a step in a new process, and return its report."""
    command = [sys.executable, __file__, step, folder, *map(str, numbers)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    done = subprocess.run(command, check=True, env=variables, stdout=subprocess.PIPE)  # noqa: S603
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def show(title: str, report: dict[str, Any], steps: tuple[str, ...]) -> None:
    seconds = report["seconds"]
    others = report["total"] - sum(seconds.values())
    seconds_of_steps = [f"{step} {seconds[step]:.1f}" for step in steps]
    print(f"{title}: {report['total']:.1f} s of CPU, {report['megabytes']:.0f} MB of peak memory")
    print(f"  {', '.join(seconds_of_steps)}, other {others:.1f}", flush=True)


def make(folder: str, n_rows: int, n_labelled: int) -> dict[str, Any]:
    """Write the tables, and the true clusters in another file."""
    import numpy as np  # noqa: PLC0415

    from coterie.datasets import make_records  # noqa: PLC0415
    from coterie.tables import Table, write_table  # noqa: PLC0415

    (records,), (truth,) = make_records(n_rows)
    columns = {name: [cell or "" for cell in cells] for name, cells in records.items.items()}
    table = Table({"id": list(map(str, records.ids)), **columns})
    order = np.random.default_rng(0).permutation(truth.n_clusters)
    count = int(np.searchsorted(np.cumsum(truth.sizes[order]), n_labelled)) + 1
    labelled_rows = np.flatnonzero(np.isin(truth.labels, order[:count])).tolist()
    labels = [str(truth.labels[row]) for row in labelled_rows]
    write_table(Path(folder, "all.csv"), table)
    write_table(
        Path(folder, "train.csv"), table.take(labelled_rows).with_columns({CLUSTER: labels})
    )
    np.save(Path(folder, "truth.npy"), truth.labels)
    return {}


def fit(folder: str) -> dict[str, Any]:
    from coterie import progress  # noqa: PLC0415
    from coterie.tables import fit_table, read_table  # noqa: PLC0415

    clock = Clock()
    marks: dict[str, float] = {}

    def note(step: Any) -> None:
        if step.detail in FIT:
            marks.setdefault(step.detail, process_time())

    with clock("reading"):
        table = read_table(Path(folder, "train.csv"))
    with progress(note):
        fitted = fit_table(table, CLUSTER)
    ends = [*list(marks.values())[1:], process_time()]
    for (step, start), end in zip(marks.items(), ends, strict=True):
        clock.seconds[step] = end - start
    with clock("saving"):
        fitted.model.save(Path(folder, "model.coterie"))
    return {"rows": len(table), "chosen": fitted.model.facts["learner"], **cost(clock)}


def predict(folder: str) -> dict[str, Any]:
    from coterie.calibrations import ClusterCalibration  # noqa: PLC0415
    from coterie.features.records import RecordFeatures  # noqa: PLC0415
    from coterie.model import Model  # noqa: PLC0415
    from coterie.tables import load, read_table, write_table  # noqa: PLC0415

    clock = Clock()
    with clock("loading"):
        model = load(Path(folder, "model.coterie"))
    with clock("reading"):
        table = read_table(Path(folder, "all.csv"))
    clock.watch(type(model.model.blocker), "__call__", "blocking")
    clock.watch(RecordFeatures, "encode", "features")
    clock.watch(RecordFeatures, "compare", "features")
    clock.watch(Model, "decide", "scoring")
    clock.watch(type(model.model.clusterer), "__call__", "clustering")
    clock.watch(ClusterCalibration, "confidences", "confidence")
    clustering = model.cluster(table)
    with clock("reasons"):
        columns = clustering.columns()
    with clock("writing"):
        write_table(Path(folder, "out.csv"), {**table.columns, **columns})
    spent = cost(clock)
    pairs = sum(len(clustered.scores.scores) for clustered in clustering.sets)
    return {"rows": len(table), "pairs": pairs, **spent, **quality(folder, columns["cluster_id"])}


def quality(folder: str, predicted: list[str]) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    from coterie import Partition  # noqa: PLC0415
    from coterie.metrics import b_cubed, pair_scores  # noqa: PLC0415

    truth, predicted_partition = Partition(np.load(Path(folder, "truth.npy"))), Partition(predicted)
    scores = {
        "pair F1": pair_scores(truth, predicted_partition).f1,
        "B³": b_cubed(truth, predicted_partition).f1,
    }
    return {**scores, "clusters": predicted_partition.n_clusters}


def cost(clock: Clock) -> dict[str, Any]:
    """Return the CPU seconds of this process so far, and its peak of memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": clock.seconds, "total": process_time(), "megabytes": peak}


if __name__ == "__main__":
    steps = {"make": make, "fit": fit, "predict": predict}
    if len(sys.argv) > 2 and sys.argv[1] in steps:
        print(json.dumps(steps[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))))
    else:
        main(*map(int, sys.argv[1:]))
