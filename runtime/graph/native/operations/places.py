"""Memory on the stack for the values that conditionals and loops assign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.graph import Missing
from ...ir.types import NULLABLE_TYPES, ArrayType, ListType, MaybeType, OptionalType, ScalarType
from ..assembly.kinds import kind_of, list_form
from ..assembly.scalars import union
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Array, List, Maybe, Scalar

if TYPE_CHECKING:
    from ..assembly.scalars import ScalarEmitter

DIFFERENT_TYPES = "the types of a variable differ"


def make_place(
    emitter: ScalarEmitter,
    kind: Any,
    values: tuple[Any, ...],
    *,
    bounds: tuple[int, int] | None = None,
    has_fixed_shape: bool = False,
) -> Place:
    """Return memory for a value of a type, of which some values are known."""
    if isinstance(kind, NULLABLE_TYPES):
        return MaybePlace(emitter, kind, values)
    if any(not isinstance(v, (Scalar, Array, List)) for v in values):
        raise UnsupportedError("a value of this type is not carried")
    if isinstance(kind, ListType):
        return ListPlace(emitter, kind, values)
    if isinstance(kind, ArrayType) and kind.shape:
        return ArrayPlace(emitter, kind, values, has_fixed_shape=has_fixed_shape)
    if isinstance(kind, (ScalarType, ArrayType)):
        return NumberPlace(emitter, kind, values, bounds)
    raise UnsupportedError(f"a variable of type {kind} is not carried")


class Place:
    """Memory for one value."""

    def __init__(self, emitter: ScalarEmitter):
        self.emitter, self.w = emitter, emitter.w

    def store(self, value: Any) -> None:
        raise NotImplementedError

    def load(self) -> Any:
        raise NotImplementedError


class NumberPlace(Place):
    def __init__(
        self, emitter: ScalarEmitter, kind: Any, values: tuple[Any, ...], bounds: tuple[int, int] | None
    ):
        super().__init__(emitter)
        self.kind = kind_of(kind)
        self.place = self.w.alloca(self.kind.llvm)
        self.bounds = bounds
        if bounds is None and self.kind.code in "iu" and len(values) > 1:
            self.bounds = union(values)

    def store(self, value: Any) -> None:
        if not isinstance(value, Scalar) or value.kind != self.kind:
            raise UnsupportedError(DIFFERENT_TYPES)
        value = self.emitter.hidden(self.emitter.settle(value))
        self.w.line(f"store {self.kind.llvm} {value.register}, ptr {self.place}")

    def load(self) -> Scalar:
        register = self.w.op(f"load {self.kind.llvm}, ptr {self.place}")
        return Scalar(register, self.kind, bounds=self.bounds)


class ArrayPlace(Place):
    def __init__(
        self, emitter: ScalarEmitter, kind: Any, values: tuple[Any, ...], *, has_fixed_shape: bool = False
    ):
        super().__init__(emitter)
        self.kind, self.rank = kind_of(kind), len(kind.shape)
        self.address, self.block = self.w.alloca("ptr"), self.w.alloca("ptr")
        self.dims: list[str | None] = [None if d is None else str(d) for d in kind.shape]
        if has_fixed_shape:
            self.dims = list(values[0].dims)
        self.places = [self.w.alloca("i64") if d is None else "" for d in self.dims]

    def store(self, value: Any) -> None:
        if not isinstance(value, Array) or value.kind != self.kind or len(value.dims) != self.rank:
            raise UnsupportedError(DIFFERENT_TYPES)
        if value.strides is not None:
            raise UnsupportedError("a view whose elements lie apart is carried")
        w = self.w
        w.line(f"store ptr {value.address}, ptr {self.address}")
        w.line(f"store ptr {value.block}, ptr {self.block}")
        for size, known, place in zip(value.dims, self.dims, self.places, strict=True):
            if known is None:
                w.line(f"store i64 {size}, ptr {place}")
            elif known != size:
                raise UnsupportedError("the shape of an array is not the one that its type says")

    def load(self) -> Array:
        w = self.w
        address, block = (w.op(f"load ptr, ptr {p}") for p in (self.address, self.block))
        dims = [
            d if d is not None else w.op(f"load i64, ptr {p}")
            for d, p in zip(self.dims, self.places, strict=True)
        ]
        return Array(self.kind, address, tuple(dims), block)


class ListPlace(Place):
    def __init__(self, emitter: ScalarEmitter, kind: Any, values: tuple[Any, ...]):
        super().__init__(emitter)
        known = [v for v in values if isinstance(v, List)]
        self.kind, self.rank = list_form(kind) if kind.element is not None else (known[0].kind, known[0].rank)
        self.places = [self.w.alloca(t) for t in ("ptr", "i64", "i64", "ptr")]

    def store(self, value: Any) -> None:
        if not isinstance(value, List) or (value.kind, value.rank) != (self.kind, self.rank):
            raise UnsupportedError(DIFFERENT_TYPES)
        address, length, capacity, block = self.places
        self.w.line(f"store ptr {value.address}, ptr {address}")
        self.w.line(f"store i64 {value.length}, ptr {length}")
        self.w.line(f"store i64 {value.capacity}, ptr {capacity}")
        self.w.line(f"store ptr {value.block}, ptr {block}")

    def load(self) -> List:
        types = ("ptr", "i64", "i64", "ptr")
        parts = [self.w.op(f"load {t}, ptr {p}") for t, p in zip(types, self.places, strict=True)]
        return List(self.kind, self.rank, *parts)


class MaybePlace(Place):
    """Memory for a variable that may be unbound, or None."""

    def __init__(self, emitter: ScalarEmitter, kind: MaybeType | OptionalType, values: tuple[Any, ...]):
        super().__init__(emitter)
        self.kind = kind.held
        self.flag = self.w.alloca("i1")
        held = tuple(v.value if isinstance(v, Maybe) else v for v in values if v is not Missing.VALUE)
        self.held = make_place(emitter, kind.held, held if len(held) == len(values) else ())

    def store(self, value: Any) -> None:
        if value is Missing.VALUE:
            value = Maybe("false", empty_value(self.kind))
        elif not isinstance(value, Maybe):
            value = Maybe("true", value)
        self.w.line(f"store i1 {value.is_bound}, ptr {self.flag}")
        self.held.store(value.value)

    def load(self) -> Maybe:
        return Maybe(self.w.op(f"load i1, ptr {self.flag}"), self.held.load())


def empty_value(kind: Any) -> Any:
    """Return the value that stands for an unbound variable of a type. It is never read."""
    if isinstance(kind, ListType):
        form, rank = list_form(kind)
        return List(form, rank, "null", "0", "0")
    number = kind_of(kind)
    if isinstance(kind, ArrayType) and kind.shape:
        return Array(number, "null", tuple(str(d or 0) for d in kind.shape))
    return Scalar(number.constant(0), number)


def block_of(value: Any) -> str:
    """Return the block of a value, or "null"."""
    if isinstance(value, Maybe):
        value = value.value
    return value.block if isinstance(value, (Array, List)) else "null"
