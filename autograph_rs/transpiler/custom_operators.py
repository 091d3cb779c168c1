"""Replace operators with those of another framework.

Operators written for TensorFlow's AutoGraph or for malt have the same signatures as those of this package,
except that a few have an extra parameter for options. This module adapts these, which it recognizes by the
parameter's name.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from autograph_rs import runtime
from autograph_rs.converters import FEATURES, Lists, Operators, Pipeline, PipelineError
from autograph_rs.runtime.core.annotations import signature_of
from autograph_rs.runtime.errors import ArgumentError, OptionError, describe
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
        operators = dict(_adapted_operators(custom, recursive=recursive))
        names.update(operators, __getattr__=functools.partial(getattr, custom))
        if "converted_call" in operators and "callee" not in operators:
            names["callee"] = _callee_from_converted_call(operators["converted_call"], replacements)
    plain = make_callee(ConversionCache(), None, replacements, embedded=bool(replacements))
    opt_out.register(module, plain)
    return module


def _adapted_operators(custom: Any, *, recursive: bool) -> Iterator[tuple[str, Any]]:
    """Yield the name of each operator of a module or object, and the function that converted code calls."""
    if isinstance(custom, Mapping):
        raise ArgumentError(
            "operators must be attributes of a module or object, not items of a dict",
            why="converted code reads them as attributes",
            remedy="pass types.SimpleNamespace(**operators)",
        )
    available = [name for name in OPERATORS if hasattr(custom, name)]
    if not available:
        raise ArgumentError(
            f"{describe(custom)} defines no operator, such as if_stmt",
            why="custom operators replace the Transpiler's own, and none was found",
            remedy="define at least one operator listed in docs/operators.md, or omit operators=",
        )
    for name in available:
        operator = getattr(custom, name)
        if not callable(operator):
            raise ArgumentError(
                f"the operator {name} must be callable, not {describe(operator)}",
                why="converted code calls it",
                remedy="pass a function with the parameters listed in docs/operators.md",
            )
        adapt, parameter = _ADAPTERS.get(name, (None, ""))
        if adapt is not None and parameter in _parameters(operator):
            operator = adapt(operator, custom, recursive)
        yield name, operator


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
    if features is None or "lists" in features:
        pipeline = convert_lists(pipeline, custom)
    return pipeline  # type: ignore[no-any-return]


def convert_lists(pipeline: Pipeline, custom: Any) -> Pipeline:
    """Add the conversion of the list methods that have custom operators."""
    available = frozenset(name for name in Lists.operators if hasattr(custom, name))
    operators = dict(pipeline.steps).get("Operators")
    if not available or operators is None or not issubclass(operators, Operators):
        return pipeline
    lists = type("Lists", (Lists,), {"operators": available})
    rewriters = (*operators.rewriters, lists)
    return pipeline.replace("Operators", type(operators.__name__, (operators,), {"rewriters": rewriters}))


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
