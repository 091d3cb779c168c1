"""`Variable`: a named array that functions read and assign, and that outlives their calls.

In a trace, a variable is a staged array. Its contents are an extra argument of the graph, and its new
contents an extra result, which is stored in the variable after each run. Outside a trace, it behaves like its
array.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...debugging.tracebacks import api_boundary, strip_internal_frames
from ...errors import ArgumentError, AssignmentError, AutographError, describe
from ..ir.graph import Node
from ..ir.types import ArrayType, ScalarType
from ..tracing import recording, unsupported
from ..tracing.specs import checked_dtype, ensure_shape
from ..tracing.tensor import ARITHMETIC, Tensor
from ..tracing.trace import Builder, current_builder, init_scope, is_tracing
from .taping import record_calls

_SPECIAL = (
    "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert", "abs", "getitem", "contains", "divmod",
    "rdivmod", "bool", "int", "float", "complex", "index", "len", "iter", "round", "format", "str",
)  # fmt: skip
_ATTRIBUTES = (
    "dtype", "ndim", "shape", "size", "itemsize", "nbytes", "T", "mT", "real", "imag", "flat", "item",
    "tolist", "sort",
)  # fmt: skip


_SMALLEST: dict[Any, Any] = {
    bool: np.bool_, int: np.int8, float: np.float16, complex: np.complex64, str: np.str_
}  # fmt: skip
"""For each type of Python scalar, the smallest NumPy dtype of its kind."""


class _StagedOrStored:
    """Attribute that is looked up on the staged array while tracing, and on the stored array otherwise."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.staged = name, getattr(Tensor, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if is_tracing():
            return self.staged.__get__(instance, owner)
        return getattr(instance.value, self.name)


