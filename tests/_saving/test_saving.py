"""Files of values: values are loaded as they were saved, or saving is refused."""

import hashlib
import zipfile
from dataclasses import dataclass, field
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coterie import PairScores, Partition
from coterie._saving import archive, load_value, save_value
from coterie.exceptions import InputError

with_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True, eq=False)
class Box:
    content: Any
    name: str = "box"
    computed: int = field(default=7, init=False)


@dataclass(frozen=True)
class Strict:
    number: float

    def __post_init__(self):
        if self.number < 0:
            raise InputError("number is negative; give another")


CLASSES = {"Box": Box, "Strict": Strict, "Partition": Partition, "function": len}


def saved_and_loaded(path, value):
    save_value(path, value, CLASSES.get)
    return load_value(path, CLASSES.get)


def are_equal(first, second):  # noqa: PLR0911
    """Return whether two values have the same type and content; NaN equals NaN."""
    if isinstance(first, np.ndarray):
        return (
            type(second) is np.ndarray
            and first.dtype.newbyteorder("=") == second.dtype
            and first.shape == second.shape
            and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
        )
    if type(first) is not type(second):
        return False
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(are_equal, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(
            are_equal(first[key], second[key]) for key in first
        )
    if isinstance(first, Box):
        return are_equal(first.content, second.content) and first.name == second.name
    if isinstance(first, sp.csr_array):
        return first.dtype == second.dtype and np.array_equal(first.toarray(), second.toarray())
    return repr(first) == repr(second)  # -0.0 differs from 0.0, and NaN equals itself


dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(sizes=(16, 32, 64)),
    hnp.unicode_string_dtypes(max_len=4),
)
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    arrays,
    st.lists(st.integers(0, 2), max_size=4).map(Partition),
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 99)).map(
        lambda a: sp.random_array(a[:2], density=0.4, rng=a[2], format="csr")
    ),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.builds(Box, inner, st.text(max_size=3)),
    ),
    max_leaves=8,
)


@with_folder
@given(tree=trees)
def test_any_tree_of_values_is_loaded_unchanged(tree, tmp_path):
    assert are_equal(Box(tree), saved_and_loaded(tmp_path / "a", Box(tree)))


@with_folder
@given(tree=trees)
def test_the_same_value_makes_the_same_bytes(tree, tmp_path):
    save_value(tmp_path / "a", Box(tree), CLASSES.get)
    save_value(tmp_path / "b", Box(tree), CLASSES.get)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int8(-3), -3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (MappingProxyType({"a": (1,)}), {"a": (1,)}),
        ("\ud800 \0 é 漢", "\ud800 \0 é 漢"),
        (2**4000, 2**4000),
        (np.arange(3, dtype=">i4"), np.arange(3)),
    ],
)
def test_similar_types_become_plain_python_and_numpy_types(given_value, expected, tmp_path):
    content = saved_and_loaded(tmp_path / "a", Box(given_value)).content
    assert np.array_equal(content, expected)
    assert type(content) is type(expected)


def test_arrays_keep_their_order_of_storage_and_are_read_only(tmp_path, rng):
    fortran = np.asfortranarray(rng.random((3, 4)))
    content = saved_and_loaded(
        tmp_path / "a", Box([fortran, rng.random((3, 4)), fortran[::2, ::2]])
    ).content
    assert content[0].flags.f_contiguous
    assert content[1].flags.c_contiguous
    assert np.array_equal(content[2], fortran[::2, ::2])
    for array in content:
        assert array.flags.aligned
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0


def test_sparse_arrays_are_saved_without_unused_entries(tmp_path):
    matrix = sp.csr_array(
        (np.array([1.0, 0.0, 5.0]), np.array([1, 0, 9]), np.array([0, 1, 2])), shape=(2, 3)
    )
    content = saved_and_loaded(tmp_path / "a", Box(matrix)).content
    assert content.data.tolist() == [1.0, 0.0]
    assert content.indices.tolist() == [1, 0]


def cycle():
    inner: list[Any] = []
    inner.append(inner)
    return inner


@dataclass
class Constructed:
    value: int

    def __init__(self, number):
        self.value = number


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (len, "content is a builtin_function_or_method, which cannot be saved; a saved model"),
        ([0, {"a": {1}}], r"content\[1\]\['a'\] is a set, which"),
        (Box((0, b"x")), r"content\.content\[1\] is a bytes, which"),
        ({1: 2}, "content has the key 1, which is not a string"),
        (Box, "content is a type, which"),
        (1j, "content is a complex, which"),
        (np.array([None]), "content is an array of object, which cannot be saved; give numbers"),
        (np.array([1j]), "an array of complex128"),
        (np.zeros(2, "M8[s]"), "an array of datetime64"),
        (np.zeros(2, "i4,i4"), "an array of .*'f0'"),
        (np.ones(2, "g"), "an array of .*float|array of float128"),
        (np.ma.array([1.0], mask=[True]), "content is a MaskedArray"),
        (sp.csc_array((2, 2)), "content is a csc_array"),
        (sp.csr_matrix((2, 2)), "content is a csr_matrix"),
        (sp.csr_array([1.0, 2.0]), "a 1-dimensional sparse array; give a two"),
        (SimpleNamespace(a=1), "content is a SimpleNamespace"),
        (2**5000, "content has more than 4096 bits; give a smaller"),
        (cycle(), "nested too deeply, or contains itself"),
        (
            Constructed(1),
            "content is a Constructed, which cannot be saved, because its constructor",
        ),
        (PairScores(2, None, [1.0]), "content is a PairScores, which cannot be saved, because"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_error_names_the_place_of_what_cannot_be_saved(content, message, tmp_path):
    with pytest.raises(InputError, match=message):
        save_value(tmp_path / "a", Box(content), CLASSES.get)
    assert not list(tmp_path.iterdir())


def test_user_classes_must_not_have_the_name_of_a_coterie_class(tmp_path):
    with pytest.raises(InputError, match=r"your own class Box, .*; rename your class"):
        save_value(tmp_path / "a", Box(1), {"Box": Strict}.get)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_MEMBERS", "the model has 3 arrays, .* can have at most 2 parts; join"),
        ("MOST_BYTES", "model.json has more than 2 bytes, .*; use arrays instead of long lists"),
        ("MOST_BRACKETS", "or more than 2 lists and objects; use arrays instead of long lists"),
    ],
)
def test_values_too_large_to_be_loaded_are_not_saved(limit, message, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, limit, 2)
    with pytest.raises(InputError, match=message):
        save_value(tmp_path / "a", Box([np.arange(3)] * 3), CLASSES.get)
    assert not list(tmp_path.iterdir())


def test_digests_are_those_of_the_written_members(tmp_path, rng):
    matrix = np.asfortranarray(rng.random((300, 400)))
    members = {"a": b"text", "b": matrix, "c": matrix[::2], "d": np.array(["x", "yz"])}
    archive.write_archive(tmp_path / "a", members)
    with zipfile.ZipFile(tmp_path / "a") as zipped:
        for name, content in members.items():
            expected = hashlib.sha256(zipped.read(name)).hexdigest()
            assert archive.digest(content) == expected
            assert archive.digest(zipped.read(name)) == expected
