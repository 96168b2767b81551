"""Made-up records of people as the columns of a table, with ids and true clusters."""

from collections.abc import Sequence

from coterie.datasets import make_records


def people(
    n_rows: int,
    seed: int,
    names: Sequence[str] = ("surname", "birth_date", "email"),
    *,
    ids: bool = True,
) -> dict[str, list[str]]:
    """Return the ids r000, r001, …, the named columns, and the true clusters in the column who."""
    corpus = make_records(n_rows, random_state=seed)
    records = corpus.item_sets[0].items
    return {
        **({"id": [f"r{row:03d}" for row in range(n_rows)]} if ids else {}),
        **{name: [value or "" for value in records[name]] for name in names},
        "who": [f"e{label}" for label in corpus.partitions[0].labels],
    }
