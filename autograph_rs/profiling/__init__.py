"""`profile`: the time by source line of a staged call. Start reading at `api`."""
