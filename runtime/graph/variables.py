"""State that outlives a call: `Variable`, an array with a name, read and assigned in traced code.

In a trace a variable is a staged array whose contents come in as one more argument of the graph; what
the trace leaves in it goes back when the graph has run. Elsewhere it behaves as the array it holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import record
from .ir import Node
from .staged import Tensor
from .trace import Builder, current, is_tracing, outside
from .types import ArrayType, ScalarType

_OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "xor", "and",
    "or",
)  # fmt: skip
_SPECIAL = (
    "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert", "abs", "getitem", "contains", "divmod",
    "rdivmod", "bool", "int", "float", "complex", "index", "len", "iter", "round", "format", "str",
)  # fmt: skip
_ATTRIBUTES = (
    "dtype", "ndim", "shape", "size", "itemsize", "nbytes", "T", "real", "imag", "flat", "item", "tolist",
    "sort",
)  # fmt: skip


_SMALLEST: dict[Any, Any] = {
    bool: np.bool_,
    int: np.int8,
    float: np.float16,
    complex: np.complex64,
    str: np.str_,
}


class _Either:
    """An attribute that in a trace is that of the staged array, and elsewhere of the array that is held."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.staged = name, getattr(Tensor, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if is_tracing():
            return self.staged.__get__(instance, owner)
        return getattr(instance.value, self.name)


