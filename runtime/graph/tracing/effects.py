"""Record printing, raised exceptions, calls to Python functions, random draws and f-strings."""

from __future__ import annotations

import builtins
import functools
import io
import itertools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends.builtins import formatted
from ...backends.functional.staged_text import split_markers
from ...debugging.positions import position_at
from ...debugging.tracebacks import api_boundary, traceback_frames
from ...errors import AliasError, ArgumentError, SpecError, StagingError, UnsupportedFunctionError, describe
from ...staging.branches.exceptions import fields_of, refuse_caught, reviving
from ...staging.state.side_effects import DRAWERS
from ...values.structures import flatten, unflatten
from ..ir.expressions import GENERATORS, draw
from ..ir.graph import Node, Slot
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, GeneratorType, ScalarType, constant_type
from ..rules.probing import dummy, suppress_warnings
from . import recording
from .specs import TensorSpec, conform
from .tensor import Staged, Tensor
from .trace import current_builder, is_tracing, user_frames


@api_boundary
def print(*values: Any, **options: Any) -> None:  # noqa: A001 - stands in for Python's
    """Print like Python's `print`, on every run of the graph rather than once during the trace.

    Args:
        *values: staged or plain values.
        **options: the keyword arguments of Python's `print`.

    >>> import autograph_rs as ag, numpy as np
    >>> traces = []
    >>> @ag.function
    ... def f(x):
    ...     traces.append("traced")
    ...     ag.print("running on", x)
    >>> f(np.float64(1)), f(np.float64(2)), traces
    running on 1.0
    running on 2.0
    (None, None, ['traced'])
    """
    if is_tracing():
        record_print(values, options)
    else:
        builtins.print(*values, **options)


@api_boundary
def py_function(f: Callable[..., Any], args: Any, spec: Any) -> Any:
    """Call a Python function on every run of the graph.

    Args:
        f: a function, called with arrays, NumPy scalars and Python numbers in place of staged values.
        args: a sequence with the arguments of `f`.
        spec: a `TensorSpec` of the result, or a structure of them; None if `f` returns nothing.

    Returns:
        The result of `f`, with the structure and types of `spec`.

    Raises:
        ArgumentError: `f` is not callable, or `spec` contains something other than specs.
        SpecError: the result of `f` does not match `spec` (raised when the graph runs).

    A graph with such a call cannot be saved.

    >>> import autograph_rs as ag, numpy as np
    >>> calls = []
    >>> @ag.function
    ... def f(x):
    ...     return ag.py_function(lambda v: calls.append(float(v)) or v * 2, [x], ag.TensorSpec(())) + 1
    >>> float(f(np.float64(1))), float(f(np.float64(5))), calls
    (3.0, 11.0, [1.0, 5.0])
    """
    specs, structure = flatten(spec)
    function: Any = f
    invalid = [] if callable(function) else [function]
    invalid += [s for s in specs if not isinstance(s, TensorSpec | None)]
    if invalid:
        raise ArgumentError(
            f"py_function takes a function, its arguments and a TensorSpec of its result, not "
            f"{describe(invalid[0])}",
            why="the graph is built before the function is called, so its result type must be declared",
            remedy="write ag.py_function(f, [x], ag.TensorSpec(shape, dtype)), or spec=None for no result",
        )
    what = f"the py_function {getattr(f, '__name__', type(f).__name__)} returned"

    def checked_call(*values: Any) -> tuple:
        leaves, actual = flatten(f(*values))
        if specs == [None] and leaves == [None]:
            return ()
        if actual != structure:
            raise SpecError(
                f"{what} {actual}, but its spec is {structure}",
                why="the graph was built for the structure of the spec",
                remedy="return that structure, or change the spec to match the result",
                place=None,
            )
        return tuple([conform(leaf, s, what) for leaf, s in zip(leaves, specs, strict=True)])

    if not is_tracing():
        return unflatten(structure, list(checked_call(*args)) or [None])
    arguments = recording.Arguments(keep_namedtuples=True)
    [template] = arguments.templates(tuple(args))
    node = recording.add(
        "py_function", arguments.inputs, None, effect=True, function=checked_call, args=template, kwargs={}
    )
    results = recording.outputs(node, [s.type for s in specs if s is not None])
    return unflatten(structure, results or [None])


# Text


