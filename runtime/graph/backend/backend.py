"""The embedded graph as a backend: how it spells conditions, loops, asserts and items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import staging
from ..backends.texts import Mark
from ..chosen import Chosen
from ..empty import nothing, set_nothing
from ..errors import AliasError, MismatchError, UnsupportedFunctionError, ValueNeededError
from ..handed import described
from ..staging.aliases import other_way
from ..staging.raises import fields_of, is_own_raise, refuse_caught, reviving
from ..tracebacks import frames_of
from ..undefined import Undefined
from . import builtins, effects, lists, record, refused, texts
from .ir import Graph, Missing, Node
from .iterables import Source, StagedIterable, as_iterable, element_types, sources_of
from .merging import merge_types
from .peeling import first_and_rest
from .staged import Scalar, Staged, StagedList, Tensor, wrap
from .trace import Builder, building, current, in_inner_graph, is_tracing, scalar_type, user_frames
from .types import ArrayType, ListType, MaybeType, ScalarType, StagedType
from .variables import Variable
from .views import is_basic


class BranchCapture:
    """One closure, traced into a graph of its own."""

    def __init__(self, builder: Builder):
        self.builder = builder
        self.value: Any = None
        self.raised: BaseException | None = None
        self.writes: list[tuple[Any, Any]] = []

    @property
    def graph(self) -> Graph:
        return self.builder.graph


class GraphBackend:
    """Stages NumPy code into the graph of the current trace."""

    name = "graph"
    announces = True
    draws = True

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (Staged, StagedIterable, Source))

    def is_staged(self, value: Any) -> bool:
        return not isinstance(value, (Variable, Source)) or is_tracing()

    def staging(self) -> bool:
        return is_tracing()

    def in_branch(self) -> bool:
        return in_inner_graph()

    def type_of(self, value: Any) -> StagedType | None:
        if isinstance(value, Staged):
            return value.type
        return lists.list_type(value) if type(value) is list else scalar_type(value)

    def is_handle(self, value: Any) -> bool:
        """Whether a value can be written in place."""
        if not isinstance(value, Tensor):
            return isinstance(value, StagedList)
        held = value.type.held if isinstance(value.type, MaybeType) else value.type
        return isinstance(held, ArrayType) and bool(held.shape or value.in_place)

    def merge(self, first: StagedType, second: StagedType) -> StagedType:
        return merge_types(first, second)

    def unbound(self, held: StagedType, name: str) -> StagedType:
        return held if isinstance(held, MaybeType) else MaybeType(held, name)

    def bound(self, value: Any) -> Any:
        kind = getattr(value, "type", None)
        if not isinstance(kind, MaybeType):
            return value
        made = wrap(record.add("check_bound", (value,), kind.held, effect=True, symbol=kind.name))
        if isinstance(made, Tensor) and made.type.shape:
            made.follow(value, self.bound, ...)  # what is written to it is written to the variable's array
            made.shared = value.shared
        return made

    # Captures

    def is_given(self, value: Any) -> bool:
        """Whether an argument of the traced function is the caller's own: of containers there are copies."""
        return not any(value is copied for copied in current().root.given)

    def is_inner(self, value: Any) -> bool:
        return isinstance(value, Staged) and not value.is_in_scope

    def capture(self, run: Callable[..., Any], arguments: Sequence[StagedType] = ()) -> BranchCapture:
        builder = Builder("branch" if not arguments else "body", current())
        made = BranchCapture(builder)
        with building(builder, self):
            placeholders = [
                wrap(builder.argument(k, f"carried_{i}"), builder) for i, k in enumerate(arguments)
            ]
            try:
                made.value, _ = run(*placeholders)
            except staging.AlwaysRaises as error:
                made.raised = error
            except Exception as error:
                if not is_own_raise(error):
                    raise
                made.raised = error
                raise_in_graph(error)
            finally:
                for handle, owner, node in builder.writes.values():
                    made.writes.append((handle, wrap(handle.node(), builder)))
                    handle.put_back(owner, node)
        return made

    def raise_last(self, error: Exception) -> bool:
        """Let the graph raise what ended the trace, if that has a staged value or comes after effects."""
        held = any(isinstance(v, Staged) for v in (*error.args, *vars(error).values()))
        if not is_own_raise(error) or not (held or any(node.effect for node in current().graph.nodes)):
            return False
        raise_in_graph(error)
        return True

    def cond(
        self,
        pred: Any,
        captures: tuple[BranchCapture, BranchCapture],
        outputs: Sequence[tuple[Any, Any, StagedType]],
    ) -> list[Any]:
        for side, capture in enumerate(captures):
            values = [o[side] for o in outputs]
            kinds = [o[2] for o in outputs]
            self.close(capture, values, kinds)
        operands, inner = _shared_operands(captures)
        inputs = [record.to_node(pred), *operands]
        for capture, arguments in zip(captures, inner, strict=True):
            capture.graph.arguments[:] = arguments
        then, orelse = (c.graph for c in captures)
        then.name, orelse.name = "if_true", "if_false"
        return self.results("cond", inputs, [k for _, _, k in outputs], then=then, orelse=orelse)

    def close(self, capture: BranchCapture, values: Sequence[Any], kinds: Sequence[StagedType]) -> None:
        """Make `values`, brought to `kinds`, the results of a captured graph."""
        builder = capture.builder
        builder.open = True
        with building(builder, self):
            builder.graph.results = [
                _missing() if capture.raised is not None else self.brought(value, kind)
                for value, kind in zip(values, kinds, strict=True)
            ]

    def brought(self, value: Any, kind: StagedType) -> Node:
        """The node of a value as a type that two paths, or iterations, share."""
        if isinstance(value, Undefined):
            return _missing()
        held = kind.held if isinstance(kind, MaybeType) else kind
        if type(value) is list:
            return record.to_node(lists.staged_list(value))
        if isinstance(getattr(value, "type", None), MaybeType):
            return record.to_node(value)
        return record.to_node(record.converted(value, held))

    def results(self, op: str, inputs: list[Node], kinds: Sequence[StagedType], **attrs: Any) -> list[Any]:
        graphs = [g for g in attrs.values() if isinstance(g, Graph)]
        effect = any(n.effect for g in graphs for n in g.walk()) or any(i.op == "dataset" for i in inputs)
        node = current().add(op, inputs, attrs, None, effect=effect)
        return [wrap(record.output(node, i, kind)) for i, kind in enumerate(kinds)]

    # Loops

    def while_loop(
        self,
        going: Any,
        init: Sequence[Any],
        types: Sequence[StagedType],
        body: BranchCapture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self.close(body, [again, *results], [_bool_type(again), *types])
        carried = [self.brought(v, k) for v, k in zip(init, types, strict=True)]
        body.graph.name = "body"
        operands = _operands_of(body, len(types))
        inputs = [record.to_node(going), *carried, *operands]
        return self.results("while", inputs, types, body=body.graph, carried=len(types), **_limits(options))

    def for_loop(
        self,
        iterated: Any,
        going: Any,
        init: Sequence[Any],
        types: Sequence[StagedType],
        body: BranchCapture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        iterated = as_iterable(iterated)
        _, elements = self.elements(iterated)
        if isinstance(iterated, StagedIterable):
            iterated.use_up()
        self.close(body, [again, *results], [_bool_type(again), *types])
        source = iterated.node() if isinstance(iterated, Staged) else iterated.to_node()
        carried = [self.brought(v, k) for v, k in zip(init, types, strict=True)]
        body.graph.name = "body"
        operands = _operands_of(body, len(elements) + len(types))
        inputs = [record.to_node(going), source, *carried, *operands]
        structure = iterated.structure if isinstance(iterated, StagedIterable) else 0
        attrs = {"carried": len(types), "elements": len(elements), "structure": structure}
        return self.results("for", inputs, types, body=body.graph, **attrs, **_limits(options))

    def share(self, value: Any, reason: str) -> None:
        """Refuse writes to a value that may be another name of an array, and to the base of a view."""
        if self.is_handle(value):
            value.shared = reason
            base = value.base
            if base is not None:
                base.shared = "it has a view that was made in a branch or loop"

    def refreshed(self, value: Any) -> Any:
        """A value, or what it is by now if it is a view of an array that was written."""
        return value.read() if isinstance(value, Staged) and value.is_stale else value

    def follow(self, placeholder: Any, array: Any) -> None:
        """Let a placeholder be what may be a view of an array, or another name of it."""
        if not isinstance(placeholder, Tensor) or not isinstance(array, Tensor):
            return
        if placeholder.base is None:
            placeholder.follow_blindly(array)
        elif placeholder.base is not array:
            array.shared = "it may have another name, from a round before"

    def is_view(self, value: Any) -> bool:
        return isinstance(value, Staged) and value.base is not None

    def sources(self, iterated: Any) -> list[Any]:
        return sources_of(iterated)

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[StagedType]]:
        """How a loop's items are made of staged values, and the types of these."""
        return element_types(iterated)

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any] | None:
        return first_and_rest(iterated, self.and_)

    # Values

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return builtins.IMPLEMENTATIONS[function](*args, **kwargs)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """What is called instead of a method of a random generator: it draws when the graph runs."""
        return effects.drawing(function)

    def fmt(self, value: Any, conversion: str) -> Any:
        return Mark(value, conversion)

    def text(self, text: str) -> Any:
        return texts.resolved(text)

    def staged_list(self, values: Sequence[Any]) -> StagedList:
        if any(values is given for given in current().root.given):
            raise AliasError(
                "a list that is an argument changes its length in a staged branch or loop",
                why="the caller's list would have to get a length that is known only when the graph runs",
                remedy="make a list of the function's own (items = list(items)), and return it",
            )
        return values if isinstance(values, StagedList) else lists.staged_list(values)

    def staged_array(self, value: np.ndarray) -> Tensor:
        """A staged array with the contents of a plain one."""
        made = wrap(record.to_node(value))
        made.in_place = True
        return made

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        return staging.if_exp(self, left, right, lambda: left, "")

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        return staging.if_exp(self, left, lambda: left, right, "")

    def not_(self, value: Any) -> Any:
        return wrap(record.add("not_", (value,), ScalarType(bool)))

    def contains(self, item: Any, container: Any) -> Any:
        if isinstance(container, (tuple, list, StagedList)):
            nodes = [container] if isinstance(container, StagedList) else list(container)
            if isinstance(container, StagedList):
                return wrap(record.add("contains", (container, item), ScalarType(bool)))
            found: Any = False
            for part in nodes:
                equal = item == part
                found = (
                    equal if found is False else wrap(record.add("either", (found, equal), ScalarType(bool)))
                )
            return found
        if isinstance(container, (Tensor, np.ndarray)):
            return wrap(record.add("contains", (container, item), ScalarType(bool)))
        if isinstance(container, StagedIterable) and container.op == "range":
            return wrap(record.add("contains", (container.to_node(), item), ScalarType(bool)))
        if isinstance(container, range):
            return wrap(
                record.add(
                    "contains",
                    (
                        record.add(
                            "range", [container.start, container.stop, container.step], ScalarType(int)
                        ),
                        item,
                    ),
                    ScalarType(bool),
                )
            )
        raise UnsupportedFunctionError(
            f"a staged value is searched for in {_named(container)}",
            why="Python would need its value, which is known only when the graph runs",
            remedy="use a list, tuple, range or array: x in (1, 2, 3)",
        )

    def get_item(self, target: Any, key: Any) -> Any:
        if record.is_staged(target):
            return target[key]
        if isinstance(target, np.ndarray):
            made = record.getitem(target, key)
            if is_basic(key) and getattr(made, "ndim", False):
                made.shared = "is a view of a plain array, which would have to change too"
            return made
        if isinstance(target, (list, tuple)) and not isinstance(key, slice):
            return _item_of_sequence(target, key)
        instead = "an array" if isinstance(key, slice) else "an array, list or tuple of values of one type"
        what = "sliced between staged bounds" if isinstance(key, slice) else "indexed by a staged value"
        raise ValueNeededError(
            f"a {type(target).__name__} is {what}",
            why="Python would need the value, which is known only when the graph runs",
            remedy=f"use {instead}",
        )

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if not is_tracing():  # another thread is
            target[key] = value
            return target
        if isinstance(target, np.ndarray) and (
            staging.has_staged(key) or record.contains_staged(value) or in_inner_graph()
        ):
            other = other_way(target, None, None)
            if other:
                raise AliasError(
                    f"a staged value is written into a plain array, and {other} leads to it too",
                    why="the other name would not see what the program writes when it runs",
                    remedy="write to a copy of it, as in y = x.copy(), or pass the array as an argument",
                )
            made = record.wrap(record.to_node(target))
            made[key] = value
            return made
        if not isinstance(target, Staged) and staging.has_staged(key):
            if not isinstance(target, list):
                raise ValueNeededError(
                    f"an item of a {type(target).__name__} is set by a staged key",
                    why="Python would need the value of the key, which is known only when the graph runs",
                    remedy="use an array or a list",
                )
            if isinstance(target, Chosen):
                target[key] = value
            if any(isinstance(item, list) for item in target):
                raise refused.item_of_lists()
            made = lists.staged_list(target)
            made[key] = value
            if not other_way(target, None, None, is_deep=True) and self.is_given(target):
                return made
            target[:] = [made[i] for i in range(len(target))]
            return target
        target[key] = value
        return target

    def assert_(self, test: Any, msg: Callable[[], Any] | None) -> None:
        failed = wrap(record.add("not_", (test,), ScalarType(bool)))

        def fail() -> None:
            raise AssertionError(*([] if msg is None else [msg()]))

        staging.if_stmt(self, failed, fail, nothing, tuple, set_nothing, (), 0)


