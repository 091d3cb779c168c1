"""Errors about variables whose values on two paths cannot be merged, with the lines that assign them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import FrameType
from typing import Any

from ...backends import Backend
from ...core.closures import function_key
from ...core.undefined import Undefined, is_return_variable
from ...debugging.call_sites import (
    condition_position,
    first_length_change,
    last_assignment,
    previous_assignment,
)
from ...debugging.positions import CodePosition, position_at
from ...debugging.tracebacks import is_internal, user_frame
from ...errors import MismatchError, MissingValueError
from ...errors.base import with_article
from ...errors.unsupported import CONTAINER_ALTERNATIVES
from ...values.alternatives import part_of
from ...values.structures import Spec
from .object_merging import MergeByField, is_mergeable
from .search import ROOT

_RESULT = re.compile(r"\w+")
_FIRST_WORD = re.compile(r"for\b|while\b")
UNEQUAL_LENGTHS = "the paths append different numbers of items"
TWO_MEMBERS = "these are two members of an enum, which a program cannot hold"
_UNBOUND = " or unbound"
_PATHS = ("on one path", "on the other")


@dataclass(frozen=True)
class Side:
    """One of two paths: its label, and the closures in which it assigns variables."""

    label: str
    closures: tuple[Callable[..., Any], ...] = ()

    def place_of(self, name: str) -> CodePosition | None:
        found = last_assignment(name, self.closures) or first_length_change(name, self.closures)
        return found or previous_assignment(name, _own_frames())


BEFORE = Side("before the loop")


@dataclass(frozen=True)
class Row:
    """A variable, or part of a variable, with its type on each path."""

    name: str
    first: str
    second: str
    reason: str
    is_missing: bool

    @property
    def is_result(self) -> bool:
        root = _RESULT.match(self.name)
        return root is not None and is_return_variable(root[0])

    @property
    def shown_name(self) -> str:
        if self.is_result:
            return f"the result of the function{_RESULT.sub('', self.name, count=1)}"
        return f"the key {self.name[1:-1]}" if self.name.startswith("[") else self.name

    @property
    def quoted(self) -> str:
        return self.shown_name if " " in self.shown_name else f"'{self.name}'"

    def text(self, sides: Sequence[Side], here: CodePosition) -> str:
        first, second = sides
        note = f" ({self.reason})" if self.reason else ""
        said = f"{self.shown_name}: {self.first} {first.label} | {self.second} {second.label}{note}"
        return "".join([said, *(f"\n    {line}" for line in self._lines(sides, here))])

    def _lines(self, sides: Sequence[Side], here: CodePosition) -> Iterator[str]:
        for side in sides:
            place = side.place_of(self.name)
            if place is not None and place.text and (place.file, place.line) != (here.file, here.line):
                where = f"line {place.line}" if place.file == here.file else str(place)
                yield f"{side.label}, {where}: {place.text}"


@dataclass
class Rows:
    """Rows for the variables that cannot be merged."""

    rows: list[Row] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    """The variables that are unbound or None on the first path, or lack dict keys there."""
    outer: dict[str, str] = field(default_factory=dict)
    """Descriptions of the variables that outlive the trace."""

    def add(
        self, name: str, first: object, second: object, reason: str = "", *, is_missing: bool = False
    ) -> None:
        row = Row(name, str(first), str(second), reason, is_missing)
        if row.is_result:  # if it is unbound, nothing has been returned yet
            sides = row.first.removesuffix(_UNBOUND), row.second.removesuffix(_UNBOUND)
            row = Row(name, *sides, reason, is_missing)
        self.rows.append(row)

    def error(self, statement: str, why: str, where: str, sides: Sequence[Side]) -> MismatchError:
        """Return the error about all rows; `where` says where a variable can be assigned."""
        frame = user_frame(sys._getframe(1))
        assert frame is not None
        place = position_at(frame.f_code, frame.f_lasti)
        loop = _FIRST_WORD.match(place.text)
        if statement.startswith("an 'if'") and loop is not None:
            # This `if` is the lowered test after a loop: whether the loop returned or was left by `break`.
            statement, where = f"the code after a staged '{loop[0]}'", "in the loop and after it"
            sides = [replace(s, label=label) for s, label in zip(sides, _PATHS, strict=True)]
        if place.text.startswith("try:"):
            statement, where = "a 'try' whose body may raise", "in the body and in each handler"
        place = condition_position(place)
        names = _merged_paths([row.quoted for row in self.rows])
        rows = [row.text(sides, place) for row in self.rows]
        remedies = (_remedy(row, where, self.outer.get(row.name, "")) for row in self.rows)
        remedy = "; ".join(dict.fromkeys(remedies))
        if all(row.is_missing for row in self.rows):
            what = f"{statement} leaves {names} without a value on one path"
            return MissingValueError(what, why=why, remedy=remedy, rows=rows, place=place)
        return MismatchError(
            f"{statement} gives two types to {names}", why=why, remedy=remedy, rows=rows, place=place
        )


def outlined(backend: Backend, leaves: Sequence[Any], spec: Spec) -> str:
    """Describe the types of a structure's leaves."""
    return _outlined(spec, iter([described(backend, leaf) for leaf in leaves]))


