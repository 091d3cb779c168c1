"""Graphs for other systems: each room here takes an optimised graph to one of them."""
