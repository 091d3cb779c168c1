"""Whole regions in machine code: graphs, control flow, checkpoints, and the values that enter and leave."""
