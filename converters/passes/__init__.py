"""Passes: each rewrites the tree of one function, and declares the nodes that it removes."""
