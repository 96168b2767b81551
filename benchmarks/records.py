"""Time the generation of records of people in chunks, and measure its memory.

Run by `python benchmarks/records.py`. The ratio is to calls of `random.random` in the same run, one
per field.
"""

import random
import resource
import time

from coterie.datasets import iter_records

N_ROWS, N_FIELDS = 1_000_000, 8


def main() -> None:
    start = time.process_time()
    for _ in range(N_ROWS * N_FIELDS):
        random.random()  # noqa: S311
    random_seconds = time.process_time() - start
    start = time.process_time()
    n_records = sum(len(chunk.entities) for chunk in iter_records(N_ROWS))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n_records:,} records of {N_FIELDS} fields: {seconds:.1f} s of CPU, peak {peak:.0f} MB")
    ratio = seconds / random_seconds
    print(f"ratio to the time of {N_ROWS * N_FIELDS:,} calls of random.random: {ratio:.1f}")


if __name__ == "__main__":
    main()
