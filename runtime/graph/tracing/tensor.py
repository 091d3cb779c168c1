"""Staged values: what user code holds while it is traced.

A `Staged` is a handle on a node. Writing in place gives the handle another node, so every alias of an
array sees the write, as in NumPy. A *view* (`x[1:]`, `x.T`) knows its base: it is computed again when
the base was written, and a write to `x[1:]` goes through to `x`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from .. import handed
from ..errors import AliasError, StagingError, UnsupportedFunctionError, ValueNeededError
from ..refusals import unconverted_reason
from ..tracebacks import is_library, user_frame
from . import lists, record
from .ir import Node
from .rules import METHODS
from .trace import Builder, current, hides_frames, is_tracing, leaked
from .types import ArrayType, MaybeType, ScalarType, TupleType
from .views import (
    PARTS,
    VIEW_FUNCTIONS,
    VIEW_METHODS,
    as_array,
    has_ellipsis,
    is_basic,
    is_made_in_order,
    parts,
    view,
)

_LATER = "its value is known only when the graph runs"
_LOOP = "use a 'for' loop in converted code, or an index: x[0]"
_NO_METHOD = "the length of the list depends on staged values, and such a list has no such operation"


class Staged:
    """What tensors, staged Python scalars and staged lists have in common."""

    __slots__ = (
        "__weakref__", "_base", "_node", "_owner", "_seen", "earlier", "in_place", "shared", "version"
    )  # fmt: skip

    noun, copied = "an array", "make a copy first: x = x.copy()"

    def __init__(
        self, node: Node, owner: Builder, base: tuple[Tensor, Callable[[Any], Any], Any] | None = None
    ):
        self._node, self._owner, self._base = node, owner, base
        self.version = 0
        self.earlier: list[tuple[Builder, Node]] | tuple[()] = ()
        """What it held before each write, and where."""
        self.shared = ""
        self.in_place = False
        self._seen = base[0].stamp if base else 0

    @property
    def type(self) -> Any:
        """The `StagedType` of the value; which of them, its class tells for all but unbound ones."""
        return self._node.type

    @property
    def name(self) -> str:
        return (
            f"an array written in place ({self._node.place})"
            if self._node.place
            else "an array written in place"
        )

    @property
    def base(self) -> Staged | None:
        """The array that this is a view of."""
        return self._base[0] if self._base is not None else None

    @property
    def stamp(self) -> int:
        """A number that grows whenever the value, or what it is a view of, is written."""
        return self.version + (self._base[0].stamp if self._base is not None else 0)

    @property
    def is_stale(self) -> bool:
        """Whether it is a view of an array that was written since."""
        return self._base is not None and self._base[0].stamp != self._seen

    @property
    def is_in_scope(self) -> bool:
        """Whether the function, branch or body that made it is still being traced."""
        return self._owner.open

    @property
    def is_argument(self) -> bool:
        return self._node.op == "argument" or self.in_place

    def node(self) -> Node:
        """The node that holds the value now, as the current graph sees it."""
        if not is_tracing():
            raise leaked(self._node, self)
        if self._base is not None and self.is_stale:
            base, again, _ = self._base
            return again(base).node()
        return current().lift(self._node, self._owner)

    def read(self) -> Any:
        """The value as it is now, as a handle of its own."""
        return wrap(self.node())

    def write(self, value: Any) -> None:
        """Let the handle, and every alias of it, have another value.

        Raises:
            StagingError: the handle may be another name of an array that would have to change too.
        """
        if self.shared:
            shared = self.shared.replace("an array", self.noun)
            why = f"every name of {self.noun} has to see what is written to it, in each run of the program"
            self.refuse(f"is written in place, but {shared}", why, self.copied, AliasError)
        builder = current()
        if builder is not self._owner:
            builder.writes.setdefault(id(self), (self, self._owner, self._node))
        if not self.earlier:
            self.earlier = []
        self.earlier.append((self._owner, self._node))
        self._node, self._owner = record.to_node(value), builder
        self.version += 1

    def put_back(self, owner: Builder, node: Node) -> None:
        self._owner, self._node = owner, node
        self.version += 1

    def refuse(
        self, what: str, why: str, remedy: str, kind: Callable[..., StagingError] = ValueNeededError
    ) -> NoReturn:
        error = kind(f"a staged value of type {self.type} {what}", why=why, remedy=remedy)
        made = [place for place in self._node.places if not is_library(place.file)][-1:]
        error.sites = tuple(("it was made here", place) for place in made if place != error.place)
        raise error

    def __bool__(self) -> NoReturn:  # noqa: PLE0304 - refuse() raises
        why, remedy = unconverted_reason()
        self.refuse("decides a branch that was not converted", f"{_LATER}, and {why}", remedy)

    def __index__(self) -> NoReturn:  # noqa: PLE0305 - refuse() raises
        self.refuse(
            "is used where Python needs an int, as an index or a size",
            _LATER,
            "index a NumPy array or a list in converted code, loop over range(n), or call what needs the "
            "int by ag.py_function",
        )

    def __int__(self) -> NoReturn:
        self.refuse(
            "is turned into a Python int by code that was not converted",
            _LATER,
            "call int() in converted code",
        )

    def __float__(self) -> NoReturn:
        self.refuse(
            "is turned into a Python float by code that was not converted",
            _LATER,
            "use the function of NumPy in the place of that code, or call float() in converted code",
        )

    def __complex__(self) -> NoReturn:
        self.refuse(
            "is turned into a Python complex by code that was not converted",
            _LATER,
            "use the function of NumPy in the place of that code, or x.astype(complex)",
        )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self.refuse(
            "is stored into a plain NumPy array",
            _LATER,
            "write to an argument, or to an array that a variable of the function holds",
        )

    def __format__(self, spec: str) -> NoReturn:
        self.refuse(
            "is formatted into text while the graph is built",
            _LATER,
            "format it by an f-string in converted code, with a width or precision that is plain",
        )

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<staged {self.type}>"

    def __hash__(self) -> NoReturn:  # noqa: PLE0309 - refuse() raises
        cached = _with_cache()
        if cached:
            self.refuse(
                f"is given to {cached}(), which keeps its results by the arguments",
                f"these have to be known while the graph is built, and {_LATER}",
                f"call the function without its cache: {cached}.__wrapped__",
            )
        self.refuse(
            "is a key of a dict or a member of a set",
            f"these have to be known while the graph is built, and {_LATER}",
            "use a plain value there, or an array that is indexed by it",
        )

    # NumPy's protocols

    __array_priority__ = 1000

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return record.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        name = function.__name__
        if name in VIEW_FUNCTIONS and args and isinstance(args[0], Tensor):
            return view(function, *args, **kwargs)
        return parts(function, args, kwargs) if name in PARTS else record.call(function, args, kwargs)


def _with_cache() -> str:
    """The function of functools.lru_cache that the user's code calls, if it does."""
    frame = user_frame(sys._getframe(1))
    read = [] if frame is None else handed.read_at(frame, frame.f_lasti)
    return next((name for name, value in read if type(value) is _CACHED), "")


