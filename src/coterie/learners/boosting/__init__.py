"""Boosted trees of pair features that minimise a clustering loss."""
