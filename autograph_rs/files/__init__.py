"""Write output files atomically."""
