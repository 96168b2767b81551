"""Scores as probabilities, and how well these hold."""
