"""Features of pairs of mentions, for coreference."""
