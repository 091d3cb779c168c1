"""What `set_loop_options` says of a staged loop, checked where the loop is staged."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..active import active
from ..backends import BACKENDS, Backend
from ..builtins import DISPATCHING
from ..errors import OptionError, told
from ..places import at
from ..sites import option_of
from ..tracebacks import user_frame


def set_loop_options(**options: Any) -> None:
    """Options of the loop in whose body this stands; the converter takes the call out of the body.

    Args:
        **options: `maximum_iterations` bounds a staged loop; `parallel_iterations`, `swap_memory` and
            `shape_invariants` are for TensorFlow's. A backend may have others.

    Raises:
        OptionError: there is no such option, or its value is of another kind (where the loop is staged); or
            the call stands outside of a loop, in a function that is staged.

    On plain values, and in a function that is not converted, it does nothing.

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
    """What `set_loop_options` is in converted code, where the converter has left it."""
    if active() is not None:
        raise OptionError(
            "set_loop_options stands in the body of no loop",
            why="it is about the loop that has it among the statements of its body",
            remedy="move it into the body of the loop, and there out of other statements",
        )


DISPATCHING[id(set_loop_options)] = misplaced


def checked(backend: Backend, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a loop; what is None is left out.

    Raises:
        OptionError: there is no such option, or its value is of another kind.
    """
    given = {name: value for name, value in options.items() if value is not None}
    own = getattr(backend, "loop_options", ())
    for name, value in given.items():
        if name in own or name == "iterate_names":
            continue
        if name not in _KINDS:
            raise _refused(
                name,
                f"a loop has no option {name!r}",
                "what is not known would have no effect",
                f"use one of {', '.join([*_KINDS, *own])}, or leave it out",
            )
        is_kind, kind, why = _KINDS[name]
        if not is_kind(value):
            raise _refused(name, f"{name} is {told(value)}", why, f"give {kind}, or leave it out")
    limit = given.get("maximum_iterations")
    if limit is not None and BACKENDS[type(limit)] is None:
        given["maximum_iterations"] = operator.index(limit)
    return given


def fewer(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a loop that has run one of its rounds."""
    most = options.get("maximum_iterations")
    if isinstance(most, (int, np.integer)):
        return {**options, "maximum_iterations": most - 1} if most > 0 else options
    if most is None or BACKENDS[type(most)] is None:
        return options
    return {**options, "maximum_iterations": most - 1}


def _refused(name: str, what: str, why: str, remedy: str) -> OptionError:
    frame = user_frame(sys._getframe(1))
    place = None if frame is None else option_of(name, at(frame.f_code, frame.f_lasti))
    return OptionError(what, why=why, remedy=remedy, place=place)


def _is_count(value: Any) -> bool:
    if BACKENDS[type(value)] is not None:
        return True
    try:
        return not isinstance(value, bool) and operator.index(value) >= 0
    except TypeError:
        return False


def _are_pairs(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(p, (list, tuple)) and len(p) == 2 for p in value
    )


_KINDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "maximum_iterations": (_is_count, "an int, 0 or more", "a staged loop has at most so many rounds"),
    "parallel_iterations": (
        lambda value: _is_count(value) and value is not False and value != 0,
        "an int, 1 or more",
        "so many rounds of TensorFlow's loop may run at one time",
    ),
    "swap_memory": (
        lambda value: isinstance(value, bool),
        "True or False",
        "it is a choice of TensorFlow's loops",
    ),
    "shape_invariants": (
        _are_pairs,
        "a list such as [(x, tf.TensorShape([None]))]",
        "it says of some variables which shapes they have in TensorFlow's loop",
    ),
}
