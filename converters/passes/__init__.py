"""Passes: each rewrites the tree of one function, and says what it removes."""
