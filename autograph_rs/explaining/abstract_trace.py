"""Trace a function abstractly with the framework that its arguments belong to.

The result of the function is discarded, so it may have any type. Frameworks are never imported here: if an
argument belongs to a framework, the framework is already loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.core.active_backends import active_backend, backend_contexts
from autograph_rs.runtime.values.structures import flatten

from ..frameworks import PACKAGES
from ..functions.function import Function


def backend_of(arguments: Any, compiled: Any) -> str:
    """Return the name of the backend to trace a call with.

    This is the active backend, if any, otherwise that of the arguments or of `compiled`, otherwise "graph".
    """
    active = active_backend()
    if active is not None:
        return str(active.name)
    leaves = flatten(arguments)[0]
    frameworks = (framework_of(kind) for leaf in (*leaves, compiled) for kind in type(leaf).__mro__)
    return next(filter(None, frameworks), "graph")


def framework_of(kind: type) -> str | None:
    return PACKAGES.get(kind.__module__.partition(".")[0])


def trace(
    backend: str, compiled: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Trace a converted function with a framework, or just call it if a trace is active.

    `compiled` is the function that was passed to `explain`. If `jax.jit` returned it, it may declare static
    arguments.
    """

    def without_result(*args: Any, **kwargs: Any) -> None:
        f(*args, **kwargs)

    if active_backend() is not None:
        with backend_contexts():
            f(*args, **kwargs)
    elif backend == "jax":
        _trace_jax(compiled, without_result, args, kwargs)
    elif backend == "tensorflow":
        compile_tensorflow = sys.modules["tensorflow"].function
        compile_tensorflow(without_result, autograph=False).get_concrete_function(*args, **kwargs)
    else:
        torch = sys.modules["torch"]
        module = torch.nn.Module()
        module.forward = without_result
        torch.export.export(module, args, kwargs, strict=False)


def _trace_jax(compiled: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Trace like `jax.jit`. A leaf is static if it is not numeric or the user's `jit` declares it static."""
    jax = sys.modules["jax"]
    info = getattr(compiled, "_jit_info", None)
    positions = (n + len(args) if n < 0 else n for n in getattr(info, "static_argnums", ()))
    static = {*positions, *getattr(info, "static_argnames", ())}
    paths_and_leaves, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in paths_and_leaves]
    dynamic = [
        i
        for i, ((_, argument, *_), leaf) in enumerate(paths_and_leaves)
        if (isinstance(leaf, (bool, int, float, complex)) or hasattr(leaf, "dtype"))
        and getattr(argument, "idx", getattr(argument, "key", None)) not in static
    ]

    def on_arrays(*arrays: Any) -> None:
        staged = list(leaves)
        for i, array in zip(dynamic, arrays, strict=True):
            staged[i] = array
        staged_args, staged_kwargs = jax.tree_util.tree_unflatten(tree, staged)
        f(*staged_args, **staged_kwargs)

    jax.eval_shape(on_arrays, *[leaves[i] for i in dynamic])


class InstrumentedFunction(Function[..., Any]):
    """A `Function` that runs instrumented code, with the options of another `Function`."""

    def __init__(
        self, f: Callable[..., Any], original: Function[..., Any] | None, instrument: Callable[[Any], Any]
    ):
        self._instrument = instrument
        if original is None:
            super().__init__(f)
        else:
            super().__init__(f, original.input_signature, optimise=original.optimisations)

    def _convert(self, source: str | None) -> Callable[..., Any]:
        return self._instrument(self.python_function)  # type: ignore[no-any-return]
