"""Item sets that are held out of a fit, by their numbers."""

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Ints
from coterie.exceptions import InputError, ItemSetError
from coterie.learners.base import Examples
from coterie.metrics import Scores


def as_held_out(held_out: Any, n_sets: int) -> Ints:
    """Take the numbers of some item sets, but not of all, in ascending order."""
    if isinstance(held_out, str) or not isinstance(held_out, Iterable):
        raise InputError(f"held_out is {held_out!r}; give a list of numbers of item sets")
    numbers = sorted(as_whole("a number of held_out", each, 0, n_sets - 1) for each in held_out)
    if len(set(numbers)) < len(numbers):
        raise InputError(f"held_out has {numbers}; give each number once")
    if not 0 < len(numbers) < n_sets:
        raise InputError(
            f"held_out has {len(numbers)} of {n_sets} item sets; hold at least one out, and leave "
            "at least one to fit to"
        )
    return np.array(numbers, dtype=np.intp)


def left_of(n_sets: int, numbers: Ints) -> Ints:
    """Return the numbers of all other item sets."""
    return np.setdiff1d(np.arange(n_sets), numbers)


def part_of(examples: Examples, numbers: Ints) -> Examples:
    """Return the examples of some numbers."""
    return Examples(*([part[number] for number in numbers] for part in examples))


def divided(n_sets: int, n_folds: int, random_state: int) -> list[Ints]:
    """Divide the numbers of item sets at random into parts of nearly one size, each sorted."""
    if n_sets < 2:
        raise ItemSetError(f"there is {n_sets} item set; give at least 2, to hold one of them out")
    rng = np.random.default_rng(as_whole("random_state", random_state))
    n_parts = min(as_whole("n_folds", n_folds, 2), n_sets)
    return [np.sort(part) for part in np.array_split(rng.permutation(n_sets), n_parts)]


def as_number(value: Any) -> float:
    """Take what a metric says; of three-part scores the F1."""
    return as_real("the metric", value.f1 if isinstance(value, Scores) else value, low=-inf)
