"""Retrieve the source of functions, and verify that it compiles to their code."""
