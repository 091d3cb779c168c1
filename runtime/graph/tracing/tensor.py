"""Staged values, on which user code operates while it is traced.

A `Staged` is a handle to a node. An in-place write points the handle to another node, so every alias of the
array sees the write, as in NumPy. A *view* (`x[1:]`, `x.T`) refers to its base: it is recomputed after a
write to the base, and a write to `x[1:]` is also a write to `x`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType
from typing import Any, NoReturn

import numpy as np

from ... import staging
from ...core.active_backends import active_backend
from ...core.packages import is_library
from ...core.undefined import NONE_USES, use_none
from ...debugging import error_operands
from ...debugging.tracebacks import is_internal, opcode_of, user_frame
from ...errors import AliasError, StagingError, UnsupportedFunctionError, ValueNeededError
from ...errors.unsupported import unconverted_reason
from ...staging.state.missing_values import OptionalStructure
from ..ir.graph import Node
from ..ir.list_operations import TEXT_METHODS
from ..ir.op_properties import has_ellipsis
from ..ir.types import (
    NULLABLE_TYPES,
    ArrayType,
    InstanceType,
    ListType,
    MaybeType,
    OptionalType,
    ReferenceType,
    ScalarType,
    TupleType,
    bound_type,
    constant_type,
    is_plain,
    parts_of,
)
from ..rules import METHODS
from ..rules.shapes import format_shape
from . import numpy_writes, recording
from .numpy_views import (
    SPLITTING_FUNCTIONS,
    VIEW_FUNCTIONS,
    VIEW_METHODS,
    as_array,
    is_basic,
    is_created_c_contiguous,
    record_view,
    record_views,
)
from .trace import Builder, current_builder, hide_operator_frames, is_tracing, leak_error

_UNKNOWN = "its value is known only when the graph runs"
_USE_LOOP = "use a 'for' loop in converted code, or an index: x[0]"
LENGTH_NEEDED = (
    "is passed to len() by code that was not converted",
    "its length is known only when the graph runs",
    "call len() in converted code",
)
ITERATION_NEEDED = (
    "cannot be iterated by Python",
    "its length is known only when the graph runs",
    _USE_LOOP,
)


def _unsupported(what: str, remedy: str, why: str = _UNKNOWN) -> Callable[..., NoReturn]:
    """Return a method that raises `ValueNeededError`."""

    def method(self: Staged, *_: Any, **__: Any) -> NoReturn:
        self.fail(what, why, remedy)

    return method


class Staged:
    """Base class of tensors, staged Python scalars and staged lists."""

    __slots__ = (
        "__weakref__", "_base", "_base_stamp", "_node", "_owner", "_shared", "has_other_name", "is_given",
        "is_mutable", "version", "write_history",
    )  # fmt: skip

    noun, copy_remedy = "an array", "make a copy first: x = x.copy()"

    def __init__(
        self, node: Node, owner: Builder, base: tuple[Tensor, Callable[[Any], Any] | None, Any] | None = None
    ):
        self._node, self._owner, self._base = node, owner, base
        self.version = 0
        self.write_history: list[tuple[Builder, Node]] | tuple[()] = ()
        """The builder and node before each write."""
        self._shared = ""
        self.has_other_name: Any = None
        """A function that returns whether the array or list has a name besides that of a carried variable."""
        self.is_mutable = False
        """Whether a zero-dimensional value is an array rather than a NumPy scalar."""
        self.is_given = False
        """Whether the caller may refer to the array."""
        self._base_stamp = base[0].stamp if base else 0

    @property
    def shared(self) -> str:
        """Why a write would not reach every alias of the value, or "" if writes are allowed."""
        return self._shared

    @shared.setter
    def shared(self, reason: str) -> None:
        if is_tracing():
            builder = current_builder()
            if builder is not self._owner or id(self) in builder.writes:
                builder.shared.setdefault(id(self), (self, self._shared))
        self._shared = reason

    def unshare(self, before: str) -> None:
        """Forget why a branch has forbidden writes, while another branch is traced."""
        self._shared = before

    @property
    def type(self) -> Any:
        """The `StagedType` of the value."""
        return self._node.type

    @property
    def ag__name(self) -> str:
        """The value as messages call it."""
        place = f" ({self._node.place})" if self._node.place else ""
        return f"an array written to in place{place}"

    @property
    def base(self) -> Staged | None:
        """The array that this value is a view of, or None."""
        return self._base[0] if self._base is not None else None

    @property
    def stamp(self) -> int:
        """A number that increases with each write to the value or to its base."""
        return self.version + (self._base[0].stamp if self._base is not None else 0)

    @property
    def is_stale(self) -> bool:
        """Return whether the value is a view whose base was written to after the view was computed."""
        return self._base is not None and self._base[0].stamp != self._base_stamp

    @property
    def is_in_scope(self) -> bool:
        """Return whether the function, branch or loop body that created the value is still being traced."""
        return self._owner.open

    @property
    def is_argument(self) -> bool:
        return self.is_given

    @property
    def origin(self) -> Node:
        """The node that created the value."""
        return self._node

    def node(self) -> Node:
        """Return the current graph's node for the value, after all writes so far.

        Raises:
            LeakError: the value is used outside the scope that created it.
        """
        if not is_tracing():
            raise leak_error(self._node, self)
        if self._base is not None and self.is_stale:
            base, recompute, _ = self._base
            if recompute is None:
                self.fail(
                    "is read after a write to an array that it may be a view of",
                    "whether it sees the write depends on the memory layout of the array",
                    self.copy_remedy,
                    AliasError,
                )
            return recompute(base).node()
        return current_builder().capture(self._node, self._owner)

    def read(self) -> Any:
        """Return the current value as a new handle, which later writes do not affect."""
        return wrap(self.node())

    def write(self, value: Any) -> None:
        """Set the value of the handle. All aliases see the write.

        Raises:
            AliasError: another handle may stand for the same array, but would not see the write.
        """
        if self.shared:
            shared = self.shared.replace("an array", self.noun)
            why = f"every name of {self.noun} must see each write to it"
            self.fail(f"cannot be written to in place: {shared}", why, self.copy_remedy, AliasError)
        builder = current_builder()
        if builder is not self._owner:
            builder.writes.setdefault(id(self), (self, self._owner, self._node))
        if builder.journal is not None:
            builder.journal.append((self, self._owner, self._node))
        if not self.write_history:
            self.write_history = []
        self.write_history.append((self._owner, self._node))
        self._node, self._owner = recording.to_node(value), builder
        self.version += 1

    def write_through(self, value: Any) -> None:
        """Write to the value, and to its base if it is a view."""
        self.write(value)

    def restore(self, owner: Builder, node: Node) -> None:
        """Undo all writes made since `node` was the value's node."""
        self._owner, self._node = owner, node
        self.version += 1

    def unpacked(self) -> list[Any]:
        """Return the items that the targets of an assignment take, whose number is checked by the graph.

        Raises:
            ValueNeededError: other code of Python iterates over the value.
        """
        frame = user_frame(sys._getframe(1))
        if frame is None or opcode_of(frame) != "UNPACK_SEQUENCE":
            self.fail(*ITERATION_NEEDED)
        return active_backend().taken(self, frame.f_code.co_code[frame.f_lasti + 1])

    def fail(
        self, what: str, why: str, remedy: str, kind: Callable[..., StagingError] = ValueNeededError
    ) -> NoReturn:
        """Raise an error about this value, with the position where it was created."""
        error = kind(f"a staged value of type {self.type} {what}", why=why, remedy=remedy)
        creation = [position for position in self._node.places if not is_library(position.file)][-1:]
        error.sites = tuple(
            ("it was created here", position) for position in creation if position != error.place
        )
        raise error

    def __bool__(self) -> bool:
        why, remedy = unconverted_reason()
        code = sys._getframe(2).f_code  # `hide_operator_frames` wraps this method
        try:
            self.fail("decides a branch that was not converted", f"{_UNKNOWN}, and {why}", remedy)
        except ValueNeededError as error:
            if "ag__" not in code.co_freevars:
                raise
            backend: Any = active_backend()
            return staging.decide(backend, backend.not_(backend.not_(self)), error)

    __index__ = _unsupported(
        "is used where Python needs an int, as an index or a size",
        "index a NumPy array or a list in converted code, loop over range(n), or call the code that needs "
        "the int through ag.py_function",
    )
    __int__ = _unsupported(
        "is converted to a Python int by code that was not converted", "call int() in converted code"
    )
    __float__ = _unsupported(
        "is converted to a Python float by code that was not converted",
        "use a NumPy function instead of that code, or call float() in converted code",
    )
    __complex__ = _unsupported(
        "is converted to a Python complex by code that was not converted",
        "use a NumPy function instead of that code, or x.astype(complex)",
    )
    __array__ = _unsupported(
        "is converted to a plain NumPy array, or stored in one",
        "call np.asarray in converted code, or write to an argument or an array created in the function",
    )
    __format__ = _unsupported(
        "cannot be formatted during the trace",
        "use an f-string in converted code, with a plain width and precision",
    )

    def __str__(self) -> str:
        self._refuse_percent(sys._getframe(1))
        return f"<staged {self.type}>"

    def __repr__(self) -> str:
        self._refuse_percent(sys._getframe(1))
        return f"<staged {self.type}>"

    def _refuse_percent(self, caller: FrameType) -> None:
        """Raise if user code formats the value with `%`, and the converters did not recognise the format."""
        if not is_internal(caller.f_code) and opcode_of(caller) == "BINARY_OP":
            remedy = "write the format as a literal, or its operand as a tuple: template % (x,)"
            self.fail("is formatted by code that was not converted", _UNKNOWN, remedy)

    def __hash__(self) -> NoReturn:  # noqa: PLE0309 - fail() raises
        cached = _called_lru_cache()
        if cached:
            self.fail(
                f"is passed to {cached}(), which caches results by argument",
                "a cache key must be known during the trace, but the value is known only when the graph runs",
                f"call the function without its cache: {cached}.__wrapped__",
            )
        self.fail(
            "is used as a dict key or a set member",
            "a key or member must be known during the trace, but the value is known only when the graph runs",
            "use a plain value there, or index an array with the staged value",
        )

    def __copy__(self) -> Any:
        return self if is_plain(self.type) and not self.is_mutable else self.copy()  # type: ignore[attr-defined]

    def __deepcopy__(self, memo: Any) -> Any:
        kind = self.type
        if not (
            is_plain(kind)
            or isinstance(kind, ArrayType)
            or all(p is None or is_plain(p) for p in parts_of(kind))
        ):
            what, why = "is copied by copy.deepcopy", "the graph has no operation for it"
            self.fail(what, why, "copy it and its items one by one", UnsupportedFunctionError)
        return self.__copy__()

    # NumPy's protocols

    __array_priority__ = 1000

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return recording.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        name = function.__name__
        viewed = some(args[0]) if name in VIEW_FUNCTIONS and args else None
        if isinstance(viewed, Tensor):
            return record_view(function, viewed, *args[1:], **kwargs)
        record = record_views if name in SPLITTING_FUNCTIONS else recording.call
        return record(function, args, kwargs)


