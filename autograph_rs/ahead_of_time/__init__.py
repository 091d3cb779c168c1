"""Conversion of whole modules ahead of time, from text to text."""
