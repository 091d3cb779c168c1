"""The embedded graph backend: trace NumPy code into a graph, and compile the graph to a Python function.

`ir` defines graphs and types, `tracing` records operations on staged values, `rules` and `functions` infer
types, `backend` stages control flow, `state` holds variables and datasets. `optimise` and `compile` prepare a
graph for execution.
"""

from ..backends import register_backend
from . import functions  # noqa: F401 - registers the rules
from .backend.backend import GraphBackend
from .ir.graph import METHOD_LOADERS, Graph, Node
from .ir.types import ArrayType, ListType, MaybeType, ScalarType
from .state import data
from .state.numerics import check_numerics
from .state.variables import Variable
from .tracing.effects import print, py_function  # noqa: A004
from .tracing.specs import TensorSpec
from .tracing.trace import init_scope


def _load_graph_methods() -> None:
    """Import the modules that print, draw, compare and serialize graphs. Tracing does not need them."""
    from ..export import tensorboard  # noqa: F401, PLC0415
    from .ir import comparison, drawing, printer  # noqa: F401, PLC0415
    from .serialization import graphs  # noqa: F401, PLC0415


METHOD_LOADERS.append(_load_graph_methods)
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
