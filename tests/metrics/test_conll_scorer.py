"""The test suite of the CoNLL scorer: every printed figure of its 36 cases."""

from functools import cache

import pytest

from coterie import metrics
from coterie_papers.corpora import load_coref_scorer_tests

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


@cache
def cases_in(folder):
    return {case.id: case for case in load_coref_scorer_tests(folder)}


@pytest.mark.parametrize("case", CASES)
def test_every_printed_figure(case, data_folder):
    if not (data_folder / "coref_scorer_tests").is_dir():
        pytest.skip("the corpus coref_scorer_tests is missing from COTERIE_DATA")
    cases = cases_in(data_folder)
    assert set(cases) == set(CASES)
    _, truth, predicted, expected, _ = cases[case]
    assert expected
    for name, scores in expected.items():
        result = NAMES[name](truth, predicted)
        for value, printed in zip(result, scores, strict=True):
            digits = max(5, len(repr(printed).partition(".")[2]))
            assert value == pytest.approx(printed, abs=0.5001 * 10**-digits), (name, result)
