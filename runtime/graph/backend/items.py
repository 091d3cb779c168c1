"""Read and write container items at staged keys, and search containers for staged values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import staging
from ...containers.ordering import is_equal, raise_if
from ...core.active_backends import active_backend
from ...core.undefined import Undefined
from ...debugging.error_operands import describe_staged
from ...errors import MismatchError, StagingError, UnsupportedFunctionError, ValueNeededError
from ...staging.branches.exceptions import raise_in_program
from ...staging.state.aliases import other_reference
from ...values.plain_loops import is_looped_over
from ...values.selected_container import SelectedContainer
from ..ir.graph import Node
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, ListType, ScalarType, bound_type, constant_type
from ..tracing import numpy_writes, recording
from ..tracing.containers import lists, references
from ..tracing.containers.iterables import StagedIterable, as_iterable
from ..tracing.containers.staged_keyed import is_object
from ..tracing.containers.staged_lists import StagedList
from ..tracing.numpy_views import is_basic
from ..tracing.tensor import Optional, Scalar, Staged, Tensor, some
from ..tracing.trace import current_builder, in_inner_graph, is_tracing
from . import builtins


def is_argument_copy(value: Any) -> bool:
    """Return whether a container is the trace's copy of a container among the arguments."""
    return any(value is container for container in current_builder().root.argument_containers)


def contains(item: Any, container: Any) -> Any:
    container = some(container, "contains", item)
    if isinstance(container, (tuple, list)):
        result: Any = False
        for element in container:
            equal = is_equal(item, element)
            if result is not False:
                equal = recording.record("either", (result, equal), ScalarType(bool))
            result = equal
        return result
    if isinstance(container, range):
        bounds = [container.start, container.stop, container.step]
        container = recording.add("range", bounds, ScalarType(int))
    if isinstance(container, StagedIterable) and container.op == "range":
        container = container.to_node()
    if isinstance(container, (Node, Tensor, np.ndarray, StagedList)):
        item = lists.compared_node(item) if isinstance(container, StagedList) else item
        return recording.record("contains", (container, item), ScalarType(bool))
    if _is_text(container) and _is_text(item):
        return recording.record("text_method", (container, item), ScalarType(int), method="find") >= 0
    name = describe_staged(container) if recording.is_staged(container) else f"a {type(container).__name__}"
    raise UnsupportedFunctionError(
        f"'in' cannot search {name} for a staged value",
        why="Python's 'in' needs the value, which is known only when the graph runs",
        remedy="use a list, tuple, range or array: x in (1, 2, 3)",
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, Scalar) and value.type == ScalarType(str))


def find(key: Any, keys: Sequence[Any], *, required: bool = False) -> Any:
    """Return the position of a staged key among plain keys. Without it, return -1, or raise if `required`."""
    node = lists.element_node(key) if isinstance(key, tuple) else key
    return recording.record("find", (node,), ScalarType(int), keys=tuple(keys), required=required)


def get_item(target: Any, key: Any) -> Any:
    if recording.is_staged(target) or isinstance(target, StagedIterable):
        return target[key]
    if isinstance(target, np.ndarray):
        item = recording.getitem(target, key)
        if is_basic(key) and getattr(item, "ndim", False):
            item.shared = "it is a view of a plain array, which would have to change too"
        return item
    if isinstance(target, str) and not isinstance(key, slice):
        return recording.record("list_get", (target, key), ScalarType(str))
    if isinstance(target, range) and not isinstance(key, slice):
        return as_iterable(target)[key]
    if isinstance(target, list) and any(isinstance(item, references.OBJECTS) for item in target):
        return references.item_as_object(target, key)
    if isinstance(target, (list, tuple)) and not isinstance(key, slice):
        return _item_of_sequence(target, key)
    if target is None:
        raise_in_program(TypeError("'NoneType' object is not subscriptable"))
    is_slice = isinstance(key, slice)
    if is_slice and isinstance(target, list) and not any(map(_is_object, target)):
        return lists.staged_list(target)[key]
    what = "sliced with staged bounds" if is_slice else "indexed by a staged value"
    raise ValueNeededError(
        f"a {type(target).__name__} is {what}",
        why="Python would need the value, which is known only when the graph runs",
        remedy=f"use an array{'' if is_slice else ', or a list or tuple of values of one type'}",
    )


def _is_object(value: Any) -> bool:
    """Return whether an item of a list has an identity, which a copy would lose."""
    if type(value) is tuple:
        return any(map(_is_object, value))
    return is_object(value) or not (recording.is_staged(value) or constant_type(value) is not None)


def keep_array(value: Any, *paths: Any) -> bool:
    """Return whether the values on all paths are arrays; then make their merged value one.

    Only without dimensions may some be NumPy scalars; then a write to a view of the merged value is refused.
    """
    are_arrays = [_is_array(p) for p in paths if not (p is None or isinstance(p, Undefined))]
    if isinstance(value, (Tensor, Optional)) and not getattr(bound_type(value.type), "shape", True):
        if are_arrays and all(are_arrays):
            value.is_mutable = True
        elif any(are_arrays):
            value.shared = "it is an array on one path and a NumPy scalar on another"
    return all(are_arrays)


