"""The ways in which a local search disturbs a partition."""

WAYS = 3
SCATTER, DISSOLVE, FUSE = 0, 1, 2
"""Items go to clusters at random; a cluster falls apart; two clusters become one."""

MOST = 100
"""How many items a cluster may have to be moved as a whole; a larger one is scattered."""