def _named(value: Any) -> str:
    """What a value is, in a sentence."""
    return described(value) if record.is_staged(value) else f"a {type(value).__name__}"


def _missing() -> Node:
    return record.add("constant", (), None, value=Missing.VALUE)


def _bool_type(value: Any) -> StagedType:
    return value.type if isinstance(value, Staged) else ScalarType(bool)


def _limits(options: dict[str, Any]) -> dict[str, Any]:
    limit = options.get("maximum_iterations")
    if isinstance(limit, Staged):
        raise ValueNeededError(
            "maximum_iterations is staged",
            why="it is a limit of the loop's code, which is made before the graph runs",
            remedy="give it a plain int, and break by an 'if' for a staged limit",
        )
    return {} if limit is None else {"maximum_iterations": limit}


def raise_in_graph(error: BaseException) -> Node:
    """A node that raises what user code raised while it was traced.

    Raises:
        StagingError: an `except` of the traced code would have to catch it when the graph runs.
    """
    refuse_caught(error, user_frames())
    taken = record.Arguments()
    args, _ = taken.take(tuple(error.args))
    fields, _ = taken.take(fields_of(error))
    kept = (type(error), args, fields)
    node = record.add("raise", taken.inputs, None, effect=True, function=reviving(error), args=kept)
    node.source = (*node.source, *frames_of(error))
    return node