def staged_string(text: str) -> Any:
    """Return a staged string if the string contains markers of staged values, else the string itself."""
    pieces = split_markers(text)
    if all(isinstance(piece, str) for piece in pieces):
        return text
    arguments = recording.Arguments(keep_namedtuples=True)
    [args] = arguments.templates(tuple(pieces))
    if arguments.inputs:
        check_print_options()
    return recording.record(
        "text", arguments.inputs, ScalarType(str), function=join_pieces, args=args, kwargs={}
    )


def joined(separator: str, parts: Any) -> Any:
    """Join the strings of a staged list."""
    return recording.record("join", (separator, parts), ScalarType(str), function=str.join)


def print_in_trace(*args: Any, **kwargs: Any) -> None:
    """Print plain values, unless a trace that is repeated has printed them already."""
    text = io.StringIO()
    builtins.print(*args, **(kwargs | {"file": text}))
    printed = current_builder().root.instance_kinds.printed
    if kwargs.get("file") is not None or printed.is_new(text.getvalue()):
        builtins.print(*args, **kwargs)


def record_print(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    arguments = recording.Arguments(keep_namedtuples=True)
    template, named = arguments.templates(args, kwargs)
    if arguments.inputs:
        check_print_options()
    recording.add("print", arguments.inputs, None, effect=True, args=template, kwargs=named)


def check_print_options() -> None:
    """Raise if the traced code set NumPy's print options, which have no effect when the graph runs."""
    if np.get_printoptions() != current_builder().root.printing:
        raise UnsupportedFunctionError(
            "a staged value is formatted under NumPy print options set in the traced function",
            why="it is formatted when the graph runs, with the print options in effect at that time",
            remedy="set the options around the call: with np.printoptions(precision=2): f(x)",
        )


def join_pieces(*pieces: Any) -> str:
    """Join strings and formatted values, which are given as tuples (value, conversion, format spec)."""
    return "".join(p if isinstance(p, str) else formatted(*p) for p in pieces)


# Random numbers, drawn from the user's own generator when the graph runs


def raise_in_graph(error: BaseException) -> Node:
    """Add a node that raises an exception of the traced code when the graph runs.

    Raises:
        RaiseInTryError: an `except` clause of the traced code would have to catch the exception.
    """
    refuse_caught(error, user_frames())
    arguments = recording.Arguments()
    template = (type(error), *arguments.templates(tuple(error.args), fields_of(error)))
    function = reviving(error)
    node = recording.add("raise", arguments.inputs, None, effect=True, function=function, args=template)
    around, frames = node.source, traceback_frames(error)
    is_repeated = around and frames and position_at(*around[-1]) == position_at(*frames[0])  # by `attempt`
    node.source = (*around, *frames[1 if is_repeated else 0 :])
    return node


def traced_random_call(function: Any) -> Callable[..., Any] | None:
    """Return the function that records calls to a random function, or None for any other function."""
    if not is_tracing():
        return None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, DRAWERS):
        return lambda *args, **kwargs: _record_draw(owner, function.__name__, args, kwargs)
    if function is np.random.seed:
        return lambda *args, **kwargs: _record_draw(GENERATORS["numpy.random"], "seed", args, kwargs)
    if function in _CONSTRUCTORS:
        return functools.partial(_raise_constructor_error, function)
    if function is np.random.default_rng:
        return lambda *args, **kwargs: _StagedGenerator(args, kwargs)
    return None


_CONSTRUCTORS = (random.Random, np.random.RandomState, np.random.Generator)


def _raise_constructor_error(kind: type, *_: Any, **__: Any) -> Any:
    raise StagingError(
        f"a {kind.__name__} is created in a traced function",
        why="it would be created only once, during the trace, so later calls would continue its sequence",
        remedy="create it outside the function, or use np.random.default_rng",
    )


class _StagedGenerator:
    """A generator that a traced function creates: each run of the graph creates a new one."""

    def __init__(self, args: tuple, kwargs: dict[str, Any]):
        arguments = recording.Arguments()
        template, named = arguments.templates(args, kwargs)
        attrs = {"function": np.random.default_rng, "args": template, "kwargs": named}
        self._node = recording.add("default_rng", arguments.inputs, GeneratorType(), effect=True, **attrs)
        self._owner = current_builder()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.random.Generator, name):
            raise AttributeError(f"'Generator' object has no attribute {name!r}")
        return lambda *args, **kwargs: _record_draw(
            current_builder().capture(self._node, self._owner), name, args, kwargs
        )


