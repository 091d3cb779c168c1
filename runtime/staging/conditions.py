"""Conditions: both branches captured, and one staged condition over what they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backends import Backend, staged_by
from ..errors import StagingError
from ..structures import LEAF, Spec, paths, unflatten
from .aliases import other_way
from .apart import TakenApart
from .statement import (
    AlwaysRaises,
    Path,
    Rows,
    Statement,
    Variable,
    Written,
    is_aliased,
    is_missing,
    is_same,
    merge_leaves,
    set_nothing,
)


def if_stmt(
    backend: Backend,
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    outputs: int,
) -> None:
    """Both branches, captured, and one staged condition over what they leave."""
    statement = Statement(backend, (body, orelse), (get_state, set_state), names)

    def captured() -> tuple[Path, Path]:
        return statement.run(body), statement.run(orelse)

    def both() -> tuple[Path, Path]:
        made = statement.settled(captured)
        return captured() if _grow_lists(statement, *made) else made

    first, second, values = _joined(statement, both, cond, outputs)
    if first.capture.raised is not None and second.capture.raised is not None:
        raise AlwaysRaises
    statement.write(values)


def _joined(
    statement: Statement, both: Callable[[], tuple[Path, Path]], cond: Any, outputs: int
) -> tuple[Path, Path, dict[Any, Any]]:
    """Two paths, and what one condition over them leaves in each location that they change."""
    first, second = both()
    try:
        return first, second, _join(statement, cond, first, second, outputs)
    except TakenApart as error:
        statement.apart.kinds.add(error.kind)
    return _joined(statement, both, cond, outputs)


def _join(statement: Statement, cond: Any, first: Path, second: Path, outputs: int) -> dict[Any, Any]:
    """One condition for two paths; what it leaves in each location that they change."""
    backend, rows = statement.backend, Rows()
    paths_ = (first, second)
    plan: dict[Any, list[tuple[int | None, Any]]] = {}
    specs: dict[Any, Spec] = {}
    raw: list[tuple[Any, Any]] = []
    places: list[Any] = []
    merged: list[tuple[Any, Any, Any]] = []
    is_inner = getattr(backend, "is_inner", backend.is_staged)
    for path in paths_:
        statement.refuse_known(path)
    alone = (first.capture.raised is None) != (second.capture.raised is None)
    for location in {**first.values, **second.values}:
        if isinstance(location, Variable) and location.index >= outputs:
            continue
        name = location.name
        _check_choice(location, first, second)
        (a, a_spec), (b, b_spec) = (
            _left_by(statement, path, other, location) for path, other in (paths_, paths_[::-1])
        )
        whole = first.raw.get(location), second.raw.get(location)
        if a_spec != b_spec and _are_lists(backend, whole):
            a, b, a_spec = [whole[0]], [whole[1]], LEAF
        elif a_spec != b_spec:
            if not is_missing(a) and not is_missing(b):
                rows.add(name, a_spec, b_spec, "the structures differ")
                continue
            a, b, a_spec = _spread(a, a_spec, b, b_spec)
        slots: list[tuple[int | None, Any]] = []
        for leaf_name, x, y in zip(paths(a_spec, name), a, b, strict=True):
            if is_same(x, y) and not (alone and is_inner(x)):
                slots.append((None, x))
                continue
            raw.append((x, y))
            places.append(location)
            x, y = first.leaf(x), second.leaf(y)
            kind = merge_leaves(backend, leaf_name, x, y, rows)
            slots.append((len(merged), None))
            merged.append((x, y, kind))
        plan[location], specs[location] = slots, a_spec
    rows.check(
        "the branches of an 'if' on a staged value leave different types (if true | if false):",
        "Give the variable one type in both branches, or a value before the 'if'",
    )
    results = backend.cond(cond, (first.capture, second.capture), merged)
    share = getattr(backend, "share", None)
    is_view = getattr(backend, "is_view", is_missing_view)
    if share is not None:
        for leaf in (leaf for leaves in raw for leaf in leaves if is_view(leaf)):
            share(leaf, "it is a view that a branch made")
    for result, location, leaves in zip(results, places, raw, strict=True):
        if share is not None and not isinstance(location, Written):
            for leaf in filter(backend.is_handle, leaves):
                if getattr(leaf, "shared", ""):
                    share(result, leaf.shared)
            if any(backend.is_handle(leaf) and is_aliased(leaf, location) for leaf in leaves) or any(
                isinstance(leaf, np.ndarray) and other_way(leaf, (location.name,), statement.code)
                for leaf in leaves
            ):
                for value in (result, *leaves):
                    share(value, "it may be another name of an array from before the 'if'")
    return {
        location: unflatten(specs[location], [value if i is None else results[i] for i, value in slots])
        for location, slots in plan.items()
    }


def _are_lists(backend: Backend, values: tuple[Any, Any]) -> bool:
    """Whether two values are lists that the backend can hold as one."""
    kinds = [backend.type_of(value) for value in values if type(value) is list]
    return bool(kinds) and None not in kinds and all(type(v) is list or staged_by(v) for v in values)


def is_missing_view(value: Any) -> bool:
    """For backends without views."""
    return False


def _check_choice(location: Any, first: Path, second: Path) -> None:
    """A variable cannot be one of two lists or dicts, by a staged condition, that have other names."""
    a, b = first.raw.get(location), second.raw.get(location)
    if a is b or not isinstance(a, (list, dict)) or not isinstance(b, (list, dict)):
        return
    if any(is_aliased(value, location) for value in (a, b)):
        raise StagingError(
            f"{location.name} is one of two lists or dicts, by a staged condition, and they have other names "
            "too: what is changed in it would have to change in them. Make a copy, or write the branches out"
        )


def _grow_lists(statement: Statement, first: Path, second: Path) -> bool:
    """Make lists staged that the branches leave with different lengths."""
    grown = False
    for location in {**first.values, **second.values}:
        (_, a), (_, b) = (_left_by(statement, p, o, location) for p, o in ((first, second), (second, first)))
        if a != b and list in (a.kind, b.kind):
            grown |= statement.stage_list(location)
    return grown


def _left_by(statement: Statement, path: Path, other: Path, location: Any) -> tuple[list[Any], Spec]:
    if path.capture.raised is not None and other.capture.raised is None:
        path = other
    return path.values.get(location) or statement.current(location)


def _spread(a: list[Any], a_spec: Spec, b: list[Any], b_spec: Spec) -> tuple[list[Any], list[Any], Spec]:
    """A missing value, as many times as the other side has leaves."""
    if is_missing(a):
        return a * len(b), b, b_spec
    return a, b * len(a), a_spec


def if_exp(backend: Backend, cond: Any, if_true: Callable, if_false: Callable, text: str) -> Any:
    """A conditional expression: a statement whose branches leave one value."""
    result = Variable(0, f"the value of 'if {text}'" if text else "the value")

    def value_of(closure: Callable[[], Any]) -> Path:
        statement_path = statement.run(closure)
        statement_path.values[result] = statement.flatten(statement_path.result)
        statement_path.raw[result] = statement_path.result
        return statement_path

    statement = Statement(backend, (if_true, if_false), (tuple, set_nothing), (), is_expression=True)

    def both() -> tuple[Path, Path]:
        return statement.settled(lambda: (value_of(if_true), value_of(if_false)))

    _, _, values = _joined(statement, both, cond, 1)
    value = values.pop(result)
    statement.write(values)
    return value
