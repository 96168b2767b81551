"""Features of pairs of names, and how names are read."""
