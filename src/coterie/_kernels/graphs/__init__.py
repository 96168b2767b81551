"""Graphs of pairs: connected components and small cuts."""
