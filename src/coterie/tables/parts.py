"""The parts that a model for tables may have: those that `fit` chooses, with bounded numbers.

Whenever a model is loaded, it predicts the rows of its sample. The bounds make sure that this takes
little time, also for a file that somebody made to take long. To allow another part, add a line.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.tables.bounds import (
    Check,
    array,
    distinct,
    many,
    number,
    number_or_infinity,
    optional,
    refuse,
    text,
    truth_value,
    whole,
)
from coterie.tables.schema import MOST_COLUMNS, kind_classes

LONGEST_NAME = 10_000
"""The largest number of characters of the name of a column."""

LARGEST_COUNT = 2**53
"""The largest count of rows, which floats represent exactly."""

MOST_NODES, MOST_NODES_PER_TREE, MOST_KEYS = 1_000_000, 1_000, 100
"""The largest numbers of nodes of trees, of nodes of one tree, and of blocking keys."""


MOST_BINS = 200
"""The largest number of bins of held-out scores, whose densities take the cube of it to find."""


def part(*names: str) -> Check:
    """Require an instance of one of some classes, all of whose fields are as required."""

    def check(value: Any, path: str) -> None:
        name = type(value).__name__
        if name not in names:
            refuse(path, value, f"one of {', '.join(names)}")
        for field in fields(value):
            _check_field(PARTS[name], field, getattr(value, field.name), f"{path}.{field.name}")

    return check


def refuse_other_class(name: str) -> None:
    """Refuse a class that no model for tables may hold, before anything is made of it."""
    if name not in PARTS:
        raise InputError(
            f"the model contains a {quote(name)}, which is not a part that coterie.tables.fit "
            "chooses; use a model that it returned"
        )


def check_model(model: Any) -> None:
    """Refuse a model for tables with parts that `fit` never chooses, or numbers out of bounds."""
    part("Schema")(model.schema, "schema")
    part("Model")(model.model, "model")


def _check_field(checks: Mapping[str, Check], field: Field[Any], value: Any, path: str) -> None:
    """Check a field; one that has no check, such as a newer one, must have its default."""
    if field.name in checks:
        checks[field.name](value, path)
    elif field.default is MISSING or value != field.default:
        refuse(path, value, "as by default")


def _trees(value: Any, path: str) -> None:
    part("Trees")(value, path)
    ends = [*value.roots[1:].tolist(), len(value.columns)]
    largest = max((end - root for root, end in zip(value.roots, ends, strict=True)), default=0)
    if largest > MOST_NODES_PER_TREE:
        raise InputError(
            f"{path} has a tree of {largest:,} nodes, but a tree can have {MOST_NODES_PER_TREE:,}; "
            "use smaller trees"
        )


_COLUMN = text(LONGEST_NAME)
_COLUMNS = distinct(many(_COLUMN, 1, MOST_COLUMNS))
_TOKENS = part("KnownTokens")
_CURVE = part("Logistic", "Isotonic")
_COUNTS = array(LARGEST_COUNT)
_NUMBERS = array(MOST_NODES)
_SIZE, _BLOCK = whole(2, 20), whole(2, 100_000)
"""Sizes of n-grams, and of blocks of rows."""
_KINDS = {kind.__name__: kind for kind in kind_classes().values()}

CLUSTERERS: Mapping[str, Mapping[str, Check]] = {
    "AverageLinkage": {
        "threshold": optional(number()),
        "missing": number(),
        "max_size": optional(whole(1, LARGEST_COUNT)),
        "size_cost": number_or_infinity,
    },
    "Greedy": {},
}
"""The clusterers that `fit` chooses, with a check of each field."""

KEYS: Mapping[str, Mapping[str, Check]] = {
    "WholeValue": {"column": _COLUMN},
    "Prefix": {"column": _COLUMN, "length": whole(1, 1_000)},
    "RareTokens": {"column": _COLUMN, "most": _BLOCK},
    "QGrams": {"column": _COLUMN, "size": _SIZE, "most": _BLOCK},
    "SortedNeighbourhood": {
        "column": _COLUMN,
        "window": whole(1, 1_000),
        "backwards": truth_value,
    },
    "NearestTexts": {"columns": _COLUMNS, "n_neighbours": whole(1, 1_000), "size": _SIZE},
    "Combined": {"keys": many(part("WholeValue", "Prefix"), 2, 4)},
}
"""The blocking keys that `fit` chooses, with a check of each field."""

PARTS: Mapping[str, Mapping[str, Check]] = {
    "Schema": {
        "kinds": lambda value, path: _COLUMNS(list(value), path),
        **dict.fromkeys(("cluster", "set", "id"), optional(_COLUMN)),
    },
    "Model": {
        "blocker": part("AllIfSmall"),
        "similarity": part("LinearSimilarity", "TreeSimilarity"),
        "clusterer": part(*CLUSTERERS),
        "calibration": part("ClusterCalibration", "SizedCalibration"),
    },
    **CLUSTERERS,
    "AllIfSmall": {"otherwise": part("Union"), "limit": whole(0, 10**7)},
    "Union": {"keys": many(part(*KEYS), 1, MOST_KEYS), "max_block": _BLOCK},
    **KEYS,
    # Similarities.
    "LinearSimilarity": {
        "featurizer": part("WithConstant", "Scaled", "RecordFeatures"),
        "coef": _NUMBERS,
        "bias": number(),
    },
    "TreeSimilarity": {"featurizer": part("RecordFeatures"), "trees": _trees, "bias": number()},
    "Trees": dict.fromkeys(
        ("roots", "columns", "thresholds", "lefts", "rights", "values", "covers"), _NUMBERS
    ),
    # Features.
    "WithConstant": {"featurizer": part("Scaled", "RecordFeatures")},
    "Scaled": {"featurizer": part("RecordFeatures"), "scale": _NUMBERS},
    "RecordFeatures": {
        "fields": many(part("Field"), 1, MOST_COLUMNS),
        "whole": part(*_KINDS),
        "min_entities": whole(1, LARGEST_COUNT),
    },
    "Field": {"column": _COLUMN, "kind": part(*_KINDS)},
    **{name: {field.name: _TOKENS for field in fields(kind)} for name, kind in _KINDS.items()},
    "KnownTokens": {
        **dict.fromkeys(("tokens", "n_rows_with", "n_entities_with"), _COUNTS),
        **dict.fromkeys(("n_rows", "n_entities"), whole(0, LARGEST_COUNT)),
        "min_entities": whole(1, LARGEST_COUNT),
    },
    # Calibrations.
    "ClusterCalibration": dict.fromkeys(("pairs", "clusters", "singletons"), _CURVE),
    "SizedCalibration": {
        **dict.fromkeys(("pairs", "clusters", "singletons"), _CURVE),
        "held_out": part("ScoreCounts"),
        "level": number(),
        **dict.fromkeys(("thresholds", "recalls"), array(MOST_BINS)),
        "n_entities": whole(0, LARGEST_COUNT),
    },
    "ScoreCounts": {
        **dict.fromkeys(("edges", "matches", "others"), array(MOST_BINS)),
        **dict.fromkeys(("n_rows", "n_tables"), number()),
    },
    "Logistic": {"slope": number(), "intercept": number()},
    "Isotonic": {"scores": _NUMBERS, "probabilities": array(MOST_NODES)},
    # The sample has checks of its own.
    "Sample": {},
}
"""The classes that may be parts of a model for tables, with a check of each field."""
