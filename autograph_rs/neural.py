"""PyTorch's modules, converted as a whole. PyTorch itself is not needed to import this."""

from __future__ import annotations

import types
from typing import Any, TypeVar

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import ArgumentError, told

from .api import DEFAULT

M = TypeVar("M")


@public
def convert_module(module: M) -> M:
    """Convert the `forward` of a PyTorch module, and of all modules inside that are user code.

    The module itself is changed and given back: its parameters, hooks and class are what they were, and
    other modules of its class are left alone. While nothing is captured it runs as before.

    Args:
        module: a `torch.nn.Module`.

    Raises:
        ArgumentError: it is no module.
        ConversionError: `torch.export` meets a `forward` whose source cannot be had.

    The program that `torch.export.export(convert_module(module), args, strict=False)` gives has the
    conditions and loops of the module's methods.
    """
    modules = getattr(module, "modules", None)
    if not callable(modules) or not hasattr(module, "forward"):
        raise ArgumentError(
            f"convert_module takes a torch.nn.Module, not {told(module)}",
            why="it converts the method forward of each module",
            remedy="give a module that was made, such as Model(); ag.convert is for functions",
        )
    for part in modules():
        forward = _own_forward(part)
        if forward is not None and DEFAULT.policy.reason_to_leave(forward) is None:
            part.forward = types.MethodType(DEFAULT.convert(forward), part)
    return module


def _own_forward(part: Any) -> types.FunctionType | None:
    """The `forward` of a module's class, or that which replaced it, where it is a Python function."""
    given = vars(part).get("forward")
    found = getattr(type(part), "forward", None) if given is None else getattr(given, "__func__", None)
    return found if isinstance(found, types.FunctionType) else None
