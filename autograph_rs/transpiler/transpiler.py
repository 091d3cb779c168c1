"""`Transpiler`: convert functions, each code object once.

A `Transpiler` has its own operators, policy and cache. The functions of `autograph_rs` use a default
transpiler.
"""

from __future__ import annotations

import ast
import functools
import os
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter
from typing import Any, overload

import gast

from autograph_rs import converters, runtime
from autograph_rs.converters import Pipeline
from autograph_rs.converters.trees.python_trees import gast_tree
from autograph_rs.runtime.backends import load_backends
from autograph_rs.runtime.core.packages import installed_package, module_file
from autograph_rs.runtime.debugging.source_maps import SourceMap
from autograph_rs.runtime.debugging.tracebacks import (
    api_boundary,
    is_internal,
    register_internal_folder,
    register_unconverted_note,
)
from autograph_rs.runtime.errors import ConversionError, check_bool
from autograph_rs.runtime.operators.calls import CacheEntry, ConversionCache, Replacements, make_callee

from ..logging.messages import log_call, log_conversion
from ..source import definitions
from ..source.code_objects import AnyFunction, Convertible, is_generator, map_function
from ..source.recursion_limit import deep_recursion, guarded_conversion
from ..source.retrieval import checked_source
from . import loader
from .cache import ConversionTable, ConvertedCode, LoopForms, NotTailRecursive, Result, is_method
from .custom_operators import build_pipeline, modules_of, operator_namespace
from .forwarding import WRAPPER_CODE, ForwardingEntry, LazyConversion, forwarding_wrapper, wrapper_entry
from .policy import ALREADY_CONVERTED, Policy, When, checked_globs, checked_kinds, checked_rules
from .registry import is_generated, register, resolve_original
from .source_maps import build_source_map
from .third_party import ThirdPartyEntry

for _folder in (os.path.dirname(__file__), converters.__file__):  # siblings in a checkout
    register_internal_folder(os.path.dirname(_folder))


