"""Names of the closures that the converters generate, and the user function that each belongs to.

The body of a staged statement becomes a closure such as `f.<locals>.loop_body_1`. Tracebacks, debuggers and
alias analysis attribute it to `f`.
"""

from __future__ import annotations

import re
import types

INTERNAL_FILE = __file__
"""File name of generated closures without user code. Their last constant is the file of the user function."""
_NAMES = "if_body|else_body|loop_body|loop_test|get_state|set_state|and_operand|or_operand|if_exp_operand"
_STATEMENT = rf"\.<locals>\.({_NAMES})(_\d+)?$"
_ANY = rf"(\.<locals>\.({_NAMES}|<lambda>)(_\d+)?)+$"


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


def nothing() -> None:
    """Run an empty branch."""
