"""The transpiler: functions in, converted functions out, each code object once.

A `Transpiler` has operators, rules and a cache of its own; the functions of `autograph_rs` are the
methods of a default one.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import gast

from autograph_rs import converters, runtime
from autograph_rs.converters import Pipeline
from autograph_rs.runtime import staging
from autograph_rs.runtime.calls import Entries, Replacements, make_callee
from autograph_rs.runtime.errors import ConversionError
from autograph_rs.runtime.source_maps import SourceMap
from autograph_rs.runtime.switch import is_off
from autograph_rs.runtime.tracebacks import hide, without_own_frame

from . import loader, source
from .codes import around, codes_in, function_inside, names_in, outlives
from .depth import converting
from .entries import Converted, Thin
from .maps import source_map
from .plugged import namespace, with_lists
from .policy import Policy, checked_globs, checked_rules
from .source import describe

hide(os.path.dirname(__file__))


MAX_SHARED = 512
_transpilers: weakref.WeakSet[Transpiler] = weakref.WeakSet()
_listing = threading.RLock()  # a set that grows cannot be read


class Transpiler:
    """Converts functions to calls of operators.

    Args:
        operators: a module or object with operators to be used instead of those of this package; it
            need not have all. `docs/operators.md` lists them.
        builtins: what is called in the place of builtins, or of any other callables: `{range: my_range}`.
        recursive: whether functions that converted code calls are converted too.
        include: module globs that are converted although they are installed packages.
        exclude: module globs that are left as they are.
        rules: whether functions, the methods of classes, or the functions of modules are converted; a rule
            for a function comes before that for its class, and this before that for its module.
        call_hook: asked what is called in the place of a callable that is no function, method or class, such
            as a module of a framework; None says that it is called as usual.
        passes: the passes of the conversion, in the place of `Pipeline()`.
        features: the kinds of syntax that are converted, of `converters.FEATURES`; all by default.
        name: what the transpiler is called where it is shown.

    Raises:
        PipelineError: a feature is unknown.
        TypeError: an argument is of another kind.

    >>> import autograph_rs as ag, types
    >>> log = []
    >>> def if_stmt(cond, body, orelse, get_state, set_state, names, nouts):
    ...     log.append(names)
    ...     (body if cond else orelse)()
    >>> spy = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt))
    >>> def f(x):
    ...     if x > 0:
    ...         x = -x
    ...     return x
    >>> spy.to_graph(f)(3), log
    (-3, [('x',)])
    """

    def __init__(
        self,
        *,
        operators: Any = None,
        builtins: Mapping[Any, Callable[..., Any]] | None = None,
        recursive: bool = True,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        rules: Mapping[Any, bool] | None = None,
        call_hook: Callable[[Any], Callable[..., Any] | None] | None = None,
        passes: Pipeline | None = None,
        features: Collection[str] | None = None,
        name: str = "autograph_rs",
    ):
        self.name = name
        globs = checked_globs(include), checked_globs(exclude)
        self.policy = Policy(recursive, *globs, checked_rules(rules or {}))
        self.pipeline = Pipeline() if passes is None else passes
        if not isinstance(self.pipeline, Pipeline):
            raise TypeError(f"passes are a Pipeline, not {passes!r}")
        if features is not None:
            self.pipeline = self.pipeline.only(features)
        if features is None or "lists" in features:
            self.pipeline = with_lists(self.pipeline, operators)
        self._verifies = passes is not None
        self._replacements = Replacements(builtins or {}, call_hook)
        self._entries = Entries()
        self._converted = Entries()
        self._texts: dict[int, str] = {}
        self._shared: deque[Converted] = deque()
        self._lock = threading.RLock()
        self._made: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()  # by to_graph?
        self._embedded = operators is not None or bool(self._replacements)
        self.callee = make_callee(self._entries, self._resolve, self._replacements, embedded=self._embedded)
        with _listing:
            _transpilers.add(self)
        self._entries.keep(thin_code(), Thin())
        plugged = namespace(operators, self.callee, self._replacements, recursive=recursive)
        self._cell = types.CellType(plugged)

    def __repr__(self) -> str:
        return f"<Transpiler {self.name!r}>"

    # The public road

    def convert(self, f: Any = None, *, source: str | None = None) -> Any:
        """A callable that runs `f` itself, and its converted code while a backend is staging.

        With operators, builtins or a call hook of an embedder it always runs the converted code.

        Args:
            f: a function, method, static or class method, lambda, `functools.partial` or callable
                object; without one, a decorator is returned.
            source: the text of `f`, where it cannot be read.

        Raises:
            TypeError: `f` is no callable.
            ConversionError: the source of `f` cannot be had (at the first staged call).

        >>> import autograph_rs as ag
        >>> @ag.convert
        ... def relu(x):
        ...     return x if x > 0 else 0
        >>> relu(-2)
        0
        """
        if f is None:
            return functools.partial(self.convert, source=source)
        if not isinstance(f, types.FunctionType):
            return around(f, lambda inner: self.convert(inner, source=source))
        if f in self._made:
            return f
        f = self.original(f)
        if self.is_converted(f) or outlives(f.__code__):
            return self.to_graph(f, source=source)
        return self._thin(f, source)

    def to_graph(self, f: Any, *, source: str | None = None) -> Any:
        """The converted function, which runs converted code on plain values too.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            TypeError: `f` is no callable.
            ConversionError: the source cannot be had, or has changed since `f` was compiled.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     while x > 10:
        ...         x //= 2
        ...     return x
        >>> ag.to_graph(f)(100)
        6
        """
        if not isinstance(f, types.FunctionType):
            return around(f, lambda inner: self.to_graph(inner, source=source))
        if self._made.get(f):
            return f
        f = self.original(f)
        if id(f.__code__) in self._converted or (self.is_converted(f) and not made_inside(f)):
            return f
        entry = self._entry(f, source)
        made = loader.dressed(entry.bind(f), f)
        self._made[made] = True
        return made

    def to_code(self, f: Any, *, source: str | None = None) -> str:
        """The source text of the converted function, exactly what `to_graph` runs.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            TypeError: `f` is no callable.
            ConversionError: the source cannot be had, or has changed since `f` was compiled.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     if x > 0:
        ...         x = -x
        ...     return x
        >>> print(ag.to_code(f))
        def ag__f(x):
        <BLANKLINE>
            def if_body():
                nonlocal x
                x = -x
        <BLANKLINE>
            def get_state():
                return (x,)
        <BLANKLINE>
            def set_state(values):
                nonlocal x
                x, = values
            ag__.if_stmt(x > 0, if_body, ag__.nothing, get_state, set_state, ('x',), 1)
            return x
        """
        return self._text(f, source)[1]

    def source_map(self, f: Any, *, source: str | None = None) -> SourceMap:
        """Where what stands in `to_code` came from.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            TypeError: `f` is no callable.
            ConversionError: the source cannot be had, or has changed since `f` was compiled.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     if x > 0:
        ...         x = -x
        ...     return x
        >>> transpiler = ag.Transpiler()
        >>> code = transpiler.to_code(f).splitlines()
        >>> place = next(i for i, line in enumerate(code, 1) if "x = -x" in line)
        >>> transpiler.source_map(f).original(place)[1:]
        (3, 8)
        """
        tree, text = self._text(f, source)
        return source_map(tree, text, self.original(f).__code__.co_filename)

    def _text(self, f: Any, source: str | None) -> tuple[ast.AST, str]:
        f = self.original(f)
        tree = self._entry(f, source).tree
        with converting(describe(f)):
            detached = ast.fix_missing_locations(loader.detached(tree))
            return detached, ast.unparse(detached)

    def original(self, f: Any) -> types.FunctionType:
        """The function that the user wrote, of what this transpiler made of it.

        Args:
            f: what `convert` takes; of a method, partial or object it is the function inside.

        Raises:
            TypeError: `f` is no callable.
        """
        while not isinstance(f, types.FunctionType):
            f = function_inside(f)
        while f.__code__ is thin_code() or any(other.has_made(f) for other in live()):
            f = f.__wrapped__  # type: ignore[attr-defined]
        return f  # type: ignore[no-any-return]

    def has_converted(self, f: Any) -> bool:
        """Whether this transpiler has converted the code of `f` by now: by name, or since it was called.

        Args:
            f: what `convert` takes.

        Raises:
            TypeError: `f` is no callable.
        """
        return isinstance(self._entries.get(id(self.original(f).__code__)), Converted)

    def has_made(self, f: types.FunctionType) -> bool:
        """Whether a function is a result of this transpiler's `convert` or `to_graph`."""
        return f in self._made

    def leave(self, code: types.CodeType) -> None:
        """Leave what has this code as it is, whatever became of it before."""
        self._entries.keep(code, None)

    def is_converted(self, f: Any) -> bool:
        """Whether `f` is what `convert` or `to_graph` made, or was converted ahead of time."""
        if not isinstance(f, types.FunctionType):
            return False
        ahead_of_time = f.__globals__.get("ag__") is runtime
        return f in self._made or ahead_of_time or "ag__" in f.__code__.co_freevars

    # Inside

    def _thin(self, f: types.FunctionType, text: str | None) -> Callable[..., Any]:
        made: list[Callable[..., Any]] = []
        is_staging = _always if self._embedded else runtime.is_staging

        def convert_call(*args: Any, **kwargs: Any) -> Any:
            try:
                if not is_staging() or is_off():
                    return f(*args, **kwargs)
                if not made:
                    made.append(self.to_graph(f, source=text))
                with runtime.entered():
                    return made[0](*args, **kwargs)
            except BaseException as error:
                without_own_frame(error)
                if made and staging.ended(error, sys._getframe()):
                    return None
                raise

        self._keep_text(f.__code__, text)
        functools.update_wrapper(convert_call, f)
        convert_call.__defaults__, convert_call.__kwdefaults__ = None, None
        loader.mark_converted(convert_call)
        self._made[convert_call] = False
        return convert_call

    def _keep_text(self, code: types.CodeType, text: str | None) -> None:
        if text is not None and self._texts.get(id(code)) != text:
            self._texts[id(code)] = text
            weakref.finalize(code, self._texts.pop, id(code), None)

    def _entry(self, f: types.FunctionType, text: str | None = None) -> Converted:
        entry = self._entries.get(id(f.__code__))
        if isinstance(entry, Converted):
            return entry
        self._keep_text(f.__code__, text)
        text = self._texts.get(id(f.__code__))
        with self._lock:
            entry = self._entries.get(id(f.__code__))
            if not isinstance(entry, Converted):
                entry = self._convert(f, text)
                self._entries.keep(f.__code__, entry)
        return entry

    def _convert(self, f: types.FunctionType, text: str | None) -> Converted:
        found = source.find(f, text, trusted=made_inside(f))
        if any(source.OPERATORS in names_in(c) for c in codes_in(f.__code__)):
            source.refuse_own_name(found.node, f.__code__.co_filename)
        with converting(describe(f)):
            tree = gast.ast_to_gast(found.node)
            if found.class_name is not None:
                converters.mangle(tree, found.class_name)
            generated = converters.convert_tree(tree, passes=self.pipeline.passes, verify=self._verifies)
            code = loader.compile_function(tree, f.__code__, generated)
            for inner in codes_in(code):
                self._entries.keep(inner, None)
                self._converted.keep(inner, None)
        entry = Converted(code, self._cell, tree=tree)
        if f.__closure__ is None and f.__defaults__ is None and f.__kwdefaults__ is None:
            entry.shared, entry.globals = entry.bind(f), f.__globals__
            self._shared.append(entry)
            if len(self._shared) > MAX_SHARED:  # what is shared keeps its module alive
                oldest = self._shared.popleft()
                oldest.shared = oldest.globals = None
        return entry

    def _resolve(self, f: types.FunctionType) -> Converted | None:
        """What becomes of a function that converted code calls."""
        if self.policy.reason_to_leave(f) is None:
            try:
                return self._entry(f)
            except ConversionError:
                if source.has_text(f):
                    raise
        self._entries.keep(f.__code__, None)
        return None


def _always() -> bool:
    return True


def thin_code() -> types.CodeType:
    """The code that all callables of `convert` share."""
    codes = codes_in(Transpiler._thin.__code__)  # noqa: SLF001 - our own
    return next(code for code in codes if code.co_name == "convert_call")


def made_inside(f: types.FunctionType) -> bool:
    """Whether a converted function made `f`, whose code is not what its source compiles to."""
    return any(id(f.__code__) in other._converted for other in live())  # noqa: SLF001 - of the same class


def live() -> list[Transpiler]:
    """The transpilers that there are."""
    with _listing:
        return list(_transpilers)
