"""The settings of learning from candidate pairs."""

from collections.abc import Callable
from typing import Any, NamedTuple

from coterie.learners.auto.candidates import SizeLimit


class LearningSettings(NamedTuple):
    """The settings that all learners share.

    Parameters
    ----------
    effort
        "quick", "normal" or "thorough".
    metric
        The metric of `coterie.metrics` by which learners are compared.
    limit
        The largest size of clusters; None means that there is none.
    n_jobs
        The number of threads or processes; the result does not depend on it.
    random_state
        The seed of all random choices.
    budget
        The seconds after which no further learner is begun, without those of compiling; None means
        no limit.
    """

    effort: str
    metric: Callable[..., Any]
    limit: SizeLimit | None = None
    n_jobs: int = 1
    random_state: int = 0
    budget: float | None = None
