"""Which calls are converted, and by which rule."""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from typing import Any, cast

from autograph_rs.runtime.tracebacks import is_ours

from .. import source
from ..codes import codes_in
from ..direct import Direct
from ..known import made_inside
from ..transpiler import Transpiler, thin_code

UNKNOWN = "what it calls is known when it runs"
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)


def judged(transpiler: Transpiler, called: Any) -> tuple[bool, str]:
    """Whether a call of something is converted, and the rule."""
    if isinstance(called, (types.MethodType, staticmethod, classmethod)):
        return judged(transpiler, called.__func__)
    if isinstance(called, functools.partial):
        return judged(transpiler, called.func)
    if isinstance(called, Direct):
        return True, "it is an ag.function, which becomes part of the trace"
    if isinstance(called, types.FunctionType):
        return _of_function(transpiler, called)
    if isinstance(called, type):
        made = cast(Any, called)
        is_plain = made.__new__ is object.__new__ and type(made) is type
        if is_plain and type(made.__init__) is types.FunctionType:
            return judged(transpiler, made.__init__)
        if called.__module__ == "builtins":
            return False, "it is a builtin, whose staged form is used for staged arguments"
        return False, "Python makes instances of this class itself"
    if isinstance(called, (types.BuiltinFunctionType, *_METHODS)):
        if getattr(called, "__module__", None) == "builtins":
            return False, "it is a builtin, whose staged form is used for staged arguments"
        return False, "it is not written in Python"
    if type(called).__module__.partition(".")[0] == "numpy":
        return False, "it is of NumPy, and records what it is given of staged values"
    call = inspect.getattr_static(type(called), "__call__", None)
    if isinstance(call, types.FunctionType):
        return judged(transpiler, call)
    return False, "it is not written in Python"


def _of_function(transpiler: Transpiler, called: types.FunctionType) -> tuple[bool, str]:
    if called.__code__ is thin_code():
        return True, "ag.convert made it"
    if called.__module__ in ("numpy", "builtins") and is_ours(called.__code__):
        return False, "it is a method of a staged value, and records what it is given"
    converts, rule = transpiler.policy.verdict(called)
    if converts and not source.is_known(called):
        return False, "its source cannot be had"
    if rule == "it is converted already":
        return True, "it is part of what was converted" if made_inside(called) else rule
    return converts, rule


def named(called: Any) -> str:
    """What a callee is called in a report."""
    if isinstance(called, functools.partial):
        return f"partial of {named(called.func)}"
    name = getattr(called, "__qualname__", None) or getattr(called, "__name__", None)
    if not isinstance(name, str):
        return f"an object of {type(called).__qualname__}"
    owner = getattr(called, "__self__", None)
    if isinstance(called, types.BuiltinFunctionType) and isinstance(owner, types.ModuleType | None):
        owner = None
    module = getattr(called, "__module__", None)
    if not isinstance(module, str) or module in ("builtins", "__main__") or owner is not None:
        return name
    return f"{module}.{name}"


def resolved(text: str, function: types.FunctionType) -> Any:
    """What a dotted name in a function stands for before that runs; None where only the run shows it.

    No attribute is asked for but those of modules and classes, so nothing of the user's runs.
    """
    root, *rest = text.split(".")
    code = function.__code__
    if not root or any(root in (*c.co_varnames, *c.co_cellvars) for c in codes_in(code)):
        return None
    try:
        if root in code.co_freevars:
            found = (function.__closure__ or ())[code.co_freevars.index(root)].cell_contents
        else:
            found = function.__globals__.get(root, vars(builtins).get(root))
        for name in rest:
            if not isinstance(found, (types.ModuleType, type)):
                return None
            found = getattr(found, name) if isinstance(found, types.ModuleType) else vars(found)[name]
    except (ValueError, KeyError, AttributeError):
        return None
    return found
