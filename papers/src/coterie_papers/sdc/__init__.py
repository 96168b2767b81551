"""Li & Roth 2005, Discriminative Training of Clustering Functions."""
