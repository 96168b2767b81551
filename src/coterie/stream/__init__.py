"""Online use: items arrive one by one or some at a time, and each is given its cluster at once."""

from typing import TYPE_CHECKING

__all__ = [
    "Assignment",
    "EveryEarlier",
    "Latest",
    "LatestInTime",
    "LatestOfKeys",
    "NearestOfLatest",
    "RunnerUp",
    "Stream",
]

if TYPE_CHECKING:
    from coterie.stream.candidates import EveryEarlier as EveryEarlier
    from coterie.stream.candidates import Latest as Latest
    from coterie.stream.candidates import LatestInTime as LatestInTime
    from coterie.stream.candidates import LatestOfKeys as LatestOfKeys
    from coterie.stream.candidates import NearestOfLatest as NearestOfLatest
    from coterie.stream.online import Assignment as Assignment
    from coterie.stream.online import RunnerUp as RunnerUp
    from coterie.stream.online import Stream as Stream
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "candidates": [
                "EveryEarlier",
                "Latest",
                "LatestInTime",
                "LatestOfKeys",
                "NearestOfLatest",
            ],
            "online": ["Assignment", "RunnerUp", "Stream"],
        },
    )
