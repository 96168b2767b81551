"""Leaks: columns of a table that give its true clusters away."""
