"""Tokens, names, mentions and records, compared pair by pair."""
