"""Structural SVMs over clusterers, and their solvers."""
