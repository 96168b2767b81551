"""Paired tests of whether one system loses less than another on the same item sets.

Each takes the losses of two systems, item set by item set; for scores that are better when higher,
give them negated or exchange the sides. An alternative of "less" says that the first loses less.
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


class Comparison(NamedTuple):
    """The outcome of a paired test.

    `statistic` is t for the t-test, W (the sum of signed ranks) for Wilcoxon's, the number of wins
    for the sign test. A win is an item set on which the first system loses less; `n_used` counts
    those on which the two differ (n_s/r), `difference` is the mean of first − second.
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
        "t", the paired t-test (Finley & Joachims 2005); "wilcoxon", the signed-rank test with ties
        dropped, exact up to 500 differences, tied ranks included (2008, Table 4; beyond, SciPy's
        normal approximation); "sign", the exact sign test (2008, 6.3.3); or a function of
        (differences, alternative) that returns a statistic and a p-value.
    alternative
        "two-sided", "less" (the first loses less) or "greater".

    Examples
    --------
    >>> compare([1.0, 2.0, 0.5, 1.0], [2.0, 2.0, 1.0, 3.0], alternative="less")
    Comparison(statistic=-6.0, p_value=0.125, wins=3, ties=1, losses=0, n_used=3, difference=-0.875)
    """
    differences = _differences(losses_a, losses_b)
    if alternative not in ("two-sided", "less", "greater"):
        raise MetricError(
            f"alternative is {alternative!r}; give 'two-sided', 'less' (the first loses less) "
            "or 'greater'"
        )
    statistic, p_value = _as_test(test)(differences, alternative)
    wins, losses = int(np.sum(differences < 0)), int(np.sum(differences > 0))
    used = wins + losses
    mean = float(differences.mean()) if len(differences) else 0.0
    return Comparison(
        float(statistic), float(p_value), wins, len(differences) - used, losses, used, mean
    )


def compare_all(
    losses_a: ArrayLike,
    others: Mapping[str, ArrayLike],
    test: Literal["t", "wilcoxon", "sign"] | Test = "wilcoxon",
    alternative: Alternative = "two-sided",
) -> dict[str, Comparison]:
    """Compare one system with several; the p-values are corrected after Holm-Bonferroni.

    As in Samdani, Chang & Roth 2014.

    >>> ours = [1, 1, 1, 1, 1]
    >>> found = compare_all(ours, {"x": [2, 3, 4, 5, 6], "y": [2, 3, 4, 5, 0]}, alternative="less")
    >>> [round(c.p_value, 4) for c in found.values()]
    [0.0625, 0.0938]
    """
    if not isinstance(others, Mapping):
        raise MetricError("others must map the name of each system to its losses; give a dict")
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
    """Return a percentile interval of the mean loss, or of the mean of first − second.

    Item sets are drawn with replacement, `n_samples` times.

    >>> low, high = bootstrap_interval([1.0, 2.0, 3.0, 4.0])
    >>> 1.0 <= low < 2.5 < high <= 4.0
    True
    """
    values = as_floats("losses", losses_a, MetricError)
    values = _differences(values, np.zeros_like(values) if losses_b is None else losses_b)
    if not len(values):
        raise MetricError("there are no losses to draw from; give those of at least one item set")
    tail = (1 - as_real("level", level, high=1.0)) / 2
    rng = np.random.default_rng(as_whole("random_state", random_state))
    means = [
        values[rng.integers(len(values), size=len(values))].mean()
        for _ in range(as_whole("n_samples", n_samples, 1))
    ]
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def paired_t(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return Student's t and its p-value; t is 0 without differences, infinite if all are alike."""
    if len(differences) < 2:
        raise MetricError("the paired t-test needs two item sets; give more, or use test='sign'")
    mean, spread = differences.mean(), np.ptp(differences) and differences.std(ddof=1)
    certain = np.copysign(np.inf, mean) if mean else 0.0
    t = mean / (spread / np.sqrt(len(differences))) if spread else certain
    freedom = len(differences) - 1
    p_value = {
        "less": stats.t.cdf(t, freedom),
        "greater": stats.t.sf(t, freedom),
        "two-sided": 2 * stats.t.sf(abs(t), freedom),
    }[alternative]
    return float(t), float(p_value)


def wilcoxon(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return W, the sum of signed ranks without ties, and its p-value."""
    used = differences[differences != 0]
    if not len(used):
        return 0.0, 1.0
    ranks = stats.rankdata(np.abs(used))
    statistic = float(np.sum(np.sign(used) * ranks))
    if len(used) > EXACT_UP_TO:
        approximate = stats.wilcoxon(used, alternative=alternative, method="asymptotic")
        return statistic, float(approximate.pvalue)
    # Twice the rank sum is whole, also where ranks are tied.
    doubled = np.rint(2 * ranks).astype(np.intp)
    positive = int(doubled[used > 0].sum())
    chances = _sum_distribution(doubled)
    return statistic, _tail(chances[: positive + 1].sum(), chances[positive:].sum(), alternative)


def sign_test(differences: Floats, alternative: Alternative) -> tuple[float, float]:
    """Return the number of wins and its exact binomial p-value, ties dropped."""
    wins, losses = int(np.sum(differences < 0)), int(np.sum(differences > 0))
    if not wins + losses:
        return 0.0, 1.0
    # More wins of the first system are smaller losses.
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
            f"the losses have shapes {a.shape} and {b.shape}; give one loss of each system for "
            "every item set"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise MetricError("a loss is NaN or infinite; give finite numbers")
    # Rounding keeps 0.3 − 0.2 and 0.2 − 0.1 equal, and 0.1 + 0.2 against 0.3 a tie.
    size = np.ldexp(1.0, np.frexp(np.abs([a, b]).max(initial=0.0))[1] - 1)
    differences: Floats = np.round((a - b) / size, 12) * size
    return differences


def _sum_distribution(numbers: Ints) -> Floats:
    """Return the chance of each sum, when every number is in it with probability ½."""
    chances = np.ones(1)
    for number in numbers:
        chances = (np.pad(chances, (0, number)) + np.pad(chances, (number, 0))) / 2
    return chances


def _tail(at_most: float, at_least: float, alternative: Alternative) -> float:
    """Return the p-value from the chances of a result as low and as high."""
    tails = {"less": at_most, "greater": at_least, "two-sided": 2 * min(at_most, at_least)}
    return min(1.0, float(tails[alternative]))


def _holm(p_values: list[float]) -> list[float]:
    """Correct p-values after Holm: the smallest of m times m, the next times m − 1, …, rising."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected.tolist()
