"""Beside the tools for entity resolution: five tables."""
