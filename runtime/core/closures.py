"""Names of the closures that the converters generate, and the user function that each belongs to.

The body of a staged statement becomes a closure such as `f.<locals>.loop_body_1`. Tracebacks, debuggers and
alias analysis attribute it to `f`. In converted files, `f` holds its staged form: the closure
`f.<locals>.ag__f`, which `f` calls while a graph is being built.
"""

from __future__ import annotations

import ctypes
import re
import sys
import types
from collections.abc import Callable
from typing import Any

INTERNAL_FILE = __file__
"""File name of generated closures without user code. Their last constant is the file of the user function."""
_NAMES = (
    "if_body|else_body|loop_body|loop_test|try_body|get_state|set_state|and_operand|or_operand|if_exp_operand"
)
_STATEMENT = rf"\.<locals>\.({_NAMES})(_\d+)?$"
PUSH_FORMS: list[Callable[[types.FunctionType, bool], Callable[..., None] | None]] = []
"""Functions that return the push form of a converted generator function, or None. The transpiler adds one.

The second argument tells whether the loop that consumes the items may end early.
"""
_ANY = rf"(\.<locals>\.({_NAMES}|<lambda>)(_\d+)?)+$"


def is_staged_form(code: types.CodeType) -> bool:
    """Return whether code is the staged form of a function in a converted file: `f.<locals>.ag__f`."""
    return code.co_name.startswith("ag__")


def holds(outer: types.CodeType, code: types.CodeType) -> bool:
    """Return whether `code` is the staged form of the function with the code `outer`.

    After relocation by a source map, both have the same qualified name, and parameters, which the closure
    of a statement does not have.
    """
    is_relocated = code.co_qualname == outer.co_qualname and (
        parameter_names(code) == parameter_names(outer) and code.co_firstlineno <= outer.co_firstlineno
    )
    return (is_staged_form(code) or is_relocated) and code in outer.co_consts


def holder_frame(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame of the function whose staged form a frame runs, or None if it runs no staged form."""
    outer = frame.f_back
    return outer if outer is not None and holds(outer.f_code, frame.f_code) else None


def set_variable(frame: types.FrameType, name: str, value: Any) -> None:
    """Bind a variable of a running or suspended function."""
    frame.f_locals[name] = value
    if sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def cells_of(function: Any) -> dict[str, types.CellType]:
    """Return the cells of the variables that a function closes over, by name; other callables have none.

    >>> def outer(step):
    ...     return lambda x: x + step
    >>> cells_of(outer(2))["step"].cell_contents
    2
    """
    if not isinstance(function, types.FunctionType):
        return {}
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def base_name(name: str) -> str:
    """Return the name of a closure without the numeric suffix that makes it unique."""
    head, _, number = name.rpartition("_")
    return head if number.isdecimal() else name


def function_key(code: types.CodeType) -> tuple[str, str]:
    """Return a key that a function shares with the closures of its statements."""
    file = code.co_consts[-1] if code.co_filename == INTERNAL_FILE else code.co_filename
    return file, re.sub(_STATEMENT, "", code.co_qualname)


def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of the parameters that may have a default."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def enclosing_qualname(code: types.CodeType) -> str:
    """Return the qualified name of the function that defines a generated closure or lambda."""
    return re.sub(_ANY, "", code.co_qualname)


def get_nothing() -> tuple[()]:
    """Return the state of a statement without variables."""
    return ()


def set_nothing(values: tuple) -> None:
    """Set the state of a statement without variables."""


def never(_: object) -> bool:
    """Return False, in place of a test that a backend does not have."""
    return False


def nothing() -> None:
    """Run an empty branch."""


def arguments_in(code: types.CodeType, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments with which a function was called, given its parameters."""
    count, names = code.co_argcount, code.co_varnames
    args = [values[name] for name in names[:count]]
    kwargs = {name: values[name] for name in names[count : count + code.co_kwonlyargcount]}
    rest = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:  # CO_VARARGS
        args += values[names[rest]]
        rest += 1
    if code.co_flags & 0x08:  # CO_VARKEYWORDS
        kwargs |= values[names[rest]]
    return args, kwargs
