"""Paired tests of whether one system has lower losses than another on the same item sets.

The tests take one loss of each system per item set. For scores that are better when higher, negate
them or exchange the systems. The alternative "less" means that the first system has lower losses.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from coterie._core.arguments import as_floats, as_real, as_whole
from coterie._core.arrays import Floats, Ints
from coterie.exceptions import MetricError, located

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
Test: TypeAlias = Callable[[Floats, Alternative], tuple[float, float]]

EXACT_UP_TO = 500
"""The largest number of differences for which the Wilcoxon test is exact."""


class Comparison(NamedTuple):
    """The outcome of a paired test.

    `statistic` is t for the t-test, W (the sum of signed ranks) for the Wilcoxon test, and the
    number of wins for the sign test. A win is an item set on which the first system has the lower
    loss. `n_used` counts the item sets on which the losses differ (n_s/r). `difference` is the mean
    of first − second.
    """

    statistic: float
    p_value: float
    wins: int
    ties: int
    losses: int
    n_used: int
    difference: float


def compare(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
    test: Literal["t", "wilcoxon", "sign"] | Test = "wilcoxon",
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Test whether two systems differ on the same item sets.

    Parameters
    ----------
    losses_a, losses_b
        The losses of the two systems on each item set, in the same order.
    test
        One of these, or a function of (differences, alternative) that returns a statistic and a
        p-value:

        - "t": the paired t-test (Finley & Joachims 2005);
        - "wilcoxon": the signed-rank test without ties (Finley & Joachims 2008, Table 4). It is
          exact up to 500 differences, even if ranks are tied, and beyond that SciPy's normal
          approximation;
        - "sign": the exact sign test (Finley & Joachims 2008, section 6.3.3).
    alternative
        "two-sided", "less" (the first system has lower losses) or "greater".

    Examples
    --------
    >>> compare([1.0, 2.0, 0.5, 1.0], [2.0, 2.0, 1.0, 3.0], alternative="less")
    Comparison(statistic=-6.0, p_value=0.125, wins=3, ties=1, losses=0, n_used=3, difference=-0.875)
    """
    differences = _differences(losses_a, losses_b)
    if alternative not in ("two-sided", "less", "greater"):
        raise MetricError(
            f"alternative is {alternative!r}; give 'two-sided', 'less' (the first system has "
            "lower losses) or 'greater'"
        )
    statistic, p_value = _as_test(test)(differences, alternative)
    wins, losses = int(np.sum(differences < 0)), int(np.sum(differences > 0))
    n_used = wins + losses
    mean = float(differences.mean()) if len(differences) else 0.0
    return Comparison(
        float(statistic), float(p_value), wins, len(differences) - n_used, losses, n_used, mean
    )


def compare_all(
    losses_a: ArrayLike,
    others: Mapping[str, ArrayLike],
    test: Literal["t", "wilcoxon", "sign"] | Test = "wilcoxon",
    alternative: Alternative = "two-sided",
) -> dict[str, Comparison]:
    """Compare one system with several others, with p-values corrected by Holm-Bonferroni.

    The correction is that of Samdani, Chang & Roth 2014.

    >>> others = {"x": [2, 3, 4, 5, 6], "y": [2, 3, 4, 5, 0]}
    >>> comparisons = compare_all([1, 1, 1, 1, 1], others, alternative="less")
    >>> [round(c.p_value, 4) for c in comparisons.values()]
    [0.0625, 0.0938]
    """
    if not isinstance(others, Mapping):
        raise MetricError(
            f"others is of type {type(others).__name__}; give a dict from system names to losses"
        )
    results = {}
    for name, losses in others.items():
        with located(f"system {name!r}"):
            results[name] = compare(losses_a, losses, test, alternative)
    corrected = _holm([result.p_value for result in results.values()])
    return {
        name: result._replace(p_value=p)
        for (name, result), p in zip(results.items(), corrected, strict=True)
    }


