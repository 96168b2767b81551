"""Parts that local searches share: a queue that holds each item at most once, and kinds of kicks.

The state of a search has `queue` and `queued`, one entry per item, and `counts`, whose first two
entries are the position of the queue's head and its length.
"""

from coterie._kernels.compiling import inlined

HEAD, LENGTH = 0, 1


@inlined
def enqueue(state, item):
    """Put an item at the end, unless it is in the queue."""
    # A ring buffer with one entry per item never overflows, because no item is in it twice.
    if not state.queued[item]:
        state.queued[item] = True
        end = state.counts[HEAD] + state.counts[LENGTH]
        if end >= len(state.queue):
            end -= len(state.queue)
        state.queue[end] = item
        state.counts[LENGTH] += 1


@inlined
def dequeue(state):
    """Remove the first item and return it."""
    item = state.queue[state.counts[HEAD]]
    state.counts[HEAD] += 1
    if state.counts[HEAD] == len(state.queue):
        state.counts[HEAD] = 0
    state.counts[LENGTH] -= 1
    # Cleared before the item is tested, so that the effects of its own move may queue it again.
    state.queued[item] = False
    return item


N_KICKS = 3
"""Number of kinds of kicks."""

SCATTER, DISSOLVE, FUSE = 0, 1, 2
"""Items go to clusters at random; a cluster falls apart; two clusters become one."""

MAX_KICKED = 100
"""The largest cluster that is kicked as a whole; a larger one is scattered."""