class _HandleAttribute:
    """Attribute of the staged array that stands for a variable in the current trace."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else getattr(current_builder().root.handle_of(instance), self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(current_builder().root.handle_of(instance), self.name, value)


# Methods that assign strip frames themselves: the extra call of a decorator would slow them down.


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, name, None) or getattr(operator, f"{name}_")

    def method(self: Variable, other: Any) -> Any:
        try:
            return self._set(function(self, other), f"i{name}")
        except BaseException as error:
            strip_internal_frames(error)
            raise

    return method


class Variable(Tensor):
    """An array that functions can read and assign. Its dtype and shape never change.

    Args:
        initial_value: an array, number or nested list of numbers, which is copied.
        dtype: anything that `numpy.dtype` accepts; by default, the dtype of the value.
        name: the name of the variable in graphs and errors.

    Raises:
        StateError: a traced function creates the variable on every call, or from a staged value.
        ArgumentError: the value is not an array, number or nested list of numbers.

    A graph reads the value when it runs. Its assignments take effect in program order, and only if the call
    succeeds.

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

    for _name in ARITHMETIC:
        locals()[f"__{_name}__"] = _StagedOrStored()
        locals()[f"__r{_name}__"] = _StagedOrStored()
        locals()[f"__i{_name}__"] = _in_place(_name)
    for _name in _SPECIAL:
        locals()[f"__{_name}__"] = _StagedOrStored()
    for _name in _ATTRIBUTES:
        locals()[_name] = _StagedOrStored()
    del _name
    _node, _owner, _base, _base_stamp, version, shared, write_history = (_HandleAttribute() for _ in range(7))
    is_mutable = is_given = True
    __hash__ = object.__hash__  # type: ignore[assignment]

    @api_boundary
    def __init__(self, initial_value: Any, dtype: Any = None, name: str = "variable"):
        if is_tracing():
            current_builder().root.check_creation(name, initial_value)
        kind = None if dtype is None else checked_dtype(dtype, "a Variable")
        with init_scope():
            array = _initial_array(initial_value, kind)
        self._array = array
        self.label = name

    def handle(self, node: Node, owner: Builder) -> Tensor:
        """Return the staged array for the variable in a trace whose graph has the argument `node`."""
        tensor = Tensor(node, owner)
        tensor.is_mutable = tensor.is_given = True
        return tensor

    @property
    def name(self) -> str:
        return f"the Variable {self.label!r}"

    @property
    def type(self) -> ArrayType:
        return ArrayType(self._array.dtype, self._array.shape)

    @property
    @record_calls
    def value(self) -> Any:
        """The variable's array, or a copy as a NumPy scalar if the shape is `()`.

        A write to the array is a write to the variable. In a trace, this is the staged value.
        """
        array = self._array
        if is_tracing():
            return self.array if array.ndim else self.read()
        return array if array.ndim else array[()]

    @record_calls
    def numpy(self) -> Any:
        """Return a copy of the value as a NumPy array or scalar; in a trace, the staged value."""
        return self.read_value() if is_tracing() else self._array.copy()[()]

    @record_calls
    def read_value(self) -> Any:
        """Return the current value, which later assignments do not change."""
        return self.read() if is_tracing() else self._array.copy()[()]

    def assign(self, value: Any) -> Variable:
        """Assign a value of the same shape. As in NumPy, strings are truncated to the width of the dtype.

        Raises:
            AssignmentError: the value has another shape, or NumPy's same-kind casting cannot convert it to
                the variable's dtype.

        >>> Variable([1.0, 2.0]).assign([3, 4])
        Variable('variable', [3. 4.], dtype=float64)
        """
        try:
            return self._set(value, "assign")
        except BaseException as error:
            strip_internal_frames(error)
            raise

    def assign_add(self, value: Any) -> Variable:
        """Add a value to the variable, and return the variable."""
        try:
            return self._set(self + value, "assign_add")
        except BaseException as error:
            strip_internal_frames(error)
            raise

    def assign_sub(self, value: Any) -> Variable:
        """Subtract a value from the variable, and return the variable."""
        try:
            return self._set(self - value, "assign_sub")
        except BaseException as error:
            strip_internal_frames(error)
            raise

    @record_calls
    def _set(self, value: Any, how: str) -> Variable:
        what = f"{how} of {self.name}"
        try:
            if is_tracing():
                array = value if recording.is_staged(value) else recording.wrap(recording.to_node(value))
            else:
                array = np.asarray(_unwrapped(value))
        except ValueError as error:
            raise _ragged_error(what, value, error) from error
        if is_tracing():
            self._check_cast(array.type if array is value else value, array.type, what)
            self.write(ensure_shape(recording.cast(array, self.type), self.type, what))
            return self
        self._check_cast(value, array, what)
        if array.shape != self._array.shape:
            raise unsupported.shape_mismatch(what, self._array.shape, array.shape)
        self._array[...] = array
        return self

    def _check_cast(self, value: Any, array: Any, what: str) -> None:
        """Raise `AssignmentError` unless same-kind casting can convert the value to the variable's dtype."""
        while isinstance(value, (list, tuple)) and value:
            value = value[0]
        python = value.python if isinstance(value, ScalarType) else type(value)
        dtype = np.dtype(_SMALLEST[python]) if python in _SMALLEST else array.dtype
        if not np.can_cast(dtype, self._array.dtype, "same_kind"):
            source = python.__name__ if python in _SMALLEST or dtype.kind == "O" else dtype
            raise AssignmentError(
                f"{what}: cannot cast {source} to {self._array.dtype}",
                why="the dtype of a Variable never changes, and assignments use NumPy's same-kind casting",
                remedy="convert the value to that dtype, or create a Variable of another dtype",
            )

    def __repr__(self) -> str:
        return f"Variable({self.label!r}, {self._array}, dtype={self._array.dtype})"

    def __reduce__(self) -> Any:
        return Variable, (self._array.copy(), self._array.dtype, self.label)

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self._array, self._array.dtype, self.label)

    @property
    @record_calls
    def array(self) -> Any:
        """The variable's array itself; in a trace, the staged array."""
        return current_builder().root.handle_of(self) if is_tracing() else self._array

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return super().__array__() if is_tracing() else np.array(self.array, dtype=dtype)

    @record_calls
    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            if is_tracing():
                super().__setitem__(key, value)
            else:
                self._array[_unwrapped(key)] = _unwrapped(value)
        except BaseException as error:
            strip_internal_frames(error)
            raise

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(o.array if isinstance(o, Variable) else o for o in out)
        result = getattr(ufunc, method)(*map(_unwrapped, inputs), **kwargs)
        return out[0] if out is not None and len(out) == 1 else result

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        if is_tracing():
            return super().__array_function__(function, types, args, kwargs)
        return function(*_unwrapped(args), **{k: _unwrapped(v) for k, v in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_array", "label"):
            raise AttributeError(name)
        return super().__getattr__(name) if is_tracing() else getattr(self.value, name)


class VariableSpec:
    """Spec of a `Variable` argument of a loaded trace: any variable of this dtype and shape.

    Arguments with the same `number` are the same variable.
    """

    __slots__ = ("number", "type")

    def __init__(self, number: int, kind: ArrayType):
        self.number, self.type = number, kind

    def admits(self, value: Any) -> bool:
        return isinstance(value, Variable) and value.type == self.type

    def __repr__(self) -> str:
        return f"Variable({self.type})"


def _initial_array(value: Any, dtype: np.dtype | None) -> np.ndarray:
    """Copy the initial value of a variable to a new array."""
    try:
        array = np.array(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        suffix = "" if dtype is None else f" with the dtype {dtype}"
        raise ArgumentError(
            f"{describe(value)} cannot be the initial value of a Variable{suffix}",
            why=f"NumPy says: {error}",
            remedy="pass a number, an array, or a nested list whose rows have equal lengths",
        ) from error
    if array.dtype == object:
        raise ArgumentError(
            f"a Variable must contain numbers or strings, not {describe(value)}",
            why="a Variable is an array of numbers or strings, whose elements have one dtype",
            remedy="pass a number, an array or a nested list of numbers",
        )
    return array


def _ragged_error(what: str, value: Any, error: ValueError) -> ValueError:
    """Return an `AssignmentError` for a list of ragged rows, and any other error unchanged."""
    if not isinstance(value, (list, tuple)) or isinstance(error, AutographError):
        return error
    return AssignmentError(
        f"{what}: {describe(value)} cannot be converted to an array",
        why=f"NumPy says: {error}",
        remedy="assign a list whose rows have equal lengths",
    )


def _unwrapped(value: Any) -> Any:
    """Replace variables with their values, including those in lists and tuples."""
    if isinstance(value, Variable):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(_unwrapped, value))
    return value
