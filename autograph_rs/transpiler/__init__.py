"""The transpiler: it converts functions in memory, and decides which called functions to convert."""
