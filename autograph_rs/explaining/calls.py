"""Decide which calls are converted, and by which rule."""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from typing import Any, cast

import numpy as np

from autograph_rs.runtime.debugging.tracebacks import is_internal

from ..functions.fast_path import FastPath
from ..source.code_objects import walk_code
from ..transpiler.forwarding import WRAPPER_CODE
from ..transpiler.policy import ALREADY_CONVERTED
from ..transpiler.registry import is_generated
from ..transpiler.transpiler import Transpiler

UNKNOWN = "the callee is known only when the call runs"
_BUILTIN = "it is a builtin, whose staged form handles staged arguments"
_NOT_PYTHON = "it is not written in Python"
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)


def conversion_verdict(transpiler: Transpiler, callee: Any) -> tuple[bool, str]:
    """Decide whether a call is converted, and name the rule that decides."""
    if isinstance(callee, (types.MethodType, staticmethod, classmethod)):
        return conversion_verdict(transpiler, callee.__func__)
    if isinstance(callee, functools.partial):
        return conversion_verdict(transpiler, callee.func)
    if isinstance(callee, FastPath):
        return True, "it is an ag.function, which becomes part of the trace"
    if isinstance(callee, types.FunctionType):
        return _function_verdict(transpiler, callee)
    if isinstance(callee, type):
        cls = cast(Any, callee)
        has_plain_creation = cls.__new__ is object.__new__ and type(cls) is type
        if has_plain_creation and type(cls.__init__) is types.FunctionType:
            return conversion_verdict(transpiler, cls.__init__)
        if callee.__module__ == "builtins":
            return False, _BUILTIN
        return False, "the class has no Python __init__, or has its own __new__ or metaclass"
    if isinstance(callee, (types.BuiltinFunctionType, *_METHODS)):
        return False, _BUILTIN if getattr(callee, "__module__", None) == "builtins" else _NOT_PYTHON
    if type(callee).__module__.partition(".")[0] == "numpy":
        return False, "it belongs to NumPy, and is recorded if an argument is staged"
    call = inspect.getattr_static(type(callee), "__call__", None)
    if isinstance(call, types.FunctionType):
        return conversion_verdict(transpiler, call)
    return False, _NOT_PYTHON


def _function_verdict(transpiler: Transpiler, function: types.FunctionType) -> tuple[bool, str]:
    if function.__code__ == WRAPPER_CODE:
        return True, "ag.convert returned it"
    if function.__module__ in ("numpy", "builtins") and is_internal(function.__code__):
        return False, "it is a method of a staged value, and is recorded"
    converts, rule = transpiler.verdict(function)
    if rule == ALREADY_CONVERTED:
        return True, "it is part of converted code" if is_generated(function) else rule
    return converts, rule


def callee_name(callee: Any) -> str:
    """Return the name under which a report lists a callee."""
    if isinstance(callee, functools.partial):
        return f"partial of {callee_name(callee.func)}"
    name = getattr(callee, "__qualname__", None) or getattr(callee, "__name__", None)
    if not isinstance(name, str):
        return f"an object of {type(callee).__qualname__}"
    owner = getattr(callee, "__self__", None)
    if isinstance(callee, types.BuiltinFunctionType) and isinstance(owner, types.ModuleType | None):
        owner = None
    module = getattr(callee, "__module__", None)
    if module is None and getattr(np, name, None) is callee:
        module = "numpy"  # in NumPy 2.0 a ufunc has no module
    if not isinstance(module, str) or module in ("builtins", "__main__") or owner is not None:
        return name
    return f"{module}.{name}"


def resolve_name(text: str, function: types.FunctionType) -> Any:
    """Return the object that a dotted name in a function refers to, or None if it is known only at run time.

    Only attributes of modules and classes are read, so no user code runs.
    """
    root, *rest = text.split(".")
    code = function.__code__
    if not root or any(root in (*c.co_varnames, *c.co_cellvars) for c in walk_code(code)):
        return None
    try:
        if root in code.co_freevars:
            value = (function.__closure__ or ())[code.co_freevars.index(root)].cell_contents
        else:
            value = function.__globals__.get(root, vars(builtins).get(root))
        for name in rest:
            if not isinstance(value, (types.ModuleType, type)):
                return None
            value = getattr(value, name) if isinstance(value, types.ModuleType) else vars(value)[name]
    except (ValueError, KeyError, AttributeError):
        return None
    return value
