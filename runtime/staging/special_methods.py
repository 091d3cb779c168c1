"""Conversion of the special methods, properties and descriptors of user classes.

Python itself calls these, so no operator sees the call. While a trace runs, the classes that it *meets* have
*forwarding methods* in their place: in a thread that traces, these call the converted method, and in any
other thread the method itself. A class gets its own methods back when the last trace that met it ends.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from ..backends import BACKENDS, Backend, staged_by
from ..core.traces import TRACES, Trace, current_trace
from ..debugging.tracebacks import drop_current_frame
from ..errors import ValueNeededError
from ..values.locations import defining_class, has_contents
from ..values.reachability import ATOMS, MAX_VISITED, contents
from . import identity
from .branches.conditions import if_exp
from .state.heap import excluded_from_heap, is_of_user, running_heaps
from .state.missing_values import OptionalStructure

_KEPT = frozenset(
    f"__{name}__"
    for name in "new del init_subclass class_getitem set_name getattribute instancecheck subclasscheck "
    "prepare reduce reduce_ex getstate setstate getnewargs getnewargs_ex sizeof dir hash".split()
)
"""Special methods that stay unconverted: they create and describe objects."""


class _Installed:
    """The forwarding methods of one class, and the number of traces that use them."""

    def __init__(self, kind: type):
        self.kind, self.users = kind, 0
        self.pairs: dict[str, tuple[Any, Any]] = {}
        for name, value in vars(kind).items():
            replacement = _replacement(kind, name, value)
            if replacement is not None:
                self.pairs[name] = value, replacement
        if "__eq__" in self.pairs and kind.__ne__ is object.__ne__:  # type: ignore[comparison-overlap]
            self.pairs["__ne__"] = None, _not_equal
        if type(kind).__setattr__ is type.__setattr__ and not kind.__flags__ & _IS_IMMUTABLE:
            self.pairs |= {
                n: (None, f) for n, f in identity.METHODS.items() if getattr(kind, n) is getattr(object, n)
            }

    def install(self) -> None:
        for name, (_, replacement) in self.pairs.items():
            type.__setattr__(self.kind, name, replacement)

    def uninstall(self) -> None:
        for name, (original, replacement) in self.pairs.items():
            if vars(self.kind).get(name) is replacement:  # the user may have assigned another
                if original is None:
                    type.__delattr__(self.kind, name)
                else:
                    type.__setattr__(self.kind, name, original)


_IS_IMMUTABLE = 1 << 8
"""The flag of classes whose attributes cannot be set."""
_installed: dict[type, _Installed] = {}
_lock = threading.RLock()  # reentrant: a finalizer may run a trace while it is held


def _replacement(kind: type, name: str, value: Any) -> Any:
    """Return what replaces an attribute of a class during a trace, or None if it stays."""
    if type(value) is types.FunctionType and not _is_of_named_tuple(value):
        if not (name.startswith("__") and name.endswith("__")) or name in _KEPT:
            return None
        if name == "__init__" and is_generated(kind, value):
            return None
        if name == "__eq__" and is_generated(kind, value):
            return _field_comparison(value, [f.name for f in dataclasses.fields(kind) if f.compare])
        if name == "__repr__" and is_generated(kind, value):
            return forwarding_method(
                identity.field_text(value, [f.name for f in dataclasses.fields(kind) if f.repr])
            )
        return forwarding_method(value)
    if type(value) is property:
        parts = (value.fget, value.fset, value.fdel)
        converted = [forwarding_method(f) if type(f) is types.FunctionType else f for f in parts]
        return property(*converted, value.__doc__)  # type: ignore[arg-type, call-arg]
    if type(value) is functools.cached_property and type(value.func) is types.FunctionType:
        cached = functools.cached_property(forwarding_method(value.func))
        cached.attrname = value.attrname
        return cached
    return None


def _is_of_named_tuple(method: types.FunctionType) -> bool:
    """Return whether a method was made with a named tuple, whose text is that of its parts."""
    return method.__code__.co_filename == collections.__file__


def forwarding_method(method: types.FunctionType) -> Callable[..., Any]:
    """Return a method that calls the converted `method` in a thread that runs a trace."""

    @functools.wraps(method)
    def forward(*args: Any, **kwargs: Any) -> Any:
        try:
            trace = current_trace()
            if trace is None:
                return method(*args, **kwargs)
            result = trace.namespace.callee(method)(*args, **kwargs)
            if method.__name__ in _COERCED and staged_by(result) is not None:
                raise ValueNeededError(
                    f"Python calls {method.__name__!r} for a value that is staged",
                    why="the value is known only when the graph runs, and a library or builtin needs it now",
                    remedy="call the builtin on the object itself in converted code, as in bool(x) or len(x)",
                )
            return result
        except BaseException as error:
            drop_current_frame(error)
            raise

    return forward


def is_generated(kind: type, method: types.FunctionType) -> bool:
    """Return whether `dataclasses` generated a method, whose source no file contains."""
    return "__dataclass_params__" in vars(kind) and inspect.unwrap(method).__code__.co_filename == "<string>"


def _field_comparison(method: types.FunctionType, names: list[str]) -> Callable[[Any, Any], Any]:
    """Return a staged form of an `__eq__` that compares the fields with these names."""
    ignores_identity = sys.version_info >= (3, 13)

    @functools.wraps(method)
    def compare(self: Any, other: Any) -> Any:
        if current_trace() is None or self.__class__ is not other.__class__:
            return method(self, other)
        result: Any = True
        for name in names:
            first, second = getattr(self, name), getattr(other, name)
            equal = (first is second and not ignores_identity) or truth(first == second)[0]
            backend = staged_by(result)
            if backend is not None:
                result = backend.and_(result, lambda equal=equal: equal)  # type: ignore[misc]
            elif not result:
                return result
            else:
                result = equal
        return result

    return compare


def _not_equal(self: Any, other: Any) -> Any:
    """`self != other` for a class that defines only `__eq__`."""
    equal = type(self).__eq__(self, other)  # type: ignore[call-arg]
    if equal is NotImplemented:
        return equal
    equal, _ = truth(equal)
    backend = staged_by(equal)
    return not equal if backend is None else backend.not_(equal)


# The classes that a trace meets


def meet(trace: Trace, kind: type) -> None:
    """Convert the special methods of a class, of its bases and of its descriptors until a trace ends."""
    for base in kind.__mro__:
        if base in trace.met:
            continue
        trace.met.add(base)
        if not is_of_user(base) or BACKENDS[base] is not None:
            continue
        with excluded_from_heap() if running_heaps() else contextlib.nullcontext():
            _convert(base)
            trace.exits.callback(_restore, base)
        for value in [*vars(base).values()]:
            if hasattr(type(value), "__get__") or hasattr(type(value), "__set__"):
                meet(trace, type(value))


def _convert(kind: type) -> None:
    with _lock:
        installed = _installed.setdefault(kind, _Installed(kind))
        installed.users += 1
        if installed.users == 1:
            installed.install()


def _restore(kind: type) -> None:
    with _lock:
        installed = _installed[kind]
        installed.users -= 1
        if not installed.users:
            installed.uninstall()
            del _installed[kind]


class Tracing(Trace):
    """A trace that calls `function` with some arguments."""

    def __init__(self, namespace: Any, function: Any, arguments: Any) -> None:
        super().__init__(namespace)
        self.called = function, arguments

    def __enter__(self) -> None:
        super().__enter__()
        function, arguments = self.called
        try:
            meet_called(function)
            meet_values([arguments])
        except BaseException:
            self.exits.close()
            raise


def meet_values(values: Iterable[Any]) -> None:
    """Meet the classes of some values, and of at most `MAX_VISITED` that each of them holds."""
    trace = current_trace()
    for root in values if trace is not None else ():
        pending, count = [root], 0
        while pending and count < MAX_VISITED:
            value = pending.pop()
            kind = type(value)
            count += 1
            if isinstance(value, type):
                meet(trace, value)  # type: ignore[arg-type]
            elif kind in ATOMS or BACKENDS[kind] is not None or isinstance(value, (np.generic, np.ndarray)):
                continue
            elif id(value) not in trace.seen:  # type: ignore[union-attr]
                trace.seen[id(value)] = value  # type: ignore[union-attr]
                meet(trace, kind)  # type: ignore[arg-type]
                pending += contents(value)


def meet_called(called: Any) -> Any:
    """Meet the classes of what a function that is called names or holds, and return the user's function."""
    trace = current_trace()
    if trace is None:
        return called
    is_bound = isinstance(called, types.MethodType)
    function = called.__func__ if is_bound else called
    if is_bound:
        meet_values([called.__self__])
    if isinstance(function, types.FunctionType) and function.__code__ is _FORWARDING_CODE:
        function = function.__wrapped__  # type: ignore[attr-defined]
        called = types.MethodType(function, called.__self__) if is_bound else function
    if not isinstance(function, types.FunctionType):
        meet_values([function])
    elif id(function.__code__) not in trace.seen:
        trace.seen[id(function.__code__)] = function.__code__
        scope = function.__globals__
        cells = [c.cell_contents for c in function.__closure__ or () if has_contents(c)]
        meet_values([*(scope[n] for n in function.__code__.co_names if n in scope), *cells])
    return called


