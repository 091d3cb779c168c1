"""Which function a call calls: the operator `callee`.

The front door hands in one function, `resolve`, which says what becomes of a Python function that has
not been seen before. Its answer is kept by code object, so that closures of one `def` share it, and goes
when the code object does. Without a front door (code converted ahead of time), functions are left as
they are and only builtins are looked after.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from . import staging
from .active import ACTIVE
from .backends import load_backends
from .builtins import DISPATCHING
from .errors import ArgumentError, told
from .higher_order import is_higher_order, passing, takes_functions
from .tracebacks import strip, without_own_frame


class Entry(Protocol):
    """What became of the functions of one code object."""

    @property
    def shared(self) -> Callable[..., Any] | None: ...
    @property
    def globals(self) -> dict[str, Any] | None: ...
    def bind(self, function: types.FunctionType) -> Callable[..., Any]: ...


MAX_SEEN = 512
_len = len  # a program may put one of its own in the place of the builtin, which calls converted code


class Entries(dict[int, "Entry | None"]):
    """Entries by the id of their code object; None for code that is left as it is."""

    def __init__(self) -> None:
        super().__init__()
        self._alive: dict[int, weakref.ref[types.CodeType]] = {}
        self.seen: dict[types.FunctionType, tuple[types.CodeType, Callable[..., Any]]] = {}
        """What is called for some functions, each with the code that it had then."""

    def keep(self, code: types.CodeType, entry: Entry | None) -> Entry | None:
        key = id(code)

        def forget(_: object) -> None:
            self.pop(key, None)
            self._alive.pop(key, None)

        self._alive[key] = weakref.ref(code, forget)
        self[key] = entry
        self.seen.clear()
        return entry

    def drop(self, code: types.CodeType) -> None:
        """Let a code object be new here once more."""
        self.pop(id(code), None)
        self.seen.clear()

    def see(self, function: types.FunctionType, called: Callable[..., Any]) -> Callable[..., Any]:
        """Find more quickly, the next time, what is called for a function that its module holds."""
        if function.__globals__.get(function.__name__) is function:
            if _len(self.seen) >= MAX_SEEN:
                self.seen.clear()  # so that modules that a program drops are not kept
            self.seen[function] = function.__code__, called
        return called


def make_callee(
    entries: Entries,
    resolve: Callable[[types.FunctionType], Entry | None] | None,
    replacements: Replacements | None = None,
    *,
    embedded: bool = False,
) -> Callable[[Any], Any]:
    """The operator `callee` over one table of entries; where it is `embedded`, any value may be staged."""
    function_type, method_type = types.FunctionType, types.MethodType
    builtin_type = types.BuiltinFunctionType
    dispatching, active, seen = DISPATCHING, ACTIVE, entries.seen.get
    named = (replacements or Replacements({}, None)).by_name

    def staging_of(function: Any) -> Any:
        """What a backend has in the place of a builtin that is asked for while it stages."""
        staging.notice(function)
        for backend in active:
            replaced = getattr(backend, "replaced", None)
            if replaced is not None and (replacement := replaced(function)) is not None:
                return replacement
        return None

    def left(function: Any) -> Any:
        """The callee of what is not converted."""
        found = dispatching.get(id(function), function)
        if active and found is function and (replacement := staging_of(function)) is not None:
            return replacement
        return handing(function, found)

    def handing(function: Any, found: Any) -> Any:
        """What is called in the place of a function, with what it calls in its turn converted."""
        if embedded and is_higher_order(function):
            return passing(found, top, named)
        return passing(found, top) if active and takes_functions(function) else found

    def fresh(function: Any) -> Any:
        """The callee of a Python function that is new here."""
        if resolve is None:
            return left(function)
        entry = resolve(function)
        if entry is None:
            if function.__module__:
                load_backends(function.__module__.partition(".")[0])
            return left(function)
        if entry.shared is not None and entry.globals is function.__globals__:
            return entry.shared
        return entry.bind(function)

    def callee(function: Any) -> Any:
        try:
            kind = type(function)
            if kind is function_type:
                if (found := seen(function)) is not None and found[0] is function.__code__:
                    return found[1]
                try:
                    entry = entries[id(function.__code__)]
                except KeyError:
                    pass  # what is wrong with it has nothing to do with that
                else:
                    if entry is None:
                        return left(function)
                    if entry.shared is not None and entry.globals is function.__globals__:
                        return entries.see(function, entry.shared)
                    return entry.bind(function)
                return fresh(function)
            if kind is method_type:
                inner = top(function.__func__)
                if inner is function.__func__:
                    return (staging_of(function) or function) if active else function
                if active and type(function.__func__) is not function_type:
                    staging.notice(function)
                return method_type(inner, function.__self__)
            if kind is builtin_type or kind is type:
                if not active:
                    if kind is builtin_type:
                        return handing(function, function) if embedded else function
                elif (replacement := dispatching.get(id(function))) is not None:
                    return handing(function, replacement)
            if active and (replacement := staging_of(function)) is not None:
                return replacement
            return handing(function, function if resolve is None else _other(function, kind, top))
        except BaseException as error:
            strip(error)
            raise

    def replacing(function: Any) -> Any:
        assert replacements is not None
        try:
            found = replacements(function)
        except BaseException as error:
            strip(error)
            raise
        return callee(function) if found is None else found

    top = replacing if replacements else callee
    return top


_BOUND = (types.MethodType, types.BuiltinFunctionType)
_PLAIN = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, functools.partial,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.MethodWrapperType,
)  # fmt: skip


class Replacements:
    """What an embedder has called instead of callables that it names, and that a hook is asked for."""

    def __init__(self, named: Any, hook: Any):
        if not isinstance(named, Mapping) or not all(map(callable, (*named, *named.values()))):
            raise ArgumentError(
                f"builtins are callables by what they replace, not {told(named)}",
                why="converted code calls the one where the user's code names the other",
                remedy="give {range: my_range}",
            )
        if hook is not None and not callable(hook):
            raise ArgumentError(
                f"a call hook is a callable, not {told(hook)}",
                why="it is asked what is called in the place of an object",
                remedy="give a function that takes the object, and gives a callable or None",
            )
        self.named, self.hook = dict(named), hook
        self._by_id = {id(key): value for key, value in self.named.items()}

    def __bool__(self) -> bool:
        return bool(self.named) or self.hook is not None

    def by_name(self, function: Any) -> Any:
        """What is called instead of a callable that was named; None for any other value."""
        found = self._by_id.get(id(function))
        if found is None and isinstance(function, _BOUND):  # a bound method is another object each time
            found = self.named.get(function)
        return found

    def __call__(self, function: Any) -> Any:
        """What is called instead of a callable; None for that itself."""
        found = self.by_name(function)
        if found is None and self.hook is not None and not isinstance(function, _PLAIN):
            found = self.hook(function)
            if found is not None and not callable(found):
                raise ArgumentError(
                    f"the call hook gave {told(found)} for {told(function)}",
                    why="what it gives is called in the place of that",
                    remedy="give a callable, or None so that the object is called as usual",
                )
        return found


def _other(function: Any, kind: type, callee: Callable[[Any], Any]) -> Any:
    """The callee of what is no Python function: a class, a partial, an object with `__call__`."""
    replacement = DISPATCHING.get(id(function))
    if replacement is not None:
        return replacement
    if kind is functools.partial:
        inner = callee(function.func)
        return (
            function
            if inner is function.func
            else functools.partial(inner, *function.args, **function.keywords)
        )
    if isinstance(function, type):
        return _constructor(function, callee)
    call = next((c.__dict__["__call__"] for c in kind.__mro__ if "__call__" in c.__dict__), None)
    if type(call) is types.FunctionType:
        inner = callee(call)
        return function if inner is call else types.MethodType(inner, function)
    return function


def _constructor(cls: Any, callee: Callable[[Any], Any]) -> Any:
    """A class whose `__init__` is user code is made as Python makes it, with the converted `__init__`."""
    init, new = cls.__init__, cls.__new__
    if type(cls) is not type or new is not object.__new__ or type(init) is not types.FunctionType:
        return cls
    converted = callee(init)
    if converted is init:
        return cls

    def construct(*args: Any, **kwargs: Any) -> Any:
        made: Any = object.__new__(cls)
        try:
            value = converted(made, *args, **kwargs)
            if value is not None:
                raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
        except BaseException as error:
            without_own_frame(error)
            raise
        return made

    return construct
