"""Kernel k-means and k-medoids."""
