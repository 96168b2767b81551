"""Supervised discriminative clustering: a distance trained with the clusterer in the loop."""
