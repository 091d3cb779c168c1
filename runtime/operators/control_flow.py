"""The operators of statements: on plain values each runs its closures as Python runs what they hold.

Those that end in `items` and `rest` are for code in which the plain road is open: there the blocks stand in
the function itself, which goes on with an operator where it meets what is staged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import staging
from .backends import BACKENDS
from .tracebacks import without_own_frame


def if_stmt(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """`if cond: body() else: orelse()`"""
    try:
        if cond is True:
            body()
        elif cond is False:
            orelse()
        else:
            backend = BACKENDS[type(cond)]
            if backend is not None and backend.is_staged(cond):
                staging.if_stmt(backend, cond, body, orelse, get_state, set_state, symbol_names, nouts)
            elif cond:
                body()
            else:
                orelse()
    except BaseException as error:
        without_own_frame(error)
        raise


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`while test(): body()`; it is staged from the first iteration on whose test is staged."""
    try:
        while_rest(test(), test, body, get_state, set_state, symbol_names, opts)
    except BaseException as error:
        without_own_frame(error)
        raise


def while_rest(going, test, body, get_state, set_state, symbol_names, opts):
    """`while_stmt` from a round on whose test gave `going`."""
    try:
        is_limited = "maximum_iterations" in opts
        while going is True and not is_limited:
            body()
            going = test()
        if going is False:
            return
        is_peeled = False
        while True:
            backend = BACKENDS[type(going)]
            if backend is not None and backend.is_staged(going):
                if staging.while_stmt(
                    backend, going, test, body, get_state, set_state, symbol_names, opts, is_peeled=is_peeled
                ):
                    return
                is_peeled = True
            elif not going or (is_peeled and opts.get("maximum_iterations") == 0):
                return
            else:
                body()
            if is_limited:  # a round before the loop is staged is one of those that it may have
                opts = staging.fewer(opts)
            going = test()
    except BaseException as error:
        without_own_frame(error)
        raise


def for_stmt(
    iter_: Iterable[Any],
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`for item in iter_: body(item)`, as long as `extra_test()` holds."""
    try:
        backend = BACKENDS[type(iter_)]
        is_asked = len(opts) > ("iterate_names" in opts) and type(iter_) is range
        if is_asked:
            backend = staging.looping()
        if backend is not None and (is_asked or backend.is_staged(iter_)):
            staging.for_stmt(backend, iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        elif extra_test is None:
            for item in iter_:
                body(item)
        else:
            for_rest(extra_test(), iter(iter_), extra_test, body, get_state, set_state, symbol_names)
    except BaseException as error:
        without_own_frame(error)
        raise


def for_items(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
    """What `for_stmt` would go through, if it is plain; the loop over what is staged is done at once."""
    try:
        backend = BACKENDS[type(iter_)]
        if backend is not None and backend.is_staged(iter_):
            staging.for_stmt(backend, iter_, extra_test, body, get_state, set_state, symbol_names, opts)
            return ()
        if extra_test is None:
            return iter_
        going = extra_test()
        items = iter(iter_)
        if going is True:
            return items
        for_rest(going, items, extra_test, body, get_state, set_state, symbol_names)
        return ()
    except BaseException as error:
        without_own_frame(error)
        raise


def for_rest(going, items, extra_test, body, get_state, set_state, symbol_names):
    """`for_stmt` from a round on after which the test gave `going`."""
    try:
        backend = BACKENDS[type(going)]
        if backend is not None and backend.is_staged(going):
            staging.finish_unrolled(items, extra_test, body, get_state, set_state, symbol_names)
            return
        if not going:
            return
        for item in items:
            body(item)
            going = extra_test()
            if going is True:
                continue
            if going is False:
                return
            backend = BACKENDS[type(going)]
            if backend is not None and backend.is_staged(going):
                staging.finish_unrolled(items, extra_test, body, get_state, set_state, symbol_names)
                return
            if not going:
                return
    except BaseException as error:
        without_own_frame(error)
        raise


def until(iter_: Iterable[Any], test: Callable[[], Any]) -> Iterable[Any]:
    """The items of `iter_` as long as `test()` holds."""
    if test():
        for item in iter_:
            yield item
            if not test():
                return