class Transpiler:
    """Converter that replaces the control flow of functions with calls to operators.

    Args:
        operators: a module or object whose operators replace those of this package. It may define only some
            of them; `docs/operators.md` lists them all. Modules that define operators are not converted.
        kinds: the classes of symbolic values, if no backend owns them. Functions of installed packages are
            converted in calls that such a value reaches; the methods of these classes are not.
        builtins: replacements for builtins, or for any other callables: `{range: my_range}`.
        recursive: whether to convert the functions that converted code calls.
        include: globs of modules to convert even if they belong to the standard library or a tensor system.
        exclude: globs of modules to leave unconverted.
        rules: whether to convert a function, the methods of a class, or the functions of a module. A rule for
            a function takes precedence over a rule for its class, which takes precedence over a rule for
            its module.
        call_hook: a function that receives each callable other than a function, method or class, such as a
            PyTorch module. It returns the replacement to call, or None to call the callable as usual.
        passes: the passes of the conversion, instead of `Pipeline()`.
        features: the kinds of syntax to convert, from `converters.FEATURES`; all by default.
        name: the name of the transpiler in its `repr`.

    Raises:
        OptionError: a feature is unknown.
        ArgumentError: an argument has the wrong type.

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

    reference: tuple[Any, ...] | None = None
    """How pickle finds this transpiler in another process; without it, the transpiler cannot be pickled."""

    @api_boundary
    def __init__(
        self,
        *,
        operators: Any = None,
        kinds: Sequence[type] = (),
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
        self.symbolic, globs = checked_kinds(kinds), (checked_globs(include), checked_globs(exclude))
        pairs, own = checked_rules(rules or {}, self.symbolic), modules_of(operators)
        self.policy = Policy(check_bool("recursive", recursive), *globs, pairs, operator_modules=own)
        self.results: weakref.WeakKeyDictionary[Any, Result] = weakref.WeakKeyDictionary()
        self.pipeline = build_pipeline(passes, features, operators)
        self._verifies = passes is not None
        replacements = Replacements(builtins or {}, call_hook)
        self._is_embedded = operators is not None or bool(replacements)
        self._inlines_operators = not self._is_embedded and passes is None
        self._entries = ConversionCache()
        self.conversions = ConversionTable(self._entries)
        self._sharing: deque[ConvertedCode] = deque()
        self._lock = threading.RLock()
        self._loops = LoopForms(self)
        self.callee = make_callee(
            self._entries, self._resolve, replacements, embedded=self._is_embedded, loop_form=self._loops.of
        )
        register(self)
        self._entries.add(WRAPPER_CODE, ForwardingEntry())
        self.namespace = operator_namespace(
            operators, self.callee, replacements, recursive=recursive, transpiler=self
        )
        self.cell = types.CellType(self.namespace)

    def __repr__(self) -> str:
        return f"<Transpiler {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.reference is None:
            raise TypeError(
                f"{self!r} and functions that it converted cannot be pickled: create one in each process"
            )
        return self.reference

    @overload
    def convert(self, f: AnyFunction, *, source: str | None = None) -> AnyFunction: ...

    @overload
    def convert(
        self, f: None = None, *, source: str | None = None
    ) -> Callable[[AnyFunction], AnyFunction]: ...

    @api_boundary
    def convert(self, f: Any = None, *, source: str | None = None) -> Any:
        """Return a wrapper that runs `f` itself, or its converted code while a backend is staging.

        The converted code always runs if the transpiler has custom operators, builtins or a call hook. The
        same applies if `f` creates functions or classes, or is a generator or coroutine, because these may
        outlive the call.

        Args:
            f: a function, method, static or class method, lambda, `functools.partial` or callable object.
                Without it, the result is a decorator.
            source: the text of `f`, if it cannot be read from its file.

        Raises:
            ArgumentError: `f` is not a Python callable.
            ConversionError: the source of `f` is not available; raised at the first staged call.

        >>> import autograph_rs as ag
        >>> @ag.convert
        ... def relu(x):
        ...     return x if x > 0 else 0
        >>> relu(-2)
        0
        """
        checked_source(source)
        if f is None:
            return functools.partial(self.convert, source=source)
        if not isinstance(f, types.FunctionType):
            return map_function(f, lambda inner: self.convert(inner, source=source))
        if f in self.results and source is None:
            return f
        f, source = resolve_original(f, source)
        if self.is_converted(f) or is_generator(f.__code__):
            return self.to_graph(f, source=source)
        wrapper = forwarding_wrapper(LazyConversion(self, f, source), always=self._is_embedded)
        self.results[wrapper] = Result(False, source)
        return wrapper

    @api_boundary
    def to_graph(self, f: AnyFunction, *, source: str | None = None) -> AnyFunction:
        """Return the converted function, which runs converted code even on plain values.

        Args:
            f: any callable that `convert` accepts.
            source: the text of `f`, if it cannot be read from its file.

        Raises:
            ArgumentError: `f` is not a Python callable.
            ConversionError: the source is not available, or has changed since `f` was compiled.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     while x > 10:
        ...         x //= 2
        ...     return x
        >>> ag.to_graph(f)(100)
        6
        """
        checked_source(source)
        if not isinstance(f, types.FunctionType):
            return map_function(f, lambda inner: self.to_graph(inner, source=source))  # type: ignore[no-any-return]
        if f in self.results and self.results[f].is_converted and source is None:
            return f
        function, source = resolve_original(f, source)
        if self.policy.request(function):
            self._entries.discard_all((ThirdPartyEntry, types.NoneType))
        converted: Any = function
        if not self.has_generated(function.__code__) and (
            not self.is_converted(function) or is_generated(function)
        ):
            converted = loader.copy_metadata(function, self.converted_code(function, source).bind(function))
            self.results[converted] = Result(True, source)
        return converted  # type: ignore[no-any-return]

    @api_boundary
    def to_code(self, f: Convertible, *, source: str | None = None) -> str:
        """Return the source text of the converted function, before `to_graph` inlines some of its operators.

        The arguments and errors are those of `to_graph`.

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
        return self._generate_text(f, source)[1]

    @api_boundary
    def source_map(self, f: Convertible, *, source: str | None = None) -> SourceMap:
        """Return the map from the text that `to_code` returns to the source of `f`.

        The arguments and errors are those of `to_code`.

        >>> import autograph_rs as ag
        >>> def f(x):
        ...     if x > 0:
        ...         x = -x
        ...     return x
        >>> transpiler = ag.Transpiler()
        >>> lines = transpiler.to_code(f).splitlines()
        >>> number = next(i for i, line in enumerate(lines, 1) if "x = -x" in line)
        >>> transpiler.source_map(f).original(number)[1:]
        (3, 8)
        """
        tree, text = self._generate_text(f, source)
        return build_source_map(tree, text, self.original(f).__code__.co_filename)

    def _generate_text(self, f: Any, source: str | None) -> tuple[ast.AST, str]:
        f, source = resolve_original(f, checked_source(source))
        entry = self.conversions.get(f.__code__, source)
        if entry is None and self.policy.reason_unconverted(f) is None:
            entry = self.converted_code(f, source)
        definition, _ = definitions.find(
            f, source, verify=not is_generated(f), known_text=entry.file_text if entry is not None else ""
        )
        with guarded_conversion(repr(f.__qualname__), definition.node, f.__code__.co_filename, f.__name__):
            tree = loader.standalone_function(self._convert_tree(f, definition)[0])
            return tree, ast.unparse(tree)

    @api_boundary
    def original(self, f: Convertible) -> types.FunctionType:
        """Return the function that the user wrote, given any callable that `convert` accepts or returns.

        Raises:
            ArgumentError: `f` is not a Python callable.
        """
        return resolve_original(f)[0]

    def supplied_source(self, f: Any) -> str | None:
        return resolve_original(f)[1]

    @api_boundary
    def has_converted(self, f: Convertible) -> bool:
        """Return whether this transpiler has already converted the code of `f`, on request or for a call.

        The argument and errors are those of `original`.
        """
        return self.original(f).__code__ in self.conversions

    def is_converted(self, f: Any) -> bool:
        """Return whether `f` is a result of `convert` or `to_graph`, or was converted ahead of time."""
        if not isinstance(f, types.FunctionType):
            return False
        ahead_of_time = f.__globals__.get("ag__") is runtime
        return f in self.results or ahead_of_time or "ag__" in f.__code__.co_freevars

    def has_generated(self, code: types.CodeType) -> bool:
        return self.conversions.text_of_generated(code) is not None

    def skip(self, code: types.CodeType) -> None:
        """Leave functions with this code unconverted from now on."""
        with self._lock:
            self._entries.add(code, None)

    def forget_calls(self) -> None:
        """Decide again whether to convert each function that converted code calls."""
        self._entries.discard_all((ConvertedCode, ThirdPartyEntry))

    def converted_code(self, f: types.FunctionType, source: str | None = None) -> ConvertedCode:
        """Return the converted code of a function, converting it if it is not cached."""
        if entry := self.conversions.get(f.__code__, source):
            return entry
        with self._lock:
            if entry := self.conversions.get(f.__code__, source):
                return entry
            return self.conversions.add(f.__code__, self._convert(f, source))

    def _convert(self, f: types.FunctionType, source: str | None) -> ConvertedCode:
        load_backends()  # a builtin may be the first function that the code calls
        with self._lock, deep_recursion():  # the trees are freed before garbage collection resumes
            code, file_text = self.compile(f, source)
        self.conversions.add_generated(code, source, file_text)
        entry = ConvertedCode(code, self.cell, source=source, file_text=file_text)
        entry.share(f, self._sharing)
        return entry

    def compile(
        self, f: types.FunctionType, source: str | None, *, as_loop: bool = False
    ) -> tuple[types.CodeType, str]:
        """Return the converted code of a function and the text of its file, with its tail calls as a loop."""
        started = perf_counter()
        definition, file_text = definitions.find(f, source, verify=not is_generated(f))
        with guarded_conversion(repr(f.__qualname__), definition.node, f.__code__.co_filename, f.__name__):
            tree, generated = self._convert_tree(f, definition, as_loop=as_loop)
            code = loader.compile_function(tree, f.__code__, generated, inline=self._inlines_operators)
        log_conversion(f, lambda: ast.unparse(loader.standalone_function(tree)), started)
        return code, file_text

    def _convert_tree(
        self, f: types.FunctionType, definition: definitions.Definition, *, as_loop: bool = False
    ) -> tuple[gast.AST, frozenset[str]]:
        """Return the converted tree, and the names of the functions that the passes added."""
        definitions.check_reserved_in_code(f.__code__, definition.node)
        tree = gast_tree(definition.node)
        if definition.class_name is not None:
            converters.mangle(tree, definition.class_name)
        if as_loop and not converters.loop_tail_calls(tree, is_method=is_method(f)):
            raise NotTailRecursive
        return tree, converters.convert_tree(tree, passes=self.pipeline.passes, verify=self._verifies)

    def verdict(self, f: types.FunctionType) -> tuple[bool, str]:
        when, rule = self.policy.verdict(f)
        if when is not When.NEVER and not definitions.has_source(f):
            return False, "its source is not available"
        return when is not When.NEVER, rule

    def _resolve(self, f: types.FunctionType) -> CacheEntry | None:
        """Return the cache entry for a function that converted code calls for the first time."""
        with self._lock:  # so that `do_not_convert` in another thread has the last word
            log_call(f, lambda: self.verdict(f))
            return self._entries.add(f.__code__, wrapper_entry(f, self.callee) or self._new_entry(f))

    def _new_entry(self, f: types.FunctionType) -> CacheEntry | None:
        when, rule = self.policy.verdict(f)
        if when is When.STAGED:
            return ThirdPartyEntry(functools.partial(self._convert, source=None), self.symbolic)
        if when is When.ALWAYS:
            try:
                return self.converted_code(f)
            except ConversionError as error:
                if entry := self.conversions.latest_from_source(f.__code__):
                    return entry
                if definitions.has_source(f) and installed_package(module_file(f)) is None:
                    raise
                rule = f"{error.args[0]}; {error.remedy}"
        if rule is not ALREADY_CONVERTED and not is_internal(f.__code__):
            register_unconverted_note(f.__code__, f"{f.__qualname__!r} was called unconverted: {rule}")
        return None
