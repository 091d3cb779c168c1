"""Replace operators with those of another framework.

Operators written for TensorFlow's AutoGraph or for malt have the same signatures as those of this package,
except that a few have an extra parameter for options. This module adapts these, which it recognizes by the
parameter's name.
"""

from __future__ import annotations

import difflib
import functools
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from autograph_rs import runtime
from autograph_rs.converters import (
    FEATURES,
    Lists,
    Operators,
    Pipeline,
    PipelineError,
    StoredItems,
    Subscripts,
)
from autograph_rs.runtime.core.annotations import signature_of
from autograph_rs.runtime.errors import ArgumentError, OptionError, describe, documentation
from autograph_rs.runtime.errors.unsupported import unsupported_place
from autograph_rs.runtime.operators import opt_out
from autograph_rs.runtime.operators.calls import ConversionCache, Replacements, make_callee

OPERATORS = (*runtime.OPERATORS, "callee", *sorted(Lists.operators))
"""The names of the operators that generated code calls."""


def operator_namespace(
    custom: Any, callee: Callable[[Any], Any], replacements: Replacements, *, recursive: bool, transpiler: Any
) -> types.ModuleType:
    """Build the module that converted code uses as `ag__`: custom operators, and default ones for the rest.

    It also provides the other attributes of `custom`, for custom passes. It is a plain module because Python
    looks up attributes of modules as fast as globals.
    """
    module = types.ModuleType("ag__", "The operators of a transpiler.")
    names = vars(module)
    names["__transpiler__"] = transpiler  # first, so that pickling by value fails with the transpiler's error
    names.update(runtime.OPERATORS | runtime.OPENED, callee=callee)
    names["converted_call"] = lambda f, args, kwargs: callee(f)(*args, **(kwargs or {}))
    if custom is not None:
        if transpiler.symbolic:
            names["guard"] = _guard_of(transpiler.symbolic)
        operators = dict(_adapted_operators(custom, recursive=recursive))
        names.update(operators, __getattr__=functools.partial(getattr, custom))
        if "converted_call" in operators and "callee" not in operators:
            names["callee"] = _callee_from_converted_call(operators["converted_call"], replacements)
    plain = make_callee(ConversionCache(), None, replacements, embedded=bool(replacements))
    opt_out.register(module, plain)
    return module


def _guard_of(kinds: tuple[type, ...]) -> Callable[..., Any]:
    """Return the operator `guard` for values of these classes, which are symbolic."""

    def guard(value: Any, construct: str, rule: str, detail: str = "") -> Any:
        if isinstance(value, kinds):
            raise unsupported_place(construct, rule, detail)
        return runtime.guard(value, construct, rule, detail)

    return guard


def modules_of(custom: Any) -> set[str]:
    """Return the names of the modules that define the functions of custom operators."""
    functions = [getattr(custom, name, None) for name in OPERATORS]
    return {f.__module__ for f in functions if isinstance(f, (types.FunctionType, types.MethodType))}


def _adapted_operators(custom: Any, *, recursive: bool) -> Iterator[tuple[str, Any]]:
    """Yield the name of each operator of a module or object, and the function that converted code calls."""
    if isinstance(custom, Mapping):
        raise ArgumentError(
            "operators must be attributes of a module or object, not items of a dict",
            why="converted code reads them as attributes",
            remedy="pass types.SimpleNamespace(**operators)",
        )
    available = [name for name in OPERATORS if hasattr(custom, name)]
    _refuse_misspelled(custom, available)
    if not available:
        raise ArgumentError(
            f"{describe(custom)} defines no operator, such as if_stmt",
            why="custom operators replace the Transpiler's own, and none was found",
            remedy=f"define one of the operators in {documentation('docs/operators.md')}, or omit operators=",
        )
    for name in available:
        operator = getattr(custom, name)
        if not callable(operator):
            raise ArgumentError(
                f"the operator {name} must be callable, not {describe(operator)}",
                why="converted code calls it",
                remedy=f"pass a function with the parameters of {documentation('docs/operators.md')}",
            )
        adapt, parameter = _ADAPTERS.get(name, (None, ""))
        if adapt is not None and parameter in _parameters(operator):
            operator = adapt(operator, custom, recursive)
        else:
            _check_parameters(name, operator)
        yield name, operator


def _refuse_misspelled(custom: Any, available: Collection[str]) -> None:
    """Raise if a function has nearly the name of an operator that is missing."""
    missing = [name for name in OPERATORS if name not in available]
    for name in dir(custom):
        found = [] if name in OPERATORS else difflib.get_close_matches(name, missing, 1, cutoff=0.9)
        if found and isinstance(getattr(custom, name), types.FunctionType):
            raise ArgumentError(
                f"{name} is no operator",
                why="converted code would not call it",
                remedy=f"did you mean {found[0]}? Otherwise give it a name that resembles no operator",
            )


def _check_parameters(name: str, operator: Callable[..., Any]) -> None:
    """Raise if an operator cannot take the arguments that converted code passes."""
    signature, default = signature_of(operator), signature_of(_DEFAULTS[name])
    if signature is None or default is None:
        return
    parameters = [p for p in default.parameters.values() if p.kind is not p.VAR_POSITIONAL]
    required = [p.name for p in parameters if p.default is p.empty]
    try:
        signature.bind(*required)
    except TypeError as error:
        raise ArgumentError(
            f"the operator {name} does not take {len(required)} arguments: {error}",
            why=f"converted code calls {name}({', '.join(required)})",
            remedy=f"give it the parameters of {documentation('docs/operators.md')}",
        ) from None


