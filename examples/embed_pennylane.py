"""PennyLane's autograph on this transpiler: PennyLane's own operators, with this package's conversion.

python examples/embed_pennylane.py

Needs PennyLane and its JAX. The last three definitions replace those of `pennylane.capture.autograph`.
"""

from __future__ import annotations

import copy
import functools
import types
import warnings
from typing import Any

import jax
import pennylane as qp
from malt.operators import variables  # PennyLane's operators recognize its Undefined
from pennylane.capture.autograph import ag_primitives
from pennylane.exceptions import AutoGraphError, AutoGraphWarning

import autograph_rs as ag

names = ("if_stmt", "for_stmt", "while_stmt", "and_", "or_", "not_", "set_item")
operators = types.SimpleNamespace(**{name: getattr(ag_primitives, name) for name in names})
operators.Undefined, operators.ld, operators.ldu = variables.Undefined, variables.ld, variables.ldu


def converting(f: Any) -> Any:
    """Return a function that calls `f` as converted code does."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        return transpiler.callee(f)(*args, **kwargs)

    return call


def is_operator(value: Any) -> bool:
    """Return whether a value is a quantum operator, or stands for one while a circuit is captured."""
    value = getattr(value, "aval", value)
    return isinstance(value, (qp.operation.Operator, qp.capture.primitives.AbstractOperator))


def convert_argument(transform: Any) -> Any:
    """Wrap a transform such as `qp.adjoint` so that a function passed to it is converted."""

    @functools.wraps(transform)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise ValueError(f"{transform.__name__} requires at least one argument")
        if not is_operator(args[0]) and not callable(args[0]):
            raise ValueError(f"First argument to {transform.__name__} must be callable or an Operation")
        first = args[0] if is_operator(args[0]) else converting(args[0])
        return transform(first, *args[1:], **kwargs)

    return wrapper


def convert_qnode(node: Any) -> Any:
    """Return a copy of a QNode whose function is converted, or None for any other callable."""
    if not isinstance(node, qp.QNode):
        return None
    node = copy.copy(node)
    node.func = converting(node.func)
    return node


transforms = (qp.adjoint, qp.ctrl, qp.grad, qp.jacobian, qp.vjp, qp.jvp)
builtins = {range: ag_primitives.PRange, enumerate: ag_primitives.PEnumerate}
transpiler = ag.Transpiler(
    operators=operators,
    builtins=builtins | {transform: convert_argument(transform) for transform in transforms},
    exclude=[f"{package}{modules}" for package in ("pennylane", "catalyst") for modules in ("", ".*")],
    call_hook=convert_qnode,
)


def run_autograph(fn: Any) -> Any:
    """Convert a function, the function of a QNode, or a call of any other callable."""
    if hasattr(fn, "ag_unconverted"):
        warnings.warn(f"{fn} is already converted", AutoGraphWarning, stacklevel=2)
        return fn
    if isinstance(fn, qp.QNode):
        converted = copy.copy(fn)
        converted.func = run_autograph(fn.func)
    elif isinstance(fn, (types.FunctionType, types.MethodType)):
        converted = transpiler.to_graph(fn)
    elif callable(fn):
        converted = transpiler.to_graph(lambda *args, **kwargs: fn(*args, **kwargs))  # noqa: PLW0108
    else:
        raise AutoGraphError(f"Unsupported object for transformation: {type(fn)}")
    converted.ag_unconverted = fn
    return converted


def autograph_source(fn: Any) -> str:
    """Return the text of converted code; raise an AutoGraphError for a function that is not converted."""
    fn = getattr(fn, "func", fn)
    if not transpiler.has_converted(fn):
        raise AutoGraphError("The given function was not converted by AutoGraph.")
    code = transpiler.to_code(fn)
    return f"ag__lambda = {code}" if code.startswith("lambda") else code


disable_autograph = ag.do_not_convert()

if __name__ == "__main__":
    qp.capture.enable()

    @qp.qnode(qp.device("default.qubit", wires=2))
    def circuit(x, n):
        for i in range(n):
            if x > 0.5:
                qp.RX(x, wires=i)
        return qp.expval(qp.Z(0))

    program = str(jax.make_jaxpr(run_autograph(circuit))(0.7, 2))
    print("captured:", *[name for name in ("qnode", "for_loop", "cond") if f"{name}[" in program])
