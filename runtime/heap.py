"""What traced code changes besides the variables that it declares.

A method that is called in a branch may assign attributes; a helper may write to a dict or a list.
`Heap` remembers the contents of the objects, dicts and lists that some closures can reach, tells
which *slots* (an attribute, an item) differ afterwards, and puts back what was there.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .undefined import Undefined

MAX_CONTAINERS = 20_000
_ATOMS = (
    int, float, complex, bool, str, bytes, type(None), type, types.ModuleType, types.BuiltinFunctionType,
    types.CodeType, types.FrameType, types.TracebackType, range, slice, type(...), Undefined,
)  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """An attribute of an object, an item of a dict, or the contents of a list."""

    owner: Any
    key: Any

    def __hash__(self) -> int:
        return hash((id(self.owner), self.key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slot) and self.owner is other.owner and bool(self.key == other.key)

    @property
    def name(self) -> str:
        if isinstance(self.owner, dict):
            return f"[{self.key!r}]"
        if isinstance(self.owner, list):
            return "a list"
        return f"{type(self.owner).__name__}.{self.key}"

    def get(self) -> Any:
        return _contents(self.owner).get(self.key, Undefined(self.name))

    def set(self, value: Any) -> None:
        missing = type(value) is Undefined
        if isinstance(self.owner, list):
            self.owner[:] = value
        elif isinstance(self.owner, dict):
            if missing:
                self.owner.pop(self.key, None)
            else:
                self.owner[self.key] = value
        elif not missing:
            object.__setattr__(self.owner, self.key, value)
        elif self.key in _contents(self.owner):
            object.__delattr__(self.owner, self.key)


def _contents(owner: Any) -> dict[Any, Any]:
    if isinstance(owner, dict):
        return owner
    if isinstance(owner, list):
        return {None: list(owner)}
    found = dict(getattr(owner, "__dict__", ()))
    for kind in type(owner).__mro__:
        for name in _slot_names(kind):
            value = getattr(owner, name, found)
            if value is not found:
                found[name] = value
    return found


def _slot_names(kind: type) -> Iterable[str]:
    names = kind.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [n for n in names if n not in ("__dict__", "__weakref__") and not n.startswith("__")]


class Heap:
    """The contents of everything that `roots` reach, as they are now."""

    def __init__(self, roots: Iterable[Any], *, opaque: Callable[[Any], bool]):
        self._opaque = opaque
        self._saved: list[tuple[Any, dict[Any, Any]]] = []
        seen: set[int] = set()
        stack = list(roots)
        while stack and len(self._saved) < MAX_CONTAINERS:
            value = stack.pop()
            if id(value) in seen or isinstance(value, _ATOMS) or opaque(value):
                continue
            seen.add(id(value))
            stack.extend(self._visit(value))

    def _visit(self, value: Any) -> Iterable[Any]:
        if isinstance(value, types.FunctionType):
            cells = [c.cell_contents for c in value.__closure__ or () if _is_filled(c)]
            names = value.__code__.co_names
            return [*cells, *(value.__globals__[n] for n in names if n in value.__globals__)]
        if isinstance(value, types.MethodType):
            return [value.__self__, value.__func__]
        if type(value) is tuple or isinstance(value, tuple):
            return value
        if isinstance(value, (dict, list)):
            self._saved.append((value, dict(_contents(value))))
            return list(value.values()) if isinstance(value, dict) else value
        if not _is_user_object(value):
            return ()
        contents = dict(_contents(value))
        self._saved.append((value, contents))
        return list(contents.values())

    def changes(self) -> dict[Slot, Any]:
        """The slots that differ from what they held, with what they hold now."""
        found: dict[Slot, Any] = {}
        for owner, before in self._saved:
            now = _contents(owner)
            if isinstance(owner, list):
                if len(now[None]) != len(before[None]) or any(
                    a is not b for a, b in zip(now[None], before[None], strict=True)
                ):
                    found[Slot(owner, None)] = now[None]
                continue
            for key in {**before, **now}:
                slot = Slot(owner, key)
                old, new = before.get(key, slot), now.get(key, slot)
                if old is not new:
                    found[slot] = Undefined(slot.name) if new is slot else new
        return found

    def restore(self) -> None:
        for owner, before in self._saved:
            for slot in [s for s in self._changed_of(owner, before)]:
                slot.set(before.get(slot.key, Undefined(slot.name)))

    def _changed_of(self, owner: Any, before: dict[Any, Any]) -> Iterable[Slot]:
        now = _contents(owner)
        if isinstance(owner, list):
            return [Slot(owner, None)]
        return [Slot(owner, k) for k in {**before, **now} if before.get(k, self) is not now.get(k, self)]


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_user_object(value: Any) -> bool:
    """An instance of a class that was written in Python, and whose attributes are its own business."""
    kind = type(value)
    if kind.__module__.partition(".")[0] in ("numpy", "autograph_rs", "builtins"):
        return False
    return hasattr(value, "__dict__") or any(_slot_names(k) for k in kind.__mro__)
