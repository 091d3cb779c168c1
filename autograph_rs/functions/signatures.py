"""Signatures of traced functions: argument binding, matching a call with a trace, and printing signatures.

A *leaf* is an argument, or an element of an argument that is a nested structure.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import AliasError, ArgumentError, SignatureError, StagingError, describe
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.concrete.inputs_and_outputs import Inputs
from autograph_rs.runtime.graph.ir.comparison import same_value
from autograph_rs.runtime.graph.state.variables import Variable, VariableSpec
from autograph_rs.runtime.graph.tracing.specs import Identity, TensorSpec, leaf_key
from autograph_rs.runtime.values.structures import (
    Spec,
    field_names,
    flatten,
    is_compatible,
    leaf_paths,
    unflatten,
)

from ..frameworks import PACKAGES
from .fast_path import Args, Kwargs

_MISSING = object()


def spec_of(leaf: Any) -> TensorSpec | None:
    """Return the spec for staging a leaf, or None if the leaf stays a Python value."""
    if isinstance(leaf, TensorSpec):
        return leaf
    if isinstance(leaf, np.ndarray) and type(leaf) not in (np.ndarray, np.memmap):
        raise StagingError(
            f"an argument of type {type(leaf).__name__} cannot be staged",
            why="a graph contains plain arrays, so the behavior of the subclass would be lost",
            remedy="pass np.asarray(x)",
        )
    if isinstance(leaf, (np.ndarray, np.generic)):
        return TensorSpec(leaf.shape, leaf.dtype)
    framework = PACKAGES.get(type(leaf).__module__.partition(".")[0])
    if framework is not None and hasattr(leaf, "__array__"):
        raise StagingError(
            f"expected NumPy arrays as arguments, got a {framework} array",
            why="the embedded graph accepts only NumPy arrays, whichever engine runs it",
            remedy="pass np.asarray(x), or call ag.convert(f) in code that the framework traces",
        )
    return None


class DefaultsGuard:
    """Context manager that restores mutable defaults after a trace. It raises `AliasError` if one changed."""

    def __init__(self, signature: inspect.Signature | None):
        parameters = () if signature is None else signature.parameters.values()
        defaults = [(p.name, p.default) for p in parameters if type(p.default) in (list, dict)]
        self._snapshots = [(name, d, d.copy(), flatten(d)) for name, d in defaults]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for name, default, copy, (leaves, spec) in self._snapshots:
            new_leaves, new_spec = flatten(default)
            if new_spec == spec and all(map(operator.is_, new_leaves, leaves)):
                continue
            default.clear()
            default.extend(copy) if type(default) is list else default.update(copy)
            if kind is None:
                what = type(default).__name__
                raise AliasError(
                    f"the function mutates the default {what} of {name!r}",
                    why=f"in Python all calls share this {what}, but a trace would mutate it only once",
                    remedy=f"use None as the default and create the {what} in the function, or pass a {what}",
                )


def leaf_names(signature: inspect.Signature | None, args: Args, kwargs: Kwargs) -> list[str]:
    """Return a readable name for each leaf of `(args, kwargs)`."""
    parameters = _parameter_list(signature)
    arguments = [(_argument_name(parameters, i), value) for i, value in enumerate(args)]
    return [
        leaf
        for name, value in (*arguments, *kwargs.items())
        for leaf in leaf_paths(flatten(value, mutable_dataclasses=True)[1], name)
    ]


def _parameter_list(signature: inspect.Signature | None) -> list[inspect.Parameter]:
    return [] if signature is None else list(signature.parameters.values())


def _argument_name(parameters: Sequence[inspect.Parameter], index: int) -> str:
    """Return the name of a positional argument: `x`, `xs[1]` for an argument of `*xs`, or `args[1]`."""
    for i, parameter in enumerate(parameters[: index + 1]):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{index - i}]"
        if i == index and parameter.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD:
            return parameter.name
    return f"args[{index}]"


def _promote_number(value: Any, spec: TensorSpec) -> Any:
    """Convert a Python number to the dtype of a scalar spec, if the conversion is safe."""
    kinds = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}
    if spec.shape == () and spec.dtype.kind in kinds.get(type(value), ""):
        return np.asarray(value, spec.dtype)[()]
    return value


class InputSignature:
    """The `TensorSpec`s that every call to a function must match, in the structure of its arguments."""

    def __init__(self, specs: Sequence[Any]):
        if not isinstance(specs, (list, tuple)):
            spec: Any = specs
            is_spec = isinstance(spec, TensorSpec)
            example = f"ag.TensorSpec({spec.shape}, '{spec.dtype}')" if is_spec else _EXAMPLE_SPEC
            raise _invalid_input_signature(
                f"input_signature must be a list with a spec for each argument, not {describe(specs)}",
                f"input_signature=[{example}]",
            )
        self.structure = tuple(specs)
        self.specs, self.spec = flatten(self.structure)
        wrong = [s for s in self.specs if not isinstance(s, TensorSpec)]
        if wrong:
            raise _invalid_input_signature(
                f"input_signature must contain a TensorSpec for each array, not {describe(wrong[0])}",
                f"input_signature=[{_EXAMPLE_SPEC}], with a spec for each argument",
            )

    def checked_leaves(self, name: str, args: Args) -> list[Any]:
        leaves, spec = flatten(args)
        if spec == self.spec:
            leaves = [_promote_number(v, s) for v, s in zip(leaves, self.specs, strict=True)]
            if all(s.admits(v) for v, s in zip(leaves, self.specs, strict=True)):
                return leaves
        raise SignatureError(
            f"{name} was called with ({format_values(args)}), "
            f"but its input_signature is ({format_values(self.structure)})",
            why="one graph, traced for the input signature, serves all calls",
            remedy="pass arguments with these dtypes and shapes, or remove input_signature",
        )


_EXAMPLE_SPEC = "ag.TensorSpec((None,), 'float64')"


def _invalid_input_signature(what: str, example: str) -> ArgumentError:
    why = "it declares the dtype and shape of the arrays that every call passes"
    return ArgumentError(what, why=why, remedy=f"pass {example}")


# Printing


def format_values(values: Iterable[Any]) -> str:
    return ", ".join(map(format_value, values))


def format_value(value: Any) -> str:
    """Format a value, showing only the dtype and shape of arrays."""
    leaves, spec = flatten(value, mutable_dataclasses=True)
    return _format_structure(spec, map(_format_leaf, leaves))


def _format_leaf(leaf: Any) -> str:
    if isinstance(leaf, type):
        return leaf.__name__
    spec = spec_of(leaf)
    if spec is not None:
        return str(spec.type)
    return repr(leaf)


class _TypeName(str):
    __slots__ = ()
    __repr__ = str.__str__


def format_result(concrete: ConcreteGraph) -> str:
    """Format the result of a graph, with the types of staged values: `(float64[] or None, list[int])`."""
    return format_value(concrete.outputs.build([_TypeName(r.type) for r in concrete.graph.results]))


def _format_structure(spec: Spec, leaves: Iterator[str]) -> str:
    if spec.kind is None:
        return next(leaves)
    if spec.kind is dict:
        return "{" + ", ".join(f"{k!r}: {_format_structure(p, leaves)}" for k, p in spec.items()) + "}"
    parts = [_format_structure(part, leaves) for part in spec.parts]
    if spec.kind is list:
        return f"[{', '.join(parts)}]"
    if spec.kind is tuple:
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    fields = [f"{name}={part}" for name, part in zip(field_names(spec), parts, strict=True)]
    return f"{spec.kind.__name__}({', '.join(fields)})"


def format_call(name: str, inputs: Inputs, signature: inspect.Signature | None) -> str:
    """Format the signature of a trace: `f(x: float64[2], n=3)`."""
    args, kwargs = inputs.build()
    parameters = _parameter_list(signature)
    texts = []
    for i, value in enumerate(args):
        is_named = i < len(parameters) and parameters[i].kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD
        texts.append(_format_argument(parameters[i].name if is_named else "", value))
    texts += [_format_argument(n, value) for n, value in kwargs.items()]
    return f"{name}({', '.join(texts)})"


def _format_argument(name: str, value: Any) -> str:
    text = format_value(value)
    if not name:
        return text
    is_staged = any(isinstance(leaf, TensorSpec) for leaf in flatten(value, mutable_dataclasses=True)[0])
    return f"{name}: {text}" if is_staged else f"{name}={text}"


# Binding a call to a trace


def bind_to_trace(
    inputs: Inputs, signature: inspect.Signature | None, args: Args, kwargs: Kwargs
) -> tuple[list[Any], Any]:
    """Bind a call to one trace: return its leaves and `(args, kwargs)`. Plain arguments may be omitted."""
    traced_args, traced_kwargs = inputs.build()
    parameters = _parameter_list(signature)
    names = [parameter.name for parameter in parameters]
    if len(args) > len(traced_args):
        raise _mismatch(f"expected at most {len(traced_args)} positional arguments, got {len(args)}")
    staged = [i for i, value in enumerate(traced_args) if _is_staged(value)]
    passed = dict(zip(staged if len(args) == len(staged) else range(len(args)), args, strict=False))
    for name, value in kwargs.items():
        if name in traced_kwargs:
            continue
        index = names.index(name) if name in names else len(traced_args)
        if index >= len(traced_args) or index in passed:
            raise _mismatch(f"the argument {name!r} is unknown, or was passed twice")
        passed[index] = value
    positional = tuple(
        _checked_argument(_argument_name(parameters, i), traced, passed.get(i, _MISSING))
        for i, traced in enumerate(traced_args)
    )
    named = {
        name: _checked_argument(name, traced, kwargs.get(name, _MISSING))
        for name, traced in traced_kwargs.items()
    }
    arguments = (positional, named)
    leaves = flatten(arguments, mutable_dataclasses=True)[0]
    if not _has_traced_aliasing(inputs, leaves):
        raise _mismatch("the same Variable was passed where different ones were traced, or vice versa")
    return leaves, arguments


def _mismatch(what: str) -> SignatureError:
    return SignatureError(
        what,
        why="a concrete function runs one graph, which accepts only the arguments it was traced for",
        remedy="pass matching arguments, or call the original function, which traces a new graph",
    )


def _is_staged(traced: Any) -> bool:
    return any(
        isinstance(leaf, (TensorSpec, VariableSpec)) for leaf in flatten(traced, mutable_dataclasses=True)[0]
    )


def _checked_argument(name: str, traced: Any, value: Any) -> Any:
    """Return the value of an argument, or its traced value if it is missing."""
    traced_leaves, spec = flatten(traced, mutable_dataclasses=True)
    if value is _MISSING:
        if _is_staged(traced):
            raise _mismatch(f"the argument {name!r} is missing; it was traced as {format_value(traced)}")
        return unflatten(spec, [leaf.get() if isinstance(leaf, Identity) else leaf for leaf in traced_leaves])
    leaves, value_spec = flatten(value, mutable_dataclasses=True)
    if is_compatible(spec, value_spec):
        pairs = list(zip(traced_leaves, leaves, strict=True))
        leaves = [_promote_number(new, old) if isinstance(old, TensorSpec) else new for old, new in pairs]
        if all(map(_accepts_leaf, traced_leaves, leaves)):
            return unflatten(spec, leaves)
    raise _mismatch(f"the argument {name!r} was traced as {format_value(traced)}, not {format_value(value)}")


def accepts(inputs: Inputs, spec: Spec, leaves: Sequence[Any]) -> bool:
    """Return whether a trace accepts arguments with this structure and these leaves.

    A `TensorSpec` among the leaves stands for an array with at least one dimension.
    """
    if not is_compatible(inputs.spec, spec):
        return False
    for i, (traced, leaf) in enumerate(zip(inputs.leaves, leaves, strict=True)):
        form = inputs.forms.get(i)
        if isinstance(traced, TensorSpec) and not isinstance(leaf, (np.ndarray, np.generic, TensorSpec)):
            return False
        if form is not None and isinstance(leaf, np.ndarray) is not (form == "array"):
            return False
        if not _accepts_leaf(traced, leaf):
            return False
    return _has_traced_aliasing(inputs, leaves)


def _accepts_leaf(traced: Any, leaf: Any) -> bool:
    if isinstance(traced, (TensorSpec, VariableSpec)):
        return traced.admits(leaf)
    return leaf_key(leaf) == traced if isinstance(traced, Identity) else same_value(leaf, traced)


def _has_traced_aliasing(inputs: Inputs, leaves: Sequence[Any]) -> bool:
    """Return whether the leaves repeat Variables exactly where the traced arguments did."""
    by_number: dict[int, Variable] = {}
    for traced, leaf in zip(inputs.leaves, leaves, strict=True):
        if isinstance(traced, VariableSpec) and by_number.setdefault(traced.number, leaf) is not leaf:
            return False
    if not by_number:
        return True
    distinct = [*by_number.values(), *(v for v in inputs.state if isinstance(v, Variable))]
    return len(set(map(id, distinct))) == len(distinct)