def _is_array(value: Any) -> bool:
    if not isinstance(value, (Tensor, Optional)):
        return isinstance(value, np.ndarray)
    kind = bound_type(value.type)
    return isinstance(kind, ArrayType) and bool(kind.shape or value.is_mutable)


def set_item(target: Any, key: Any, value: Any) -> Any:
    if not is_tracing():  # another thread is tracing
        target[key] = value
        return target
    if isinstance(target, np.ndarray) and (
        staging.has_staged(key) or recording.contains_staged(value) or in_inner_graph()
    ):
        array = numpy_writes.staged_in_place(target, staging.plain_array_error)
        array[key] = value
        return array
    if isinstance(target, list) and isinstance(key, slice) and (
        staging.has_staged(key) or isinstance(value, StagedList)
    ):  # fmt: skip
        items = references.staged_in_place(target)
        items[key] = value
        return items
    if not isinstance(target, Staged) and staging.has_staged(key):
        if target is None:
            raise_in_program(TypeError("'NoneType' object does not support item assignment"))
        if not isinstance(target, list):
            raise ValueNeededError(
                f"an item of a {type(target).__name__} is assigned at a staged key",
                why="Python would need the value of the key, which is known only when the graph runs",
                remedy="use an array or a list",
            )
        if isinstance(target, SelectedContainer):
            target[key] = value
        if any(isinstance(item, list) for item in target):
            raise StagingError(
                "an item of a list of lists is assigned at a staged index",
                why="the index is known only when the graph runs, and a staged list can contain only "
                "numbers, arrays and tuples of these",
                remedy="use a two-dimensional array, np.array(rows), and copy its rows: rows[j].copy()",
            )
        items = lists.staged_list(target)
        items[key] = value
        is_kept = is_looped_over(target) or is_argument_copy(target)
        if not is_kept and not other_reference(target, None, None, is_deep=True):
            return items
        target[:] = [items[i] for i in range(len(target))]
        return target
    target[key] = value
    return target


def _decided_item(target: Sequence[Any], key: Any, error: MismatchError) -> Any:
    """Return an item for which the code that follows is captured, once for each."""
    backend, size = active_backend(), len(target)
    is_outside = (key < -size) | (key >= size)
    raise_if(backend, is_outside, IndexError(f"{type(target).__name__} index out of range"))
    for i, item in enumerate(target[:-1]):
        if staging.decide(backend, (key == i) | (key == i - size), error):
            return item
    return target[-1]


def _item_of_sequence(target: Sequence[Any], key: Any) -> Any:
    """Read an item of a plain list or tuple at a staged index."""
    if any(v is None for v in target):
        is_outside = (key < -len(target)) | (key >= len(target))
        raise_if(active_backend(), is_outside, IndexError(f"{type(target).__name__} index out of range"))
        return None if all(v is None for v in target) else lists.staged_list(list(target))[key]
    are_lists = bool(target) and all(isinstance(v, list) for v in target)
    parts = [part for v in target if isinstance(v, list) for part in v] if are_lists else target
    if any(isinstance(part, (list, tuple, dict)) for part in parts):
        error = MismatchError(
            f"a {type(target).__name__} whose items differ in structure is indexed by a staged value",
            why="the index is known only when the graph runs, so all items need one structure",
            remedy="make all items the same length, or use an array",
        )
        return _decided_item(target, key, error)
    if not all(map(recording.can_stage, target)):
        error = MismatchError(
            f"a {type(target).__name__} with items that a graph cannot contain is indexed by a staged value",
            why="the index is known only when the graph runs",
            remedy="test the index and select one of the items in each branch",
        )
        return _decided_item(target, key, error)
    if are_lists and parts:
        kind = next(recording.to_node(v).type for v in target if v)
        if isinstance(kind, ArrayType):
            target = [v or np.zeros(0, kind.dtype) for v in target]
    kinds = [recording.to_node(v).type for v in target]
    if not kinds:
        raise_in_program(IndexError(f"{type(target).__name__} index out of range"))
    merged = kinds[0]
    for kind in kinds[1:]:
        try:
            merged = merge_types(merged, kind)
        except TypeError as reason:
            error = MismatchError(
                f"a {type(target).__name__} whose items differ in type is indexed by a staged value",
                why=f"the index is known only when the graph runs, so all items need one type: {reason}",
                remedy="convert its items to one type",
            )
            return _decided_item(target, key, error)
    items = recording.add("list" if isinstance(target, list) else "tuple", target, ListType(merged))
    item = recording.record("list_get", (items, key), merged)
    if are_lists and isinstance(item, Tensor):  # the lists have different lengths
        item = builtins.IMPLEMENTATIONS[list](item)
    if isinstance(item, Staged):
        item.shared = references.IS_ITEM
    return item
