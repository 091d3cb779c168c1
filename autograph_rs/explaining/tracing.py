"""One abstract run of a function, as the system that its arguments belong to would make it.

What the function returns does not count, so it may return anything. A framework is there already where a
value of it is, and is not imported.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.active import active
from autograph_rs.runtime.backends import entered
from autograph_rs.runtime.structures import flatten

from ..compilers import COMPILERS
from ..functions import Function

_PACKAGES = {"jax": "jax", "jaxlib": "jax", "tensorflow": "tensorflow", "torch": "torch"}


def system_of(arguments: Any, compiled: Any) -> str:
    """The system whose trace shows what becomes of a call.

    It is that of the arguments, or of what was compiled for one; or the one that is staging now.
    """
    leaves = flatten(arguments)[0]
    staging = active()
    if staging is not None:
        return str(staging.name)
    found = (framework_of(kind) for leaf in (*leaves, compiled) for kind in type(leaf).__mro__)
    return next(filter(None, found), "graph")


def framework_of(kind: type) -> str | None:
    """The framework that a class is of."""
    return _PACKAGES.get(kind.__module__.partition(".")[0])


def run(
    system: str, compiled: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Have a framework trace a converted function; where a trace is on its way, run it there.

    Args:
        system: the framework.
        compiled: what the function was found in, which may say what is static.
        f: the converted function.
        args: its arguments by position.
        kwargs: those by name.
    """

    def without_result(*args: Any, **kwargs: Any) -> None:
        f(*args, **kwargs)

    if active() is not None:
        with entered():
            f(*args, **kwargs)
    else:
        framework = sys.modules[COMPILERS[system][0]]
        tracer = functools.partial(_jax, compiled) if system == "jax" else _TRACERS[system]
        tracer(framework, without_result, args, kwargs)


def _jax(
    compiled: Any, jax: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """As `jax.jit`, where what is no array or number is static, and what the user's own `jit` says is."""
    static = _static_of(compiled, len(args))
    found, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in found]
    places = [
        i
        for i, ((_, argument, *_), leaf) in enumerate(found)
        if (_is_number(leaf) or hasattr(leaf, "dtype"))
        and getattr(argument, "idx", getattr(argument, "key", None)) not in static
    ]

    def of_arrays(*arrays: Any) -> None:
        given = list(leaves)
        for place, array in zip(places, arrays, strict=True):
            given[place] = array
        staged, named = jax.tree_util.tree_unflatten(tree, given)
        f(*staged, **named)

    jax.eval_shape(of_arrays, *[leaves[i] for i in places])


def _static_of(compiled: Any, count: int) -> set[int | str]:
    """The static ones of so many arguments of what `jax.jit` made, by position and by name."""
    info = getattr(compiled, "_jit_info", None)
    numbers = (n + count if n < 0 else n for n in getattr(info, "static_argnums", ()))
    return {*numbers, *getattr(info, "static_argnames", ())}


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex))


def _tensorflow(
    tensorflow: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    tensorflow.function(f, autograph=False).get_concrete_function(*args, **kwargs)


def _torch(torch: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    module = torch.nn.Module()
    module.forward = f
    torch.export.export(module, args, kwargs, strict=False)


_TRACERS: dict[str, Callable[..., None]] = {"tensorflow": _tensorflow, "torch": _torch}


class Watched(Function):
    """A `Function` that runs what a watching transpiler made, with the options of another `Function`."""

    def __init__(self, f: Any, like: Function | None, watch: Callable[[Any], Any]):
        self._watch = watch
        if like is None:
            super().__init__(f)
        else:
            super().__init__(f, like.input_signature, optimise=like.optimisations)

    def _to_graph(self, source: str | None) -> Any:
        return self._watch(self.python_function)

    def graph_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The graph for some arguments."""
        return self.get_concrete_function(*args, **kwargs).graph
