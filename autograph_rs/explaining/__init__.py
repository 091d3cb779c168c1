"""`explain`: report how a function is staged, statement by statement. Its modules start at `api`."""
