"""A run of a graph while JAX traces: each node gives a value, by the rule of its op.

What raises sets `failed` to a number that says which error it is. Then nothing raises or prints any more,
loops end, and the error is raised when the program ends. Under `jax.vmap` both sides of a condition run, and
rounds after the last; nothing prints in them, as the program has not `reached` it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ...backends.jax.values import truth
from ...errors import AutographError
from ...graph.ir import Graph, Missing, Node
from ...graph.optimise.fold import computed
from ...graph.types import ArrayType, ListType, MaybeType, ScalarType
from ...tracebacks import raising
from ..calls import by_numpy
from . import refused
from .values import INT, Maybe, Said, dtype_of, is_known, on_host

MOST_KNOWN = 4096
_WRAPPING = ("int8", "uint8", "int16", "uint16", "uint32")
"""Dtypes to which NumPy casts floats by way of wider integers."""
_NEVER = (TypeError, ValueError, NotImplementedError, IndexError, AttributeError, KeyError, OverflowError)


_TOLD, _BITS = 1, 20
"""The number of an error that was raised where it stands, and how many bits the numbers of others have."""


class Run:
    """A graph's values, and what the program does besides computing.

    Args:
        rules: for each op what it does; an op without one calls a function of NumPy.
        room: how many rounds a loop may have that makes a list longer, if nothing else bounds it.
        checked: whether the program looks at indices and divisors, and raises as Python does.
        raised: what takes an error of the running program; without one it is raised.
        printed: what prints, given the arguments of Python's `print`.
    """

    def __init__(
        self,
        rules: dict[str, Callable[..., Any]],
        called: Callable[..., Any],
        *,
        room: int | None = None,
        checked: bool = False,
        raised: Callable[[BaseException, Node], None] | None = None,
        printed: Callable[..., None] = print,
    ):
        self.rules, self.called = rules, called
        self.checked = checked
        self.room, self.raised, self.printed = room, raised, printed
        self.used_room = self.prints = False
        self.failed: Any = 0
        self.reached: Any = True
        self.thrown: BaseException | None = None
        self._errors: list[tuple[Callable[[int], BaseException], Node]] = []
        self.node: Any = None
        self.outputs: dict[Node, dict[int, Node]] = {}
        self._seen: set[Graph] = set()

    def graph(self, graph: Graph, arguments: Sequence[Any]) -> list[Any]:
        """The values of a graph's results."""
        env = dict(zip(graph.arguments, arguments, strict=True))
        self._note_outputs(graph)
        for node in graph.nodes:
            outer, self.node = self.node, node
            env[node] = self._value(node, [env[i] for i in node.inputs])
            self.node = outer
        return [env[r] for r in graph.results]

    def _note_outputs(self, graph: Graph) -> None:
        """Which results of its nodes are used, and as what."""
        if graph not in self._seen:
            self._seen.add(graph)
            for node in graph.nodes:
                if node.op == "output":
                    self.outputs.setdefault(node.inputs[0], {})[node.attrs["index"]] = node

    def _value(self, node: Node, values: list[Any]) -> Any:
        made = self._known(node, values)
        if made is not None:
            return made[0]
        rule = self.rules.get(node.op)
        try:
            made = self.called(self, node, values) if rule is None else rule(self, node, values)
            return self.fitted(made, node.type)
        except AutographError:
            raise
        except refused.UNKNOWN as error:
            raise refused.value_needed(node) from error
        except _NEVER as error:
            if error is self.thrown:  # where nothing compiles the program, it raises here
                raise
            if "static" in str(error) or "concrete" in str(error):
                raise refused.value_needed(node) from error
            return self._failing(node, values, error)

    @staticmethod
    def _known(node: Node, values: Sequence[Any]) -> tuple[Any] | None:
        """What a node gives that computes one number of what is known."""
        kind = node.type
        is_number = isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and kind.shape == ())
        if not is_number or node.effect or node.op == "constant" or not is_known(values):
            return None
        if sum(getattr(v, "size", 1) for v in values) > MOST_KNOWN:
            return None
        try:
            with np.errstate(all="raise"):
                made = computed(node, list(values))
                if made is None and "args" in node.attrs:
                    made = by_numpy(node, list(values))
        except Exception:  # noqa: BLE001 - it is for the program to raise, if it gets there
            return None
        fits = type(made) is kind.python if isinstance(kind, ScalarType) else getattr(made, "shape", 1) == ()
        return (made,) if fits else None

    def _failing(self, node: Node, values: Sequence[Any], error: Exception) -> Any:
        """What stands for the result of a node that NumPy, too, can only raise for these shapes."""
        own = None
        if all(isinstance(v, jax.Array) or is_known(v) for v in values):
            ones = [np.ones(v.shape, v.dtype)[()] if isinstance(v, jax.Array) else v for v in values]
            try:
                with np.errstate(all="ignore"):
                    by_numpy(node, ones)
            except Exception as found:  # noqa: BLE001 - it is the program's
                own = found
        if own is None or not isinstance(node.type, (ArrayType, ScalarType, ListType)):
            raise refused.unsupported(node, f"JAX says: {error}") from error
        self.raises(own)
        return self.nothing(node.type)

    @contextlib.contextmanager
    def only_where(self, flag: Any) -> Iterator[None]:
        """Let nothing raise or print in the block but where a flag is true."""
        outer, self.reached = self.reached, _all(self.reached, flag)
        yield
        self.reached = outer

    def raises(self, error: BaseException) -> None:
        """Raise an error when the program gets here."""
        self.fail(True, lambda: error)

    def check(self, flag: Any, kind: type[Exception], text: str) -> None:
        """Raise an error where `flag` is true, if the program looks at indices and divisors."""
        if self.checked:
            self.fail(flag, lambda: kind(text))

    def nothing(self, kind: Any) -> Any:
        """A value of a type that nobody reads, as the program has raised."""
        if isinstance(kind, ListType):
            return []
        if not isinstance(kind, (ArrayType, ScalarType)):
            return Missing.VALUE
        shape = [1 if n is None else n for n in getattr(kind, "shape", ())]
        return jnp.zeros(shape, self.number(0, dtype_of(kind)).dtype)

    # Values

    def number(self, value: Any, dtype: Any) -> jax.Array:
        """A number or array as one of JAX."""
        if dtype.kind not in "biufc":
            raise refused.unsupported(self.node, f"it has no arrays of dtype {dtype}")
        if jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise refused.no_precision(self.node, dtype)
        if not isinstance(value, jax.Array):
            return jnp.asarray(np.asarray(value, dtype))
        if value.dtype == dtype:
            return value
        if value.dtype.kind == "c" and dtype.kind != "c":
            value = value.real
        if value.dtype.kind == "f" and dtype.name in _WRAPPING:
            value = lax.convert_element_type(value, jax.dtypes.canonicalize_dtype(np.int64))
        return lax.convert_element_type(value, dtype)

    def array(self, value: Any, kind: Any) -> jax.Array:
        """A value of a type, as an array of JAX."""
        if isinstance(value, (Said, str)):
            raise refused.differs(self.node, "text that is known only when the program runs")
        return self.number(value, dtype_of(kind))

    def fitted(self, value: Any, kind: Any) -> Any:
        """A value with the dtype of its type; one of another shape is an error."""
        if isinstance(value, Maybe) and not isinstance(kind, MaybeType):
            value = value.held  # the trace knows that it is bound
        if isinstance(kind, ScalarType):
            if is_known(value) or isinstance(value, Said):
                return value
            kind = ArrayType(dtype_of(kind), ())
        if not isinstance(kind, ArrayType) or not isinstance(value, (jax.Array, np.ndarray, np.generic)):
            return value
        shape = value.shape
        if len(shape) != len(kind.shape) or any(
            k not in (None, n) for n, k in zip(shape, kind.shape, strict=True)
        ):
            raise refused.unsupported(
                self.node, f"its result is {kind} in NumPy, and has the shape {shape} here"
            )
        if isinstance(value, jax.Array):
            return self.number(value, kind.dtype)
        return value if value.dtype == kind.dtype else value.astype(kind.dtype)

    def truth(self, value: Any) -> Any:
        """A value as Python takes it for true or false: known, or an array."""
        if isinstance(value, Said) and value.plain is not None:
            return jnp.asarray(list(map(bool, value.plain)))[value.which]
        if hasattr(value, "length"):
            value = value.length != 0
        try:
            return bool(value) if is_known(value) else truth(value)
        except ValueError as error:  # of an array with several items
            self.raises(error)
            return False

    # What a program does

    def most_rounds(self) -> int:
        """How many rounds a loop without a bound has room for."""
        if self.room is None:
            raise refused.unbounded(self.node)
        self.used_room = True
        return self.room

    @property
    def going_on(self) -> Any:
        """Whether nothing has raised so far."""
        return self.failed == 0

    def fail(
        self, flag: Any, made: Callable[..., BaseException], values: Sequence[tuple[Any, Any]] = ()
    ) -> None:
        """Raise what `made` makes of some values, given with their types, where `flag` is true."""
        if flag is False or has_failed(self.failed):
            return
        if values:
            self._tell(flag, made, values)
            self._set(flag, _TOLD)
        else:
            self._set(flag, self._number(lambda _: made()))

    def fail_at(self, flag: Any, made: Callable[[int], BaseException], index: Any) -> None:
        """Raise what `made` makes of an index, where `flag` is true."""
        if code_type().dtype != np.int64:
            self.fail(flag, made, [(index, INT)])
        elif flag is not False and not has_failed(self.failed):
            most = 1 << (62 - _BITS)
            self._set(flag, self._number(made) + (jnp.clip(index, -most, most) << _BITS))

    def _number(self, made: Callable[[int], BaseException]) -> int:
        self._errors.append((made, self.node))
        return _TOLD + len(self._errors)

    def _set(self, flag: Any, code: Any) -> None:
        """Note which error is raised, where `flag` is true and none was before."""
        if flag is True and is_known(self.failed):
            self.failed = code
        else:
            first = jnp.logical_and(flag, self.going_on)
            self.failed = jnp.where(first, self.code(code), self.code(self.failed))

    def code(self, failed: Any) -> jax.Array:
        """What says which error was raised, as an array."""
        return self.number(failed, code_type().dtype)

    def finish(self) -> None:
        """Raise what the program has come to."""
        if is_known(self.failed) and not self.failed:
            return

        def told(fires: Any, failed: Any) -> None:
            number, code = divmod(int(failed), 1 << _BITS)
            if fires and code > _TOLD:
                made, node = self._errors[code - _TOLD - 1]
                self._throw(made(number), node)

        failed = self.code(self.failed)
        _callback(failed != 0, lambda fires: jax.debug.callback(told, fires, failed, ordered=self.prints))

    def _tell(self, flag: Any, made: Callable[..., BaseException], values: Sequence[tuple[Any, Any]]) -> None:
        arrays, statics = _split([v for v, _ in values])
        kinds, node = [k for _, k in values], self.node

        def told(fires: Any, *given: Any) -> None:
            if fires:
                parts = [on_host(v, k) for v, k in zip(statics(given), kinds, strict=True)]
                self._throw(made(*parts), node)

        fires = _all(flag, self.going_on, self.reached)
        _callback(fires, lambda fires: jax.debug.callback(told, fires, *arrays, ordered=self.prints))

    def _throw(self, error: BaseException, node: Node) -> None:
        if self.raised is not None:
            self.raised(error, node)
        else:
            self.thrown = error
            raising(lambda: error, next(iter(node.places[-1:]), None))()

    def show(self, made: Callable[..., None], values: Sequence[tuple[Any, Any]]) -> None:
        """Call Python with some values when the program runs, in order, unless it has raised."""
        if has_failed(self.failed):
            return
        arrays, statics = _split([v for v, _ in values])
        kinds = [k for _, k in values]

        def run(is_reached: Any, *given: Any) -> None:
            if is_reached:
                made(*[on_host(v, k) for v, k in zip(statics(given), kinds, strict=True)])

        reached = _all(self.going_on, self.reached)
        _callback(reached, lambda flag: jax.debug.callback(run, flag, *arrays, ordered=True))


