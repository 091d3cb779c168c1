"""Every error of ours: what happened, where, why, and what to write instead.

All derive from `AutographError` and from the builtin exception that fits, so that
`except TypeError` means what its author expects.
"""

from __future__ import annotations

import linecache


class AutographError(Exception):
    """The base of every error that autograph_rs raises on its own account."""


class ConversionError(AutographError, ValueError):
    """A function could not be converted: its source cannot be had, read or understood."""


class StagingError(AutographError, TypeError):
    """A staged value stands at a place that cannot be staged."""


class MismatchError(StagingError):
    """Branches, or iterations, leave a variable with types that cannot be one."""


class UnsupportedFunctionError(StagingError):
    """A function was called on a staged value for which the backend has no rule."""


class LeakError(AutographError, RuntimeError):
    """A staged value was used outside the trace, branch or loop body that made it."""


class StagedRecursionError(AutographError, RecursionError):
    """A function calls itself under a staged condition, without end."""


class SignatureError(AutographError, TypeError):
    """The arguments of a call do not fit the signature that the function was given."""


def located(message: str, filename: str | None, lineno: int | None) -> str:
    """`message` below its place, with the source line where that can be read."""
    if filename is None or lineno is None:
        return message
    line = linecache.getline(filename, lineno).strip()
    shown = f"\n    {line}\n    {'^' * len(line)}" if line else ""
    return f"{filename}:{lineno}: {message}{shown}"
