"""Search for random inputs that break Coterie: `python -m tests.fuzz --seconds 600 --seed 0`.

Prints a table of the targets, and writes each distinct failure to a file of the folder
`fuzz-failures`. The exit code is 1 if there are failures.
"""

import argparse
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from tests.fuzz.cases import TARGETS, load_target, run_case
from tests.fuzz.driver import Limits, Tally, run_target

HEADINGS = ("target", "cases", "cases/s", "accepted", "refused", "failures", "slowest", "its seed")


def main(words: list[str] | None = None) -> int:
    """Run the fuzzer, or repeat one case; return the exit code."""
    arguments = parser().parse_args(words)
    if arguments.replay is not None:
        return replay(*arguments.replay)
    names = arguments.only.split(",") if arguments.only else list(TARGETS)
    limits = Limits(arguments.seconds / len(names), arguments.cases)
    tallies = {}
    for name in names:
        tallies[name] = run_target(name, arguments.seed, limits, arguments.jobs)
        for text in write_failures(Path(arguments.failures), name, tallies[name]):
            sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    sys.stdout.write(table(tallies))
    return int(any(tally.failures for tally in tallies.values()))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    options = argparse.ArgumentParser("tests.fuzz", description=__doc__.partition("\n")[0])
    options.add_argument("--seconds", type=float, default=600.0, help="length of the run")
    options.add_argument("--cases", type=int, help="largest number of cases per target")
    options.add_argument("--seed", type=int, default=0, help="seed of the run")
    options.add_argument("--only", metavar="TARGETS", help=f"some of {','.join(TARGETS)}")
    options.add_argument("--jobs", type=int, default=1, help="number of processes")
    options.add_argument("--failures", default="fuzz-failures", help="folder of the failures")
    options.add_argument(
        "--replay", nargs=2, metavar=("TARGET", "SEED"), help="repeat one case in this process"
    )
    return options


def replay(name: str, seed: str) -> int:
    """Repeat one case; an error that it raises is shown with its traceback."""
    target = load_target(name)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        outcome = run_case(target, int(seed), Path(folder))
    sys.stdout.write(f"{outcome}\n")
    return 0


def write_failures(folder: Path, name: str, tally: Tally) -> list[str]:
    """Write each distinct failure of a target to a file, and return one line about each."""
    lines = []
    for cases in tally.failures.values():
        seed, failure = cases[0]
        folder.mkdir(parents=True, exist_ok=True)
        command = f"python -m tests.fuzz --replay {name} {seed}"
        lines.append(f"{name} {seed} ({len(cases)} times): {failure.line}")
        text = f"{lines[-1]}\n{command}\n\n{failure.traceback}\n"
        (folder / f"{name}-{seed}.txt").write_text(text, encoding="utf-8", errors="replace")
    return lines


def table(tallies: dict[str, Tally]) -> str:
    """Return the figures of all targets as a table."""
    rows = [HEADINGS]
    for name, tally in tallies.items():
        cpu, seed = tally.slowest
        rate = tally.cases / max(tally.seconds, 1e-9)
        failures = f"{tally.n_failed} ({len(tally.failures)})"
        figures = (tally.cases, f"{rate:.1f}", tally.accepted, tally.refused, failures)
        rows.append((name, *map(str, figures), f"{cpu:.1f} s", str(seed)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.rjust, row, widths)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
