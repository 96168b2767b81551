"""Daumé & Marcu 2004, Supervised Clustering with the Dirichlet Process."""
