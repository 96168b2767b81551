"""Classifiers of pairs that scikit-learn does not have, and helpers for those it has."""
