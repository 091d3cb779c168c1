"""The names of the closures that the converter writes, and the user's functions that they are part of."""

from __future__ import annotations

import re
import types

_NAMES = "if_body|else_body|loop_body|loop_test|get_state|set_state|and_operand|or_operand|if_exp_operand"
_STATEMENT = re.compile(rf"\.<locals>\.({_NAMES})(_\d+)?$")
_ANY = re.compile(rf"(\.<locals>\.({_NAMES}|<lambda>)(_\d+)?)+$")


def family(code: types.CodeType) -> tuple[str, str]:
    """Equal for a function and the closures that were made of its statements."""
    return code.co_filename, _STATEMENT.sub("", code.co_qualname)


def home(code: types.CodeType) -> str:
    """The qualified name of the function in which a closure, or a lambda, was made."""
    return _ANY.sub("", code.co_qualname)


def function_name(code: types.CodeType) -> str:
    """The name of the function in which a closure of a statement or expression was made."""
    return home(code).rpartition(".")[2]
