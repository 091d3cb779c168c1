"""The names of the closures that the converter writes, and the user's functions that they are part of."""

from __future__ import annotations

import re
import types

FILE = __file__
"""Where closures stand that have nothing of the user's. The last of their constants is the user's file."""
_NAMES = "if_body|else_body|loop_body|loop_test|get_state|set_state|and_operand|or_operand|if_exp_operand"
_STATEMENT = rf"\.<locals>\.({_NAMES})(_\d+)?$"
_ANY = rf"(\.<locals>\.({_NAMES}|<lambda>)(_\d+)?)+$"


def stem(name: str) -> str:
    """The name of a closure without the number that told it from others."""
    head, _, number = name.rpartition("_")
    return head if number.isdecimal() else name


def family(code: types.CodeType) -> tuple[str, str]:
    """Equal for a function and the closures that were made of its statements."""
    file = code.co_consts[-1] if code.co_filename == FILE else code.co_filename
    return file, re.sub(_STATEMENT, "", code.co_qualname)


def home(code: types.CodeType) -> str:
    """The qualified name of the function in which a closure, or a lambda, was made."""
    return re.sub(_ANY, "", code.co_qualname)


def function_name(code: types.CodeType) -> str:
    """The name of the function in which a closure of a statement or expression was made."""
    return home(code).rpartition(".")[2]
