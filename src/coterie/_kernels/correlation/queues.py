"""What local searches share: a queue of items, each in it at most once, and the kinds of kicks.

The state has `queue` and `queued`, one entry an item, and `counts`, whose first two entries are
where the queue begins and how long it is.
"""

from coterie._kernels.compiling import inlined

HEAD, LENGTH = 0, 1


@inlined
def enqueue(state, item):
    """Put an item at the end, unless it is in the queue."""
    if not state.queued[item]:
        state.queued[item] = True
        at = state.counts[HEAD] + state.counts[LENGTH]
        if at >= len(state.queue):
            at -= len(state.queue)
        state.queue[at] = item
        state.counts[LENGTH] += 1


@inlined
def dequeue(state):
    """Take the first item."""
    item = state.queue[state.counts[HEAD]]
    state.counts[HEAD] += 1
    if state.counts[HEAD] == len(state.queue):
        state.counts[HEAD] = 0
    state.counts[LENGTH] -= 1
    state.queued[item] = False
    return item


WAYS = 3
"""In how many ways a search disturbs a partition."""

SCATTER, DISSOLVE, FUSE = 0, 1, 2
"""Items go to clusters at random; a cluster falls apart; two clusters become one."""

MOST = 100
"""How many items a cluster may have to be moved as a whole; a larger one is scattered."""
