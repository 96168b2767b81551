"""Comparison with other tools for entity resolution on five tables."""
