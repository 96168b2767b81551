"""Times in seconds or milliseconds since 1970 are dates; codes and telephone numbers are not."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.features.kinds.date import NOT_A_DATE, date_of
from coterie.tables.schema import inferred_kind

FIRST, LAST = 315_532_800, 2_208_988_799
"""The first second of 1980 and the last one of 2039."""


@given(st.integers(FIRST, LAST))
def test_seconds_are_read_as_their_day(seconds):
    day = datetime.fromtimestamp(seconds, UTC)
    assert date_of(str(seconds)) == (day.year, day.month, day.day)


@given(st.integers(1_000_000_000, LAST), st.integers(0, 999))
def test_milliseconds_are_read_as_their_day(seconds, rest):
    assert date_of(str(1000 * seconds + rest)) == date_of(str(seconds))


@pytest.mark.parametrize("text", [str(FIRST - 1), str(LAST + 1), "99999999", "999999999999"])
def test_other_numbers_are_no_times(text):
    assert date_of(text) == NOT_A_DATE


def columns(seed):
    drawn = np.random.default_rng(seed)
    times = drawn.integers(1_100_000_000, 1_700_000_000, 300)
    return {
        "seconds": times,
        "milliseconds": 1000 * times + drawn.integers(1000, size=300),
        "years": drawn.integers(FIRST, LAST, 300),
        "phones": drawn.integers(2_000_000_000, 9_999_999_999, 300),
        "short phones": drawn.integers(1_000_000, 9_999_999, 300),
        "codes of 9 digits": drawn.integers(100_000_000, 999_999_999, 300),
        "codes of 10 digits": drawn.integers(0, 9_999_999_999, 300),
        "bar codes": drawn.integers(2_000_000_000_000, 9_999_999_999_999, 300),
        "bar codes of 12 digits": drawn.integers(600_000_000_000, 899_999_999_999, 300),
    }


@pytest.mark.parametrize("seed", range(5))
def test_the_kind_of_a_column_is_inferred_from_all_values(seed):
    kinds = {name: inferred_kind(list(map(str, values))) for name, values in columns(seed).items()}
    are_dates = {name for name, kind in kinds.items() if kind == "date"}
    assert are_dates == {"seconds", "milliseconds", "years"}


def test_empty_cells_do_not_matter_but_few_values_do():
    times = [str(1_500_000_000 + 100_000 * day) for day in range(40)]
    assert inferred_kind([*times, "", " "]) == "date"
    assert inferred_kind(times[:10]) != "date"
    assert inferred_kind([*times, "unknown"]) != "date"
