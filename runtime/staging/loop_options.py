"""Options for staged loops, set by `set_loop_options` and checked where a loop is staged."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..backends import BACKENDS, Backend
from ..backends.builtins import DISPATCHING
from ..core.active_backends import active_backend
from ..debugging.call_sites import option_position
from ..debugging.positions import position_at
from ..debugging.tracebacks import user_frame
from ..errors import OptionError, describe


def set_loop_options(**options: Any) -> None:
    """Set options of the enclosing loop. The converter removes the call from the loop's body.

    Args:
        **options: `maximum_iterations` limits a staged loop. `maximum_size` is the largest number of items of
            an array or list that grows in the loop; JAX needs it. `parallel_iterations`, `swap_memory` and
            `shape_invariants` apply to TensorFlow's loops. A backend may define others.

    Raises:
        OptionError: an option is unknown or has an invalid value (raised when the loop is staged), or a
            staged function makes the call outside a loop.

    On plain values, and in an unconverted function, the call does nothing.

    >>> import autograph_rs as ag
    >>> def f(n):
    ...     while n > 0:
    ...         ag.set_loop_options(maximum_iterations=3)
    ...         n -= 1
    ...     return n
    >>> f(5)
    0
    >>> import numpy as np
    >>> int(ag.function(f)(np.int64(5)))
    2
    """


def misplaced(**_: Any) -> None:
    """Raise an error for a `set_loop_options` call outside a loop, if a backend is staging."""
    if active_backend() is not None:
        raise OptionError(
            "set_loop_options is called outside the body of a loop",
            why="it applies to the loop whose body contains it",
            remedy="move it into the body of the loop, outside any nested statement",
        )


DISPATCHING[id(set_loop_options)] = misplaced


def checked(backend: Backend, options: dict[str, Any]) -> dict[str, Any]:
    """Check the options of a loop, and return those that are not None."""
    given = {name: value for name, value in options.items() if value is not None}
    own = getattr(backend, "loop_options", ())
    for name, value in given.items():
        if name in own or name == "iterate_names":
            continue
        if name not in _KINDS:
            raise _refused(
                name,
                f"unknown loop option {name!r}",
                "an unknown option would have no effect",
                f"use one of {', '.join([*_KINDS, *own])}, or leave it out",
            )
        _check(name, value)
    limit = given.get("maximum_iterations")
    if limit is not None and BACKENDS[type(limit)] is None:
        given["maximum_iterations"] = operator.index(limit)
    return given


def sized(size: Any) -> AbstractContextManager[None]:
    """Return a context in which arrays and lists may grow to the `maximum_size` of a loop."""
    _check("maximum_size", size)
    enter = getattr(active_backend(), "sized", None)
    return nullcontext() if enter is None else enter(operator.index(size))


def decrement_limit(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a loop with `maximum_iterations` lowered by one."""
    most: Any = options.get("maximum_iterations")
    is_known = isinstance(most, (int, np.integer))
    if most <= 0 if is_known else most is None or BACKENDS[type(most)] is None:
        return options
    return {**options, "maximum_iterations": most - 1}


def is_exhausted(options: dict[str, Any]) -> bool:
    """Return whether `maximum_iterations` allows no iteration."""
    most = options.get("maximum_iterations")
    return isinstance(most, (int, np.integer)) and most == 0


def _check(name: str, value: Any) -> None:
    is_kind, kind, why = _KINDS[name]
    if not is_kind(value):
        what = f"{name} must be {kind}, not {describe(value)}"
        raise _refused(name, what, why, f"pass {kind}, or leave it out")


def _refused(name: str, what: str, why: str, remedy: str) -> OptionError:
    frame = user_frame(sys._getframe(1))
    place = None if frame is None else option_position(name, position_at(frame.f_code, frame.f_lasti))
    return OptionError(what, why=why, remedy=remedy, place=place)


def _is_count(value: Any) -> bool:
    if BACKENDS[type(value)] is not None:
        return True
    try:
        return not isinstance(value, bool) and operator.index(value) >= 0
    except TypeError:
        return False


def _are_pairs(value: Any) -> bool:
    kinds = (list, tuple)
    return isinstance(value, kinds) and all(isinstance(p, kinds) and len(p) == 2 for p in value)


_KINDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "maximum_iterations": (_is_count, "an int of at least 0", "it is the maximum number of iterations"),
    "maximum_size": (
        lambda value: BACKENDS[type(value)] is None and _is_count(value),
        "a plain int of at least 0",
        "it is the largest number of items of an array or list that grows in a JAX loop",
    ),
    "parallel_iterations": (
        lambda value: _is_count(value) and value is not False and value != 0,
        "an int of at least 1",
        "it is the number of iterations of a TensorFlow loop that may run at the same time",
    ),
    "swap_memory": (
        lambda value: isinstance(value, bool),
        "True or False",
        "it enables or disables memory swapping in a TensorFlow loop",
    ),
    "shape_invariants": (
        _are_pairs,
        "a list such as [(x, tf.TensorShape([None]))]",
        "each pair is a variable of a TensorFlow loop and its shape",
    ),
}