_CACHED = type(functools.cache(len))


def _binary(name: str, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not record.can_stage(other):
            return NotImplemented
        if name == "mul" and isinstance(other, (list, tuple, str)) and not getattr(self.type, "shape", ()):
            self.refuse("repeats a list or text", _LATER, "use np.full or np.tile, or append in a loop")
        return record.binary(name, other, self) if reflected else record.binary(name, self, other)

    return method


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not record.can_stage(other):
            return NotImplemented
        made = record.binary(name, self, other)
        kind = getattr(self.type, "held", self.type)
        if not isinstance(kind, ArrayType) or not (kind.shape or self.in_place):
            return made
        made = record.converted(made, kind, casting="same_kind", operation=name)
        self.write_through(made if kind.shape else record.setitem(self, ..., made))
        return self

    return method


_ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
)


_power = _binary("pow")


class Value(Staged):
    """A staged number or array: arithmetic and comparison."""

    __slots__ = ()

    for _name in _ARITHMETIC:
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
            how = "write (x ** k) % m"
            self.refuse(
                "is the base of a pow() with a modulus",
                "the graph has no such operation",
                how,
                UnsupportedFunctionError,
            )
        return _power(self, other)

    def __neg__(self) -> Any:
        return record.unary("neg", self)

    def __pos__(self) -> Any:
        return record.unary("pos", self)

    def __abs__(self) -> Any:
        return record.unary("abs", self)

    def __invert__(self) -> Any:
        return record.unary("invert", self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Any:
        return record.builtin(round, self) if digits is None else record.builtin(round, self, digits)


class Scalar(Value):
    """A staged Python scalar: a bool, int, float, complex or str at run time."""

    __slots__ = ()

    @property
    def real(self) -> Any:
        return self if self.type.python is not complex else record.builtin(_real, self)

    def __getattr__(self, name: str) -> NoReturn:
        kind = getattr(self.type, "held", self.type).python
        if name.startswith("_") or not hasattr(kind, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute {name!r}")
        self.refuse(
            f"has no {name}{'()' if callable(getattr(kind, name)) else ''}",
            "the graph has no such operation",
            "use it on each plain text, before one of them is chosen"
            if kind is str
            else "use operators or functions of NumPy, or run it by ag.py_function",
            UnsupportedFunctionError,
        )


def _real(value: complex) -> float:
    return value.real


class Tensor(Value):
    """A staged NumPy array, or NumPy scalar where its shape is `()`."""

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
        known = self.type.shape[axis]
        return record.dimension(self, axis) if known is None else known

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
        return view(np.transpose, self)

    @property
    def mT(self) -> Any:  # noqa: N802 - NumPy's name
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return view(np.swapaxes, self, -1, -2)

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
            return record.item(np.ravel(self)[index[0]])
        return record.item(self[index] if index else self)

    def tolist(self) -> Any:
        if not self.ndim:
            return record.item(self)
        return [part.tolist() for part in self]

    def fill(self, value: Any) -> None:
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        self.write_through(np.sort(self, axis=axis))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        length = self.type.shape[0]
        if length is None:
            self.refuse("has a length that is asked by Python", _LATER, "call len() in converted code")
        return length

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        if self.type.shape[0] is None:
            self.refuse("is iterated by Python", "its length is known only when the graph runs", _LOOP)
        return (self[i] for i in range(self.type.shape[0]))

    def __contains__(self, item: Any) -> NoReturn:
        self.refuse(
            "is searched by Python's 'in'", _LATER, "use 'in' in converted code, or np.any(x == item)"
        )

    def __getitem__(self, key: Any) -> Any:
        made = record.getitem(self, key)
        if isinstance(made, Tensor) and self.has_views and (made.ndim or has_ellipsis(key)) and is_basic(key):
            made.follow(self, lambda base: record.getitem(base, key), key)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        self.write_through(record.setitem(self, key, value))

    @property
    def has_views(self) -> bool:
        """Whether NumPy makes views of it, rather than new arrays: it is an array, not a NumPy scalar."""
        return bool(self.type.shape or self.in_place)

    def follow(self, base: Tensor, again: Callable[[Any], Any], key: Any) -> None:
        """Be a view of `base`, which `again` makes of it and which it has at `key`, if at one."""
        self._base, self._seen = (base, again, key), base.stamp
        held = getattr(self.type, "held", self.type)
        self.in_place = self.in_place or not held.shape  # an array without dimensions, no NumPy scalar

    def follow_blindly(self, base: Tensor) -> None:
        """Be what may be a view of `base`, so that it is not known what it is once that is written."""

        def again(_: Any) -> NoReturn:
            self.refuse(
                "is read after the array was written that it is, or may be, a view of",
                "whether it shows what was written depends on how the array lies in memory",
                "make a copy first: x = x.copy()",
                AliasError,
            )

        self.follow(base, again, None)

    def is_in_order(self) -> bool:
        """Whether its elements certainly follow one another in memory, row by row."""
        if self._base is None:
            return is_made_in_order(self._node, self.version)
        if self._base[2] is None:
            return False
        base, _, key = self._base
        parts = key if isinstance(key, tuple) else (key,)
        rows = parts[: next((i for i, p in enumerate(parts) if isinstance(p, slice)), len(parts))]
        whole = len(parts) == len(rows) or (len(parts) == len(rows) + 1 and parts[-1].step in (None, 1))
        return whole and not any(p is None or p is Ellipsis for p in rows) and base.is_in_order()

    def write_through(self, value: Any) -> None:
        """Write to the handle and to what it is a view of."""
        if self._base is not None and not self.shared:
            base, _, key = self._base
            if key is None:
                why = "which elements of the array it shows depends on how that lies in memory"
                self.refuse(
                    "is a view that cannot be written through", why, "write to the array itself", AliasError
                )
            whole = isinstance(base.type, MaybeType)  # a variable that is certainly bound here
            base.write_through(value if whole else record.setitem(base, key, value))
            self._seen = base.stamp
        self.write(value)

    def __getattr__(self, name: str) -> Any:
        function = METHODS.get(name)
        if function is None:
            raise AttributeError(f"a staged array has no attribute {name!r}")

        def method(*args: Any, **kwargs: Any) -> Any:
            if name in VIEW_METHODS:
                return view(function, self, *args, **kwargs)
            if name == "astype":
                return as_array(function, self, *args, **kwargs)
            if isinstance(function, np.ufunc):
                return function(self, *args, **kwargs)
            return record.call(function, (self, *args), kwargs)

        return _as_method(method, name)


class StagedList(Staged):
    """A Python list in the graph; its elements all have one type."""

    __slots__ = ()

    noun, copied = "a list", "give its other name, or what is returned, a copy: items.copy()"

    @property
    def name(self) -> str:
        return self.noun

    def append(self, value: Any) -> None:
        self.write(lists.list_append(self, value))

    def extend(self, values: Any) -> None:
        if isinstance(values, StagedList):
            self.write(lists.list_concatenate(self, values))
            return
        for value in values:
            self.append(value)

    def pop(self, index: Any = -1) -> Any:
        rest, value = lists.list_pop(self, index)
        self.write(rest)
        return value

    def copy(self) -> Any:
        return lists.list_copy(self)

    def clear(self) -> None:
        self.write(lists.staged_list([]))

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            keep = "make a new list of the items that stay: [x for x in items if ...]"
            self.refuse("cannot lose a slice", _NO_METHOD, keep, UnsupportedFunctionError)
        self.pop(key)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(list, name):
            raise AttributeError(f"'list' object has no attribute '{name}'")
        use = "use append, extend, pop, del or an index, or an array"
        self.refuse(f"has no {name}()", _NO_METHOD, use, UnsupportedFunctionError)

    def __iadd__(self, values: Any) -> Any:
        self.extend(values)
        return self

    def __add__(self, values: Any) -> Any:
        made = self.copy()
        made.extend(values)
        return made

    def __radd__(self, values: list[Any]) -> Any:
        return lists.staged_list(values) + self

    def __mul__(self, count: Any) -> Any:
        return lists.list_repeat(self, count)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        return lists.list_equal(self, other)

    def __ne__(self, other: object) -> Any:
        return lists.list_equal(self, other, "ne")

    __hash__ = Staged.__hash__

    def __getitem__(self, key: Any) -> Any:
        return lists.list_get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.write(lists.list_set(self, key, value))

    def __len__(self) -> NoReturn:  # noqa: PLE0303 - refuse() raises
        self.refuse("has a length that is asked by Python", _LATER, "call len() in converted code")

    def __iter__(self) -> NoReturn:
        self.refuse("is iterated by Python", "its length is known only when the graph runs", _LOOP)


def _as_method(function: Any, name: str, of: str = "numpy.ndarray") -> Any:
    """A function that is called as Python's own method of that name is, for errors and reports."""
    function.__module__, _, kind = of.rpartition(".")
    function.__name__, function.__qualname__ = name, f"{kind}.{name}"
    return function


def wrap(node: Node, owner: Builder | None = None) -> Any:
    """The staged value of a node of the current graph."""
    owner = owner or current()
    kind = node.type
    held = getattr(kind, "held", kind)
    if isinstance(held, ArrayType):
        return Tensor(node, owner)
    if isinstance(held, ScalarType):
        return Scalar(node, owner)
    if isinstance(kind, TupleType):
        return tuple(wrap(record.output(node, i, part)) for i, part in enumerate(kind.parts))
    return StagedList(node, owner)


record.use(Staged, wrap)
for _kind in (Staged, Value, Scalar, Tensor, StagedList):
    hides_frames(_kind)
    _kind.__name__ = "staged list" if _kind is StagedList else "staged value"  # in messages of Python's own
for _kind, _stands_for in ((Tensor, "numpy.ndarray"), (StagedList, "builtins.list")):
    for _name, _method in vars(_kind).items():
        if isinstance(_method, FunctionType) and not _name.startswith("_"):
            _as_method(_method, _name, _stands_for)
