"""The contents of a report about a table: the facts about its candidate pairs."""

import pytest

from coterie import tables
from coterie.datasets import make_records
from coterie.report import report_of


def people(n_rows):
    corpus = make_records(n_rows, random_state=1)
    columns = {
        name: [value or "" for value in corpus.item_sets[0].items[name]]
        for name in ("surname", "birth_date", "email")
    }
    return columns | {"person": [str(label) for label in corpus.partitions[0].labels]}


@pytest.mark.parametrize(("n_rows", "has_held_out"), [(60, False), (150, True)])
def test_the_share_of_held_out_pairs_needs_held_out_clusters(n_rows, has_held_out):
    model = tables.fit(people(n_rows), cluster="person", learner="logistic")
    facts = model.facts["blocking"]
    shares = dict(report_of(model, people(60)).blocking)["true pairs that the keys find"].split(
        "; "
    )
    expected = [f"{100 * facts['recall']:.1f}% of those in the training table"]
    if has_held_out:
        share = f"{100 * facts['held_out_recall']:.1f}%"
        expected.append(
            f"{share} of those in one half of its clusters, if the keys are chosen with the other "
            "half"
        )
    assert bool(model.facts["held_out"]) == has_held_out
    assert shares == expected
