"""Save traced functions to files, and load them."""
