"""Learners of links: left-linking, Sum-Link, Best-Left-Link and spanning forests."""
