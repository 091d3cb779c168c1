"""Why a construct is left to Python, by the code of the rule, as `converters/places.py` has it for checks."""

from __future__ import annotations

import inspect
import sys

from .tracebacks import user_frame

_OWN = "collect in a list what it yields, and return that; or decide in a function of its own"
_RULES = {
    "AG001": ("it holds '{}', and only the function itself can be suspended", _OWN),
    "AG002": (
        "it holds {}, which reads the function's own frame",
        "name the values that are needed",
    ),
    "AG003": ("a jump leaves the 'finally' of the '{}'", "jump behind the 'try' statement"),
    "AG004": (
        "a sequence, mapping or class pattern is matched by Python",
        "use 'if', or patterns that are values",
    ),
    "AG005": (
        "of comprehensions only that of a list, over one iterable and without ':=' or 'await', is staged",
        "write such a list comprehension, or a loop",
    ),
    "AG006": (
        "'{}' binds a name in a part of an expression that a staged value may skip",
        "assign the name in a statement before",
    ),
    "AG007": ("the body of a class is run by Python", "decide before the class, or in a method"),
    "AG008": (
        "Python itself calls '{}', unconverted",
        "decide in a method of another name, and call that, or compute with np.where",
    ),
}


INSTEAD = {
    "bytearray": "use an array of NumPy",
    "array": "use an array of NumPy",
    "deque": "use a list, by append and pop(0)",
    "set": "use an array of truth values, which is indexed by the members",
}
"""What is used in the place of a container of Python that no program has, by its type."""


def reason_of(code: str, detail: str) -> tuple[str, str]:
    """Why a rule refuses, and what to write instead."""
    reason, remedy = _RULES[code]
    return reason.format(detail), remedy


def unconverted_reason() -> tuple[str, str]:
    """Why the user's code that runs is not converted, and what to write instead."""
    frame = user_frame(sys._getframe(1))
    name = "" if frame is None else frame.f_code.co_name
    if frame is not None and not frame.f_code.co_flags & inspect.CO_OPTIMIZED and name != "<module>":
        return _with_code("AG007", "")
    if name.startswith("__") and name.endswith("__"):
        return _with_code("AG008", name)
    return (
        "this code is left to Python, as a library, a property and the patterns of 'match' are",
        "decide by 'if' in a function that is converted, or compute with np.where",
    )


def _with_code(code: str, detail: str) -> tuple[str, str]:
    reason, remedy = reason_of(code, detail)
    return f"{reason} ({code})", remedy