_PERMUTED = {"shuffle": "permutation"}


def _record_draw(owner: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Record a method call on a generator. `owner` is a plain generator, or the node of a staged one."""
    if name in _PERMUTED and args and isinstance(args[0], (list, np.ndarray)):
        raise AliasError(
            "shuffle() is called on a plain list or array in a traced function",
            why="it would be shuffled only once, during the trace, and not in later calls",
            remedy="use permutation(), which returns a new array: x = rng.permutation(x)",
        )
    if name in _PERMUTED and args and isinstance(args[0], Tensor):
        [target] = args
        target[...] = _record_draw(owner, _PERMUTED[name], args, kwargs)
        return None
    kind = _infer_type(getattr(_scratch_generator(owner), name), args, kwargs)
    is_node = isinstance(owner, Node)
    arguments = recording.Arguments([owner] if is_node else ())
    template, named = arguments.templates(args, kwargs)
    attrs = {"function": draw, "args": (Slot(0) if is_node else owner, name, template, named), "kwargs": {}}
    has_several = isinstance(kind, list)
    result = None if has_several else kind
    node = recording.add(f"random.{name}", arguments.inputs, result, effect=True, **attrs)
    if has_several:
        return recording.outputs(node, kind)
    return None if kind is None else recording.wrap(node)


def _scratch_generator(owner: Any) -> Any:
    """Return a new generator of the same class, so that sampling does not advance the user's generator."""
    if isinstance(owner, random.Random):
        return random.Random(0)  # noqa: S311 - not for cryptography
    return np.random.RandomState(0) if isinstance(owner, np.random.RandomState) else np.random.default_rng(0)


_SAMPLE_LENGTHS = ((2, 3), (1, 2), (100, 101))


def _infer_type(method: types.BuiltinMethodType, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Infer the type of a method's result by calling it on samples of two lengths."""
    reason = ""
    for lengths in _SAMPLE_LENGTHS:
        try:
            with suppress_warnings():
                first, second = (method(*_sample(args, n), **_sample(kwargs, n)) for n in lengths)
        except Exception as error:  # noqa: BLE001 - samples of other lengths may succeed
            reason = str(error)
            continue
        return _merge_samples(method.__name__, first, second)
    raise UnsupportedFunctionError(
        f"{method.__name__}() of a random generator cannot be staged with arguments of these types",
        why=f"a call with sample arguments of the same types failed: {reason}",
        remedy="pass numbers or arrays that the method accepts",
    )


def _sample(value: Any, length: int) -> Any:
    """Replace staged values with plain samples. Unknown lengths and numbers become `length`."""
    if isinstance(value, dict):
        samples = {k: _sample(v, length) for k, v in value.items()}
        if isinstance(value.get("p"), Staged):
            samples["p"] = np.ones_like(samples["p"]) / samples["p"].size
        return samples
    if isinstance(value, (list, tuple)):
        return type(value)([_sample(v, length) for v in value])
    kind = getattr(value, "type", None)
    if isinstance(value, Staged) and isinstance(kind, ArrayType):
        return np.full([length if d is None else d for d in kind.shape], min(length, 100), kind.dtype)[()]
    if isinstance(value, Staged) and isinstance(kind, ScalarType):
        return kind.python(length) if kind.python is not str else dummy(kind)
    return value


def _merge_samples(name: str, first: Any, second: Any) -> Any:
    """Return the common type of two sample results. Dimensions that differ are unknown."""
    if first is None:
        return None
    if type(first) is list:
        return [_merge_samples(name, a, b) for a, b in itertools.zip_longest(first, second)]
    kinds = constant_type(first), constant_type(second)
    if kinds[0] is None or kinds[1] is None or isinstance(first, str):
        raise UnsupportedFunctionError(
            f"{name}() of a random generator returns a {type(first).__name__}, which cannot be staged",
            why="a graph can contain only numbers and arrays",
            remedy="draw numbers and use them to index an array",
        )
    is_array = isinstance(kinds[0], ArrayType) and isinstance(kinds[1], ArrayType)
    return merge_types(kinds[0], kinds[1]) if is_array else kinds[0]
