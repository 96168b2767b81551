"""Agglomerative clustering over all pairs and over listed ones."""
