"""The operator `callee`, which returns the function that a call in converted code runs.

The public API passes a function `resolve`, which decides whether to convert a Python function at its first
call. The decision is cached under the code object, so that closures of one `def` share it, and is dropped
when that object dies. Without `resolve`, as in code converted ahead of time, only builtins are replaced.
"""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable, Mapping
from enum import EnumType
from typing import Any, Protocol

import numpy as np

from .. import staging
from ..backends import load_backends
from ..backends.builtins import DISPATCHING
from ..containers import REPLACED
from ..core.active_backends import ACTIVE, CAPTURES, active_backend
from ..debugging.tracebacks import drop_current_frame, strip_internal_frames
from ..errors import ArgumentError, describe
from ..values.locations import defining_class
from . import builtins as _builtins  # noqa: F401 - fills DISPATCHING
from .higher_order import is_higher_order, takes_functions, with_converted_arguments, with_converted_function


class CacheEntry(Protocol):
    """The conversion of all functions that share a code object.

    `shared`, unless None, is the converted function for every function whose globals are `globals`. `bind`
    converts any other function.
    """

    @property
    def shared(self) -> Callable[..., Any] | None: ...
    @property
    def globals(self) -> dict[str, Any] | None: ...
    def bind(self, function: types.FunctionType) -> Callable[..., Any]: ...


MAX_FAST_PATH = 512
_len = len  # a program may replace the builtin with a function that calls converted code


class ConversionCache(dict[int, "CacheEntry | None"]):
    """A mapping from the ids of code objects to cache entries, or to None for code that stays unconverted."""

    def __init__(self) -> None:
        super().__init__()
        self._alive: dict[int, weakref.ref[types.CodeType]] = {}
        self.fast_path: dict[types.FunctionType, tuple[types.CodeType, Callable[..., Any]]] = {}
        """Maps module-level functions to their code object at the time of caching, and to their callee."""
        self._lock = threading.RLock()  # reentrant: a finalizer may call converted code while it is held
        # The fast path contains nothing that `add` or `discard` has replaced.

    def add(self, code: types.CodeType, entry: CacheEntry | None) -> CacheEntry | None:
        """Cache an entry for as long as its code object lives."""
        key = id(code)

        def remove(_: object) -> None:
            self.pop(key, None)
            self._alive.pop(key, None)

        with self._lock:
            self._alive[key] = weakref.ref(code, remove)
            self[key] = entry
            self.fast_path.clear()
        return entry

    def discard(self, code: types.CodeType) -> None:
        with self._lock:
            self.pop(id(code), None)
            self.fast_path.clear()

    def discard_all(self, kinds: type | tuple[type, ...]) -> None:
        """Discard every entry of some classes, so that its code is resolved again."""
        with self._lock:
            for key in list(self):  # of keys only: garbage collection during the copy may remove entries
                if isinstance(self.get(key), kinds):
                    self.pop(key, None)
            self.fast_path.clear()

    def add_to_fast_path(
        self, function: types.FunctionType, called: Callable[..., Any], entry: CacheEntry
    ) -> Callable[..., Any]:
        """Return `called`, and cache it as the callee of `function` if that is a global of its module.

        `entry` is the entry that `called` comes from.
        """
        if function.__globals__.get(function.__name__) is function:
            cached = function.__code__, called
            with self._lock:
                if _len(self.fast_path) >= MAX_FAST_PATH:
                    self.fast_path.clear()  # do not keep dropped modules alive
                if self.get(id(function.__code__)) is entry:
                    self.fast_path[function] = cached
        return called


