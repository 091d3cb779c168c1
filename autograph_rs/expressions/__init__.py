"""Operators for frameworks whose values are symbolic expressions."""
