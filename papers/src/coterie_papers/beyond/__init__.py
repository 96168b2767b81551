"""Beyond the papers: structured boosting, context and automatic choice."""