def _called_lru_cache() -> str:
    """Return the name of the `lru_cache`-decorated function that the user's code is calling, or ""."""
    frame = user_frame(sys._getframe(1))
    operands = [] if frame is None else error_operands.operands_at(frame, frame.f_lasti)
    return next((name for name, value in operands if type(value) is _LRU_CACHE), "")


_LRU_CACHE = type(functools.cache(len))


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: recording.unary(name, self)


def _binary(name: str, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if name == "mul" and not getattr(self.type, "shape", ()):
            for values, count in ((other, self), (self, other)):
                if _is_repeatable(values) and recording.is_staged(count):
                    return _repeated(values, count)
        if not recording.can_stage(other):
            return NotImplemented
        return recording.binary(name, other, self) if reflected else recording.binary(name, self, other)

    return method


def _is_repeatable(value: Any) -> bool:
    is_text = recording.is_staged(value) and bound_type(value.type) == ScalarType(str)
    return is_text or isinstance(value, (list, tuple, str))


def _repeated(values: Any, count: Any) -> Any:
    """Return `values * count`: a staged list, or staged text."""
    counted = bound_type(count.type)
    kind: Any = counted.python if isinstance(counted, ScalarType) else counted.dtype.type
    if not issubclass(kind, (int, np.integer)):
        return [] * kind(1)  # raises
    is_flat = not isinstance(values, (list, tuple)) or all(map(is_single, values))
    if count.is_mutable or isinstance(values, tuple) or not is_flat:
        remedy = "repeat a list of numbers by a number, use np.full or np.tile, or append in a loop"
        count.fail(f"cannot repeat a {type(values).__name__}", _UNKNOWN, remedy)
    return active_backend().repeated(values, recording.record("int", (count,), ScalarType(int), function=int))


def is_single(value: Any) -> bool:
    """Return whether a value is a number, text or None, staged or not."""
    kind = bound_type(value.type) if recording.is_staged(value) else constant_type(value)
    return value is None or isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and not kind.shape)


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not recording.can_stage(other):
            return NotImplemented
        kind = bound_type(self.type)
        if not isinstance(kind, ArrayType) or not (kind.shape or self.is_mutable):
            return recording.binary(name, self, other)
        result = recording.binary(name, self, other, out=self)
        if name != "matmul" and len(result.type.shape) > len(kind.shape):
            shapes = [format_shape(t.shape) for t in (kind, result.type)]
            what = "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}"
            raise ValueError(what.format(*shapes))
        return recording.write_out(self, result, True, name)

    return method


ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and", "or", "xor"
)  # fmt: skip


