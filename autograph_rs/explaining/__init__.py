"""`explain`: report how a function is staged, statement by statement.

| module | contents |
|---|---|
| `api` | `explain` itself |
| `instrumentation` | a transpiler that inserts probes into converted code |
| `probes` | what a probe records |
| `abstract_trace` | trace a function with the framework of its arguments |
| `classification` | classify statements from the static report and the probes |
| `calls` | decide which calls are converted, and by which rule |
| `statements`, `report` | the result as data and text |
| `html`, `highlighting` | the result as an HTML page |
"""
