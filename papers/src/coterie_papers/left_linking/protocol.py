"""The limits of a full run and of a quick run of the experiments on left-linking."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coterie_papers.engine.cells import Context, Key

VERSION = 1
"""Version of the computation in each key; raise it whenever cells are computed differently."""


class RelaxedLimits(NamedTuple):
    """Limits of training with relaxed clustering: item sets, passes, and seconds per search."""

    n_sets: int
    passes: int
    seconds: float


class RunLimits(NamedTuple):
    """Limits of the data, the settings and the time of a run.

    Parameters
    ----------
    n_sets
        The largest numbers of item sets for training, for the choice of settings and for testing;
        None stands for all.
    n_divisions
        The largest number of folds or genres; None stands for all.
    settings
        Settings that are tried in place of those of a task.
    exact_seconds
        Time limit of the exact search for one item set.
    relaxed
        Limits of training with relaxed clustering.
    n_starts, n_sampled
        The number of random starts of section 5.3, and of the posts that they are trained on.
    n_subsets, n_subset
        The number of subsets of section 5.3, and of the item sets in each.
    n_iterations
        The largest number of iterations of CCCP, and of inner iterations in each of them.
    """

    n_sets: tuple[int | None, int | None, int | None]
    n_divisions: int | None
    settings: Mapping[str, Any]
    exact_seconds: float
    relaxed: RelaxedLimits
    n_starts: int
    n_sampled: int
    n_subsets: int
    n_subset: int
    n_iterations: int


FULL = RunLimits(
    n_sets=(None, None, None),
    n_divisions=None,
    settings={},
    exact_seconds=20.0,
    relaxed=RelaxedLimits(n_sets=30, passes=10, seconds=1.0),
    n_starts=30,
    n_sampled=500,
    n_subsets=10,
    n_subset=30,
    n_iterations=100,
)
QUICK = RunLimits(
    n_sets=(12, 5, 12),
    n_divisions=2,
    settings={
        "passes": (1, 5),
        "rates": (0.1,),
        "lams": (1e-5,),
        "gammas": (0.0, 0.4, 1.0),
        "corr": (1e7,),
        "corr_passes": 5,
        "forest": (10.0,),
        "forest_passes": 4,
        "thresholds": (0.0,),
    },
    exact_seconds=0.5,
    relaxed=RelaxedLimits(n_sets=4, passes=2, seconds=0.3),
    n_starts=3,
    n_sampled=200,
    n_subsets=6,
    n_subset=8,
    n_iterations=10,
)

QUICK_NOTE = (
    "Quick run: each corpus has at most {} item sets for training, {} for the choice of settings "
    "and {} for testing, in at most {} folds or genres. γ is one of {}; of each other setting "
    "except the number of passes, one value is tried. Corr-Clustering is trained in {} passes, "
    "Spanning Forest in {}."
)


def limits_of(key: Key) -> RunLimits:
    """Return the limits of a cell."""
    return run_limits(bool(key.get("quick")))


def run_limits(quick: bool) -> RunLimits:
    """Return the limits of a quick run or of a full run."""
    return QUICK if quick else FULL


def full_key(context: Context, key: Key) -> dict[str, Any]:
    """Return a key with the version, and with a mark if the run is quick."""
    return {**key, "version": VERSION, **({"quick": True} if context.quick else {})}


def quick_notes(context: Context) -> list[str]:
    """Describe what a quick run leaves out; a full run has no such note."""
    if not context.quick:
        return []
    settings = QUICK.settings
    gammas = ", ".join(f"{gamma:g}" for gamma in settings["gammas"])
    passes = settings["corr_passes"], settings["forest_passes"]
    return [QUICK_NOTE.format(*QUICK.n_sets, QUICK.n_divisions, gammas, *passes)]
