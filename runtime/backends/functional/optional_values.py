"""Values that are None on one path of a program, which is then not known before the program runs."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn
from weakref import WeakSet

from ...core.active_backends import CAPTURES, active_backend
from ...errors import AliasError, StagingError
from ...staging.state.missing_values import OptionalStructure, bound_parts
from ...values.structures import flatten, unflatten
from .. import BackendNeutral


class KnownTests(threading.local):
    """The tests that decide whether this thread's values are None."""

    def __init__(self) -> None:
        self.values: WeakSet[Optional] = WeakSet()

    def note(self, result: Any, outcome: bool, operands: Sequence[Any], of_operands: bool) -> None:
        """Note that this outcome of a test means this outcome of other tests."""
        for value in self.values:
            if any(value.is_decided_by(operand, of_operands) for operand in operands):
                value.deciding[outcome].append(result)


class Optional(BackendNeutral):
    """A staged value, which is None if `is_present` is false when the program runs.

    What uses it takes the value, or makes the program raise what Python raises for None.
    """

    may_be_none = True

    def __init__(self, backend: Any, value: Any, is_present: Any):
        self.backend, self.value, self.is_present = backend, value, is_present
        self.is_none = backend.not_(is_present)
        self.deciding: dict[bool, list[Any]] = {True: [is_present], False: [self.is_none]}
        backend.known.values.add(self)

    def is_decided_by(self, test: Any, outcome: bool) -> bool:
        """Return whether this outcome of a test means that the value is not None."""
        return (outcome and test is self) or any(test is other for other in self.deciding[outcome])

    @property
    def is_known(self) -> bool:
        """Return whether the value is known not to be None where the program is."""
        return any(self.is_decided_by(test, outcome) for test, outcome in CAPTURES.tests)

    def of(self, use: Callable[..., Any], *others: Any) -> Any:
        """Return the value for `use(value, *others)`."""
        if not self.is_known:
            self.backend.fail(self.is_none, _error_of(use, self.backend, *others))
        return self.value

    def as_array(self) -> Any:
        """Return the value for a function of the tensor system."""
        return self.of(_as_array)

    __jax_array__ = as_array

    @classmethod
    def __torch_function__(cls, function: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        leaves, spec = flatten((args, kwargs or {}))
        args, kwargs = unflatten(spec, [present(leaf, _as_array) for leaf in leaves])
        return function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "value" not in vars(self):
            raise AttributeError(f"a staged value that may be None has no attribute {name!r}")
        getattr(self.value, name)
        return getattr(self.of(getattr, name), name)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        self.refuse_write()

    def refuse_write(self) -> NoReturn:
        raise AliasError(
            "a staged value that may be None cannot be written to in place",
            why="the write would have to reach each name of the array, and whether there is one is not known",
            remedy="give a copy to another name once it is not None: y = x.copy()",
        )

    def __eq__(self, other: object) -> Any:
        if other is None:
            return self.is_none
        backend = active_backend()
        if isinstance(other, Optional):
            both = backend.and_(self.is_present, lambda: other.is_present)
            equal = backend.and_(both, lambda: self.value == other.value)
            return backend.or_(equal, lambda: backend.and_(self.is_none, lambda: other.is_none))
        return backend.and_(self.is_present, lambda: self.of(operator.eq) == other)

    def __ne__(self, other: object) -> Any:
        if other is None:
            return self.is_present
        backend = active_backend()
        if isinstance(other, Optional):
            return backend.not_(self == other)
        return backend.or_(self.is_none, lambda: self.of(operator.ne) != other)

    __hash__ = object.__hash__


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: function(self.of(function, other), other)


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: function(other, self.of(lambda none, left: function(left, none), other))


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Optional, other: Any) -> Any:
        if self.backend.is_handle(self.value):
            self.refuse_write()
        return function(self.of(function, other), other)

    return method


def _define_operators() -> None:
    arithmetic = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
    for name in arithmetic.split():
        plain, in_place = (getattr(operator, f"__{prefix}{name}__") for prefix in ("", "i"))
        setattr(Optional, f"__{name}__", _binary(plain))
        setattr(Optional, f"__r{name}__", _reflected(plain))
        setattr(Optional, f"__i{name}__", _in_place(in_place))
    for name in ("lt", "le", "gt", "ge", "getitem"):
        setattr(Optional, f"__{name}__", _binary(getattr(operator, name)))
    for name in ("neg", "pos", "abs", "invert"):
        function = getattr(operator, name)
        setattr(Optional, f"__{name}__", lambda self, f=function: f(self.of(f)))
    for function in (len, iter, round, divmod):
        method = lambda self, *args, f=function: f(self.of(f, *args), *args)  # noqa: E731
        setattr(Optional, f"__{function.__name__}__", method)


_define_operators()


def _error_of(use: Callable[..., Any], backend: Any, *others: Any) -> BaseException:
    """Return the error that Python raises for `use(None, *others)`."""
    try:
        use(None, *[1.0 if backend.is_array(other) else other for other in others])
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error.with_traceback(None)
    return TypeError(f"{getattr(use, '__name__', 'it')} takes a value, but it is None")


def _as_array(value: None) -> NoReturn:
    raise TypeError("a tensor is needed, but the value is None")


def optional_parts(value: Optional) -> tuple[list[Any], Any]:
    """Return the arrays of a value, for the trees of a tensor system."""
    return [value.value, value.is_present], value.backend


def from_parts(backend: Any, parts: Sequence[Any]) -> Any:
    """Return a value from its parts. Those of a result are known: then it is None or an array."""
    value, is_present = parts
    if not backend.is_array(is_present):  # a system puts objects of its own in place of the arrays
        return parts
    if backend.is_staged(is_present):
        return Optional(backend, value, is_present)
    if not backend.returns_none:
        raise returned_error(backend.name)
    return value if is_present else None


def structure_parts(value: OptionalStructure) -> tuple[list[Any], None]:
    """Return the marker and the parts of a structure that may be None, for the trees of a tensor system."""
    return [value.ag__marker, bound_parts(value.ag__parts)], None


def structure_from_parts(_: None, children: Sequence[Any]) -> Any:
    """Return a structure that may be None from its marker and parts."""
    marker, parts = children
    is_known = marker is None or hasattr(marker, "dtype")
    return OptionalStructure.ag__rebuilt(marker, parts) if is_known else OptionalStructure(marker, parts)


def returned_error(name: str) -> StagingError:
    return StagingError(
        f"a function that is staged by {name} returns a value that may be None",
        why="its programs return arrays, and whether this one is None is known only when they run",
        remedy="return a number in its place, such as np.nan",
    )


def present(value: Any, use: Callable[..., Any] = getattr) -> Any:
    """Return a value that may be None as one that is not, and any other value unchanged."""
    return value.of(use) if isinstance(value, Optional) else value


def for_write(target: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Return the operands of `target[key] = value` as values that are not None."""
    if isinstance(target, Optional):
        target.refuse_write()
    return target, present(key, operator.index), present(value, float)