class _OfHandle:
    """An attribute of the handle that stands for a variable in the current trace."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else getattr(current().root.state_of(instance), self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(current().root.state_of(instance), self.name, value)


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, name, None) or getattr(operator, f"{name}_")

    def method(self: Variable, other: Any) -> Any:
        return self._set(function(self, other), f"i{name}")

    return method


class Variable(Tensor):
    """An array that functions read and change: its dtype and shape never change.

    Args:
        initial_value: an array, number or nested list of numbers, which is copied.
        dtype: anything that `numpy.dtype` takes; that of the value, if not given.
        name: what graphs and errors call it.

    Raises:
        StateError: it is made in a traced function on every call, or out of a staged value.

    In a graph its value is read when the graph runs; assignments take effect in program order, when the
    call has succeeded.

    >>> import autograph_rs as ag
    >>> total = Variable(0, dtype="int64")
    >>> @ag.function
    ... def add(x):
    ...     return total.assign_add(x)
    >>> import numpy as np
    >>> int(add(np.int64(2))), int(add(np.int64(3))), total
    (2, 5, Variable('variable', 5, dtype=int64))
    """

    __slots__ = ("_array", "label")

    for _name in _OPERATORS:
        locals()[f"__{_name}__"] = _Either()
        locals()[f"__r{_name}__"] = _Either()
        locals()[f"__i{_name}__"] = _in_place(_name)
    for _name in _SPECIAL:
        locals()[f"__{_name}__"] = _Either()
    for _name in _ATTRIBUTES:
        locals()[_name] = _Either()
    del _name
    _node, _owner, _base, _seen, version, shared = (_OfHandle() for _ in range(6))
    in_place = True
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, initial_value: Any, dtype: Any = None, name: str = "variable"):
        if is_tracing():
            current().root.allow_creation(name, initial_value)
        with outside():
            array = np.array(initial_value, dtype=dtype)
        if array.dtype == object:
            raise TypeError(f"a Variable holds numbers or text, not {initial_value!r}")
        self._array = array
        self.label = name

    def handle(self, node: Node, owner: Builder) -> Tensor:
        """What stands for the variable in a trace, where it is this argument of the graph."""
        made = Tensor(node, owner)
        made.in_place = True
        return made

    @property
    def name(self) -> str:
        return f"the Variable {self.label!r}"

    @property
    def type(self) -> ArrayType:
        return ArrayType(self._array.dtype, self._array.shape)

    @property
    def value(self) -> Any:
        """What the variable holds now: a NumPy scalar where its shape is `()`, else its own array."""
        return self._array[()] if not self._array.ndim else self._array

    def numpy(self) -> Any:
        """A copy of the value, as a NumPy array or scalar; in a trace, the staged value now."""
        return self.read_value() if is_tracing() else self._array.copy()[()]

    def read_value(self) -> Any:
        """The value as it is now; later assignments do not change it."""
        return self.read() if is_tracing() else self._array.copy()[()]

    def assign(self, value: Any) -> Variable:
        """Give the variable a value of its own shape; text is cut to the width of its dtype, as in NumPy.

        Raises:
            ValueError: the shape is another.
            TypeError: the dtype cannot be cast to that of the variable within its kind.

        >>> Variable([1.0, 2.0]).assign([3, 4])
        Variable('variable', [3. 4.], dtype=float64)
        """
        return self._set(value, "assign")

    def assign_add(self, value: Any) -> Variable:
        """Add to the variable; as `assign` does, it returns the variable."""
        return self._set(self + value, "assign_add")

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from the variable; as `assign` does, it returns the variable."""
        return self._set(self - value, "assign_sub")

    def _set(self, value: Any, how: str) -> Variable:
        if is_tracing():
            given = value if record.is_staged(value) else record.wrap(record.to_node(value))
            what = f"{how} of {self.name}"
            self._check_cast(value if given is not value else given.type, given.type, what)
            self.write(record.shaped(record.converted(given, self.type), self.type, what))
            return self
        array = np.asarray(_held(value))
        self._check_cast(value, array, f"{how} of {self.name}")
        if array.shape != self._array.shape:
            raise ValueError(f"{how} of {self.name}: its shape is {self._array.shape}, not {array.shape}")
        self._array[...] = array
        return self

    def _check_cast(self, value: Any, array: Any, what: str) -> None:
        """Python's numbers go into any dtype of their kind, arrays where NumPy casts within a kind."""
        while isinstance(value, (list, tuple)) and value:
            value = value[0]
        python = value.python if isinstance(value, ScalarType) else type(value)
        dtype = np.dtype(_SMALLEST[python]) if python in _SMALLEST else array.dtype
        if not np.can_cast(dtype, self._array.dtype, "same_kind"):
            given = python.__name__ if python in _SMALLEST or dtype.kind == "O" else dtype
            raise TypeError(
                f"{what}: cannot cast {given} to {self._array.dtype}. Give it a value of that dtype, or of "
                "one that NumPy casts to it within its kind, or make a Variable of another dtype"
            )

    def __repr__(self) -> str:
        return f"Variable({self.label!r}, {self._array}, dtype={self._array.dtype})"

    def __reduce__(self) -> Any:
        return Variable, (self._array.copy(), self._array.dtype, self.label)

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self._array, self._array.dtype, self.label)

    @property
    def array(self) -> np.ndarray:
        """The array that the variable holds, itself."""
        return self._array

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return super().__array__() if is_tracing() else np.array(self._array, dtype=dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_tracing():
            super().__setitem__(key, value)
        else:
            self._array[_held(key)] = _held(value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(o.array if isinstance(o, Variable) else o for o in out)
        made = getattr(ufunc, method)(*map(_held, inputs), **kwargs)
        return out[0] if out is not None and len(out) == 1 else made

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        if is_tracing():
            return super().__array_function__(function, types, args, kwargs)
        return function(*_held(args), **{k: _held(v) for k, v in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_array", "label"):
            raise AttributeError(name)
        return super().__getattr__(name) if is_tracing() else getattr(self._array, name)


class VariableSpec:
    """A `Variable` that is an argument of a trace from a file: any of this dtype and shape.

    Those of one `number` are the same.
    """

    __slots__ = ("number", "type")

    def __init__(self, number: int, kind: ArrayType):
        self.number, self.type = number, kind

    def admits(self, value: Any) -> bool:
        return isinstance(value, Variable) and value.type == self.type

    def __repr__(self) -> str:
        return f"Variable({self.type})"


def _held(value: Any) -> Any:
    """A value with the arrays of variables in their place."""
    if isinstance(value, Variable):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(_held, value))
    return value
