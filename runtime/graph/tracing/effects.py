"""What a graph does besides computing: text that it prints, Python that it calls, numbers that it draws."""

from __future__ import annotations

import builtins
import functools
import itertools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..boundary import public
from ..errors import AliasError, ArgumentError, SpecError, StagingError, UnsupportedFunctionError, told
from ..side_effects import DRAWERS
from ..structures import flatten, unflatten
from . import record, texts
from .ir import Node, Slot
from .rules.probing import dummy, quiet
from .specs import TensorSpec, fitted
from .staged import Staged, Tensor
from .trace import current, is_tracing, scalar_type
from .types import ArrayType, GeneratorType, ScalarType


@public
def print(*values: Any, **options: Any) -> None:  # noqa: A001 - it is Python's, at every call
    """Python's `print`, at every call of a graph and not only when it is traced.

    Args:
        *values: staged or plain values.
        **options: what Python's `print` takes.

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
        texts.printed(values, options)
    else:
        builtins.print(*values, **options)


@public
def py_function(f: Callable[..., Any], args: Any, spec: Any) -> Any:
    """Call Python at every call of the graph.

    Args:
        f: called with arrays, NumPy scalars and Python numbers in the place of staged values.
        args: a sequence of what `f` is called with.
        spec: a `TensorSpec` of the result, or a structure of them; None for nothing.

    Returns:
        What `f` returns, as `spec` says.

    Raises:
        ArgumentError: `f` is no function, or `spec` holds what is no spec.
        SpecError: `f` returns what does not fit `spec` (when the graph runs).

    A graph that holds such a call cannot be saved.

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
    wrong = [] if callable(function) else [function]
    wrong += [s for s in specs if not isinstance(s, TensorSpec | None)]
    if wrong:
        raise ArgumentError(
            f"py_function takes a function, its arguments and a TensorSpec of its result, not "
            f"{told(wrong[0])}",
            why="the graph is made before the function is called, for a result of that type",
            remedy="give ag.py_function(f, [x], ag.TensorSpec(shape, dtype)), or None if it returns nothing",
        )

    def called(*values: Any) -> tuple:
        made, shape = flatten(f(*values))
        if specs == [None] and made == [None]:
            return ()
        if shape != structure:
            raise SpecError(
                f"the py_function {_name(f)} returned {shape}, but its spec is {structure}",
                why="the graph was made for what the spec says",
                remedy="return what the spec says, or give the spec of what comes",
                place=None,
            )
        return tuple(
            [fitted(v, s, f"the py_function {_name(f)} returned") for v, s in zip(made, specs, strict=True)]
        )

    if not is_tracing():
        results = called(*args)
        return unflatten(structure, list(results) or [None])
    kinds = tuple(s.type for s in specs if s is not None)
    taken = record.Arguments(named=True)
    template, _ = taken.take(tuple(args))
    node = record.add(
        "py_function", taken.inputs, None, effect=True, function=called, args=template, kwargs={}
    )
    outputs = [record.wrap(record.output(node, i, kind)) for i, kind in enumerate(kinds)]
    return unflatten(structure, outputs or [None])


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", type(f).__name__)


# Random numbers: drawn when the graph runs, from the very generator


def drawing(function: Any) -> Callable[..., Any] | None:
    """What stands for a method of a random generator in a trace; None for anything else."""
    if not is_tracing():
        return None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, DRAWERS):
        return lambda *args, **kwargs: _drawn(owner, function.__name__, args, kwargs)
    if function is np.random.seed:
        return lambda *args, **kwargs: _drawn(GENERATORS["numpy.random"], "seed", args, kwargs)
    if function in _CONSTRUCTORS:
        return functools.partial(_refuse_constructor, function)
    if function is np.random.default_rng:
        return lambda *args, **kwargs: _StagedGenerator(args, kwargs)
    return None


_CONSTRUCTORS = (random.Random, np.random.RandomState, np.random.Generator)


def _refuse_constructor(kind: type, *_: Any, **__: Any) -> Any:
    raise StagingError(
        f"a {kind.__name__} is made in a traced function",
        why="it would be made once, when the function is traced, and draw on at each call",
        remedy="make it outside of the function, or use np.random.default_rng",
    )


class _StagedGenerator:
    """A generator that a traced function makes: a new one each time that the graph runs."""

    def __init__(self, args: tuple, kwargs: dict[str, Any]):
        taken = record.Arguments()
        template, _ = taken.take(args)
        named, _ = taken.take(kwargs)
        attrs = {"function": np.random.default_rng, "args": template, "kwargs": named}
        self._node = record.add("default_rng", taken.inputs, GeneratorType(), effect=True, **attrs)
        self._owner = current()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.random.Generator, name):
            raise AttributeError(f"'Generator' object has no attribute {name!r}")
        return lambda *args, **kwargs: _drawn(current().lift(self._node, self._owner), name, args, kwargs)


