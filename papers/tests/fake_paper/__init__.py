"""Nobody & Co. 1999, Squares."""
