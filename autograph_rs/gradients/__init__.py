"""Gradients: `transforms` of functions, and the `tape` of what a block of code computes."""
