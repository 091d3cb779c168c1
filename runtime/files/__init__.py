"""Atomic writes to files."""
