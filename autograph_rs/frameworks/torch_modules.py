"""Convert PyTorch modules as a whole, without importing PyTorch."""

from __future__ import annotations

import types
from typing import Any, TypeVar

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import ArgumentError, describe

from ..transpiler.default import DEFAULT

M = TypeVar("M")


@api_boundary
def convert_module(module: M) -> M:
    """Convert the `forward` method of a PyTorch module and of all its submodules that are user code.

    The module is modified in place and returned. Its parameters, hooks and class stay the same, and other
    instances of its class are not affected. It runs unconverted except while PyTorch captures it.

    Args:
        module: a `torch.nn.Module`.

    Raises:
        ArgumentError: `module` is not a module.
        ConversionError: the source of a `forward` method is unavailable when `torch.export` reaches it.

    The program that `torch.export.export(convert_module(module), args, strict=False)` returns contains the
    conditionals and loops of the module's methods.
    """
    modules = getattr(module, "modules", None)
    if not callable(modules) or not hasattr(module, "forward"):
        raise ArgumentError(
            f"convert_module expects a torch.nn.Module, not {describe(module)}",
            why="it converts the forward methods of a module and its submodules",
            remedy="pass an instance, such as Model(); for functions, use ag.convert",
        )
    for submodule in modules():
        forward = _forward_function(submodule)
        if forward is not None and DEFAULT.policy.reason_unconverted(forward) is None:
            submodule.forward = types.MethodType(DEFAULT.convert(forward), submodule)
    return module


def _forward_function(module: Any) -> types.FunctionType | None:
    """Return the `forward` of a module's class or instance, if it is a Python function."""
    own = vars(module).get("forward")
    function = getattr(type(module), "forward", None) if own is None else getattr(own, "__func__", None)
    return function if isinstance(function, types.FunctionType) else None
