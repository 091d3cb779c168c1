"""Exporters: each subpackage translates an optimized graph for one external engine."""
