"""The test suite of the CoNLL scorer: every printed figure of its 36 cases."""

import json

import pytest

from coterie import metrics
from tests.metrics.conll import read_clusters

CASES = [
    *(f"A{number}" for number in range(1, 14)),
    *(f"{letter}1" for letter in "BCDEFGHIJKL"),
    *(f"{letter}{number}" for letter in "MN" for number in range(1, 7)),
]
NAMES = {
    "muc": metrics.muc,
    "bcub": metrics.b_cubed,
    "ceafm": metrics.ceaf_mention,
    "ceafe": metrics.ceaf_entity,
    "blanc": metrics.blanc,
}


@pytest.mark.parametrize("case", CASES)
def test_every_printed_figure(case, data_folder):
    folder = data_folder / "coref_scorer_tests"
    if not folder.is_dir():
        pytest.skip("the corpus coref_scorer_tests is missing from COTERIE_DATA")
    expected = {entry["id"]: entry for entry in json.loads((folder / "expected.json").read_text())}
    assert set(expected) == set(CASES)
    truth = read_clusters(folder / expected[case]["key"])
    predicted = read_clusters(folder / expected[case]["response"])
    assert expected[case]["expected_RPF"]
    for name, (recall, precision, f1) in expected[case]["expected_RPF"].items():
        found = NAMES[name](truth, predicted)
        for value, printed in zip(found, (precision, recall, f1), strict=True):
            digits = max(5, len(repr(printed).partition(".")[2]))
            assert value == pytest.approx(printed, abs=0.5001 * 10**-digits), (name, found)
