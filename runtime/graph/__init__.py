"""The embedded backend: ordinary NumPy code becomes a graph, the graph becomes a Python function.

`types` are the types of staged values, `rules` tell the type of a NumPy call from those of its
arguments, `ir` is the graph, `trace` builds it, `staged` are the values that user code sees meanwhile,
`record` adds what they do, `backend` spells conditions and loops, `optimise` and `compile` make it run.
"""

from ..backends import register_backend
from . import data
from .backend import GraphBackend
from .effects import print, py_function  # noqa: A004
from .ir import Graph, Node
from .numerics import check_numerics
from .specs import TensorSpec
from .trace import outside as init_scope
from .types import ArrayType, ListType, MaybeType, ScalarType
from .variables import Variable

register_backend(GraphBackend())

__all__ = [
    "ArrayType",
    "Graph",
    "ListType",
    "MaybeType",
    "Node",
    "ScalarType",
    "TensorSpec",
    "Variable",
    "check_numerics",
    "data",
    "init_scope",
    "print",
    "py_function",
]
