"""What became of a function, statement by statement: `autograph_rs.explain`.

| module | what it is about |
|---|---|
| `api` | `explain` itself |
| `watching` | a transpiler whose code notes what operators look at |
| `tracing` | one abstract run of a function, by the system that its arguments belong to |
| `judging` | what a statement was, from the static report and the notes |
| `calls` | which calls are converted, and by which rule |
| `report` | the result |
| `page`, `colours` | it as a page of HTML |
"""
