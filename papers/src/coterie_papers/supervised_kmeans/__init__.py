"""Finley & Joachims 2008, Supervised k-Means Clustering."""
