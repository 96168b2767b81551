"""Solvers of linear models: dual ascent over cutting planes, and Winnow."""
