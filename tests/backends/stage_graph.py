"""How the conformance suite compiles a function with the embedded graph, which takes any arguments."""

import autograph_rs as ag

DIFFERS: dict[str, str] = {}
prepare = ag.function
stage = None
