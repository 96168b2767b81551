"""Sums of trees: scores, Shapley values and boosting."""
