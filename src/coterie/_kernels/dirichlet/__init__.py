"""Dirichlet-process mixtures: clusters, chains over partitions, reference types."""
