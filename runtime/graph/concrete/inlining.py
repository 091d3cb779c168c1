"""Inline a concrete graph into the graph that is being traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import AliasError
from ...staging.state.aliases import root_of
from ..ir.alias_analysis import AliasAnalysis, is_immutable
from ..ir.copying import copy_attributes, copy_called
from ..ir.graph import Graph, Node
from ..rules.methods import copy
from ..state.variables import Variable
from ..tracing import recording
from ..tracing.containers import lists
from ..tracing.containers.staged_lists import StagedList
from ..tracing.specs import TensorSpec
from ..tracing.tensor import Staged, Tensor, wrap
from ..tracing.trace import current_builder, user_frames
from ..tracing.unsupported import shared_argument
from .argument_containers import apply, check_distinct_containers
from .concrete_graph import ConcreteGraph


def abstract_leaf(leaf: Any) -> Any:
    """Return the spec or 0-d value that selects a trace for a staged array; return other leaves unchanged."""
    if not isinstance(leaf, Tensor) or isinstance(leaf, Variable):
        return leaf
    if leaf.has_views:
        return TensorSpec(leaf.type.shape, leaf.dtype) if leaf.ndim else np.ones((), leaf.dtype)
    return np.ones((), leaf.dtype)[()]


def inline(concrete: ConcreteGraph, leaves: Sequence[Any], arguments: Any) -> Any:
    """Inline a call and return its result, like `concrete.run` outside a trace.

    Raises:
        AliasError: an argument that the graph writes to is not staged, or shares memory with another.
    """
    graph, inputs = concrete.graph, concrete.inputs
    handles = [leaves[i] for i in inputs.staged] + inputs.variables(leaves)
    _check_written_arguments(graph, handles, concrete.writes)
    if concrete.changes:
        check_distinct_containers(arguments, graph.name)
    copies = dict(zip(graph.arguments, map(recording.to_node, handles), strict=True))
    errors = np.geterr()
    defaults = {} if errors == current_builder().errstate else {"errstate": errors}
    called = copy_called(graph, defaults)
    for node in graph.nodes:
        copies[node] = _copy_node(node, copies, copy_attributes(node, called, defaults))
    count = len(graph.results) - len(concrete.writes)
    argument_handles = {
        a: h for a, h in zip(graph.arguments, handles, strict=True) if not isinstance(h, Variable)
    }
    for index, result in zip(concrete.writes, graph.results[count:], strict=True):
        handles[index].write_through(wrap(copies[result]))
        if not isinstance(handles[index], Variable):
            argument_handles[result] = handles[index]
    results = [
        argument_handles[r]
        if r in argument_handles
        else _copy_value(wrap(copies[r]))
        if i in concrete.copied_results
        else wrap(copies[r])
        for i, r in enumerate(graph.results[:count])
    ]
    _track_aliases(
        graph, {i: v for i, v in enumerate(results) if i not in concrete.copied_results}, argument_handles
    )
    if concrete.changes:
        apply(concrete.changes, arguments, results)
    return concrete.outputs.build(results)


def _check_written_arguments(graph: Graph, handles: Sequence[Any], writes: Sequence[int]) -> None:
    for i in writes:
        name = graph.arguments[i].attrs["name"]
        if not isinstance(handles[i], Staged):
            raise AliasError(
                f"{graph.name} writes to its argument {name!r}, which is not a staged array",
                why="the graph becomes part of the traced graph, which cannot write to a plain array",
                remedy="pass an argument of the traced function, or an array that it computes",
            )
        others = (j for j, other in enumerate(handles) if j != i and root_of(handles[i]) is root_of(other))
        for j in others:
            raise shared_argument(graph.name, name, graph.arguments[j].attrs["name"])


def _copy_node(node: Node, copies: dict[Node, Node], attrs: dict[str, Any]) -> Node:
    """Add a copy of a node to the current graph."""
    inputs = [copies[i] for i in node.inputs]
    new = current_builder().add(node.op, inputs, attrs, node.type, effect=node.effect)
    new.attrs.update({k: v for k, v in node.attrs.items() if k == "errstate"})
    frames: Any = user_frames()
    new.source = (*frames, *node.places)
    return new


def _copy_value(value: Any) -> Any:
    if isinstance(value, Tensor):
        return recording.call(copy, (value,), {}) if value.ndim else value
    return lists.list_copy(value) if isinstance(value, StagedList) else value


def _track_aliases(graph: Graph, results: dict[int, Any], argument_handles: dict[Node, Any]) -> None:
    """Mark results that may share memory with an argument or with each other, so that writes raise."""
    aliases = AliasAnalysis(graph)
    groups = {i: aliases.alias_set(graph.results[i]) for i in results}
    arguments = [
        (aliases.alias_set(a), argument_handles[a])
        for a in graph.arguments
        if isinstance(argument_handles.get(a), Tensor)
    ]
    for i, result in results.items():
        if (
            graph.results[i] in argument_handles
            or not isinstance(result, (Tensor, StagedList))
            or is_immutable(result.type)
        ):
            continue
        bases = [a for group, a in arguments if group is groups[i] and a.ndim]
        if bases or list(groups.values()).count(groups[i]) > 1:
            result.shared = f"it may share memory with an argument of {graph.name}, or with another result"
        if len(bases) == 1 and isinstance(result, Tensor):
            result.set_possible_base(bases[0])
        else:
            for base in bases:
                base.shared = f"it may share memory with a result of {graph.name}"
