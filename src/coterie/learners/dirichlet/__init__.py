"""Supervised clustering with the Dirichlet process."""