def _outlined(spec: Spec, leaves: Iterator[str]) -> str:
    if spec.kind is None:
        return next(leaves)
    parts = [(key, _outlined(part, leaves)) for key, part in spec.items()]
    if spec.kind is list:
        return f"[{', '.join(text for _, text in parts)}]"
    if spec.kind is tuple:
        return f"({', '.join(text for _, text in parts)}{',' * (len(parts) == 1)})"
    if spec.kind is dict:
        return f"{{{', '.join(f'{key!r}: {text}' for key, text in parts)}}}"
    return f"{spec.kind.__name__}({', '.join(text for _, text in parts)})"


def described(backend: Backend, value: Any) -> str:
    """Describe a value by its type in the backend, or else by its Python type."""
    if isinstance(value, Undefined):
        return "no value"
    kind = backend.type_of(value) if value is not None else None
    if kind is not None:
        return str(kind)
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return f"the function {name}"
    return with_article(type(value).__name__)


def two_objects(first: Any, second: Any) -> str:
    """Return why two objects of one class cannot be merged, or "" for any other values."""
    both = type(first) is type(second) and hasattr(first, "__dict__") and not callable(first)
    return (TWO_MEMBERS if isinstance(first, Enum) else "these are two objects") if both else ""


def not_in_a_program(backend: Backend, value: Any) -> str:
    """Explain why a path cannot leave a value that has no backend type."""
    if value is None:
        return "None cannot be merged with a value"
    return f"a program cannot hold {described(backend, value)}"


def _remedy(row: Row, where: str, outer: str) -> str:
    if outer and row.is_missing:
        shown = outer[1:-1] if outer[0] in "'\"" else outer
        return f"return the value, and set {shown} after the call"
    name, is_result = row.quoted, row.is_result
    both = where if where != BEFORE.label else "before the loop and after each iteration"
    if row.first.startswith(("the function", "the class")):
        return f"test the condition inside {name}, or call both and select one of the results"
    instead = next(
        (
            CONTAINER_ALTERNATIVES[k]
            for k in CONTAINER_ALTERNATIVES
            if with_article(k) in (row.first, row.second)
        ),
        "",
    )
    if "a program cannot hold" in row.reason:
        if instead:
            return f"{instead} for {name}"
        return f"assign a number or an array to {name} {both}, and test it afterwards"
    if row.is_missing:
        there = next((s for s in (row.first, row.second) if s not in ("None", "no value")), "")
        like = f" of type {there}" if there and not there.startswith(("a ", "an ")) else ""
        behind = ", including after the loop" if where.startswith("in the loop") else ""
        if is_result:
            return f"return a value{like} on each path{behind}"
        return f"assign a value{like} to {name} {where}"
    if row.reason.startswith(UNEQUAL_LENGTHS):
        return row.reason.removeprefix(f"{UNEQUAL_LENGTHS}; ")
    if "structure" in row.reason:
        return f"keep the structure, lengths and keys of {name} the same {both}"
    if "dimensions" in row.reason or "shape" in row.reason:
        return f"keep the shape of {name} the same {both}"
    if row.reason == TWO_MEMBERS:
        kind = row.first.partition(" ")[2]
        return f"select one of their values (.value), and convert it with {kind}(...) after the call"
    if "two objects" in row.reason:
        return f"set the attributes of one object in {name}, or make its class a frozen dataclass"
    if is_result:
        return f"return a value of type {row.first} on each path, or one of type {row.second}"
    if where == BEFORE.label:
        return f"give {name} the type {row.second} before the loop, or keep the type {row.first} in the loop"
    return f"assign one type to {name} {where}: {row.first} or {row.second}"