_power = _binary("pow")


class Value(Staged):
    """A staged number or array, with arithmetic and comparison."""

    __slots__ = ()

    for _name in ARITHMETIC:
        _function = f"{_name}_" if _name in ("and", "or") else _name
        locals()[f"__{_name}__"] = _binary(_function)
        locals()[f"__r{_name}__"] = _binary(_function, reflected=True)
        locals()[f"__i{_name}__"] = _in_place(_function)
    for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
        locals()[f"__{_name}__"] = _binary(_name)
    del _name, _function
    __hash__ = Staged.__hash__

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            what, why = "cannot be the base of a pow() with a modulus", "the graph has no operation for it"
            self.fail(what, why, "write (x ** k) % m", UnsupportedFunctionError)
        return _power(self, other)

    __neg__, __pos__, __abs__, __invert__ = map(_unary, ("neg", "pos", "abs", "invert"))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Any:
        return recording.builtin(round, self, *(() if digits is None else (digits,)))


class Scalar(Value):
    """A staged Python scalar: a bool, int, float, complex or str at run time."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        kind = bound_type(self.type).python
        if name in ("name", "value") and bound_type(self.type).is_enumeration:
            return _of_member(name, self)
        if name.startswith("_") or not hasattr(kind, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute {name!r}")
        if kind is str and name in TEXT_METHODS:
            return functools.partial(text_method, name, self)
        if name in _NUMBER_PARTS:
            return _NUMBER_PARTS[name](self)
        return self.fail(
            f"has no {name}{'()' if callable(getattr(kind, name)) else ''}",
            "the graph has no operation for it",
            "call it on the plain strings before selecting one"
            if kind is str
            else "use operators or NumPy functions, or call it through ag.py_function",
            UnsupportedFunctionError,
        )

    def __iter__(self) -> Iterator[Any]:
        if bound_type(self.type).python is not str:
            raise TypeError(f"'{self.type}' object is not iterable")
        return iter(self.unpacked())

    def __getitem__(self, key: Any) -> Any:
        if bound_type(self.type).python is not str:
            raise TypeError(f"'{self.type}' object is not subscriptable")
        if not isinstance(key, slice):
            return recording.record("list_get", (self, key), ScalarType(str))
        return active_backend().join("", characters(self)[key])


def characters(value: Any) -> Any:
    """Return the list of the characters of a staged text, and any other value unchanged."""
    if not isinstance(value, Scalar) or bound_type(value.type) != ScalarType(str):
        return value
    return recording.record("iterate", (value,), ListType(ScalarType(str)), function=list)


def _real(value: complex) -> float:
    return value.real


def _real_part(number: Scalar) -> Any:
    return recording.builtin(_real, number) if number.type.python is complex else +number


def _imaginary_part(number: Scalar) -> Any:
    kind = number.type.python
    return recording.builtin(float, np.imag(number)) if kind is complex else kind().imag


def _conjugate(number: Scalar) -> Any:
    real, imag = _real_part(number), _imaginary_part(number)
    return recording.builtin(complex, real, -imag) if number.type.python is complex else real


def _is_integer(number: Any) -> Any:
    return recording.cast(np.isfinite(number) & (np.floor(number) == number), ScalarType(bool))


def _bits(op: str, number: Any) -> Any:
    return recording.record(op, (number,), ScalarType(int))


_NUMBER_PARTS: dict[str, Callable[[Any], Any]] = {
    "is_integer": lambda number: functools.partial(_is_integer, number),
    "bit_count": lambda number: functools.partial(_bits, "bit_count", number),
    "bit_length": lambda number: functools.partial(_bits, "bit_length", number),
    "real": _real_part,
    "imag": _imaginary_part,
    "conjugate": lambda number: functools.partial(_conjugate, number),
}


def _of_member(name: str, member: Any) -> Any:
    """Return the name or value of a member of an enumeration, if all members have values of one type."""
    kind: Any
    kind, *others = {constant_type(getattr(m, name)) for m in bound_type(member.type).python}
    if kind is None or others:
        member.fail(f"has a {name} of several types", _UNKNOWN, "look it up in a dict or with `if`")
    return recording.record(f"member_{name}", (member,), kind)


def text_method(name: str, text: Any, *args: Any) -> Any:
    """Record a call to a method of a string with staged parts."""
    result = getattr(recording.sample(text), name)(*map(recording.sample, args))
    kind = ListType(ScalarType(str)) if isinstance(result, list) else constant_type(result)
    assert kind is not None
    return recording.record("text_method", (text, *args), kind, method=name)


_COPYING = frozenset(("astype", "copy"))
"""Methods that return an array of the same shape."""


class Tensor(Value):
    """A staged NumPy array, or a NumPy scalar if its shape is `()`."""

    __slots__ = ()

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype

    @property
    def ndim(self) -> int:
        return len(self.type.shape)

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self.dimension(i) for i in range(self.ndim))

    def dimension(self, axis: int) -> Any:
        static = self.type.shape[axis]
        return recording.dimension(self, axis) if static is None else static

    @property
    def size(self) -> Any:
        total = 1
        for length in self.shape:
            total = total * length
        return total

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        return record_view(np.transpose, self)

    @property
    def mT(self) -> Any:  # noqa: N802 - NumPy's name
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return record_view(np.swapaxes, self, -1, -2)

    @property
    def real(self) -> Any:
        return np.real(self)

    @property
    def imag(self) -> Any:
        return np.imag(self)

    @property
    def flat(self) -> Any:
        return np.ravel(self)

    def item(self, *index: Any) -> Any:
        if len(index) == 1 and self.ndim > 1:
            return recording.item(np.ravel(self)[index[0]])
        return recording.item(self[index] if index else self)

    def tolist(self) -> Any:
        if not self.ndim:
            return recording.item(self)
        if self.type.shape[0] is None:
            return staging.list_comp(active_backend(), self, lambda items: [item.tolist() for item in items])
        return [part.tolist() for part in self]

    def fill(self, value: Any) -> None:
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        self.write_through(np.sort(self, axis=axis))

    def partition(self, kth: Any, axis: int = -1, kind: Any = "introselect") -> None:
        self.write_through(np.partition(self, kth, axis, kind))

    def put(self: Any, indices: Any, values: Any, mode: Any = "raise") -> None:
        np.put(self, indices, values, mode)

    # The array API standard

    device = "cpu"

    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        if stream is not None or device != "cpu":
            np.ones(1).to_device(device, stream=stream)
        return self

    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        return np.ones(1).__array_namespace__(api_version=api_version)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        length = self.type.shape[0]
        if length is None:
            self.fail(*LENGTH_NEEDED)
        return length

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        if self.type.shape[0] is None:
            return iter(self.unpacked())
        return (self[i] for i in range(self.type.shape[0]))

    __contains__ = _unsupported(
        "cannot be searched by Python's 'in'", "use 'in' in converted code, or np.any(x == item)"
    )

    def __getitem__(self, key: Any) -> Any:
        item = recording.getitem(self, key)
        if isinstance(item, Tensor) and self.has_views and (item.ndim or has_ellipsis(key)) and is_basic(key):
            item.set_base(self, lambda base: recording.getitem(base, key), key)
        return item

    def __setitem__(self, key: Any, value: Any) -> None:
        self.write_through(recording.setitem(self, key, value))

    @property
    def has_views(self) -> bool:
        """Return whether the value is an array, which can have views, rather than a NumPy scalar."""
        return bool(self.type.shape or self.is_mutable)

    def set_base(self, base: Tensor, recompute: Callable[[Any], Any] | None, key: Any) -> None:
        """Make the value a view of the elements of `base` at `key`, or of unknown elements if `key` is None.

        `recompute` computes the view again from the base. It is None if the value may be no view.
        """
        self._base, self._base_stamp = (base, recompute, key), base.stamp
        self.is_mutable = self.is_mutable or not bound_type(self.type).shape

    def is_whole_view_of(self, array: Any) -> bool:
        return self._base is not None and self._base[0] is array and self._base[2] is ...

    def set_possible_base(self, base: Tensor) -> None:
        """Make the value a possible view of `base`. It cannot be read after a write to `base`."""
        self.set_base(base, None, None)

    def recompute_written_views(self) -> bool:
        """Have the value computed again from its base if it is, or is part of, a view that was written to."""
        if self._base is None or self._base[1] is None:
            return False
        is_written = self._base[0].recompute_written_views() or bool(self.version)
        if is_written:
            self._base_stamp = -1
        return is_written

    def is_c_contiguous(self) -> bool:
        """Return whether the array is certainly C-contiguous."""
        if self._base is None:
            return is_created_c_contiguous(self._node, self.version)
        if self._base[2] is None:
            return False
        base, _, key = self._base
        if isinstance(base.type, NULLABLE_TYPES):
            return base.is_c_contiguous()
        parts = key if isinstance(key, tuple) else (key,)
        indices = parts[: next((i for i, p in enumerate(parts) if isinstance(p, slice)), len(parts))]
        slices = parts[len(indices) :]
        is_one_block = not slices or (len(slices) == 1 and slices[0].step in (None, 1))
        return (
            is_one_block and not any(p is None or p is Ellipsis for p in indices) and base.is_c_contiguous()
        )

    def write_through(self, value: Any) -> None:
        if self._base is not None and not self.shared:
            base, _, key = self._base
            if key is None:
                why = "the array's memory layout decides which of its elements the view refers to"
                remedy = "write to the array itself"
                self.fail("is a view that cannot be written to", why, remedy, AliasError)
            is_whole = isinstance(base.type, NULLABLE_TYPES)  # the base is a variable, which has a value here
            base.write_through(value if is_whole else recording.setitem(base, key, value))
            self._base_stamp = base.stamp
        self.write(value)

    def __getattr__(self, name: str) -> Any:
        function = METHODS.get(name)
        if function is None:
            return self._other_attribute(name)

        def method(*args: Any, **kwargs: Any) -> Any:
            if name in VIEW_METHODS:
                return record_view(function, self, *args, **kwargs)
            if name == "astype":
                result = as_array(function, self, *args, **kwargs)
            elif isinstance(function, np.ufunc):
                return function(self, *args, **kwargs)
            else:
                result = recording.call(function, (self, *args), kwargs)
            if name in _COPYING and self.is_mutable and not self.ndim:
                result.is_mutable = True
            return result

        return _as_method(method, name)

    def _other_attribute(self, name: str) -> Any:
        is_number = not self.type.shape and not self.is_mutable
        kind = self.type.dtype.type if is_number else np.ndarray
        if name.startswith("_") or not hasattr(kind, name):
            raise AttributeError(f"a staged array has no attribute {name!r}")
        if name in ("is_integer", "bit_count"):
            return _NUMBER_PARTS[name](self)
        return self.fail(
            f"has no {name}{'()' if callable(getattr(kind, name)) else ''}",
            "the graph has no operation for it",
            "use NumPy functions, or call it through ag.py_function",
            UnsupportedFunctionError,
        )


def some(value: Any, use: str = "", *others: Any) -> Any:
    """Return a staged value that may be None as one that is not, and any other value unchanged.

    If it is None when the graph runs, `use` raises, a key of `NONE_USES`, or else the operation on it.
    """
    if not recording.is_staged(value) or not isinstance(value.type, OptionalType):
        return value
    if value.type.held is None:
        use_none(use or "getitem", *others or (0,))
    if not use:
        return _linked(wrap(recording.bound_node(value.node())), value)  # type: ignore[attr-defined]
    arguments = recording.Arguments([value.node()])
    attrs = {"use": use, "args": tuple(arguments.templates(*others)), "kwargs": {}}
    return _linked(recording.record("some", arguments.inputs, value.type.held, effect=True, **attrs), value)


def _linked(found: Any, value: Any) -> Any:
    """Have changes of a list or array be changes of the value that may be None, of which it is a part."""
    if isinstance(found, Tensor):
        if found.type.shape or value.is_mutable:
            found.set_base(value, some, ...)
    elif hasattr(found, "link_to"):
        found.link_to(value)
    return found


def is_none(value: Any) -> Any:
    return recording.record("is_none", (value,), ScalarType(bool))


def is_marker(value: Any) -> bool:
    """Return whether a value may be the marker of a structure that may be None."""
    return bool(bound_type(value.type) == ScalarType(bool))


def _is_some(value: Any) -> Any:
    return recording.record("not_", (is_none(value),), ScalarType(bool))


def _of_value(name: str) -> Callable[..., Any]:
    """Return a method that calls the same method of the value that may be None."""
    use = name.strip("_") if name.strip("_") in NONE_USES else ""
    return lambda self, *args: getattr(some(self, use, *args), name)(*args)


def _in_place_of_value(name: str) -> Callable[[Any, Any], Any]:
    function = NONE_USES[f"i{name}"]

    def method(self: Optional, other: Any) -> Any:
        value = some(self, f"i{name}", other)
        result = function(value, other)
        return self if result is value else result

    return method


class Optional(Staged):
    """A staged value that may be None. What uses it takes the value, or raises like Python if it is None."""

    __slots__ = ()
    may_be_none = True

    def __getattr__(self, name: str) -> Any:
        kind = bound_type(self.type)
        python = kind.python if isinstance(kind, ScalarType) else np.ndarray
        if name.startswith("__") or not hasattr(python, name):
            raise AttributeError(f"a staged value that may be None has no attribute {name!r}")
        return getattr(some(self, "getattr", name), name)

    def recompute_written_views(self) -> bool:
        return False

    def is_c_contiguous(self) -> bool:
        return False

    def write(self, value: Any) -> None:
        kind: Any = getattr(value, "type", None)
        if not isinstance(kind, OptionalType):
            marker = current_builder().constant(True, ScalarType(bool))
            value = recording.add("none_or", (marker, recording.to_node(value)), OptionalType(kind))
        super().write(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        some(self, "setitem", 0, 0)[key] = value

    def __iter__(self) -> Any:
        return iter(some(self, "iter"))

    def __eq__(self, other: object) -> Any:
        if other is None:
            return is_none(self)
        backend = active_backend()
        if isinstance(other, Optional):
            both = backend.and_(_is_some(self), lambda: _is_some(other))
            equal = backend.and_(both, lambda: some(self) == some(other))
            return backend.or_(equal, lambda: backend.and_(is_none(self), lambda: is_none(other)))
        return backend.and_(_is_some(self), lambda: some(self) == other)

    def __ne__(self, other: object) -> Any:
        if other is None:
            return _is_some(self)
        backend = active_backend()
        if isinstance(other, Optional):
            return backend.not_(self == other)
        return backend.or_(is_none(self), lambda: some(self) != other)

    for _name in ARITHMETIC:
        locals()[f"__{_name}__"] = _of_value(f"__{_name}__")
        locals()[f"__r{_name}__"] = _of_value(f"__r{_name}__")
        locals()[f"__i{_name}__"] = _in_place_of_value(_name)
    for _name in (
        "lt", "le", "gt", "ge", "divmod", "rdivmod", "getitem", "neg", "pos", "abs", "invert", "round", "len"
    ):  # fmt: skip
        locals()[f"__{_name}__"] = _of_value(f"__{_name}__")
    del _name
    __hash__ = Staged.__hash__


def _as_method(function: Any, name: str, owner: str = "numpy.ndarray") -> Any:
    """Name a function after a method of a NumPy or Python class, for errors and reports."""
    function.__module__, _, kind = owner.rpartition(".")
    function.__name__, function.__qualname__ = name, f"{kind}.{name}"
    return function


CLASSES: dict[Any, type[Staged]] = {}
"""The class of the staged values of each type. `(ListType, OptionalType)` is for lists that may be None."""
STRUCTURES: dict[type, Callable[[Node], Any]] = {
    TupleType: lambda node: tuple(recording.outputs(node, node.type.parts))
}
"""For each type whose values are plain structures of staged values, the function that makes one."""


def wrap(node: Node, owner: Builder | None = None) -> Any:
    """Return the staged value for a node of the current graph."""
    owner = owner or current_builder()
    kind = node.type
    if isinstance(kind, OptionalType) and isinstance(kind.held, (TupleType, InstanceType)):
        return _optional_structure(node, kind.held)
    if type(kind) in STRUCTURES or isinstance(bound_type(kind), InstanceType):
        return STRUCTURES[type(bound_type(kind))](node)
    while isinstance(kind, (MaybeType, ReferenceType)):
        kind = kind.held
    if isinstance(kind, OptionalType) and isinstance(kind.held, ListType):
        return CLASSES[ListType, OptionalType](node, owner)
    return CLASSES[type(kind)](node, owner)


def _optional_structure(node: Node, kind: TupleType | InstanceType) -> OptionalStructure:
    """Return a tuple or object that may be None, for a node."""

    def part(kind: Any, path: tuple[int, ...]) -> Any:
        if isinstance(kind, TupleType):
            return tuple([part(inner, (*path, i)) for i, inner in enumerate(kind.parts)])
        if isinstance(kind, InstanceType):
            return recording.record("part_of_optional", (node,), MaybeType(kind, "return_value"), path=path)
        if isinstance(kind, ListType) or {type(kind), type(getattr(kind, "held", None))} & STRUCTURES.keys():
            raise StagingError(
                f"a tuple that may be None holds a value of type {kind}",
                why="its parts, which are missing with it, can only be numbers, text, arrays and tuples",
                remedy="keep the values in lists of their own",
            )
        return recording.record("part_of_optional", (node,), MaybeType(kind, "return_value"), path=path)

    marker = recording.record("none_or_true", (node,), OptionalType(ScalarType(bool)))
    return OptionalStructure(marker, part(kind, ()))


recording.register_staged_class(Staged, wrap, numpy_writes.staged_in_place)


def register_class(kind: Any, staged_class: type[Staged], name: str, python_class: str = "") -> None:
    """Wrap the nodes of a type in a class, which Python's own messages call `name`.

    Errors and reports name its methods as those of `python_class`.
    """
    CLASSES[kind] = staged_class
    _finish(staged_class, name)
    for method_name, method in vars(staged_class).items():
        if python_class and isinstance(method, FunctionType) and not method_name.startswith("_"):
            _as_method(method, method_name, python_class)


def _finish(staged_class: type[Staged], name: str) -> None:
    hide_operator_frames(staged_class)
    staged_class.__name__ = name


for _base in (Staged, Value):
    _finish(_base, "staged value")
register_class(ScalarType, Scalar, "staged value")
register_class(ArrayType, Tensor, "staged value", "numpy.ndarray")
register_class(OptionalType, Optional, "staged value")
