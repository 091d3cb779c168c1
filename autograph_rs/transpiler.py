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
from autograph_rs.converters.python_trees import gast_tree
from autograph_rs.runtime import left, staging
from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.calls import Entries, Entry, Replacements, make_callee
from autograph_rs.runtime.errors import ConversionError, checked_truth
from autograph_rs.runtime.source_maps import SourceMap
from autograph_rs.runtime.switch import is_off
from autograph_rs.runtime.tracebacks import hide, without_own_frame

from . import loader, source
from .codes import around, codes_in, names_in, outlives
from .depth import big_trees, converting
from .entries import Converted, Made, Texts, Thin
from .known import Known, enlist, made_inside, origin
from .maps import source_map
from .plugged import namespace, pipeline_of
from .policy import Policy, checked_globs, checked_rules
from .refusals import node_of
from .telling import now, tell_call, tell_conversion
from .texts import checked_text

for _room in (__file__, converters.__file__):  # a folder of its own in a checkout
    hide(os.path.dirname(_room))


class Transpiler(Known):
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
        OptionError: a feature is unknown.
        ArgumentError: an argument is of another kind.

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

    @public
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
        self.policy = Policy(checked_truth("recursive", recursive), *globs, checked_rules(rules or {}))
        self.pipeline = pipeline_of(passes, features, operators)
        self._verifies = passes is not None
        self._opens = operators is None and not builtins and call_hook is None and passes is None
        self._replacements = Replacements(builtins or {}, call_hook)
        self._entries, self._converted = Entries(), Entries()
        self._texts = Texts(self._entries)
        self.given: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # by what was made
        self._shared: deque[Converted] = deque()
        self._lock = threading.RLock()
        self._made: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()  # by to_graph?
        self._embedded = operators is not None or bool(self._replacements)
        self.callee = make_callee(self._entries, self._resolve, self._replacements, embedded=self._embedded)
        enlist(self)
        self._entries.keep(thin_code(), Thin())
        self.namespace = namespace(
            operators, self.callee, self._replacements, recursive=recursive, transpiler=self
        )
        self._cell = types.CellType(self.namespace)

    def __repr__(self) -> str:
        return f"<Transpiler {self.name!r}>"

    # The public road

    @public
    def convert(self, f: Any = None, *, source: str | None = None) -> Any:
        """A callable that runs `f` itself, and its converted code while a backend is staging.

        With operators, builtins or a call hook of an embedder it always runs the converted code; so does an
        `f` that makes functions or classes, or is a generator or coroutine: those may outlive the call.

        Args:
            f: a function, method, static or class method, lambda, `functools.partial` or callable
                object; without one, a decorator is returned.
            source: the text of `f`, where it cannot be read.

        Raises:
            ArgumentError: `f` is no Python callable.
            ConversionError: the source of `f` cannot be had (at the first staged call).

        >>> import autograph_rs as ag
        >>> @ag.convert
        ... def relu(x):
        ...     return x if x > 0 else 0
        >>> relu(-2)
        0
        """
        checked_text(source)
        if f is None:
            return functools.partial(self.convert, source=source)
        if not isinstance(f, types.FunctionType):
            return around(f, lambda inner: self.convert(inner, source=source))
        if f in self._made and source is None:
            return f
        f, text = origin(f, source, thin_code())
        if self.is_converted(f) or outlives(f.__code__):
            return self.to_graph(f, source=text)
        return self._thin(f, text)

    @public
    def to_graph(self, f: Any, *, source: str | None = None) -> Any:
        """The converted function, which runs converted code on plain values too.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            ArgumentError: `f` is no Python callable.
            ConversionError: the source cannot be had, or has changed since `f` was compiled.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     while x > 10:
        ...         x //= 2
        ...     return x
        >>> ag.to_graph(f)(100)
        6
        """
        checked_text(source)
        if not isinstance(f, types.FunctionType):
            return around(f, lambda inner: self.to_graph(inner, source=source))
        if self._made.get(f) and source is None:
            return f
        f, text = origin(f, source, thin_code())
        if id(f.__code__) in self._converted or (self.is_converted(f) and not made_inside(f)):
            return f
        made = loader.dressed(self.entry(f, text).bind(f), f)
        self._made[made] = True
        if text is not None:
            self.given[made] = text
        return made

    @public
    def to_code(self, f: Any, *, source: str | None = None) -> str:
        """The source text of the converted function, which `to_graph` runs with opened operators.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            ArgumentError: `f` is no Python callable.
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

    @public
    def source_map(self, f: Any, *, source: str | None = None) -> SourceMap:
        """Where what stands in `to_code` came from.

        Args:
            f: what `convert` takes.
            source: the text of `f`, where it cannot be read.

        Raises:
            ArgumentError: `f` is no Python callable.
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

    def _text(self, f: Any, text: str | None) -> tuple[ast.AST, str]:
        f, text = origin(f, checked_text(text), thin_code())
        is_left = self._texts.known(f.__code__, text) is None and self.policy.reason_to_leave(f) is not None
        read = "" if is_left else self.entry(f, text).read
        found, _ = source.find(f, text, trusted=made_inside(f), read=read)
        with converting(repr(f.__qualname__), lambda: node_of(found.node, f)):
            detached = loader.detached(self._tree(f, found)[0])
            return detached, ast.unparse(detached)

    @public
    def original(self, f: Any) -> types.FunctionType:
        """The function that the user wrote, of what this transpiler made of it.

        Args:
            f: what `convert` takes; of a method, partial or object it is the function inside.

        Raises:
            ArgumentError: `f` is no Python callable.
        """
        return origin(f, None, thin_code())[0]

    def text_of(self, f: Any) -> str | None:
        """The text that was given for a function, when what `f` is was made."""
        return origin(f, None, thin_code())[1]

    @public
    def has_converted(self, f: Any) -> bool:
        """Whether this transpiler has converted the code of `f` by now: by name, or since it was called.

        Args:
            f: what `convert` takes.

        Raises:
            ArgumentError: `f` is no Python callable.
        """
        return self._texts.has(self.original(f).__code__)

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
        made = Made(self, f, text)
        is_staging: Callable[[], bool] = (lambda: True) if self._embedded else runtime.is_staging

        def convert_call(*args: Any, **kwargs: Any) -> Any:
            try:
                if not is_staging() or is_off():
                    return f(*args, **kwargs)
                if not made:
                    made.append(self.to_graph(f, source=text))
                try:
                    with runtime.entered():
                        return made[0](*args, **kwargs)
                except BaseException as error:
                    if staging.ended(error, sys._getframe()):
                        return None
                    raise
            except BaseException as error:
                left.annotate(error)
                without_own_frame(error)
                raise

        functools.update_wrapper(convert_call, f)
        convert_call.__defaults__, convert_call.__kwdefaults__ = None, None
        loader.mark_converted(convert_call)
        self._made[convert_call] = False
        return convert_call

    def entry(self, f: types.FunctionType, text: str | None = None) -> Converted:
        """The entry of a function, of its own source or of a text that is given for it."""
        if found := self._texts.known(f.__code__, text):
            return found
        with self._lock:
            return self._texts.known(f.__code__, text) or self._texts.keep(f.__code__, self._convert(f, text))

    def _convert(self, f: types.FunctionType, text: str | None) -> Converted:
        with big_trees():  # the trees are gone before the garbage collector looks again
            code, read = self._compiled(f, text)
        for inner in codes_in(code):
            self._entries.keep(inner, None)
            self._converted.keep(inner, None)
        entry = Converted(code, self._cell, text=text, read=read)
        entry.share(f, self._shared)
        return entry

    def _compiled(self, f: types.FunctionType, text: str | None) -> tuple[types.CodeType, str]:
        """The code that a function becomes, and the text that it was found in."""
        started = now()
        found, read = source.find(f, text, trusted=made_inside(f))
        with converting(repr(f.__qualname__), lambda: node_of(found.node, f)):
            tree, generated = self._tree(f, found)
            code = loader.compile_function(tree, f.__code__, generated, opens=self._opens)
        tell_conversion(f, tree, started)
        return code, read

    def _tree(self, f: types.FunctionType, found: source.Found) -> tuple[gast.AST, frozenset[str]]:
        """What a function becomes, and the names of the functions that were added."""
        if any(source.OPERATORS in names_in(c) for c in codes_in(f.__code__)):
            source.refuse_own_name(found.node, f.__code__.co_filename)
        tree = gast_tree(found.node)
        if found.class_name is not None:
            converters.mangle(tree, found.class_name)
        return tree, converters.convert_tree(tree, passes=self.pipeline.passes, verify=self._verifies)

    def _resolve(self, f: types.FunctionType) -> Entry | None:
        """What becomes of a function that converted code calls."""
        tell_call(f, self.policy)
        if f.__code__ == thin_code():  # of another process
            return self._entries.keep(f.__code__, Thin())
        if self.policy.reason_to_leave(f) is None:
            try:
                return self.entry(f)
            except ConversionError as error:
                given = self._texts.latest(f.__code__)
                if given is not None:
                    return self._entries.keep(f.__code__, given)
                if source.is_known(f):
                    raise
                left.note(f.__code__, f"{f.__qualname__!r} was called as it is: {error}")
        return self._entries.keep(f.__code__, None)


def thin_code() -> types.CodeType:
    """The code that all callables of `convert` share."""
    codes = codes_in(Transpiler._thin.__code__)  # noqa: SLF001 - our own
    return next(code for code in codes if code.co_name == "convert_call")
