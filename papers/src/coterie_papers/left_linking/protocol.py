"""How much of the experiments of left-linking is run: all of it, or what a quick run takes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coterie_papers.engine.cells import Context, Key

VERSION = 1
"""To be raised when cells are computed in another way."""


class Relaxed(NamedTuple):
    """Training by relaxed clustering is slow: so many item sets, passes, and seconds a search."""

    n_sets: int
    passes: int
    seconds: float


class Protocol(NamedTuple):
    """How much is taken of the data, of the settings and of the time.

    `n_sets` has the most item sets to train on, to choose by and to test on, `n_divisions` the most
    folds or genres, None standing for all; `settings` has what is tried in place of a task's own;
    `exact_seconds` is how long the exact search may take for one item set. The starts of section
    5.3 are `n_starts`, on `n_sampled` posts; its subsets are `n_subsets` of `n_subset` item sets,
    on which CCCP makes `n_iterations` of as many inner ones.
    """

    n_sets: tuple[int | None, int | None, int | None]
    n_divisions: int | None
    settings: Mapping[str, Any]
    exact_seconds: float
    relaxed: Relaxed
    n_starts: int
    n_sampled: int
    n_subsets: int
    n_subset: int
    n_iterations: int


FULL = Protocol(
    n_sets=(None, None, None),
    n_divisions=None,
    settings={},
    exact_seconds=20.0,
    relaxed=Relaxed(n_sets=30, passes=10, seconds=1.0),
    n_starts=30,
    n_sampled=500,
    n_subsets=10,
    n_subset=30,
    n_iterations=100,
)
QUICK = Protocol(
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
    relaxed=Relaxed(n_sets=4, passes=2, seconds=0.3),
    n_starts=3,
    n_sampled=200,
    n_subsets=6,
    n_subset=8,
    n_iterations=10,
)

QUICK_NOTE = (
    "Quick: of each corpus at most {} item sets to train on, {} to choose by and {} to test on, in "
    "at most {} folds or genres; γ is one of {}, and of other settings, but the passes, one value "
    "is tried; Corr-Clustering is trained in {} passes, Spanning Forest in {}."
)


def protocol_of(key: Key) -> Protocol:
    """Return how much is taken for a cell."""
    return protocol(bool(key.get("quick")))


def protocol(quick: bool) -> Protocol:
    """Return how much is taken in a quick run, or in a full one."""
    return QUICK if quick else FULL


def keyed(context: Context, key: Key) -> dict[str, Any]:
    """Return a key with what all have: the version, and whether the run is quick."""
    return {**key, "version": VERSION, **({"quick": True} if context.quick else {})}


def quick_notes(context: Context) -> list[str]:
    """Say what a quick run leaves out; a full one, nothing."""
    if not context.quick:
        return []
    settings = QUICK.settings
    gammas = ", ".join(f"{gamma:g}" for gamma in settings["gammas"])
    passes = settings["corr_passes"], settings["forest_passes"]
    return [QUICK_NOTE.format(*QUICK.n_sets, QUICK.n_divisions, gammas, *passes)]
