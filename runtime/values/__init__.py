"""Nested values, and the locations that hold them."""
