"""`explain`: report how a function is staged, statement by statement. Start reading at `api`."""
