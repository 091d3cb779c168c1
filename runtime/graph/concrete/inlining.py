"""A finished graph as part of the graph that is being built: its nodes, once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import AliasError
from ..staging.aliases import root_of
from . import lists, record
from .concrete import ConcreteGraph
from .containers import apply, refuse_repeated
from .ir import Graph, Node
from .refused import shared_argument
from .rules.methods import copy
from .sharing import Sharing, is_plain
from .specs import TensorSpec
from .staged import Staged, StagedList, Tensor, wrap
from .trace import current, user_frames
from .variables import Variable


def described(leaf: Any) -> Any:
    """What tells which trace takes a staged array: its spec, or a NumPy scalar for one."""
    if not isinstance(leaf, Tensor) or isinstance(leaf, Variable):
        return leaf
    if leaf.has_views:
        return TensorSpec(leaf.type.shape, leaf.dtype) if leaf.ndim else np.ones((), leaf.dtype)
    return np.ones((), leaf.dtype)[()]


def inline(concrete: ConcreteGraph, leaves: Sequence[Any], arguments: Any) -> Any:
    """The result of a call in a trace, as `concrete.run` gives it outside of one.

    Raises:
        StagingError: an argument that the graph writes to is plain, or another argument shares its memory.
    """
    graph, inputs = concrete.graph, concrete.inputs
    handles = [leaves[i] for i in inputs.staged] + inputs.variables(leaves)
    _check_written(graph, handles, concrete.writes)
    if concrete.changes:
        refuse_repeated(arguments, graph.name)
    made = dict(zip(graph.arguments, map(record.to_node, handles), strict=True))
    for node in graph.nodes:
        made[node] = _again(node, made)
    first = len(graph.results) - len(concrete.writes)
    own = {a: h for a, h in zip(graph.arguments, handles, strict=True) if not isinstance(h, Variable)}
    for index, result in zip(concrete.writes, graph.results[first:], strict=True):
        handles[index].write_through(wrap(made[result]))
        if not isinstance(handles[index], Variable):
            own[result] = handles[index]
    results = [
        own[r] if r in own else _copy(wrap(made[r])) if i in concrete.twins else wrap(made[r])
        for i, r in enumerate(graph.results[:first])
    ]
    _tie(graph, {i: v for i, v in enumerate(results) if i not in concrete.twins}, own)
    if concrete.changes:
        apply(concrete.changes, arguments, results)
    return concrete.outputs.build(results)


def _check_written(graph: Graph, handles: Sequence[Any], writes: Sequence[int]) -> None:
    for i in writes:
        name = graph.arguments[i].attrs["name"]
        if not isinstance(handles[i], Staged):
            raise AliasError(
                f"{graph.name} writes to its argument {name!r}, which is plain",
                why="a graph is run here as a part of another, which cannot change a plain "
                "array each time that it runs",
                remedy="give it an argument of the traced function, or an array that is computed",
            )
        others = (j for j, other in enumerate(handles) if j != i and root_of(handles[i]) is root_of(other))
        for j in others:
            raise shared_argument(graph.name, name, graph.arguments[j].attrs["name"])


def _again(node: Node, made: dict[Node, Node]) -> Node:
    """A node of another graph, in the current one."""
    new = current().add(
        node.op, [made[i] for i in node.inputs], _attributes(node), node.type, effect=node.effect
    )
    new.attrs.update({k: v for k, v in node.attrs.items() if k == "errstate"})
    frames: Any = user_frames()
    new.source = (*frames, *node.places)
    return new


def _attributes(node: Node) -> dict[str, Any]:
    return {k: _copied(v) if isinstance(v, Graph) else v for k, v in node.attrs.items()}


def _copied(graph: Graph) -> Graph:
    """A graph inside a node, with nodes of its own."""
    errors, usual = np.geterr(), current().errors
    made = {a: Node(a.op, (), dict(a.attrs), a.type, a.source) for a in graph.arguments}
    new = Graph(graph.name, list(made.values()))
    for node in graph.nodes:
        attrs = _attributes(node)
        if errors != usual:
            attrs.setdefault("errstate", errors)
        made[node] = Node(
            node.op, tuple([made[i] for i in node.inputs]), attrs, node.type, node.places, node.effect
        )
        new.nodes.append(made[node])
    new.results = [made[r] for r in graph.results]
    return new


def _copy(value: Any) -> Any:
    """A value of its own."""
    if isinstance(value, Tensor):
        return record.call(copy, (value,), {}) if value.ndim else value
    return lists.list_copy(value) if isinstance(value, StagedList) else value


def _tie(graph: Graph, results: dict[int, Any], own: dict[Node, Any]) -> None:
    """Refuse writes to results, by place, that another name of the same memory would not see."""
    sharing = Sharing(graph)
    groups = {i: sharing.group(graph.results[i]) for i in results}
    arguments = [(sharing.group(a), own[a]) for a in graph.arguments if isinstance(own.get(a), Tensor)]
    for i, result in results.items():
        if graph.results[i] in own or not isinstance(result, (Tensor, StagedList)) or is_plain(result.type):
            continue
        bases = [a for group, a in arguments if group is groups[i] and a.ndim]
        if bases or list(groups.values()).count(groups[i]) > 1:
            result.shared = f"it may share memory with an argument of {graph.name}, or with another result"
        if len(bases) == 1 and isinstance(result, Tensor):
            result.follow_blindly(bases[0])
        else:
            for base in bases:
                base.shared = f"it may share memory with a result of {graph.name}"