def _merged_paths(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _own_frames() -> Iterator[FrameType]:
    """Yield the frames of the function whose statement is staged, innermost first."""
    frame = user_frame(sys._getframe(1))
    home = None if frame is None else function_key(frame.f_code)
    while frame is not None and frame.f_code.co_name != ROOT:
        if not is_internal(frame.f_code):
            if function_key(frame.f_code) != home:
                return
            yield frame
        frame = frame.f_back


def merge_leaves(
    backend: Backend, name: str, first: Any, second: Any, rows: Rows, *, is_loop: bool = False
) -> Any | None:
    """Return a common type for `first` and `second`, or add a row and return None if there is none.

    In a loop, None and a value have one only if an iteration leaves a value that may be None.
    """
    undefined = next((v for v in (first, second) if isinstance(v, Undefined)), None)

    def refuse(reason: str, *, is_missing: bool = False) -> None:
        sides = described(backend, first), described(backend, second)
        rows.add(name, *sides, reason, is_missing=is_missing)

    if undefined is not None and undefined.error.startswith("["):
        refuse("a dict needs all its keys on each path", is_missing=True)
        return None
    kinds = [None if isinstance(v, Undefined) else backend.type_of(v) for v in (first, second)]
    try:
        optional = None if undefined is not None else _optional(backend, first, second, kinds, is_loop)
    except TypeError as error:
        refuse(str(error), is_missing=True)
        return None
    if optional is not None:
        return optional
    for value, other, kind in zip((first, second), (second, first), kinds, strict=True):
        if kind is None and not isinstance(value, Undefined):
            is_absent = value is None or other is None or undefined is not None
            may_be_absent = is_absent and hasattr(backend, "keep_unchanged")
            one = other if value is None else value
            if (may_be_absent or type(other) is type(value)) and is_mergeable(one):
                raise MergeByField(type(one))
            reason = two_objects(first, second) or not_in_a_program(backend, value)
            refuse(reason, is_missing=value is None or undefined is not None)
            return None
    try:
        if undefined is not None:
            return backend.unbound(kinds[0] if kinds[1] is None else kinds[1], undefined.error)
        kind = backend.merge(*kinds)
        getattr(backend, "note_merged", ignored)(kind, first, second)
        return kind
    except TypeError as error:
        refuse(str(error), is_missing=undefined is not None)
        return None


def has_alternatives(backend: Backend, name: str) -> bool:
    """Return whether a variable is the result of a function, which may have several structures."""
    return is_return_variable(name) and hasattr(backend, "alternatives")


def merge_results(
    backend: Any, location: Any, name: str, first: Any, second: Any, rows: Rows
) -> tuple[Any, Any, Any]:
    """Return the values of a leaf on both paths, as parts of a result if they are unlike, and their type."""
    count = len(rows.rows)
    kind = merge_leaves(backend, name, first, second, rows)
    if len(rows.rows) == count or not has_alternatives(backend, location.name):
        return first, second, kind
    del rows.rows[count:]
    missing = next((v for v in (first, second) if isinstance(v, Undefined)), None)
    if missing is not None and (first is None or second is None):
        return first, second, backend.unbound(backend.alternatives(None, None), missing.error)
    first, second = (v if isinstance(v, Undefined) else part_of(v) for v in (first, second))
    return first, second, merge_leaves(backend, name, first, second, rows)


def ignored(*_: Any) -> None:
    """Take the place of a method that a backend does not have."""


def _optional(backend: Backend, first: Any, second: Any, kinds: list[Any], is_loop: bool) -> Any | None:
    """Return the type of a value that is None on one of two paths, if the backend has such types."""
    make = getattr(backend, "optional", None)
    held = kinds[1] if first is None else kinds[0]
    if make is None or (first is None) == (second is None) or held is None:
        return None
    return make(held) if not is_loop or backend.allows_none(held) else None  # type: ignore[attr-defined]