_FORWARDING_CODE = forwarding_method(lambda: None).__code__  # type: ignore[arg-type]


# Builtins that convert what a special method returns


_METHODS: dict[Any, tuple[str, ...]] = {
    bool: ("__bool__", "__len__"),
    len: ("__len__",),
    int: ("__int__",),
    float: ("__float__",),
    complex: ("__complex__",),
    str: ("__str__", "__repr__"),
    repr: ("__repr__",),
}
"""The special methods that a builtin calls: the first that the class has."""
_COERCED = frozenset((*chain.from_iterable(_METHODS.values()), "__contains__", "__index__", "__format__"))
"""The special methods whose results Python converts to its own types."""
_KINDS = {name: name.strip("_") for name in ("__bool__", "__int__", "__float__", "__complex__")}
_KINDS["__len__"] = "int"
"""The kinds of numbers that special methods must return."""


def user_method(value: Any, *names: str) -> tuple[str, Callable[..., Any] | None]:
    """Return the first of some special methods that a value has, converted; None unless it is the user's."""
    kind, trace = type(value), current_trace()
    if trace is None or BACKENDS[kind] is not None:
        return "", None
    for name in names:
        owner = defining_class(kind, name)
        found = vars(owner).get(name)
        if is_of_user(owner) and type(found) is types.FunctionType:
            if _is_of_named_tuple(found):
                break
            meet(trace, kind)
            return name, types.MethodType(trace.namespace.callee(found), value)
        if owner is not object:
            break
    return "", None


