"""State that outlives a call: `Variable`, an array with a name, read and assigned in traced code.

In a trace a variable is a staged array whose contents come in as one more argument of the graph; what
the trace leaves in it goes back when the graph has run. Elsewhere it behaves as the array it holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..boundary import public
from ..errors import ArgumentError, AssignmentError, AutographError, told
from ..tracebacks import strip
from . import record, refused
from .ir import Node
from .specs import checked_dtype
from .staged import Tensor
from .taping import recorded
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
    "dtype", "ndim", "shape", "size", "itemsize", "nbytes", "T", "mT", "real", "imag", "flat", "item",
    "tolist", "sort",
)  # fmt: skip


_SMALLEST: dict[Any, Any] = {
    bool: np.bool_,
    int: np.int8,
    float: np.float16,
    complex: np.complex64,
    str: np.str_,
}


# Assignments take frames of ours off by themselves: they are quick, and another call would be felt.


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
        try:
            return self._set(function(self, other), f"i{name}")
        except BaseException as error:
            strip(error)
            raise

    return method


class Variable(Tensor):
    """An array that functions read and change: its dtype and shape never change.

    Args:
        initial_value: an array, number or nested list of numbers, which is copied.
        dtype: anything that `numpy.dtype` takes; that of the value, if not given.
        name: what graphs and errors call it.

    Raises:
        StateError: it is made in a traced function on every call, or out of a staged value.
        ArgumentError: the value is none of these.

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
    _node, _owner, _base, _seen, version, shared, earlier = (_OfHandle() for _ in range(7))
    in_place = True
    __hash__ = object.__hash__  # type: ignore[assignment]

    @public
    def __init__(self, initial_value: Any, dtype: Any = None, name: str = "variable"):
        if is_tracing():
            current().root.allow_creation(name, initial_value)
        kind = None if dtype is None else checked_dtype(dtype, "a Variable")
        with outside():
            array = _made(initial_value, kind)
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
    @recorded
    def value(self) -> Any:
        """What the variable holds: a scalar as it is now where its shape is `()`, else its own array.

        In a trace it is the staged value; what is written to the array is written to the variable.
        """
        array = self._array
        if is_tracing():
            return self.array if array.ndim else self.read()
        return array if array.ndim else array[()]

    @recorded
    def numpy(self) -> Any:
        """A copy of the value, as a NumPy array or scalar; in a trace, the staged value now."""
        return self.read_value() if is_tracing() else self._array.copy()[()]

    @recorded
    def read_value(self) -> Any:
        """The value as it is now; later assignments do not change it."""
        return self.read() if is_tracing() else self._array.copy()[()]

    def assign(self, value: Any) -> Variable:
        """Give the variable a value of its own shape; text is cut to the width of its dtype, as in NumPy.

        Raises:
            AssignmentError: the shape is another, or the dtype cannot be cast to that of the variable
                within its kind.

        >>> Variable([1.0, 2.0]).assign([3, 4])
        Variable('variable', [3. 4.], dtype=float64)
        """
        try:
            return self._set(value, "assign")
        except BaseException as error:
            strip(error)
            raise

    def assign_add(self, value: Any) -> Variable:
        """Add to the variable; as `assign` does, it returns the variable."""
        try:
            return self._set(self + value, "assign_add")
        except BaseException as error:
            strip(error)
            raise

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from the variable; as `assign` does, it returns the variable."""
        try:
            return self._set(self - value, "assign_sub")
        except BaseException as error:
            strip(error)
            raise

    @recorded
    def _set(self, value: Any, how: str) -> Variable:
        if is_tracing():
            what = f"{how} of {self.name}"
            try:
                given = value if record.is_staged(value) else record.wrap(record.to_node(value))
            except ValueError as error:
                raise _uneven(what, value, error) from error
            self._check_cast(value if given is not value else given.type, given.type, what)
            self.write(record.shaped(record.converted(given, self.type), self.type, what))
            return self
        try:
            array = np.asarray(_held(value))
        except ValueError as error:
            raise _uneven(f"{how} of {self.name}", value, error) from error
        self._check_cast(value, array, f"{how} of {self.name}")
        if array.shape != self._array.shape:
            raise refused.other_shape(f"{how} of {self.name}", self._array.shape, array.shape)
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
            raise AssignmentError(
                f"{what}: cannot cast {given} to {self._array.dtype}",
                why="the dtype of a Variable never changes, and NumPy casts within a kind alone",
                remedy="give a value of that dtype, or make a Variable of another dtype",
            )

    def __repr__(self) -> str:
        return f"Variable({self.label!r}, {self._array}, dtype={self._array.dtype})"

    def __reduce__(self) -> Any:
        return Variable, (self._array.copy(), self._array.dtype, self.label)

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self._array, self._array.dtype, self.label)

    @property
    @recorded
    def array(self) -> Any:
        """The array that the variable holds, itself; in a trace, the staged array."""
        return current().root.state_of(self) if is_tracing() else self._array

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return super().__array__() if is_tracing() else np.array(self._plain(), dtype=dtype)

    @recorded
    def _plain(self) -> Any:
        """The array, for what takes plain ones only."""
        return self._array

    @recorded
    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            if is_tracing():
                super().__setitem__(key, value)
            else:
                self._array[_held(key)] = _held(value)
        except BaseException as error:
            strip(error)
            raise

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
        return super().__getattr__(name) if is_tracing() else getattr(self.value, name)


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


def _made(value: Any, dtype: np.dtype | None) -> np.ndarray:
    """The array of a new variable, a copy."""
    try:
        array = np.array(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        kind = "" if dtype is None else f" with the dtype {dtype}"
        raise ArgumentError(
            f"no Variable{kind} can be made of {told(value)}",
            why=f"NumPy says: {error}",
            remedy="give a number, a nested list whose rows have one length, or an array",
        ) from error
    if array.dtype == object:
        raise ArgumentError(
            f"a Variable holds numbers or text, not {told(value)}",
            why="it is an array, whose items have one dtype",
            remedy="give a number, a nested list of numbers or an array",
        )
    return array


def _uneven(what: str, value: Any, error: ValueError) -> ValueError:
    """Of a list that is no array, an error of ours; any other is the value's own."""
    if not isinstance(value, (list, tuple)) or isinstance(error, AutographError):
        return error
    return AssignmentError(
        f"{what}: {told(value)} is no array",
        why=f"NumPy says: {error}",
        remedy="give a list whose rows have one length",
    )


def _held(value: Any) -> Any:
    """A value with the arrays of variables in their place."""
    if isinstance(value, Variable):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(_held, value))
    return value
