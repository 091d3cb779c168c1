"""Nested values, and the locations that store them."""
