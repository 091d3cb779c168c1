"""Optional frameworks, imported on demand."""

from __future__ import annotations

PACKAGES = {"jax": "jax", "jaxlib": "jax", "tensorflow": "tensorflow", "torch": "torch"}
"""The framework to which the arrays of each package belong."""
