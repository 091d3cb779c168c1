"""Gradients: `transforms` of functions, the `pullback`, and the `tape` of what a block of code computes."""
