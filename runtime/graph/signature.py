"""What a trace was made for: the structure of its arguments, and for each leaf a type or a value."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..structures import Spec
from .text import short
from .types import ArrayType, StagedType


@dataclass(frozen=True)
class Tensor:
    """A staged argument; `form` is "array" or "scalar" where only one of them will do, else ""."""

    kind: StagedType
    form: str = ""

    def admits(self, value: Any) -> bool:
        if not isinstance(value, (np.ndarray, np.generic)) or not isinstance(self.kind, ArrayType):
            return False
        if self.form and isinstance(value, np.ndarray) is not (self.form == "array"):
            return False
        kind = self.kind
        return (
            value.dtype == kind.dtype
            and value.ndim == kind.ndim
            and all(own is None or own == given for own, given in zip(kind.shape, value.shape, strict=True))
        )

    def __str__(self) -> str:
        return str(self.kind)


class Plain:
    """An argument that is part of the signature. It is kept alive only if it has a form in a file."""

    def __init__(self, value: Any):
        self.shown = short(value) if type(value) in _SHOWN else f"<{type(value).__qualname__}>"
        self.text = text_of(value)
        self.value = value if self.text is not None else None
        self._refers: Callable[[], Any] = lambda: None
        if self.text is None:
            with suppress(TypeError):  # then no one can ask whether it is the same
                self._refers = weakref.ref(value)

    def admits(self, value: Any) -> bool:
        if self.text is None:
            return self.is_(value)
        return not isinstance(value, (np.ndarray, np.generic)) and text_of(value) == self.text

    def is_(self, value: Any) -> bool:
        return value is not None and self._refers() is value

    def __str__(self) -> str:
        return self.shown


_SHOWN = (bool, int, float, complex, str, bytes, type(None))


def text_of(value: Any) -> str | None:
    """Equal for values that are the same to the last bit; None for a value that has no form in a file."""
    from .values import NotSavable, encode  # noqa: PLC0415 - it knows the ops, which know this module's users

    try:
        return json.dumps(encode(value))
    except NotSavable:
        return None


@dataclass(frozen=True)
class Signature:
    """The arguments of a trace: `spec` is that of `(args, kwargs)`."""

    spec: Spec
    leaves: tuple[Tensor | Plain, ...]

    @staticmethod
    def of(spec: Spec, leaves: Sequence[Any], types: Sequence[StagedType | None]) -> Signature:
        made: list[Tensor | Plain] = []
        for leaf, kind in zip(leaves, types, strict=True):
            form = (
                "array" if isinstance(leaf, np.ndarray) else "scalar" if isinstance(leaf, np.generic) else ""
            )
            made.append(Plain(leaf) if kind is None else Tensor(kind, form))
        return Signature(spec, tuple(made))

    def admits(self, shape: Any, leaves: Sequence[Any]) -> bool:
        """Whether arguments of this outline, with these leaves, fit."""
        return outline(self.spec) == shape and all(
            own.admits(value) for own, value in zip(self.leaves, leaves, strict=True)
        )

    @property
    def openness(self) -> int:
        """How many lengths are left open, and whether an array of no dimensions may be a scalar."""
        kinds = [(leaf.kind, leaf.form) for leaf in self.leaves if isinstance(leaf, Tensor)]
        return sum(k.shape.count(None) + (not form) for k, form in kinds if isinstance(k, ArrayType))

    def without_first(self, values: Sequence[Any]) -> Signature | None:
        """The signature of the rest, if the first arguments are these; None if they are others."""
        args, kwargs = self.spec.parts
        first, rest = args.parts[: len(values)], args.parts[len(values) :]
        leaves = self.leaves[: len(values)]
        if len(first) < len(values) or any(part.kind is not None for part in first):
            return None
        if not all(isinstance(own, Plain) and own.admits(v) for own, v in zip(leaves, values, strict=True)):
            return None
        spec = Spec(tuple, (), (Spec(tuple, (), rest), kwargs))
        return Signature(spec, self.leaves[len(values) :])

    def __str__(self) -> str:
        leaves = iter(self.leaves)
        args, kwargs = self.spec.parts
        shown = [_shown(part, leaves) for part in args.parts]
        shown += [f"{key}={_shown(part, leaves)}" for key, part in kwargs.items()]
        return f"({', '.join(shown)})"


def _shown(spec: Spec, leaves: Any) -> str:
    if spec.kind is None:
        return str(next(leaves))
    parts = [_shown(part, leaves) for part in spec.parts]
    if spec.kind is list:
        return f"[{', '.join(parts)}]"
    if spec.kind is tuple:
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    if spec.kind is dict:
        return f"{{{', '.join(f'{k!r}: {p}' for k, p in zip(spec.keys, parts, strict=True))}}}"
    named = zip(fields_of(spec), parts, strict=True)
    return f"{spec.kind.__name__}({', '.join(f'{k}={p}' for k, p in named)})"


def outline(spec: Spec) -> Any:
    """A spec as a value that is equal for equal structures, whichever class a record is of."""
    if spec.kind is None:
        return "*"
    parts = tuple([outline(part) for part in spec.parts])
    if spec.kind is dict:
        return dict, spec.keys, parts
    if spec.kind is tuple or spec.kind is list:
        return spec.kind, parts
    return spec.kind.__name__, fields_of(spec), parts


def fields_of(spec: Spec) -> tuple[str, ...]:
    """The names of the fields of a namedtuple or dataclass."""
    return spec.keys or getattr(spec.kind, "_fields", ())
