"""`%`, `str.format`, `str.join` and `format` with staged values.

Python's own formatting runs on *operands*, which stand for staged values and format as markers. The syntax of
format strings and its errors are therefore Python's. The backend then turns text with markers into staged
text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from .. import staging
from ..backends import Backend, staged_by
from ..errors import UnsupportedFunctionError, ValueNeededError
from .ordering import either, raise_if

_SPEC = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[#0\- +]*)"
    r"(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?[hlL]?(?P<kind>.)",
    re.DOTALL,
)
"""One conversion of a format string for `%`, in groups."""


class _Operand:
    """A staged value among the arguments of a format string."""

    def __init__(self, backend: Backend, value: Any):
        self._backend, self._value = backend, value

    def __format__(self, spec: str) -> str:
        return self._marker("", spec)

    def __str__(self) -> str:
        return self._marker("s", "")

    def __repr__(self) -> str:
        return self._marker("r", "")

    def __getattr__(self, name: str) -> Any:
        return operand(getattr(self._value, name))

    def __getitem__(self, key: Any) -> Any:
        return operand(self._value[key])

    def _marker(self, conversion: str, spec: str) -> str:
        if not spec.isascii() and self._backend.text(spec) is not spec:
            refuse_width(self._value)
        return format(self._backend.fmt(self._value, conversion), spec)


class _Converted(_Operand):
    """A staged value that a conversion of `%` formats, such as `%.2f`."""

    def __init__(self, backend: Backend, value: Any, conversion: str):
        super().__init__(backend, value)
        self._conversion = conversion

    def __str__(self) -> str:
        return self._marker("%", self._conversion)


def operand(value: Any) -> Any:
    """Return an operand for a staged value, and any other value unchanged if it contains none."""
    backend = staged_by(value)
    if backend is None and isinstance(value, (tuple, list, dict)):
        backend = staging.owner_of_text(value)
    return value if backend is None else _Operand(backend, value)


def format_value(backend: Backend, value: Any, spec: Any = "") -> Any:
    """`format(value, spec)`"""
    return backend.text(format(operand(value), spec))


def format_string(backend: Backend, template: str, *args: Any, **kwargs: Any) -> Any:
    """`template.format(*args, **kwargs)`"""
    named = {name: operand(value) for name, value in kwargs.items()}
    text = template.format(*map(operand, args), **named)
    if "!a" in template:
        raise ValueNeededError(
            "a staged value is formatted with '!a'",
            why="its characters are known only when the graph runs",
            remedy="use '!r'",
        )
    return backend.text(text)


def format_map(backend: Backend, template: str, mapping: Mapping[str, Any]) -> Any:
    """`template.format_map(mapping)`"""
    return format_string(backend, template, **mapping)


def join(backend: Backend, separator: str, parts: Iterable[Any]) -> Any:
    """`separator.join(parts)`"""
    if staged_by(parts) is not None:
        if not hasattr(backend, "join"):
            raise UnsupportedFunctionError(
                "join() is called with texts whose number depends on staged values",
                why=f"the backend {backend.name!r} has no text of unknown length",
                remedy="return the numbers, and join their texts outside",
            )
        return backend.join(separator, backend.call_builtin(list, (parts,), {}))
    texts = []  # type: ignore[var-annotated]
    for i, part in enumerate(parts):
        if staged_by(part) is not None and not is_text(backend, part):
            kind = backend.call_builtin(type, (part,), {})
            if issubclass(kind, (int, float, complex, np.generic, np.ndarray)):
                return separator.join([*texts, kind(0)])  # raises
            raise TypeError(f"sequence item {i}: expected str instance, {kind.__name__} found")
        texts.append(part if staged_by(part) is None else f"{operand(part)}")
    return backend.text(separator.join(texts))


def interpolate(backend: Backend, template: str, values: Any) -> Any:
    """`template % values`"""
    given = list(values) if isinstance(values, tuple) else [values]
    used: list[Any] = []

    def take() -> Any:
        if not given:
            raise TypeError("not enough arguments for format string")
        return given.pop(0)

    def plain(text: str) -> str:
        if text.endswith("*"):
            number = take()
            if staged_by(number) is not None:
                refuse_width(number)
            return text[:-1] + str(number)
        return text

    def rewritten(match: re.Match[str]) -> str:
        parts = match.groupdict(default="")
        if parts["kind"] == "%":
            return match[0]
        conversion = "%" + parts["flags"] + plain(parts["width"]) + plain(parts["precision"]) + parts["kind"]
        value = values[match["key"]] if match["key"] is not None else take()
        shown = operand(value)
        if not isinstance(shown, _Operand):
            used.append(value)
            return conversion
        used.append(_Converted(backend, value, conversion))
        return "%s"

    text = _SPEC.sub(rewritten, template)
    if given and not isinstance(values, Mapping):
        raise TypeError("not all arguments converted during string formatting")
    return backend.text(text % tuple(used))


def refuse_width(value: Any) -> NoReturn:
    raise ValueNeededError(
        f"the staged value {value!r} is the width or precision of a format",
        why="the format must be known during the trace",
        remedy="use a plain width and precision",
    )


def is_text(backend: Backend, value: Any) -> bool:
    """Return whether a staged value is text."""
    own = getattr(backend, "is_text", None)
    return own is not None and bool(own(value))


def character(backend: Backend, code: Any) -> Any:
    """`chr(code)`"""
    raise_if(backend, either(code < 0, code > sys.maxunicode), ValueError("chr() arg not in range(0x110000)"))
    return format_value(backend, code, "c")


def searching(name: str) -> Callable[..., Any]:
    """Return the form of a method that searches a string for staged text."""

    def call(backend: Any, string: str, *args: Any) -> Any:
        record = getattr(backend, "text_method", None)
        return getattr(string, name)(*args) if record is None else record(name, string, *args)

    return call


def index(backend: Backend, string: str, *args: Any) -> Any:
    """`string.index(part)`"""
    place = searching("find")(backend, string, *args)
    raise_if(backend, place < 0, ValueError("substring not found"))
    return place
