"""Samdani, Chang & Roth 2014, A Discriminative Latent Variable Model for Online Clustering."""
