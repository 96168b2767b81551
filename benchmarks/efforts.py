"""CPU, wall time, memory and quality of `fit` and `predict`, of this commit and of an earlier one.

Half of the true clusters of each table are for training, the other half for the test. Each result
is one line of JSON in the file --output; those that are there already are not computed again.

    git worktree add ../before 67c798f
    python benchmarks/efforts.py --data ../shared/data --before ../before --output efforts.jsonl
    python benchmarks/efforts.py --output efforts.jsonl --show
"""

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from coterie import Partition, metrics

HERE = Path(__file__).resolve().parent.parent
MAX_SECONDS = 1200
"""The CPU seconds after which a fit has not finished."""

MANY_ROWS = 5_000
"""The number of rows above which a table has one split in place of three."""

IDS = {"id", "rec_id", "TID", "CTID", "person_id", "split"}
"""Columns that are left out: ids, some of which hold the label."""

PEER_FIELDS = {
    "restaurant": {"name", "addr", "city", "type"},
    "febrl3": {
        "given_name",
        "surname",
        "street_number",
        "address_1",
        "suburb",
        "postcode",
        "state",
    },
}
"""The columns of the peers' protocol, where it leaves some out."""

CLUSTERS = ("cluster", "cluster_id", "CID")


def main() -> None:
    options = arguments()
    results = read_results(options.output)
    if options.show:
        show(results)
        return
    for seed in options.seeds:
        for path in sorted(options.data.glob("*/*.csv.gz")):
            if path.parent.name in options.folders and is_wanted(table_name(path), options):
                measure_table(path, seed, options, results)


def table_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.csv.gz')}"


def is_wanted(name: str, options: Any) -> bool:
    return name not in options.skip and (not options.tables or name in options.tables)


def arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--folders", nargs="*", default=["peers", "dedup", "multisource"])
    parser.add_argument("--tables", nargs="*", default=[], help="folder/name of tables to measure")
    parser.add_argument("--skip", nargs="*", default=[], help="folder/name of tables to leave out")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("--before", type=Path, help="a checkout of the earlier commit")
    parser.add_argument("--efforts", nargs="*", default=["normal", "quick"])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def measure_table(path: Path, seed: int, options: Any, results: list[dict[str, Any]]) -> None:
    name = table_name(path)
    done = {(row["table"], row["seed"], row["run"]) for row in results}
    runs = {effort: (HERE, ["--effort", effort]) for effort in options.efforts}
    if options.before is not None:
        runs["before"] = (options.before.resolve(), [])
    with tempfile.TemporaryDirectory() as folder:
        n_rows, cluster = write_halves(path, seed, Path(folder))
        if n_rows > MANY_ROWS and seed > 0:
            return
        for run, (checkout, flags) in runs.items():
            if (name, seed, run) in done:
                continue
            row = {"table": name, "seed": seed, "run": run, "rows": n_rows}
            row |= measure(checkout, flags, Path(folder), cluster)
            results.append(row)
            with options.output.open("a") as stream:
                stream.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


def write_halves(path: Path, seed: int, folder: Path) -> tuple[int, str]:
    """Write the halves of a table as CSV; return its number of rows and the cluster column."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    cluster = next(name for name in rows[0] if name in CLUSTERS)
    fields = PEER_FIELDS.get(path.name.split(".")[0]) if path.parent.name == "peers" else None
    columns = [
        name
        for name in rows[0]
        if name not in IDS and (fields is None or name in fields | {cluster})
    ]
    entities = np.array(sorted({row[cluster] for row in rows}))
    np.random.default_rng(seed).shuffle(entities)
    training = set(entities[: len(entities) // 2].tolist())
    for half, is_training in (("train", True), ("test", False)):
        with (folder / f"{half}.csv").open("w", newline="", encoding="utf-8") as target:
            writer = csv.DictWriter(target, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(row for row in rows if (row[cluster] in training) == is_training)
    return len(rows), cluster


def measure(checkout: Path, flags: list[str], folder: Path, cluster: str) -> dict[str, Any]:
    model, test = folder / "a.model", folder / "test.csv"
    model.unlink(missing_ok=True)
    coterie = [sys.executable, "-m", "coterie"]
    train = str(folder / "train.csv")
    fit = run(
        [*coterie, "fit", train, "--cluster", cluster, "-o", str(model), "--json", *flags], checkout
    )
    row = {f"fit_{name}": value for name, value in fit.items() if name != "output"}
    if fit["code"]:
        return row
    facts = json.loads(fit["output"])
    row |= {
        "learner": facts["learner"],
        "pairs": facts["blocking"]["pairs"],
        "promised": facts["held_out"],
    }
    # A truth column of the test half would be compared with what was learned, so it is left out.
    with test.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    truth = [r.pop(cluster) for r in rows]
    with (folder / "new.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    target = folder / "out.csv"
    target.unlink(missing_ok=True)
    predict = run(
        [*coterie, "predict", str(model), str(folder / "new.csv"), "-o", str(target)], checkout
    )
    row |= {f"predict_{name}": value for name, value in predict.items() if name != "output"}
    if predict["code"]:
        return row
    with target.open(newline="", encoding="utf-8") as stream:
        predicted = [r["cluster_id"] for r in csv.DictReader(stream)]
    true, found = Partition(truth), Partition(predicted)
    pairs, b_cubed = metrics.pair_scores(true, found), metrics.b_cubed(true, found)
    return row | {
        "precision": pairs.precision,
        "recall": pairs.recall,
        "f1": pairs.f1,
        "b3": b_cubed.f1,
    }


def run(command: list[str], checkout: Path) -> dict[str, Any]:
    """Run a command with the source of a checkout; return its code, output and needs."""
    env = os.environ | {"PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    env |= {"OMP_NUM_THREADS": "1"} if "OMP_NUM_THREADS" in os.environ else {}
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(  # noqa: S603 - our own commands
            ["/bin/sh", "-c", f'ulimit -t {MAX_SECONDS}; exec "$@"', "sh", *command],
            stdout=out,
            stderr=errors,
            env=env,
            cwd=tempfile.gettempdir(),
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        errors.seek(0)
        output = out.read().decode()
        if child.returncode:
            print(errors.read().decode()[-500:], file=sys.stderr)
    return {
        "code": child.returncode,
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": wall,
        "mb": usage.ru_maxrss / 1024,
        "output": output,
    }


def read_results(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def show(results: list[dict[str, Any]]) -> None:
    """Print the means over splits of each table and run, as a table of Markdown."""
    names = (
        "fit_cpu",
        "fit_wall",
        "fit_mb",
        "predict_cpu",
        "predict_wall",
        "predict_mb",
        "precision",
        "recall",
        "f1",
        "b3",
    )
    print("| table | run | splits | learner |", " | ".join(names), "|")
    print("|---|---|--:|---|" + "--:|" * len(names))
    keys = sorted({(row["table"], row["run"]) for row in results})
    for table, run_name in keys:
        rows = [row for row in results if (row["table"], row["run"]) == (table, run_name)]
        cells = [mean_text([row.get(name) for row in rows], name) for name in names]
        learners = ", ".join(sorted({str(row.get("learner", "not finished")) for row in rows}))
        print(f"| {table} | {run_name} | {len(rows)} | {learners} |", " | ".join(cells), "|")


def mean_text(values: list[float | None], name: str) -> str:
    if any(value is None for value in values):
        return "–"
    mean = float(np.mean([value for value in values if value is not None]))
    return f"{mean:.4f}" if name in {"precision", "recall", "f1", "b3"} else f"{mean:.1f}"


if __name__ == "__main__":
    main()
