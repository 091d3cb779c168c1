"""Operators of another framework in the place of ours.

Those that were written for TensorFlow's AutoGraph or for malt have the signatures of ours but for a few,
which take options besides; these are told by the names of their parameters, and adapted.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from autograph_rs import runtime
from autograph_rs.converters import FEATURES, Lists, Operators, Pipeline, PipelineError
from autograph_rs.runtime import switch
from autograph_rs.runtime.calls import Entries, Replacements, make_callee
from autograph_rs.runtime.errors import ArgumentError, OptionError, told

OPERATORS = (*runtime.OPERATORS, "callee", *sorted(Lists.operators))
"""The names of the operators that generated code calls."""


def namespace(
    own: Any, callee: Callable[[Any], Any], replacements: Replacements, *, recursive: bool, transpiler: Any
) -> types.ModuleType:
    """What converted code knows as `ag__`: the operators of a module or object, and ours for the rest.

    Whatever else it has is found there too, for passes of its own. It is a module, and of no class that
    derives from that: only of a module Python finds an attribute as quickly as a global.

    Raises:
        ArgumentError: it has no operators, or what is called like one is none.
    """
    made = types.ModuleType("ag__", "The operators of a transpiler.")
    names = vars(made)
    names["__transpiler__"] = transpiler  # says first, to who takes a module apart, that it is not pickled
    names.update(runtime.OPERATORS | runtime.OPENED, callee=callee)
    names["converted_call"] = lambda f, args, kwargs: callee(f)(*args, **(kwargs or {}))
    if own is not None:
        theirs = dict(plugged(own, recursive=recursive))
        names.update(theirs, __getattr__=functools.partial(getattr, own))
        if "converted_call" in theirs and "callee" not in theirs:
            names["callee"] = by_call(theirs["converted_call"], replacements)
    plain = make_callee(Entries(), None, replacements, embedded=bool(replacements))
    switch.register(made, plain)
    return made


def plugged(own: Any, *, recursive: bool) -> Iterator[tuple[str, Any]]:
    """The operators that a module or object has, by name, as converted code calls them."""
    if isinstance(own, Mapping):
        raise ArgumentError(
            "operators are attributes of a module or object, not items of a dict",
            why="converted code finds them as those of a module",
            remedy="give types.SimpleNamespace(**operators)",
        )
    found = [name for name in OPERATORS if hasattr(own, name)]
    if not found:
        raise ArgumentError(
            f"{told(own)} has no operator, such as if_stmt",
            why="a Transpiler calls the operators that it is given, and ours for those that are not there",
            remedy="give what has at least one operator of docs/operators.md, or leave operators= out",
        )
    for name in found:
        operator = getattr(own, name)
        if not callable(operator):
            raise ArgumentError(
                f"the operator {name} is a function, not {told(operator)}",
                why="converted code calls it",
                remedy="give a function with the parameters that docs/operators.md says",
            )
        if name in _ADAPTED:
            adapt, asked = _ADAPTED[name]
            yield name, adapt(operator, own, recursive) if asked in _parameters(operator) else operator
        else:
            yield name, operator


def _parameters(operator: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(operator).parameters)
    except (TypeError, ValueError):  # it does not tell
        return []


def _options(own: Any, kind: str, **values: Any) -> Any:
    """Options of the kind that the operators have for them."""
    return getattr(own, kind, types.SimpleNamespace)(**values)


def _get_item(operator: Callable[..., Any], own: Any, _: bool) -> Callable[..., Any]:
    options = _options(own, "GetItemOpts", element_dtype=None)
    return lambda target, key: operator(target, key, options)


def _list_pop(operator: Callable[..., Any], own: Any, _: bool) -> Callable[..., Any]:
    options = _options(own, "ListPopOpts", element_dtype=None, element_shape=None)
    return lambda target, index: operator(target, index, options)


def _list_stack(operator: Callable[..., Any], own: Any, _: bool) -> Callable[..., Any]:
    def list_stack(target: Any, call: Any) -> Any:
        return operator(target, _options(own, "ListStackOpts", element_dtype=None, original_call=call))

    return list_stack


def _assert_stmt(operator: Callable[..., Any], _: Any, __: bool) -> Callable[..., Any]:
    return lambda test, msg: operator(test, msg or (lambda: ""))


def _converted_call(operator: Callable[..., Any], own: Any, recursive: bool) -> Callable[..., Any]:
    options = None
    if hasattr(own, "ConversionOptions"):
        options = own.ConversionOptions(recursive=recursive, optional_features=())
    return lambda f, args, kwargs: operator(f, args, kwargs, caller_fn_scope=None, options=options)


_ADAPTED: dict[str, tuple[Callable[..., Callable[..., Any]], str]] = {
    "get_item": (_get_item, "opts"),
    "list_pop": (_list_pop, "opts"),
    "list_stack": (_list_stack, "opts"),
    "assert_stmt": (_assert_stmt, "expression2"),
    "converted_call": (_converted_call, "caller_fn_scope"),
}
"""How an operator is called that has a parameter of this name."""


def by_call(
    converted_call: Callable[..., Any], replacements: Replacements
) -> Callable[[Any], Callable[..., Any]]:
    """The operator `callee` for operators that have `converted_call(f, args, kwargs)` instead."""

    def callee(function: Any) -> Callable[..., Any]:
        found = replacements(function)
        return lambda *args, **kwargs: converted_call(found or function, args, kwargs)

    return callee


def with_lists(pipeline: Pipeline, own: Any) -> Pipeline:
    """The pipeline that converts lists too, as far as there are operators for them."""
    known = frozenset(name for name in Lists.operators if hasattr(own, name))
    operators = dict(pipeline.steps).get("Operators")
    if not known or operators is None or not issubclass(operators, Operators):
        return pipeline
    lists = type("Lists", (Lists,), {"operators": known})
    rewriters = (*operators.rewriters, lists)
    return pipeline.replace("Operators", type(operators.__name__, (operators,), {"rewriters": rewriters}))


def pipeline_of(passes: Pipeline | None, features: Collection[str] | None, operators: Any) -> Pipeline:
    """The pipeline of a transpiler that was given these.

    Raises:
        ArgumentError: an argument is of another kind.
        OptionError: a feature is unknown.
    """
    pipeline: Any = Pipeline() if passes is None else passes
    if not isinstance(pipeline, Pipeline):
        raise ArgumentError(
            f"passes are a Pipeline, not {told(passes)}",
            why="a Pipeline sees to it that each pass has before it what it needs",
            remedy="give Pipeline().add(MyPass), of autograph_rs.converters",
        )
    if features is not None:
        pipeline = _only(pipeline, features)
    if features is None or "lists" in features:
        pipeline = with_lists(pipeline, operators)
    return pipeline  # type: ignore[no-any-return]


def _only(pipeline: Pipeline, features: Any) -> Pipeline:
    known = ", ".join(FEATURES)
    if not isinstance(features, Collection):
        raise ArgumentError(
            f"features are a set of names, not {told(features)}",
            why="each names a kind of syntax that is converted",
            remedy=f"give some of {known}",
        )
    try:
        return pipeline.only(features)
    except PipelineError as error:
        raise OptionError(
            str(error).partition(": ")[0],
            why="each feature names a kind of syntax that is converted, or its rewriter in a pass",
            remedy=f"give some of {known}; leave features= out to convert all",
        ) from error