def make_callee(
    entries: ConversionCache,
    resolve: Callable[[types.FunctionType], CacheEntry | None] | None,
    replacements: Replacements | None = None,
    *,
    embedded: bool = False,
    loop_form: Callable[[types.FunctionType], Callable[..., Any] | None] = lambda _: None,
) -> Callable[[Any], Any]:
    """Create the operator `callee`.

    `resolve` looks up a function that is not in the cache; without it, functions stay unconverted.
    With `embedded`, an embedder has defined operators, so any value may be staged. `loop_form` returns a
    tail-recursive function as a loop, or None for any other function.
    """
    function_type, method_type = types.FunctionType, types.MethodType
    builtin_type, vectorize = types.BuiltinFunctionType, np.vectorize
    dispatching, active, captures, fast_path = DISPATCHING, ACTIVE, CAPTURES, entries.fast_path.get
    named = (replacements or Replacements({}, None)).by_name

    def replacement_of(function: Any) -> Any:
        """Return a backend's replacement for a builtin, or None."""
        staging.warn_of_effects(function)
        for backend in active:
            replaced = getattr(backend, "replaced", None)
            if replaced is not None and (replacement := replaced(function)) is not None:
                return replacement
        is_replaced = isinstance(function, EnumType) or getattr(function, "__name__", None) in REPLACED
        if is_replaced and active_backend() is not None:
            from ..containers import calls  # noqa: PLC0415 - needed by traces only

            replacement = calls.replacement(function)
            if replacement is not None:
                return with_converted_arguments(replacement, top)
        return None

    def unconverted(function: Any) -> Any:
        dispatched = dispatching.get(id(function), function)
        if active and dispatched is function and (replacement := replacement_of(function)) is not None:
            return convert_arguments(function, replacement)
        return convert_arguments(function, dispatched)

    def convert_arguments(function: Any, called: Any) -> Any:
        """Make `called`, which replaces `function`, convert functions that `function` may call."""
        if embedded and is_higher_order(function):
            return with_converted_arguments(called, top, named)
        if not active or not takes_functions(function):
            return called
        return with_converted_arguments(called, top, _dispatching if is_higher_order(function) else None)

    def resolve_new(function: Any) -> Any:
        """Return the callee of a Python function that is not in the cache."""
        if resolve is None:
            return recursive(unconverted(function), function)
        entry = resolve(function)
        if entry is None:
            if function.__module__:
                load_backends(function.__module__.partition(".")[0])
            return unconverted(function)
        shared = entry.shared  # read once: another thread may evict it
        if shared is not None and entry.globals is function.__globals__:
            return recursive(shared, function)
        return bound(entry, function)

    def bound(entry: CacheEntry, function: Any) -> Any:
        """Return the callee that an entry creates for a function, which may be the function itself."""
        called = entry.bind(function)
        return unconverted(function) if called is function else recursive(called, function)

    def recursive(called: Any, function: Any) -> Any:
        """Return what runs `called`, the callee of a function that may be running already."""
        if not (active and captures.heaps):
            return called
        return staging.recursive_callee(called, lambda: loop_form(function))

    def callee(function: Any) -> Any:
        try:
            kind = type(function)
            if kind is function_type:
                if (cached := fast_path(function)) is not None and cached[0] is function.__code__:
                    return recursive(cached[1], function) if active else cached[1]
                try:
                    entry = entries[id(function.__code__)]
                except KeyError:
                    pass  # do not chain an error of `resolve_new` to this one
                else:
                    if entry is None:
                        return recursive(unconverted(function), function)
                    shared = entry.shared
                    if shared is not None and entry.globals is function.__globals__:
                        return recursive(entries.add_to_fast_path(function, shared, entry), function)
                    return bound(entry, function)
                return resolve_new(function)
            if kind is method_type:
                inner = top(function.__func__)
                if inner is function.__func__:
                    return (replacement_of(function) or function) if active else function
                if active and type(function.__func__) is not function_type:
                    staging.warn_of_effects(function)
                return method_type(inner, function.__self__)
            if kind is builtin_type or kind is type:
                if not active:
                    if kind is builtin_type:
                        return convert_arguments(function, function) if embedded else function
                elif (replacement := dispatching.get(id(function))) is not None:
                    return convert_arguments(function, replacement)
            if active and kind is vectorize:
                function = with_converted_function(function, top)
            if active and (replacement := replacement_of(function)) is not None:
                return convert_arguments(function, replacement)
            if resolve is None:
                called = dispatching.get(id(function), function)
            else:
                called = _convert_callable(function, kind, top)
            return convert_arguments(function, _constructor(function, called) if active else called)
        except BaseException as error:
            strip_internal_frames(error)
            raise

    def replacing_callee(function: Any) -> Any:
        assert replacements is not None
        try:
            replacement = replacements(function)
        except BaseException as error:
            strip_internal_frames(error)
            raise
        return callee(function) if replacement is None else replacement

    top = replacing_callee if replacements else callee
    return top


