"""A package that users convert: its functions call each other and functions of other packages."""

from .models import Model, Scale, apply_twice, model, with_clamp, with_frozen, with_namespace, with_partial

__all__ = [
    "Model", "Scale", "apply_twice", "model", "with_clamp", "with_frozen", "with_namespace", "with_partial",
]  # fmt: skip
