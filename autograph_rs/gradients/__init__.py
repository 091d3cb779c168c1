"""Reverse-mode differentiation: `grad` and `value_and_grad`, `vjp`, and `GradientTape`."""