def _dispatching(value: Any) -> Any:
    """Return what converted code calls in place of a builtin, or None."""
    return DISPATCHING.get(id(value))


_BOUND = (types.MethodType, types.BuiltinFunctionType)
_NOT_HOOKED = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, functools.partial,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.MethodWrapperType,
)  # fmt: skip


class Replacements:
    """An embedder's replacements: a mapping from callables to callables, and a hook for other objects."""

    def __init__(self, named: Any, hook: Any):
        if not isinstance(named, Mapping) or not all(map(callable, (*named, *named.values()))):
            raise ArgumentError(
                f"builtins= must be a mapping from callables to their replacements, not {describe(named)}",
                why="converted code calls the value where the user's code calls the key",
                remedy="pass a dict such as {range: my_range}",
            )
        if hook is not None and not callable(hook):
            raise ArgumentError(
                f"a call hook must be callable, not {describe(hook)}",
                why="it is called with each object that converted code calls",
                remedy="pass a function that takes the object and returns a callable or None",
            )
        self.named, self.hook = dict(named), hook
        self._by_id = {id(key): value for key, value in self.named.items()}

    def __bool__(self) -> bool:
        return bool(self.named) or self.hook is not None

    def by_name(self, function: Any) -> Any:
        """Return the mapping's replacement for a callable, or None."""
        replacement = self._by_id.get(id(function))
        if replacement is None and isinstance(function, _BOUND):  # a bound method is a new object each time
            replacement = self.named.get(function)
        return replacement

    def __call__(self, function: Any) -> Any:
        """Return the replacement for a callable from the mapping or the hook, or None."""
        replacement = self.by_name(function)
        if replacement is None and self.hook is not None and not isinstance(function, _NOT_HOOKED):
            replacement = self.hook(function)
            if replacement is not None and not callable(replacement):
                raise ArgumentError(
                    f"the call hook returned {describe(replacement)} for {describe(function)}",
                    why="converted code calls the object that the hook returns",
                    remedy="return a callable, or None to call the object itself",
                )
        return replacement


def _convert_callable(function: Any, kind: type, callee: Callable[[Any], Any]) -> Any:
    """Return the callee of a class, a partial, or an object with `__call__`."""
    replacement = DISPATCHING.get(id(function))
    if replacement is not None:
        return replacement
    if kind is functools.partial:
        inner = callee(function.func)
        if inner is function.func:
            return function
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, type):
        return _convert_class(function, callee)
    call = vars(defining_class(kind, "__call__")).get("__call__")
    if type(call) is types.FunctionType:
        inner = callee(call)
        return function if inner is call else types.MethodType(inner, function)
    return function


def _constructor(function: Any, called: Any) -> Any:
    """Return what the backend calls to create instances of a class, and `called` for anything else."""
    constructor = getattr(active_backend(), "constructor", None) if isinstance(function, type) else None
    return called if constructor is None else constructor(function, called)


def _convert_class(cls: Any, callee: Callable[[Any], Any]) -> Any:
    """Return a constructor that calls the converted `__init__`, or the class if nothing is converted."""
    init, new = cls.__init__, cls.__new__
    if type(cls) is not type or new is not object.__new__ or type(init) is not types.FunctionType:
        return cls
    converted = callee(init)
    if converted is init:
        return cls

    def construct(*args: Any, **kwargs: Any) -> Any:
        instance: Any = object.__new__(cls)
        try:
            value = converted(instance, *args, **kwargs)
            if value is not None:
                raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
        except BaseException as error:
            drop_current_frame(error)
            raise
        return instance

    return construct
