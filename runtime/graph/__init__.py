"""The embedded backend: ordinary NumPy code becomes a graph, the graph becomes a Python function.

`types` are the types of staged values, `rules` tell the type of a NumPy call from those of its
arguments, `ir` is the graph, `trace` builds it, `staged` are the values that user code sees meanwhile,
`record` adds what they do, `backend` spells conditions and loops, `optimise` and `compile` make it run.
"""

from .ir import Graph, Node
from .types import ArrayType, ListType, MaybeType, ScalarType

__all__ = ["ArrayType", "Graph", "ListType", "MaybeType", "Node", "ScalarType"]
