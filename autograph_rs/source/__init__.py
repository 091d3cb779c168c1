"""Retrieve the source of functions, and check that it is what they were compiled from."""
