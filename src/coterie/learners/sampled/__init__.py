"""Learning from a weighted sample of the pairs of large item sets."""
