"""JAX: traced arrays are staged, under `jit`, `vmap`, `scan` and whatever else traces.

A branch is captured as a jaxpr, which closes over the tracers that it uses; `lax.cond`, `lax.while_loop`
and `lax.scan` evaluate the jaxprs. Concrete arrays, and tracers whose value is known, are plain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import get_opaque_trace_state

from .. import staging
from ..errors import StagingError, UnsupportedFunctionError
from ..staging.raises import is_own_raise, revived
from ..structures import flatten, unflatten
from ..undefined import unbound_local
from . import jax_builtins, register_backend
from .functional import Added, Aval, Capture, FunctionalBackend, ListAval, Maybe
from .iterables import StagedSequence
from .jax_errors import shapes_known
from .texts import Text, joined, resolved

try:
    from jax._src.core import trace_state_clean  # the only way to ask
except ImportError:
    trace_state_clean = None

_PYTHON = {bool: np.dtype(bool), int: int, float: float, complex: complex}


class JaxBackend(FunctionalBackend):
    """Conditions and loops of `jax.lax`."""

    name = "jax"
    boolean = Aval(np.dtype(bool), ())

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (jax.core.Tracer, jax.Array, Maybe, StagedSequence, Text))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, jax.Array)

    def is_staged(self, value: Any) -> bool:
        if isinstance(value, jax.core.Tracer):
            return value.to_concrete_value() is None
        return isinstance(value, (Maybe, StagedSequence, Text))

    def staging(self) -> bool:
        return not _is_clean()

    # Types

    def aval(self, value: Any) -> Aval | None:
        if isinstance(value, jax.Array):
            return Aval(value.dtype, value.shape, bool(getattr(value, "weak_type", False)))
        kind = type(value)
        if kind in _PYTHON:
            return Aval(jnp.result_type(_PYTHON[kind]), (), kind is not bool)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcV":
            return Aval(jax.dtypes.canonicalize_dtype(value.dtype), value.shape)
        return None

    def merged(self, first: Aval, second: Aval) -> Aval:
        if first.shape != second.shape:
            raise TypeError(f"one has the shape {first.shape}, the other {second.shape}")
        if first.dtype == second.dtype:
            return Aval(first.dtype, first.shape, first.weak and second.weak)
        if jax.dtypes.issubdtype(first.dtype, jax.dtypes.extended) or jax.dtypes.issubdtype(
            second.dtype, jax.dtypes.extended
        ):
            raise TypeError(f"one is {first.dtype}, the other {second.dtype}")
        dtype = jnp.result_type(*[_weak(k) for k in (first, second)])
        return Aval(dtype, first.shape, first.weak and second.weak)

    def cast(self, value: Any, kind: Aval) -> Any:
        own = self.aval(value)
        if own is not None and own.dtype == kind.dtype:
            return (
                value
                if isinstance(value, jax.Array)
                else jnp.asarray(value, None if kind.weak else kind.dtype)
            )
        return lax.convert_element_type(jnp.asarray(value), _weak(kind) if kind.weak else kind.dtype)

    def zeros(self, kind: Aval) -> Any:
        if jax.dtypes.issubdtype(kind.dtype, jax.dtypes.prng_key):
            return jax.random.split(jax.random.key(0), math.prod(kind.shape)).reshape(kind.shape)
        return jnp.zeros(kind.shape, kind.dtype)

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> Capture:
        made = Capture()
        kinds = [
            part for kind in arguments for part in ([] if isinstance(kind, ListAval) else self.parts(kind))
        ]

        def traced(*placeholders: Any) -> list[Any]:
            rest = list(placeholders)
            values = []
            for kind in arguments:
                if isinstance(kind, ListAval):
                    values.append(Added())
                    continue
                count = len(self.parts(kind))
                values += self.built([kind], rest[:count])
                rest = rest[count:]
            self.captures.append(made)
            try:
                made.value, leaves = run(*values)
            except staging.AlwaysRaises as error:
                made.raised, leaves = error, []
            except Exception as error:
                if not is_own_raise(error):
                    raise
                made.raised, leaves = error, []
                self.fail(True, error)
            finally:
                made.close()
                self.captures.pop()
            leaves = [*leaves, *flatten(made.value)[0], *[v for _, v in made.writes], made.failed]
            made.kept = self.arrays_in(leaves)
            made.places = {id(array): i for i, array in enumerate(made.kept)}
            return made.kept

        specs = [jax.ShapeDtypeStruct(k.shape, k.dtype, weak_type=k.weak) for k in kinds]
        made.program = jax.make_jaxpr(traced)(*specs)
        return made

    def results(self, capture: Capture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; a function from a leaf that the closure left to its value."""
        program = capture.program
        values = jax.core.eval_jaxpr(program.jaxpr, program.consts, *arguments)

        def value_of(leaf: Any) -> Any:
            if isinstance(leaf, Maybe):
                return Maybe(value_of(leaf.value), value_of(leaf.bound), leaf.name)
            if isinstance(leaf, Added):
                return Added(tuple(map(value_of, leaf.items)))
            place = capture.places.get(id(leaf))
            return leaf if place is None else values[place]

        return value_of

    # Conditions and loops

    def cond(
        self, pred: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
        count, failed = len(kinds), [c.failed for c in captures]
        if any(flag is not False for flag in failed):
            outputs, kinds = [*outputs, (*failed, self.boolean)], [*kinds, self.boolean]

        def branch(side: int) -> Callable[[], list[Any]]:
            def run() -> list[Any]:
                value_of = self.results(captures[side], ())
                if captures[side].raised is not None:
                    zeros = [self.zeros(part) for kind in kinds for part in self.parts(kind)]
                    return [*zeros[:-1], True]
                return [a for out in outputs for a in self.held(value_of(out[side]), out[2])]

            return run

        if not kinds and not any(c.program.effects for c in captures):
            return []
        results = self.built(kinds, lax.cond(_truth(pred), branch(0), branch(1)))
        if len(kinds) > count:
            self.note_failed(results.pop())
        return results

    def while_loop(
        self,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self._refuse_lists(types)
        limit = options.get("maximum_iterations")
        start = [a for v, k in zip(init, types, strict=True) for a in self.held(v, k)]

        flag = [] if body.failed is False else [False]
        state = [_truth(going), *flag, *start]

        def step(state: list[Any]) -> list[Any]:
            value_of = self.results(body, state[1 + len(flag) :])
            failed = [value_of(body.failed) for _ in flag]
            return [
                self._unless(_truth(value_of(again)), failed),
                *failed,
                *self._left(value_of, results, types),
            ]

        def bounded(state: list[Any], _: Any) -> tuple[list[Any], None]:
            return lax.cond(state[0], lambda: step(state), lambda: state), None

        if limit is None:
            _, *left = lax.while_loop(lambda c: c[0], step, state)
        else:
            (_, *left), _ = lax.scan(bounded, state, None, length=limit)
        return self.built(types, self._after(flag, left))

    def _unless(self, going: Any, failed: list[Any]) -> Any:
        return going & jnp.logical_not(failed[0]) if failed else going

    def _after(self, flag: list[Any], left: list[Any]) -> list[Any]:
        """What a loop leaves, without the flag that tells whether an iteration raised."""
        if flag:
            self.note_failed(left[0])
        return left[len(flag) :]

    def for_loop(
        self,
        iterated: Any,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        items = self.sequence(iterated)
        start = [
            a
            for v, k in zip(init, types, strict=True)
            if not isinstance(k, ListAval)
            for a in self.held(v, k)
        ]
        limit = options.get("maximum_iterations")
        length = items.length
        if limit is not None:
            length = self.least(length, limit)
        if going is True and again is True and isinstance(length, int):
            return self._scan(items, length, init, types, start, body, results)
        self._refuse_lists(types)

        flag = [] if body.failed is False else [False]
        plain = going is True and again is True and not flag

        def step(state: tuple[Any, Any, list[Any]]) -> tuple[Any, Any, list[Any]]:
            i, on, carry = state
            value_of = self.results(body, [*self._element(items.item(i)), *carry[len(flag) :]])
            failed = [value_of(body.failed) for _ in flag]
            kept = on if again is True else _truth(value_of(again))
            return i + 1, self._unless(kept, failed), [*failed, *self._left(value_of, results, types)]

        zero = jnp.zeros_like(length) if isinstance(length, jax.Array) else 0
        if plain:
            left = lax.fori_loop(zero, length, lambda i, c: step((i, True, c))[2], start)
        else:
            state = (zero, _truth(going), [*flag, *start])
            _, _, left = lax.while_loop(lambda state: (state[0] < length) & state[1], step, state)
        return self.built(types, self._after(flag, left))

    def _scan(
        self,
        items: StagedSequence,
        length: int,
        init: Sequence[Any],
        types: Sequence[Any],
        start: list[Any],
        body: Capture,
        results: Sequence[Any],
    ) -> list[Any]:
        """A loop of known length: what it appends to lists is stacked, and it can be differentiated."""
        whole = items.name == "array" and length == items.length
        grown = [i for i, kind in enumerate(types) if isinstance(kind, ListAval)]

        flag = [] if body.failed is False else [False]

        def step(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            element = x if whole else items.item(x)
            value_of = self.results(body, [*self._element(element), *carry[len(flag) :]])
            rows = [a for i in grown for a in self.held(value_of(results[i]), types[i])]
            return [value_of(body.failed) for _ in flag] + self._left(value_of, results, types), rows

        def unless_failed(carry: list[Any], x: Any) -> tuple[list[Any], list[Any]]:
            rows = [self.zeros(part) for i in grown for part in self.parts(types[i])]
            return lax.cond(carry[0], lambda: (carry, rows), lambda: step(carry, x))

        xs = items.sources[0] if whole else jnp.arange(length)
        left, stacked = lax.scan(unless_failed if flag else step, [*flag, *start], xs, length=length)
        found, rest, rows = [], self._after(flag, list(left)), list(stacked)
        for kind, value in zip(types, init, strict=True):
            if isinstance(kind, ListAval):
                own, rows = rows[: len(kind.items)], rows[len(kind.items) :]
                found.append(Added((*value.items, *[a[i] for i in range(length) for a in own])))
            else:
                count = len(self.parts(kind))
                found += self.built([kind], rest[:count])
                rest = rest[count:]
        return found

    def _left(
        self, value_of: Callable[[Any], Any], results: Sequence[Any], types: Sequence[Any]
    ) -> list[Any]:
        return [
            array
            for leaf, kind in zip(results, types, strict=True)
            if not isinstance(kind, ListAval)
            for array in self.held(value_of(leaf), kind)
        ]

    def _refuse_lists(self, types: Sequence[Any]) -> None:
        if any(isinstance(kind, ListAval) for kind in types):
            raise StagingError(
                "a list is appended to in a loop whose number of iterations is known only at run time. Make "
                "an array of the greatest length before the loop and write its items, or loop a fixed number "
                "of times"
            )

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        shapes = jax.eval_shape(
            lambda: [jnp.asarray(a) for a in self._element(items.item(jnp.zeros((), int)))]
        )
        kinds = [Aval(s.dtype, s.shape, bool(getattr(s, "weak_type", False))) for s in shapes]
        spec = _spec_of(items)
        return (lambda values: _rebuilt(spec, values)), kinds

    @staticmethod
    def _element(item: Any) -> list[Any]:
        return flatten(item)[0]

    # Values

    def length(self, value: Any) -> Any:
        if not value.ndim:
            raise TypeError("iteration over a 0-d array")
        return value.shape[0]

    def minimum(self, a: Any, b: Any) -> Any:
        return jnp.minimum(a, b)

    def maximum(self, a: Any, b: Any) -> Any:
        return jnp.maximum(a, b)

    def not_(self, value: Any) -> Any:
        return jnp.logical_not(_truth(value))

    def get_item(self, target: Any, key: Any) -> Any:
        if isinstance(target, (list, tuple)):
            try:
                return jnp.stack([jnp.asarray(v) for v in target])[key]
            except (TypeError, ValueError) as error:
                raise StagingError(
                    f"a {type(target).__name__} of different things is indexed by a staged value: {error}. "
                    "Use an array"
                ) from None
        if isinstance(target, (np.ndarray, jax.Array)):
            with shapes_known("an item between staged bounds, or by a staged mask,"):
                return jnp.asarray(target)[key]
        raise StagingError(
            f"a {type(target).__name__} cannot be indexed by a staged value. Use an array, or a list or "
            "tuple of arrays of one shape"
        )

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if self.is_staged(target) or (
            isinstance(target, (jax.Array, np.ndarray)) and (staging.has_staged(key) or self.is_staged(value))
        ):
            self.refuse_other_names(target)
            if self._is_mask(key, target) and jnp.size(value) == 1:
                return self._where(key, target, value)
            with shapes_known("an item between staged bounds, or by a staged mask,"):
                return jnp.asarray(target).at[key].set(value)
        if staging.has_staged(key):
            raise StagingError(
                f"an item of a {type(target).__name__} cannot be set by a staged key: use an array"
            )
        target[key] = value
        return target

    @staticmethod
    def _is_mask(key: Any, target: Any) -> bool:
        shape = getattr(key, "shape", ())
        is_bool = str(getattr(key, "dtype", "")) == "bool"
        return is_bool and len(shape) > 0 and shape == target.shape[: len(shape)]

    @staticmethod
    def _where(mask: Any, target: Any, value: Any) -> Any:
        """`target` with one value where `mask` is true, in its own dtype."""
        target = jnp.asarray(target)
        mask = jnp.reshape(mask, mask.shape + (1,) * (target.ndim - mask.ndim))
        return jnp.where(mask, jnp.asarray(value).reshape(()).astype(target.dtype), target)

    def contains(self, item: Any, container: Any) -> Any:
        if isinstance(container, (list, tuple)):
            return jnp.any(jnp.stack([jnp.all(jnp.asarray(part == item)) for part in container]))
        if isinstance(container, range):
            inside = (item >= container.start) & (item < container.stop)
            return inside & ((item - container.start) % container.step == 0)
        if isinstance(container, (jax.Array, np.ndarray)):
            return jnp.any(container == item)
        raise StagingError(f"'in' with a staged value and a {type(container).__name__} cannot be staged")

    def bound(self, value: Any) -> Any:
        if not isinstance(value, Maybe):
            return value
        if not value.name.startswith("return_value"):
            self.fail(jnp.logical_not(value.bound), unbound_local(value.name))
        return value.value

    # Effects

    def fail(self, failed: Any, error: BaseException) -> None:
        """Raise `error` when the program runs, where `failed` is true."""
        leaves, spec = flatten(tuple(error.args))
        staged = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (jax.Array, Text))]
        texts = {i: leaves[i] for i in staged if isinstance(leaves[i], Text)}
        operands = [texts[i].values if i in texts else [leaves[i]] for i in staged]
        flat = [v for part in operands for v in part]
        kind, fields = type(error), dict(vars(error))

        def raising(failed: Any, *values: Any) -> None:
            if not failed:
                return
            rest, args = list(values), list(leaves)
            for i, part in zip(staged, operands, strict=True):
                own, rest = rest[: len(part)], rest[len(part) :]
                own = [np.asarray(v)[()] for v in own]
                args[i] = joined(texts[i], own) if i in texts else own[0]
            raise revived(kind, unflatten(spec, args), fields)

        earlier = self.failed
        if earlier is True:
            return
        if earlier is not False:
            failed = jnp.logical_not(earlier) if failed is True else failed & jnp.logical_not(earlier)
        if failed is True:
            jax.debug.callback(raising, True, *flat)
        else:
            lax.cond(failed, lambda: jax.debug.callback(raising, failed, *flat), lambda: None)
        self.note_failed(failed)

    @property
    def failed(self) -> Any:
        """Whether the code that is being traced has raised by now: what comes after it raises nothing."""
        if self.captures:
            return self.captures[-1].failed
        state, failed = self._local.traced
        return failed if state == get_opaque_trace_state() else False

    def note_failed(self, failed: Any) -> None:
        earlier = self.failed
        failed = failed if earlier is False or failed is True else earlier | failed
        if self.captures:
            self.captures[-1].failed = failed
        else:
            self._local.traced = (get_opaque_trace_state(), failed)

    def fmt(self, value: Any, conversion: str) -> Any:
        return Text.mark(value, conversion)

    def text(self, text: str) -> Any:
        return resolved(text)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """NumPy's functions on staged arrays are JAX's of the same name."""
        if _is_clean():
            return None
        holder = getattr(function, "__self__", None)
        if isinstance(holder, np.ufunc):
            own = getattr(getattr(jnp, holder.__name__, None), function.__name__, None)
        elif isinstance(function, np.ufunc) or _is_of_numpy(function):
            module = {"numpy.linalg": jnp.linalg, "numpy.fft": jnp.fft}.get(function.__module__ or "", jnp)
            own = getattr(module, function.__name__, None)
        else:
            return None

        def call(*args: Any, **kwargs: Any) -> Any:
            leaves = flatten([args, kwargs])[0]
            if not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
                return function(*args, **kwargs)
            if own is None:
                raise UnsupportedFunctionError(
                    f"numpy.{function.__name__} was called on a staged JAX array, and jax.numpy has none"
                )
            with shapes_known(f"{function.__name__}()"):
                return own(*_as_arrays(args), **kwargs)

        return call

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return jax_builtins.call(self, function, args, kwargs)


def _is_of_numpy(function: Any) -> bool:
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "numpy" and callable(function)


def _as_arrays(args: tuple[Any, ...]) -> list[Any]:
    """Lists as arrays, which jax.numpy does not take."""
    return [
        jnp.asarray(a) if isinstance(a, list) and not any(hasattr(v, "dtype") for v in a) else a for a in args
    ]


def _truth(value: Any) -> Any:
    """A staged truth value, as Python asks it."""
    value = jnp.asarray(value)
    if value.size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
    value = value.reshape(()) if value.shape else value
    return value if value.dtype == bool else value != 0


def _weak(kind: Aval) -> Any:
    """A dtype for NumPy's promotion: of a weak one the Python type."""
    if not kind.weak:
        return kind.dtype
    return {"i": int, "u": int, "f": float, "c": complex, "b": bool}.get(
        np.dtype(kind.dtype).kind, kind.dtype
    )


def _spec_of(items: StagedSequence) -> Any:
    found: list[Any] = []

    def note() -> list[Any]:
        leaves, spec = flatten(items.item(jnp.zeros((), int)))
        found.append(spec)
        return [jnp.asarray(leaf) for leaf in leaves]

    jax.eval_shape(note)
    return found[0]


def _rebuilt(spec: Any, values: Sequence[Any]) -> Any:
    return unflatten(spec, list(values))


def _is_clean() -> bool:
    """Whether JAX traces nothing; where it does not tell, it may."""
    return trace_state_clean is not None and trace_state_clean()


def register() -> None:
    jax.tree_util.register_pytree_node(
        Text,
        lambda text: (tuple(text.values), tuple(text.pieces)),
        Text,
    )
    register_backend(JaxBackend())
