"""Operators for `if`, `while` and `for`. On plain values they run their closures as Python would.

Operators whose names end in `items` or `rest` serve code with inlined fast paths. Such code contains the
statement's blocks inline, and calls one of these operators to continue when it meets a staged value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import staging
from ..backends import BACKENDS
from ..core.active_backends import ACTIVE, active_backend
from ..core.in_flight import count_rests
from ..debugging.tracebacks import drop_current_frame


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
            if backend is None and ACTIVE:
                cond, backend = staging.truth(cond)
            if backend is not None and backend.is_staged(cond):
                state = get_state, set_state, symbol_names, nouts
                staging.fork_if_stmt(backend, cond, body, orelse, *state)
            elif cond:
                body()
            else:
                orelse()
    except BaseException as error:
        drop_current_frame(error)
        raise


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`while test(): body()`, staged from the first iteration whose test is staged."""
    try:
        if ACTIVE and opts.get("maximum_size") is not None:
            with staging.sized(opts["maximum_size"]):
                opts = {**opts, "maximum_size": None}
                while_rest(test(), test, body, get_state, set_state, symbol_names, opts)
            return
        while_rest(test(), test, body, get_state, set_state, symbol_names, opts)
    except BaseException as error:
        drop_current_frame(error)
        raise


def while_rest(test_result, test, body, get_state, set_state, symbol_names, opts):
    """Run or stage a `while` loop from an iteration whose test returned `test_result`."""
    try:
        is_limited = "maximum_iterations" in opts
        while test_result is True and not is_limited:
            rests = count_rests() if ACTIVE else 0
            body()
            test_result = test()
            if ACTIVE and count_rests() > rests and _is_constant(test):  # only an exception ends the loop
                state = get_state, set_state, symbol_names
                staging.while_stmt(active_backend(), test_result, test, body, *state, opts)
                return
        if test_result is False:
            return
        while True:
            backend = BACKENDS[type(test_result)]
            if backend is None and ACTIVE:
                test_result, backend = staging.truth(test_result)
            if backend is not None and backend.is_staged(test_result):
                state = get_state, set_state, symbol_names
                staging.while_stmt(backend, test_result, test, body, *state, opts)
                return
            if not test_result:
                return
            body()
            if is_limited:  # iterations before the staged loop count too
                opts = staging.decrement_limit(opts)
            test_result = test()
    except BaseException as error:
        drop_current_frame(error)
        raise


def _is_constant(test: Callable[[], Any]) -> bool:
    """Return whether the test of a loop is a literal, as in `while True`."""
    return not test.__closure__ and not test.__code__.co_names


def for_stmt(
    iter_: Iterable[Any],
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`for item in iter_: body(item)`, as long as `extra_test()` is true."""
    try:
        if ACTIVE and opts.get("maximum_size") is not None:
            with staging.sized(opts["maximum_size"]):
                given = [iter_]
                iter_ = None  # type: ignore[assignment] # as below
                opts = {**opts, "maximum_size": None}
                for_stmt(given.pop(), extra_test, body, get_state, set_state, symbol_names, opts)
            return
        backend = BACKENDS[type(iter_)]
        is_requested = len(opts) > ("iterate_names" in opts) and type(iter_) is range
        if is_requested:  # loop options request a staged loop over a plain range
            backend = staging.looping()
        if backend is not None and (is_requested or backend.is_staged(iter_)):
            staging.for_stmt(backend, iter_, extra_test, body, get_state, set_state, symbol_names, opts)
            return
        if ACTIVE and (source := staging.source_of(iter_)) is not None:
            iter_ = None  # type: ignore[assignment] # only a generator to which nothing else refers can be driven
            if source.consume(
                staging.Consumer(body, extra_test, get_state, set_state, symbol_names), for_stmt
            ):
                return
            iter_ = source.iterator()
        if extra_test is None:
            if ACTIVE and staging.is_long_range(iter_):
                target = opts.get("iterate_names", "")
                state = get_state, set_state, symbol_names
                iter_ = staging.start_long_range(iter_, None, body, *state, target)
            for item in staging.watched(iter_) if ACTIVE else iter_:
                body(item)
        else:
            items = iter(staging.watched(iter_) if ACTIVE else iter_)
            for_rest(extra_test(), items, extra_test, body, get_state, set_state, symbol_names)
    except BaseException as error:
        drop_current_frame(error)
        raise


def for_items(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
    """Return the items of a plain `for` loop. Stage any other loop and return no items."""
    try:
        backend = BACKENDS[type(iter_)]
        if backend is not None and backend.is_staged(iter_):
            staging.for_stmt(backend, iter_, extra_test, body, get_state, set_state, symbol_names, opts)
            return ()
        if ACTIVE and (source := staging.source_of(iter_)) is not None:
            iter_ = None
            if source.consume(
                staging.Consumer(body, extra_test, get_state, set_state, symbol_names), for_stmt
            ):
                return ()
            iter_ = source.iterator()
        is_long = ACTIVE and staging.is_long_range(iter_)
        iter_ = staging.watched(iter_) if ACTIVE else iter_
        state = get_state, set_state, symbol_names
        if extra_test is None:
            target = opts.get("iterate_names", "")
            return staging.start_long_range(iter_, None, body, *state, target) if is_long else iter_
        test_result = extra_test()
        items = iter(iter_)
        if test_result is True:
            return staging.start_long_range(iter_, extra_test, body, *state) if is_long else items
        for_rest(test_result, items, extra_test, body, get_state, set_state, symbol_names)
        return ()
    except BaseException as error:
        drop_current_frame(error)
        raise


def for_rest(test_result, items, extra_test, body, get_state, set_state, symbol_names):
    """Run or stage the rest of a `for` loop whose extra test has just returned `test_result`."""
    try:
        while True:
            backend = BACKENDS[type(test_result)]
            if backend is not None and backend.is_staged(test_result):
                staging.finish_loop(items, extra_test, body, get_state, set_state, symbol_names)
                return
            if not test_result:
                return
            for item in items:
                body(item)
                test_result = extra_test()
                if test_result is not True:
                    break
            else:
                return
    except BaseException as error:
        drop_current_frame(error)
        raise


def until(iter_: Iterable[Any], test: Callable[[], Any]) -> Iterable[Any]:
    """Yield the items of `iter_` as long as `test()` is true."""
    if test():
        for item in iter_:
            yield item
            if not test():
                return
