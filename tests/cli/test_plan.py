"""The lines that `coterie plan` prints."""

import pytest

from coterie.tables import Table, write_table
from tests.commands import run


@pytest.mark.parametrize(
    ("n_rows", "pairs"),
    # 1,549 rows are the most of which `fit` compares all pairs; of 1,600, it compares 10 per row.
    [(2, "1"), (30, "435"), (1_549, "1,198,926"), (1_600, "about 16,000")],
)
def test_the_number_of_pairs_is_exact_if_all_are_compared(n_rows, pairs, tmp_path):
    rows = [str(row) for row in range(n_rows)]
    write_table(tmp_path / "t.csv", Table({"id": rows, "town": ["Ely", *rows[1:]]}))
    done = run("plan", tmp_path / "t.csv")
    assert done.exit_code == 0, done.output
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("pairs to compare"))
    assert line.removeprefix("pairs to compare").strip() == pairs
    assert ("10 comparisons per row" in done.stdout) == pairs.startswith("about")
