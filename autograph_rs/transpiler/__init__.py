"""Convert functions in memory, and decide which called functions to convert."""