def is_computed(kind: type, name: str) -> bool:
    """Return whether assigning an attribute calls a method of the user."""
    found = vars(defining_class(kind, name)).get(name)
    setter = getattr(type(found), "__set__", None)
    if type(found) is property or type(setter) is types.FunctionType:
        return True
    owner = defining_class(kind, "__setattr__")
    return is_of_user(owner) and type(vars(owner)["__setattr__"]) is types.FunctionType


def result_of(name: str, value: Any, result: Any) -> Any:
    """Return an object whose special method returns `result`."""
    return type(type(value).__name__, (), {name: lambda *_: result})()


def call_builtin(function: Callable[..., Any], value: Any) -> Any:
    """Return `function(value)`, which may be staged, if a user class computes it; else NotImplemented."""
    name, method = user_method(value, *_METHODS.get(function, ()))
    if method is None:
        return NotImplemented
    result = method()
    backend = staged_by(result)
    if backend is None:
        return function(result_of(name, value, result))
    kind = _KINDS.get(name, "")
    if kind not in str(getattr(result, "dtype", kind)):
        raise TypeError(f"{name} should return {kind}, returned {result.dtype}")
    return backend.call_builtin(bool, (result,), {}) if function is bool else result


def text_of(value: Any, conversion: str = "") -> Any:
    """Return the text of an instance of a user class, or an object that has it; None for any other value."""
    names = {"": ("__format__", "__str__", "__repr__"), "s": ("__str__", "__repr__"), "r": ("__repr__",)}
    name, method = user_method(value, *names.get(conversion, ()))
    if method is None or name == "__format__":
        return None
    result = method()
    return result_of(name, value, result) if staged_by(result) is None else result


def truth(value: Any) -> tuple[Any, Backend | None]:
    """Return the truth of an instance of a user class, or any other value unchanged, and its backend."""
    if isinstance(value, OptionalStructure):
        value = value.ag__truth()
        return value, BACKENDS[type(value)]
    if not TRACES:
        return value, None
    found = call_builtin(bool, value)
    value = value if found is NotImplemented else found
    return value, BACKENDS[type(value)]


def and_object(left: Any, right: Callable[[], Any]) -> Any:
    """`left and right()`, where the class of `left` is of no backend."""
    return _short_circuit(left, right, is_and=True)


def or_object(left: Any, right: Callable[[], Any]) -> Any:
    """`left or right()`, where the class of `left` is of no backend."""
    return _short_circuit(left, right, is_and=False)


def _short_circuit(left: Any, right: Callable[[], Any], *, is_and: bool) -> Any:
    cond, backend = truth(left)
    if backend is None or not backend.is_staged(cond):
        return right() if bool(cond) is is_and else left
    own = getattr(backend, "short_circuit", None)
    if own is not None and isinstance(left, OptionalStructure):  # whose truth does not change
        return own(left, right, is_and=is_and, test=cond)
    sides = (right, lambda: left) if is_and else (lambda: left, right)
    return if_exp(backend, cond, *sides, "")


def contains(item: Any, container: Any) -> Any:
    """Return `item in container` if the class of the container computes it, else None."""
    _, method = user_method(container, "__contains__")
    if method is not None:
        result = method(item)
        backend = staged_by(result)
        return bool(result) if backend is None else backend.call_builtin(bool, (result,), {})
    if hasattr(type(container), "__contains__"):
        return None
    _, method = user_method(container, "__iter__")
    if method is None:
        return None
    items = method()
    backend = staged_by(items) or staged_by(item)
    if staged_by(items) is None:
        items = [*items]
        backend = backend or next(filter(None, map(staged_by, items)), None)
    return item in items if backend is None else backend.contains(item, items)
