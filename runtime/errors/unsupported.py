"""Reasons and remedies for constructs that cannot be staged, used in errors raised while tracing.

`converters/diagnostics/unsupported.py` has the same rules for static checks.
"""

from __future__ import annotations

import inspect
import sys

from ..core.packages import installed_package, is_library
from ..debugging.frames import skip_internal_frames
from ..debugging.tracebacks import unconverted_note
from .staging import UnsupportedPlaceError

_OWN = "loop directly over the call of a generator function, or move the condition to a separate function"
_RULES = {
    "AG001": ("it contains '{}', and only the function itself can be suspended", _OWN),
    "AG002": ("it contains {}, which reads the function's own frame", "read the variables by name"),
    "AG003": ("a jump leaves the 'finally' of the '{}'", "jump after the 'try' statement"),
    "AG004": (
        "Python itself matches the structure of a subject",
        "match a tuple, list or object that holds the staged values",
    ),
    "AG005": (
        (
            "only comprehensions, and generator expressions that are consumed at once, can be staged, "
            "without ':=' and 'await', and in a lambda only with one 'for'"
        ),
        "use a list comprehension, as in sum([...]), or a loop",
    ),
    "AG006": (
        "'{}' binds a name in an operand that may be skipped",
        "assign the name in a preceding statement",
    ),
    "AG007": ("Python runs the body of a class", "test the condition before the class or in a method"),
    "AG008": (
        "Python calls '{}' directly, without conversion",
        "move the condition to a method with another name and call it, or use np.where",
    ),
}


UNCONVERTED_REMEDY = "call it through ag.py_function, or pass it values that are not staged"
CONTAINER_ALTERNATIVES = {
    "bytearray": "use a NumPy array",
    "array": "use a NumPy array",
    "deque": "use a list with append and pop(0)",
    "set": "use a boolean array indexed by the members",
}
"""What to use instead of a container that cannot be staged, by its type."""


def rule_message(code: str, detail: str) -> tuple[str, str]:
    """Return the reason, with the rule's code, and the remedy."""
    reason, remedy = _RULES[code]
    return f"{reason.format(detail)} ({code})", remedy


def unsupported_place(construct: str, rule: str, detail: str = "") -> UnsupportedPlaceError:
    """Return the error for a staged value that `construct` tests; `rule` names the reason."""
    why, remedy = rule_message(rule, detail)
    message = f"'{construct}' depends on a staged value, but cannot be staged"
    return UnsupportedPlaceError(message, why=why, remedy=remedy)


def unconverted_reason() -> tuple[str, str]:
    """Return why the running user code is not converted, and the remedy."""
    frame = skip_internal_frames(sys._getframe(1))
    if frame is None:
        return "no converted code runs", UNCONVERTED_REMEDY
    code, name = frame.f_code, frame.f_code.co_name
    if note := unconverted_note(code):
        return note, UNCONVERTED_REMEDY
    if is_library(code.co_filename):
        owner = installed_package(code.co_filename) or "the standard library"
        return f"{name!r} belongs to {owner}, which is never converted", UNCONVERTED_REMEDY
    if not code.co_flags & inspect.CO_OPTIMIZED and name != "<module>":
        return rule_message("AG007", "")
    if name.startswith("__") and name.endswith("__"):
        return rule_message("AG008", name)
    if "ag__" in code.co_freevars:
        return (
            "Python itself decides here, as it does in structural patterns of 'match' and between tuples",
            "use 'if' or np.where, and compare tuple(a) == tuple(b)",
        )
    if package := installed_package(code.co_filename):
        return (
            f"{name!r} of the installed package {package!r} ran unconverted, because no argument was staged",
            f"pass the staged value as an argument, or convert with ag.Transpiler(include=['{package}.*'])",
        )
    return (
        f"{name!r} runs unconverted, because Python or a library called it, as a property or a callback",
        "make it a function or method that converted code calls, or use np.where",
    )