def _new_list(elements: Any) -> None: ...
def _list_append(target: Any, value: Any) -> None: ...
def _list_pop(target: Any, index: Any) -> None: ...
def _list_stack_call(target: Any, original_call: Any) -> None: ...
def _callee(function: Any) -> None: ...


_DEFAULTS: dict[str, Callable[..., Any]] = {
    **runtime.OPERATORS, "callee": _callee, "new_list": _new_list, "list_append": _list_append,
    "list_pop": _list_pop, "list_stack": _list_stack_call,
}  # fmt: skip
"""A function with the parameters of each operator."""


def _parameters(operator: Callable[..., Any]) -> list[str]:
    signature = signature_of(operator)
    return [] if signature is None else list(signature.parameters)


def _with_options(kind: str, **values: Any) -> Callable[..., Callable[..., Any]]:
    """Return an adapter that adds an options argument, of the class named `kind` if `custom` defines it."""

    def adapt(operator: Callable[..., Any], custom: Any, _: bool) -> Callable[..., Any]:
        options = getattr(custom, kind, types.SimpleNamespace)(**values)
        return lambda target, argument: operator(target, argument, options)

    return adapt


def _list_stack(operator: Callable[..., Any], custom: Any, _: bool) -> Callable[..., Any]:
    options = getattr(custom, "ListStackOpts", types.SimpleNamespace)
    return lambda target, call: operator(target, options(element_dtype=None, original_call=call))


def _assert_stmt(operator: Callable[..., Any], _: Any, __: bool) -> Callable[..., Any]:
    return lambda test, msg: operator(test, msg or (lambda: ""))


def _converted_call(operator: Callable[..., Any], custom: Any, recursive: bool) -> Callable[..., Any]:
    options = None
    if hasattr(custom, "ConversionOptions"):
        options = custom.ConversionOptions(recursive=recursive, optional_features=())
    return lambda f, args, kwargs: operator(f, args, kwargs, caller_fn_scope=None, options=options)


_ADAPTERS: dict[str, tuple[Callable[..., Callable[..., Any]], str]] = {
    "get_item": (_with_options("GetItemOpts", element_dtype=None), "opts"),
    "list_pop": (_with_options("ListPopOpts", element_dtype=None, element_shape=None), "opts"),
    "list_stack": (_list_stack, "opts"),
    "assert_stmt": (_assert_stmt, "expression2"),
    "converted_call": (_converted_call, "caller_fn_scope"),
}
"""For each operator, its adapter and the name of the parameter that requires adapting."""


def _callee_from_converted_call(
    converted_call: Callable[..., Any], replacements: Replacements
) -> Callable[[Any], Callable[..., Any]]:
    """Build the operator `callee` from `converted_call(f, args, kwargs)`."""

    def callee(function: Any) -> Callable[..., Any]:
        target = replacements(function) or function
        return lambda *args, **kwargs: converted_call(target, args, kwargs)

    return callee


def build_pipeline(passes: Pipeline | None, features: Collection[str] | None, custom: Any) -> Pipeline:
    pipeline: Any = Pipeline() if passes is None else passes
    if not isinstance(pipeline, Pipeline):
        raise ArgumentError(
            f"passes must be a Pipeline, not {describe(passes)}",
            why="a Pipeline ensures that each pass runs after the passes that it needs",
            remedy="pass Pipeline().add(MyPass), with Pipeline from autograph_rs.converters",
        )
    if features is not None:
        pipeline = _restrict(pipeline, features)
    return adapt_rewriters(pipeline, custom, has_lists=features is None or "lists" in features)


def adapt_rewriters(pipeline: Pipeline, custom: Any, *, has_lists: bool) -> Pipeline:
    """Convert the list methods that have custom operators, and store what a custom `set_item` returns."""
    operators = dict(pipeline.steps).get("Operators")
    if operators is None or not issubclass(operators, Operators):
        return pipeline
    rewriters: list[Any] = [*operators.rewriters]
    if hasattr(custom, "set_item"):
        rewriters = [StoredItems if rewriter is Subscripts else rewriter for rewriter in rewriters]
    available = frozenset(name for name in Lists.operators if hasattr(custom, name))
    if available and has_lists:
        rewriters.append(type("Lists", (Lists,), {"operators": available}))
    if rewriters == [*operators.rewriters]:
        return pipeline
    adapted = type(operators.__name__, (operators,), {"rewriters": tuple(rewriters)})
    return pipeline.replace("Operators", adapted)


def _restrict(pipeline: Pipeline, features: Any) -> Pipeline:
    known = ", ".join(FEATURES)
    if not isinstance(features, Collection):
        raise ArgumentError(
            f"features must be a set of names, not {describe(features)}",
            why="each name selects a kind of syntax to convert",
            remedy=f"pass some of {known}",
        )
    try:
        return pipeline.only(features)
    except PipelineError as error:
        raise OptionError(
            str(error).partition(": ")[0],
            why="each feature names a kind of syntax that the default passes can convert",
            remedy=f"pass some of {known}, or omit features= to convert all",
        ) from error