def bootstrap_interval(
    losses_a: ArrayLike,
    losses_b: ArrayLike | None = None,
    *,
    level: float = 0.95,
    n_samples: int = 10_000,
    random_state: int = 0,
) -> tuple[float, float]:
    """Return a bootstrap interval of the mean loss, or of the mean difference first − second.

    The item sets are resampled with replacement `n_samples` times, and the interval lies between
    percentiles of the means.

    >>> low, high = bootstrap_interval([1.0, 2.0, 3.0, 4.0])
    >>> 1.0 <= low < 2.5 < high <= 4.0
    True
    """
    values = as_floats("losses", losses_a, MetricError)
    values = _differences(values, np.zeros_like(values) if losses_b is None else losses_b)
    if not len(values):
        raise MetricError("there are no losses; give the losses of at least one item set")
    tail = (1 - as_real("level", level, high=1.0)) / 2
    rng = np.random.default_rng(as_whole("random_state", random_state))
    means = [
        values[rng.integers(len(values), size=len(values))].mean()
        for _ in range(as_whole("n_samples", n_samples, 1))
    ]
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def paired_t(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return Student's t and its p-value; t is infinite for equal differences, 0 if all are 0."""
    if len(differences) < 2:
        raise MetricError(
            "the paired t-test needs at least two item sets; give more, or use test='sign'"
        )
    mean, spread = differences.mean(), np.ptp(differences) and differences.std(ddof=1)
    limit = np.copysign(np.inf, mean) if mean else 0.0
    t = mean / (spread / np.sqrt(len(differences))) if spread else limit
    freedom = len(differences) - 1
    p_value = {
        "less": stats.t.cdf(t, freedom),
        "greater": stats.t.sf(t, freedom),
        "two-sided": 2 * stats.t.sf(abs(t), freedom),
    }[alternative]
    return float(t), float(p_value)


def wilcoxon(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return the sum W of the signed ranks, and its p-value; differences of 0 are dropped."""
    non_zero = differences[differences != 0]
    if not len(non_zero):
        return 0.0, 1.0
    ranks = stats.rankdata(np.abs(non_zero))
    statistic = float(np.sum(np.sign(non_zero) * ranks))
    if len(non_zero) > EXACT_UP_TO:
        approximate = stats.wilcoxon(non_zero, alternative=alternative, method="asymptotic")
        return statistic, float(approximate.pvalue)
    # Twice a rank is a whole number, even if ranks are tied.
    doubled = np.rint(2 * ranks).astype(np.intp)
    positive = int(doubled[non_zero > 0].sum())
    chances = _sum_distribution(doubled)
    return statistic, _tail(chances[: positive + 1].sum(), chances[positive:].sum(), alternative)


def sign_test(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return the number of wins and its exact binomial p-value; ties are dropped."""
    wins, losses = int(np.sum(differences < 0)), int(np.sum(differences > 0))
    if not wins + losses:
        return 0.0, 1.0
    # A lower loss is a win, so the alternative "less" for losses is "greater" for wins.
    side = {"less": "greater", "greater": "less"}.get(alternative, "two-sided")
    return float(wins), float(stats.binomtest(wins, wins + losses, alternative=side).pvalue)


_TESTS: dict[str, Test] = {"t": paired_t, "wilcoxon": wilcoxon, "sign": sign_test}


def _as_test(test: object) -> Test:
    if callable(test):
        return cast("Test", test)
    if not isinstance(test, str) or test not in _TESTS:
        raise MetricError(f"test is {test!r}; give one of {', '.join(map(repr, _TESTS))}")
    return _TESTS[test]


def _differences(losses_a: ArrayLike, losses_b: ArrayLike) -> Floats:
    a, b = as_floats("losses", losses_a, MetricError), as_floats("losses", losses_b, MetricError)
    if a.ndim != 1 or a.shape != b.shape:
        raise MetricError(
            f"the losses have shapes {a.shape} and {b.shape}; give each system one loss per "
            "item set"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise MetricError("a loss is NaN or infinite; give finite numbers")
    # Rounding makes 0.3 − 0.2 equal to 0.2 − 0.1, and makes 0.1 + 0.2 and 0.3 a tie.
    scale = np.ldexp(1.0, np.frexp(np.abs([a, b]).max(initial=0.0))[1] - 1)
    differences: Floats = np.round((a - b) / scale, 12) * scale
    return differences


def _sum_distribution(numbers: Ints) -> Floats:
    """Return the probability of each sum, if each number is included with probability ½."""
    chances = np.ones(1)
    for number in numbers:
        chances = (np.pad(chances, (0, number)) + np.pad(chances, (number, 0))) / 2
    return chances


def _tail(at_most: float, at_least: float, alternative: Alternative) -> float:
    """Return the p-value from the probabilities of results at most and at least as high."""
    tails = {"less": at_most, "greater": at_least, "two-sided": 2 * min(at_most, at_least)}
    return min(1.0, float(tails[alternative]))


def _holm(p_values: list[float]) -> list[float]:
    """Correct m p-values by Holm's method.

    The smallest is multiplied by m, the next by m − 1, and so on; none becomes smaller than the one
    before.
    """
    order = np.argsort(p_values, kind="stable")
    multiplied = np.asarray(p_values)[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(multiplied))
    return corrected.tolist()
