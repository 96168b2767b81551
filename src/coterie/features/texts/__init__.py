"""Features of pairs of texts: articles, posts, pages and citations."""
