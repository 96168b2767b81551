"""Compiled loops over arrays: no classes, no validation, nothing public."""
