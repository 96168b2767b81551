"""Boosted trees of pair features, grown by what a clustering loses."""
