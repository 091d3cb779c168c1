"""The state of a staged statement: locations, heap, alias analysis, branch merging, carried values."""
