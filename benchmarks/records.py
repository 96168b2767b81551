"""How fast person records are made, in chunks that stay small.

Run by `python benchmarks/records.py`. The ratio is to Python's `random.random`, called once a
field in the same run.
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
    plain = time.process_time() - start
    start = time.process_time()
    n_made = sum(len(chunk.entities) for chunk in iter_records(N_ROWS))
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n_made:,} records of {N_FIELDS} fields: {taken:.1f} s of CPU, {peak:.0f} MB at most")
    print(f"ratio to {N_ROWS * N_FIELDS:,} calls of random.random: {taken / plain:.1f}")


if __name__ == "__main__":
    main()