def _operands_of(capture: BranchCapture, own: int) -> list[Node]:
    """What a body captured, as nodes of the current graph; its arguments put in that order."""
    pairs = capture.builder.operands()
    arguments = capture.graph.arguments
    capture.graph.arguments[:] = [*arguments[:own], *(i for _, i in pairs)]
    return [o for o, _ in pairs]


def _shared_operands(captures: tuple[BranchCapture, BranchCapture]) -> tuple[list[Node], list[list[Node]]]:
    """One list of operands for both branches, and the arguments of each in that order."""
    maps = [dict(c.builder.operands()) for c in captures]
    operands = list({**maps[0], **maps[1]})
    inner = []
    for taken in maps:
        missing = (Node("argument", (), {"name": "unused"}, o.type) for o in operands)
        inner.append([taken.get(o) or m for o, m in zip(operands, missing, strict=True)])
    return operands, inner


def _item_of_sequence(target: Sequence[Any], key: Any) -> Any:
    are_lists = bool(target) and all(isinstance(v, list) for v in target)
    parts = [part for v in target if isinstance(v, list) for part in v] if are_lists else target
    if any(isinstance(part, (list, tuple, dict)) for part in parts):
        raise MismatchError(
            f"a {type(target).__name__} of values of different structure is indexed by a staged value",
            why="which item it is is known only when the graph runs, and what follows needs one structure",
            remedy="give its items one length, or use an array",
        )
    if are_lists and parts:
        kind = next(record.to_node(v).type for v in target if v)
        if isinstance(kind, ArrayType):
            target = [v or np.zeros(0, kind.dtype) for v in target]
    kinds = [record.to_node(v).type for v in target]
    if not kinds:
        raise IndexError(f"{type(target).__name__} index out of range")
    merged = kinds[0]
    for kind in kinds[1:]:
        try:
            merged = merge_types(merged, kind)
        except TypeError as error:
            raise MismatchError(
                f"a {type(target).__name__} of values of different types is indexed by a staged value",
                why="which item it is is known only when the graph runs, and what comes "
                f"after needs one type: {error}",
                remedy="give its items one type",
            ) from None
    held = record.add("list" if isinstance(target, list) else "tuple", target, ListType(merged))
    made = wrap(record.add("list_get", (held, key), merged))
    if are_lists and isinstance(made, Tensor):  # of different lengths
        made = builtins.IMPLEMENTATIONS[list](made)
    if hasattr(made, "shared"):
        made.shared = "is an item of a list, which would have to change too"
    return made


__all__ = ["ArrayType", "GraphBackend", "Scalar"]
