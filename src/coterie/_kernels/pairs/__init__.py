"""Features of pairs: products of item features, and context."""
