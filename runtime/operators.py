"""What converted code calls. Each operator looks at one value and, on a plain one, does what Python does.

The plain road is written for speed: it never asks for the state and takes its own frame off
tracebacks. The staged road leads to `autograph_rs.runtime.staging`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import staging
from .active import active
from .backends import BACKENDS, is_used
from .errors import MissingValueError, UnsupportedPlaceError
from .refusals import reason_of
from .tracebacks import without_own_frame
from .undefined import Undefined, missing

slice = slice  # noqa: A001, PLW0127 - converted code builds its slices with the operator namespace


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`"""
    try:
        if cond is True:
            return if_true()
        if cond is False:
            return if_false()
        backend = BACKENDS[type(cond)]
        if backend is not None and backend.is_staged(cond):
            return staging.if_exp(backend, cond, if_true, if_false, expr_repr)
        return if_true() if cond else if_false()
    except BaseException as error:
        without_own_frame(error)
        raise


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`"""
    try:
        left = a()
        return b() if left is True else and_rest(left, b)
    except BaseException as error:
        without_own_frame(error)
        raise


def and_rest(left: Any, b: Callable[[], Any]) -> Any:
    """`left and b()`"""
    try:
        if left is False:
            return left
        backend = BACKENDS[type(left)]
        if backend is not None and backend.is_staged(left):
            return backend.and_(left, b)
        return left and b()
    except BaseException as error:
        without_own_frame(error)
        raise


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`"""
    try:
        left = a()
        return b() if left is False else or_rest(left, b)
    except BaseException as error:
        without_own_frame(error)
        raise


def or_rest(left: Any, b: Callable[[], Any]) -> Any:
    """`left or b()`"""
    try:
        if left is True:
            return left
        backend = BACKENDS[type(left)]
        if backend is not None and backend.is_staged(left):
            return backend.or_(left, b)
        return left or b()
    except BaseException as error:
        without_own_frame(error)
        raise


def not_(a: Any) -> Any:
    """`not a`"""
    if a is True:
        return False
    if a is False:
        return True
    try:
        backend = BACKENDS[type(a)]
        if backend is not None and backend.is_staged(a):
            return backend.not_(a)
        return not a
    except BaseException as error:
        without_own_frame(error)
        raise


def truth(value: Any) -> Any:
    """`bool(value)` for values of Python's own types; any other, which may be staged, as it is."""
    kind = type(value)
    return bool(value) if kind in _PLAIN and BACKENDS[kind] is None else value


_PLAIN = frozenset((int, float, str, bytes, list, tuple, dict, set, type(None)))


def in_(item: Any, container: Any) -> Any:
    """`item in container`"""
    try:
        found = staging.contains(item, container) if is_used() else None
        return item in container if found is None else found
    except BaseException as error:
        without_own_frame(error)
        raise


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`"""
    try:
        found = staging.contains(item, container) if is_used() else None
        return item not in container if found is None else not_(found)
    except BaseException as error:
        without_own_frame(error)
        raise


def call(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` for a lambda that the converter wrote."""
    try:
        return function(*args)
    except BaseException as error:
        without_own_frame(error)
        raise


def list_comp(iterated: Iterable[Any], comprehension: Callable[[Iterable[Any]], list]) -> Any:
    """`comprehension(iterated)`, which is a list comprehension over it."""
    try:
        backend = BACKENDS[type(iterated)]
        if backend is not None and backend.is_staged(iterated):
            return staging.list_comp(backend, iterated, comprehension)
        if staging.ACTIVE and staging.is_active():
            return staging.plain_comp(iterated, comprehension)
        return comprehension(iterated)
    except BaseException as error:
        without_own_frame(error)
        raise


def unpacked(value: Any) -> Any:
    """What is taken apart by a star or by several targets, as Python can iterate it."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        unpack = getattr(backend, "unpacked", None)
        return value if unpack is None else unpack(value)
    return value


def keep(cond: Any) -> Any:
    """The condition of a list comprehension."""
    backend = BACKENDS[type(cond)]
    if backend is not None and backend.is_staged(cond):
        return staging.keep(cond)
    return cond


CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "r": repr, "s": str, "a": ascii}


def fmt(value: Any, conversion: str = "") -> Any:
    """A value as an f-string formats it."""
    try:
        backend = BACKENDS[type(value)]
        if backend is not None and backend.is_staged(value):
            return backend.fmt(value, conversion)
        if staging.ACTIVE and isinstance(value, (tuple, list, dict, set)):
            staging.refuse_text(value)
        return CONVERSIONS[conversion](value) if conversion else value
    except BaseException as error:
        without_own_frame(error)
        raise


def text(text: str) -> Any:
    """An f-string, whose values `fmt` gave."""
    backend = active()
    return text if backend is None else backend.text(text)


def guard(value: Any, construct: str, rule: str, detail: str = "") -> Any:
    """`value`, which must be plain because `construct` is left to Python, by a rule.

    Raises:
        UnsupportedPlaceError: `value` is staged.
    """
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        why, remedy = reason_of(rule, detail)
        raise UnsupportedPlaceError(
            f"'{construct}' depends on a staged value, but cannot be staged",
            why=f"{why} ({rule})",
            remedy=remedy,
        )
    return value


def assert_stmt(test: Any, msg: Callable[[], Any] | None) -> None:
    """`assert test, msg()`"""
    try:
        backend = BACKENDS[type(test)]
        if backend is not None and backend.is_staged(test):
            staging.assert_stmt(backend, test, msg)
        elif not test:
            raise AssertionError if msg is None else AssertionError(msg())
    except BaseException as error:
        if not (
            staging.ACTIVE and staging.tells_raises()
        ):  # by this frame a trace knows what an `assert` raised
            without_own_frame(error)
        raise


def get_item(target: Any, key: Any) -> Any:
    """`target[key]`"""
    try:
        kind = type(key)
        if kind is int or kind is str or not is_used() or not staging.has_staged(key):
            return target[key]
        return staging.get_item(target, key)
    except BaseException as error:
        without_own_frame(error)
        raise


def set_item(target: Any, key: Any, value: Any) -> Any:
    """`target[key] = value`; the target that has the value."""
    try:
        backend = staging.owner_of_item(target, key, value) if is_used() else None
        if backend is not None:
            made = backend.set_item(target, key, value)
            return made if made is target else staging.not_dropped(made, target, backend)
        target[key] = value
        return target
    except BaseException as error:
        without_own_frame(error)
        raise


def set_attr(target: Any, name: str, value: Any) -> None:
    """Give an attribute that is part of a statement's state its value, or take it away."""
    if type(value) is Undefined:
        if name in getattr(target, "__dict__", ()):
            delattr(target, name)
    elif getattr(target, name, Undefined) is not value:
        setattr(target, name, value)


def visible(found: Any, added: tuple[str, ...]) -> Any:
    """What `locals()`, `vars()` or `dir()` gave, without the names of converted code."""
    if isinstance(found, dict):
        return {name: value for name, value in found.items() if not _is_ours(name, added)}
    return [name for name in found if not _is_ours(name, added)]


def _is_ours(name: str, added: tuple[str, ...]) -> bool:
    return name in added or name.startswith("ag__")


def ld(value: Any) -> Any:
    """A value that may be missing.

    Raises:
        UnboundLocalError: it is.
    """
    if type(value) is Undefined:
        error = missing(value.error)
    else:
        if staging.ACTIVE and isinstance(value, (tuple, list, dict)):
            return staging.bound_parts(value)
        backend = BACKENDS[type(value)]
        return value if backend is None else staging.bound(backend, value)
    try:
        raise error
    except (AttributeError, NameError) as raised:
        without_own_frame(raised)
        raise


def ldu(load: Callable[[], Any], name: str) -> Any:
    """The value of a variable or attribute, or an `Undefined` where it has none."""
    try:
        return load()
    except (AttributeError, NameError) as error:  # of a variable of the function, Python's text is another
        if isinstance(error, MissingValueError):  # which a property has raised
            raise
        return Undefined(name, "" if "variable" in str(error) else str(error))
    except LookupError:
        return Undefined(name)