_PERMUTED = {"shuffle": "permutation"}


def _drawn(owner: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The node of one call of a generator, which is an object or a node."""
    if name in _PERMUTED and args and isinstance(args[0], (list, np.ndarray)):
        raise AliasError(
            "shuffle() is called on a plain list or array in a traced function",
            why="it would be shuffled once, when the function is traced",
            remedy="use permutation(), which gives a new array: x = rng.permutation(x)",
        )
    if name in _PERMUTED and args and isinstance(args[0], Tensor):
        [target] = args
        target[...] = _drawn(owner, _PERMUTED[name], args, kwargs)
        return None
    fresh = np.random.default_rng(0) if isinstance(owner, Node) else _fresh(owner)
    kind = _drawn_type(getattr(fresh, name), args, kwargs)
    taken = record.Arguments()
    if isinstance(owner, Node):
        taken.inputs.append(owner)
        drawer: Any = Slot(0)
    else:
        drawer = owner
    template, _ = taken.take(args)
    named, _ = taken.take(kwargs)
    attrs = {"function": draw, "args": (drawer, name, template, named), "kwargs": {}}
    if isinstance(kind, list):
        node = record.add(f"random.{name}", taken.inputs, None, effect=True, **attrs)
        return [record.wrap(record.output(node, i, k)) for i, k in enumerate(kind)]
    node = record.add(f"random.{name}", taken.inputs, kind, effect=True, **attrs)
    return None if kind is None else record.wrap(node)


def draw(owner: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    return getattr(owner, name)(*args, **kwargs)


def _fresh(owner: Any) -> Any:
    """A generator like `owner` that may be drawn from without its notice."""
    if isinstance(owner, np.random.Generator):
        return np.random.default_rng(0)
    return np.random.RandomState(0) if isinstance(owner, np.random.RandomState) else random.Random(0)  # noqa: S311


_LENGTHS = ((2, 3), (1, 2), (100, 101))


def _drawn_type(method: types.BuiltinMethodType, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The type of what a method draws, from what it draws for samples of two sizes."""
    reason = ""
    for lengths in _LENGTHS:
        try:
            with quiet():
                first, second = (method(*_sample(args, n), **_sample(kwargs, n)) for n in lengths)
        except Exception as error:  # noqa: BLE001 - another sample may do
            reason = str(error)
            continue
        return _common(method.__name__, first, second)
    raise UnsupportedFunctionError(
        f"{method.__name__}() of a random generator cannot be staged with these values",
        why=f"it fails on samples of them: {reason}",
        remedy="give it numbers and arrays that it takes",
    )


def _sample(value: Any, length: int) -> Any:
    """A plain value for a staged one: unknown lengths, and numbers, are `length`."""
    if isinstance(value, dict):
        made = {k: _sample(v, length) for k, v in value.items()}
        if isinstance(value.get("p"), Staged):
            made["p"] = np.ones_like(made["p"]) / made["p"].size
        return made
    if isinstance(value, (list, tuple)):
        return type(value)([_sample(v, length) for v in value])
    kind = getattr(value, "type", None)
    if isinstance(value, Staged) and isinstance(kind, ArrayType):
        return np.full([length if d is None else d for d in kind.shape], min(length, 100), kind.dtype)[()]
    if isinstance(value, Staged) and isinstance(kind, ScalarType):
        return kind.python(length) if kind.python is not str else dummy(kind)
    return value


def _common(name: str, first: Any, second: Any) -> Any:
    if first is None:
        return None
    if type(first) is list:
        return [_common(name, a, b) for a, b in itertools.zip_longest(first, second)]
    kinds = scalar_type(first), scalar_type(second)
    if kinds[0] is None or kinds[1] is None or isinstance(first, str):
        raise UnsupportedFunctionError(
            f"{name}() of a random generator gives a {type(first).__name__}",
            why="a graph holds numbers and arrays only",
            remedy="draw numbers, and index an array by them",
        )
    if not isinstance(kinds[0], ArrayType) or not isinstance(kinds[1], ArrayType):
        return kinds[0]
    shape = tuple(a if a == b else None for a, b in zip(kinds[0].shape, kinds[1].shape, strict=True))
    return ArrayType(kinds[0].dtype, shape)


GENERATORS = {"numpy.random": np.random.rand.__self__, "random": random.random.__self__}  # type: ignore[attr-defined]
"""The generators of whole modules."""

_STATE = ("get_state", "getstate", "set_state", "setstate", "spawn")
DRAWS = frozenset(
    f"random.{name}"
    for kind in DRAWERS
    for name in dir(kind)
    if not name.startswith("_") and name not in _STATE and callable(getattr(kind, name))
)
"""The ops that draw."""

__all__ = ["DRAWERS", "DRAWS", "GENERATORS", "draw", "drawing", "print", "py_function"]
