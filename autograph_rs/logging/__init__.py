"""Logging of conversions, calls and traces."""
