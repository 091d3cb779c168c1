"""Traced functions: `Function`, its traces, and the signatures that select them."""
