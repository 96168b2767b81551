"""Finley & Joachims 2005, Supervised Clustering with Support Vector Machines."""
