"""Arguments of wrong types and sizes: every public class ends with a result or a CoterieError."""

from functools import partial
from inspect import signature

import numpy as np
import pytest

from coterie import ItemSet
from coterie.exceptions import CoterieError, FeatureError, InputError
from coterie.learners import SGD, BestLeftLinkLearner, HistogramTrees
from coterie.stream import Stream
from tests.arguments.members import MEMBERS
from tests.arguments.uses import MODEL, SETS, TRUTHS
from tests.fuzz.cases import is_refused

ODD = [
    *(3, -1, 0, 2**70, np.nan, np.inf, -np.inf, 1e100, "x", "", None, [], {}, type, object()),
    *(True, np.array(3), np.array([1.0, 2.0]), np.zeros(0), lambda: 0),
]
"""Arguments that are wrong for most parameters. None asks for much work where it is right."""

every_member = pytest.mark.parametrize("name", MEMBERS)


@pytest.fixture(autouse=True)
def _without_warnings_of_numbers():
    """Let numbers overflow without a warning, as they do for users by default."""
    with np.errstate(all="ignore"):
        yield


@every_member
def test_the_arguments_of_the_table_are_right(name):
    make, arguments, use = MEMBERS[name]
    use(make(**arguments))


@every_member
@pytest.mark.filterwarnings("ignore")
def test_odd_arguments_end_in_a_result_or_a_clear_error(name):
    make, arguments, use = MEMBERS[name]
    failures = []
    for parameter in signature(make).parameters:
        for value in ODD[parameter == "n_jobs" :]:  # three processes would take seconds to start
            call = partial(lambda changed: use(make(**arguments | changed)), {parameter: value})
            try:
                is_refused(call)
            except Exception as error:  # noqa: BLE001 - all of them are listed
                failures.append(f"{parameter}={value!r}: {error!r}")
    assert not failures


@pytest.mark.parametrize("value", [0, 1, "no", None, np.array([1.0, 2.0]), np.zeros(0)])
def test_flags_are_true_or_false(value):
    with pytest.raises(InputError, match="give True or False"):
        SGD(average=value)
    with pytest.raises(InputError, match="give True or False"):
        BestLeftLinkLearner(teach_firsts=value).fit(SETS, TRUTHS)


def test_true_and_arrays_of_one_number_are_no_surprise_for_kernels():
    assert type(HistogramTrees(learning_rate=True).learning_rate) is float
    assert type(HistogramTrees(n_leaves=np.int8(2)).n_leaves) is int
    with pytest.raises(InputError, match="n_leaves is array"):
        HistogramTrees(n_leaves=np.array(3))


@pytest.mark.parametrize("rows", [[np.array(3.0), [1.0]], [[1.0], np.array(3.0)], [np.array(3.0)]])
def test_arrays_without_a_dimension_are_no_rows(rows):
    with pytest.raises(FeatureError, match=r"is a single value|have shape"):
        ItemSet(rows)


def test_arrays_without_a_dimension_are_no_items_of_a_stream():
    stream = Stream(MODEL)
    with pytest.raises(CoterieError):
        stream.add(np.array(3.0))
    assert len(stream) == 0
