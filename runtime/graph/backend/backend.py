"""The graph backend: stage conditionals, loops, asserts and item accesses of NumPy code into a graph."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ... import staging
from ...backends.functional.staged_text import StagedField
from ...core.closures import nothing, set_nothing
from ...core.undefined import Undefined
from ...errors import AliasError, ValueNeededError
from ...staging.branches.exceptions import is_own_raise
from ...values.alternatives import Part, part_of
from ..ir.graph import Graph, Missing, Node
from ..ir.subgraphs import has_effect
from ..ir.type_merging import merge_types
from ..ir.types import (
    NULLABLE_TYPES,
    AlternativesType,
    ArrayType,
    ListType,
    MaybeType,
    OptionalType,
    ScalarType,
    StagedType,
    bound_type,
    constant_type,
    holds_references,
)
from ..state.variables import Variable
from ..tracing import effects, failing_ops, numpy_writes, recording  # noqa: F401 - fills check_failing
from ..tracing.containers import (
    alternatives,
    instances,
    lists,
    object_updates,
    objects,
    references,
    staged_dicts,
)
from ..tracing.containers.alternatives import Alternatives
from ..tracing.containers.iterables import (
    IterableSource,
    StagedIterable,
    as_iterable,
    element_types,
    is_empty,
    iterated_sources,
    known_items,
)
from ..tracing.containers.staged_lists import StagedList
from ..tracing.containers.stand_ins import leaf_of
from ..tracing.operation_errors import keep_errors
from ..tracing.tensor import Optional, Staged, Tensor, characters, is_marker, is_none, some, text_method, wrap
from ..tracing.trace import (
    Builder,
    current_builder,
    in_inner_graph,
    is_tracing,
    join_branches,
    tracing_into,
)
from . import builtins, items, numpy_calls, recursion, sequences, truth
from .branch_capture import BranchCapture, changes_rank, is_same_test, rewound, undone_after
from .peeling import first_and_rest
from .sharing import Sharing
from .truth import as_condition


class GraphBackend(staged_dicts.KeyedConstructors, Sharing):
    """Backend that stages NumPy code into the graph of the current trace."""

    name = "graph"
    announces = True
    draws = formats_structures = compares_tuples = holds_optional_lists = leaves_none = True
    rolls_ranges = rolls_long_ranges = checks_indices = checks_operations = True
    undone_after, rewound = staticmethod(undone_after), staticmethod(rewound)
    is_same_test, changes_rank = staticmethod(is_same_test), staticmethod(changes_rank)
    staging = staticmethod(is_tracing)
    in_branch = staticmethod(in_inner_graph)
    merge = staticmethod(merge_types)
    sources = staticmethod(iterated_sources)
    elements = staticmethod(element_types)
    known_items = staticmethod(known_items)
    is_empty = staticmethod(is_empty)
    replaced, fmt = staticmethod(numpy_calls.replacement_of), staticmethod(StagedField)
    text = staticmethod(effects.staged_string)
    join = staticmethod(effects.joined)
    print_in_trace = staticmethod(effects.print_in_trace)
    raise_error = staticmethod(effects.raise_in_graph)
    staged_container = staticmethod(references.staged_container)
    stage_item = staticmethod(references.stage_item)
    contains = staticmethod(items.contains)
    find = staticmethod(items.find)
    staged_array = staticmethod(numpy_writes.staged_array)
    keep_array = staticmethod(items.keep_array)
    update_list = staticmethod(sequences.update_list)
    bisect = staticmethod(sequences.bisect)
    sorting_order = staticmethod(sequences.sorting_order)
    by_key = staticmethod(sequences.by_key)
    and_ = staticmethod(truth.and_)
    or_ = staticmethod(truth.or_)
    short_circuit = staticmethod(truth.short_circuit)
    call_builtin = staticmethod(builtins.call)
    as_condition = staticmethod(as_condition)
    not_ = staticmethod(truth.not_)
    get_item = staticmethod(items.get_item)
    taken = staticmethod(sequences.taken)
    groups = staticmethod(sequences.groups)
    repeated = staticmethod(sequences.repeated)
    set_item = staticmethod(items.set_item)
    is_bool = staticmethod(truth.is_bool)
    is_member = staticmethod(truth.is_member)
    is_stand_in = staticmethod(objects.is_stand_in)
    keep_unchanged = staticmethod(objects.keep_unchanged)
    constructor = staticmethod(instances.constructor)
    refuse_selected = staticmethod(objects.refuse_selected)
    count_selected = staticmethod(objects.count_selected)
    forget_selected = staticmethod(objects.forget_selected)
    is_needed, text_method = staticmethod(objects.is_needed), staticmethod(text_method)

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (Staged, StagedIterable, IterableSource))

    def is_staged(self, value: Any) -> bool:
        return not isinstance(value, (Variable, IterableSource)) or is_tracing()

    def type_of(self, value: Any) -> StagedType | None:
        if isinstance(value, Staged):
            return value.origin.type if isinstance(value, StagedList) else value.type
        if isinstance(value, Part):
            return AlternativesType(alternatives.describe(value))
        if isinstance(value, dict):
            return staged_dicts.dict_type(value)
        return lists.list_type(value) if type(value) in (list, deque, set) else constant_type(value)

    def is_text(self, value: Any) -> bool:
        return bound_type(value.type) == ScalarType(str)

    def is_handle(self, value: Any) -> bool:
        """Return whether a value can be written to in place."""
        if not isinstance(value, (Tensor, Optional)):
            return isinstance(value, StagedList) and not value.is_reference
        kind = bound_type(value.type)
        if isinstance(kind, ListType):
            return True
        return isinstance(kind, ArrayType) and bool(kind.shape or value.is_mutable)

    def optional(self, held: StagedType) -> StagedType:
        """Return the type of a value that is None on another path."""
        if isinstance(held, MaybeType):
            return MaybeType(self.optional(held.held), held.name)
        if isinstance(held, ListType) and holds_references(held):
            raise TypeError(f"a value of type {held} on one path cannot be None on the other")
        return held if isinstance(held, (OptionalType, AlternativesType)) else OptionalType(held)

    def alternatives(self, kind: StagedType | None, value: Any) -> StagedType:
        """Return the type of a result that has the type `kind` on one path and is `value` on the other."""
        if value is None and kind is None:
            return lists.NOTHING
        held = AlternativesType(alternatives.describe(part_of(value)))
        return MaybeType(held, kind.name) if isinstance(kind, MaybeType) else held

    def allows_none(self, kind: StagedType | None) -> bool:
        return isinstance(kind, OptionalType)

    def is_none(self, value: Any) -> Any:
        if isinstance(value, Alternatives):
            return recording.record("is_none", (value.passed_on(),), ScalarType(bool))
        if isinstance(value, Optional) and bound_type(value.type) is None:
            return True
        return isinstance(value, Optional) and is_none(value)

    some = staticmethod(some)
    is_known = staticmethod(truth.is_known)

    def narrowed(self, value: Any) -> Any:
        """Return a number that is not None in the current branch as such, and any other value unchanged."""
        is_number = isinstance(value, Optional) and not (self.is_handle(value) or is_marker(value))
        return some(value) if is_number and truth.is_known(value) else value

    def iterated(self, value: Any) -> Any:
        """Return what a loop goes over in place of a value."""
        return characters(some(value, "iter"))

    def unbound(self, held: StagedType, name: str) -> StagedType:
        return held if isinstance(held, MaybeType) else MaybeType(held, name)

    def bound(self, value: Any) -> Any:
        kind = getattr(value, "type", None)
        if not isinstance(kind, MaybeType):
            return value
        node = value.passed_on() if isinstance(value, Alternatives) else value.node()
        result = recording.record("check_bound", (node,), kind.held, effect=True, symbol=kind.name)
        if isinstance(result, Tensor) and result.type.shape:
            result.set_base(value, self.bound, ...)  # so that writes reach the variable's array
            result.shared = value.shared
        elif isinstance(result, StagedList):
            result.link_to(value)
        elif isinstance(result, Alternatives):
            result.decided_by = value.decided_by
        return leaf_of(result)

    # Captures

    def recursive_callee(self, called: Any) -> Any:
        return recursion.recursive_callee(self, called)

    def is_given(self, value: Any) -> bool:
        """Return whether a container is the user's own, rather than the trace's copy of an argument."""
        return not items.is_argument_copy(value)

    def note_item(self, item: Any, container: Any, key: Any) -> None:
        find_object = functools.partial(references.item_as_object, container, key)
        references.note_item(item, container, find_object)

    def is_inner(self, value: Any) -> bool:
        return isinstance(value, Staged) and not value.is_in_scope

    def capture(self, run: Callable[..., Any], arguments: Sequence[StagedType] = ()) -> BranchCapture:
        with self.open_branch("branch" if not arguments else "body") as capture:
            builder = capture.builder
            placeholders = [
                leaf_of(wrap(builder.argument(k, f"carried_{i}"), builder)) for i, k in enumerate(arguments)
            ]
            try:
                capture.value, _ = run(*placeholders)
            except staging.AlwaysRaises as error:
                capture.raised = error
            except Exception as error:
                if not is_own_raise(error):
                    raise
                capture.raised = error
                self.raise_error(error)
        return capture

    def open_branch(self, name: str = "branch") -> BranchCapture:
        return BranchCapture(Builder(name, current_builder()), self)

    def raise_last(self, error: Exception) -> bool:
        """Record an error that ended the trace, unless it is plain and first. Return whether it was."""
        if not is_own_raise(error):
            return False
        graph = current_builder().graph
        keep_errors(graph)
        is_staged = any(isinstance(v, Staged) for v in (*error.args, *vars(error).values()))
        if not (is_staged or has_effect(graph)):
            return False
        self.raise_error(error)
        return True

    def cond(
        self,
        pred: Any,
        captures: tuple[BranchCapture, BranchCapture],
        outputs: Sequence[tuple[Any, Any, StagedType]],
    ) -> list[Any]:
        for side, capture in enumerate(captures):
            self.close(capture, [o[side] for o in outputs], [o[2] for o in outputs])
        branches, operands = join_branches([c.builder for c in captures])
        return self.results(
            "cond", [recording.to_node(as_condition(pred)), *operands], [o[2] for o in outputs], **branches
        )

    def close(self, capture: BranchCapture, values: Sequence[Any], kinds: Sequence[StagedType]) -> None:
        """Convert values to the given types and make them the results of a captured graph."""
        builder = capture.builder
        builder.open = True
        with tracing_into(builder, self):
            builder.graph.results = [
                _missing() if capture.raised is not None else self.convert(value, kind)
                for value, kind in zip(values, kinds, strict=True)
            ]

    def convert(self, value: Any, kind: StagedType) -> Node:
        """Convert a value to the merged type of two paths or iterations, and return its node."""
        if isinstance(value, Undefined):
            return _missing()
        if isinstance(value, Alternatives):
            return value.passed_on()
        if isinstance(value, Part) or isinstance(bound_type(kind), AlternativesType):
            return alternatives.node_of(part_of(value))
        if value is None:
            held = kind.held if isinstance(kind, MaybeType) else kind
            return recording.add("constant", (), held, value=None)
        if type(value) in references.MAKERS:
            made = object_updates.converted(value, kind)
            make = getattr(self, references.MAKERS[type(value)])
            return recording.to_node(make(value) if made is value else made)
        own = getattr(value, "type", None)
        if isinstance(own, MaybeType) and isinstance(kind, OptionalType):
            return recording.to_node(self.bound(value))
        if isinstance(own, NULLABLE_TYPES):
            return recording.to_node(value)
        return recording.to_node(recording.cast(object_updates.converted(value, kind), bound_type(kind)))

    def results(self, op: str, inputs: list[Node], kinds: Sequence[StagedType], **attrs: Any) -> list[Any]:
        graphs = [g for g in attrs.values() if isinstance(g, Graph)]
        effect = any(map(has_effect, graphs)) or any(i.op == "dataset" for i in inputs)
        results = recording.outputs(current_builder().add(op, inputs, attrs, None, effect=effect), kinds)
        return [*map(leaf_of, results)]

    # Loops

    def while_loop(
        self,
        first_test: Any,
        init: Sequence[Any],
        types: Sequence[StagedType],
        body: BranchCapture,
        next_test: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self.close(body, [as_condition(next_test), *results], [_bool_type(next_test), *types])
        return self.loop("while", [], first_test, init, types, body, **_limits(options))

    def for_loop(
        self,
        iterated: Any,
        first_test: Any,
        init: Sequence[Any],
        types: Sequence[StagedType],
        body: BranchCapture,
        next_test: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        iterated = as_iterable(iterated)
        _, elements = self.elements(iterated)
        if isinstance(iterated, StagedIterable):
            iterated.mark_consumed()
        self.close(body, [as_condition(next_test), *results], [_bool_type(next_test), *types])
        source = iterated.node() if isinstance(iterated, Staged) else iterated.to_node()
        structure = iterated.structure if isinstance(iterated, StagedIterable) else 0
        attrs = {"elements": len(elements), "structure": structure, **_limits(options)}
        return self.loop("for", [source], first_test, init, types, body, **attrs)

    def loop(
        self,
        op: str,
        source: list[Node],
        first_test: Any,
        init: Sequence[Any],
        types: Sequence[StagedType],
        body: BranchCapture,
        **attrs: Any,
    ) -> list[Any]:
        carried = [self.convert(v, k) for v, k in zip(init, types, strict=True)]
        operands = body.builder.close_body(attrs.get("elements", 0) + len(types))
        inputs = [recording.to_node(as_condition(first_test)), *source, *carried, *operands]
        return self.results(op, inputs, types, body=body.graph, carried=len(types), **attrs)

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any] | None:
        if any(isinstance(s, StagedList) and s.is_reference for s in iterated_sources(iterated)):
            return None  # a copy of the rest would miss changes
        return first_and_rest(iterated, self.and_)

    # Values

    def staged_list(self, values: Sequence[Any]) -> StagedList:
        if not self.is_given(values):
            raise AliasError(
                "a list passed as an argument changes its length in a staged branch or loop",
                why="the length of the caller's list would be known only when the graph runs",
                remedy="copy the list in the function (items = list(items)), and return the copy",
            )
        references.lose_items(values)
        return values if isinstance(values, StagedList) else lists.staged_list(values)  # type: ignore[redundant-expr]

    def staged_deque(self, value: Any, maxlen: int | None = None) -> StagedList:
        return lists.staged_deque(value, value.maxlen if isinstance(value, deque) else maxlen)

    def assert_(self, test: Any, msg: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*([] if msg is None else [msg()]))

        staging.if_stmt(self, self.not_(test), fail, nothing, tuple, set_nothing, (), 0)


def _missing() -> Node:
    return recording.add("constant", (), None, value=Missing.VALUE)


def _bool_type(value: Any) -> StagedType:
    return value.type if isinstance(value, Staged) else ScalarType(bool)


def _limits(options: dict[str, Any]) -> dict[str, Any]:
    limit = options.get("maximum_iterations")
    if isinstance(limit, Staged):
        raise ValueNeededError(
            "maximum_iterations cannot be a staged value",
            why="the limit is part of the loop's code, which is generated before the graph runs",
            remedy="pass a plain int, or break out of the loop at a staged limit",
        )
    return {} if limit is None else {"maximum_iterations": limit}
