"""Whole regions in machine code: graphs, conditionals and loops, checkpoints, and the values that enter and leave."""
