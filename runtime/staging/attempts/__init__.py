"""Exceptions as control flow: what the body of a `try` or `with` raises under a staged condition."""
