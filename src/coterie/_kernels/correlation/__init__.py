"""Correlation clustering: greedy merging, local search, pivots, and what its programs need."""
