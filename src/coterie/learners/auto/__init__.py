"""The automatic choice among learners, clusterers and thresholds."""
