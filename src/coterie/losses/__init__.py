"""Losses: how bad a predicted partition is, in a form that a learner can search with.

A loss is a frozen callable of (truth, predicted). Those that are linear in the weights of an
objective turn the search for the worst partition into plain clustering of shifted scores; the
MITRE loss is not, and is followed through merges instead.
"""

from typing import TYPE_CHECKING

__all__ = ["LinkLoss", "MitreLoss", "PairLoss", "TraceLoss"]

if TYPE_CHECKING:
    from coterie.losses.link import LinkLoss as LinkLoss
    from coterie.losses.mitre import MitreLoss as MitreLoss
    from coterie.losses.pair import PairLoss as PairLoss
    from coterie.losses.trace import TraceLoss as TraceLoss
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "link": ["LinkLoss"],
            "mitre": ["MitreLoss"],
            "pair": ["PairLoss"],
            "trace": ["TraceLoss"],
        },
    )
