"""Calibration, which turns scores into probabilities, and measures of its reliability."""