def has_failed(failed: Any) -> bool:
    """Whether a program is known to have raised, whatever its values are."""
    return is_known(failed) and failed != 0


def code_type() -> ArrayType:
    """The type of what says which error was raised."""
    return ArrayType(jax.dtypes.canonicalize_dtype(np.int64), ())


def _all(*flags: Any) -> Any:
    """Whether all are true: known, or an array."""
    arrays = [flag for flag in flags if flag is not True]
    return functools.reduce(jnp.logical_and, arrays) if arrays else True


def _callback(flag: Any, call: Callable[[Any], None]) -> None:
    if flag is True:
        call(True)
    else:
        lax.cond(flag, lambda: call(flag), lambda: None)


def _split(values: Sequence[Any]) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The arrays among the parts of values, and what puts others in their places."""
    leaves, tree = jax.tree.flatten(list(values))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def whole(arrays: Sequence[Any]) -> Any:
        parts = list(leaves)
        for i, array in zip(places, arrays, strict=True):
            parts[i] = np.asarray(array)
        return jax.tree.unflatten(tree, parts)

    return [leaves[i] for i in places], whole


@contextlib.contextmanager
def as_numpy_computes() -> Iterator[None]:
    """Products of matrices in the precision of their dtype, also where the hardware has a quicker one."""
    with jax.default_matmul_precision("highest"):
        yield
