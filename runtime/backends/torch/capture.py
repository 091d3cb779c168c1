"""Tracing of closures into graphs.

A *program* is a closure traced into a graph from tensors to tensors. Outer values that the closure uses
(tensors, sizes, parameters) are *lifted*: at first use each becomes another input of the graph, and an
operand of the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from ...errors import AliasError, StagingError
from .autograd import is_smooth, needs_gradient
from .private import (
    ASSERT,
    FakeTensor,
    SymbolTable,
    current_mode,
    fake_of,
    is_fake,
    reenter_make_fx,
    slot_of,
    storage,
    track,
    untraced,
    untracked,
    version,
)


@dataclass
class Program:
    """A graph, the `operands` that follow its own arguments, and examples (`values`) of its results."""

    graph: torch.fx.GraphModule
    operands: list[Any]
    written: list[torch.Tensor]
    values: list[Any]
    shared: list[bool]
    """For each result, whether it shares memory with an argument, an operand or another result."""

    def results(self, arguments: Sequence[Any], *, fresh: bool = True) -> list[Any]:
        """Run the graph in the current trace and return its results; with `fresh`, copy shared ones."""
        inputs = [*arguments, *self.operands]
        if not can_add_nodes(inputs) or any("unbacked_bindings" in n.meta for n in self.graph.graph.nodes):
            return list(self.graph(*inputs))
        return [
            value.clone(memory_format=torch.contiguous_format) if is_shared and fresh else value
            for value, is_shared in zip(self._copy_nodes(inputs), self.shared, strict=True)
        ]

    def _copy_nodes(self, inputs: Sequence[Any]) -> list[Any]:
        """Copy the graph's nodes into the current trace, without tracing them again; return the results."""
        tracer = current_mode().tracer
        copies: dict[Any, Any] = {}
        remaining = iter(inputs)
        for node in self.graph.graph.nodes:
            if node.op == "placeholder":
                copies[node] = tracer.create_arg(tracer.unwrap_proxy(next(remaining)))
            elif node.op == "get_attr":
                name = register_module(tracer, node.target, getattr(self.graph, node.target))
                copies[node] = tracer.graph.create_node("get_attr", name)
                copies[node].meta = dict(node.meta)
            elif node.op != "output":
                copies[node] = tracer.graph.node_copy(node, copies.__getitem__)
        [results] = self.graph.graph.output_node().args
        nodes = [copies[node] for node in results]
        examples = examples_like(self.values, inputs)
        return [track(v, torch.fx.Proxy(n, tracer), tracer) for v, n in zip(examples, nodes, strict=True)]

    @property
    def has_effects(self) -> bool:
        return any(node.target in EFFECTS for node in self.graph.graph.nodes)


def can_add_nodes(values: Sequence[Any]) -> bool:
    """Return whether nodes may be added without running them: tensors are fake and need no autograd yet."""
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    if not all(isinstance(v, FakeTensor) for v in tensors):
        return False
    later = current_mode().pre_dispatch or not torch.is_grad_enabled()
    return later or not any(v.requires_grad for v in tensors)


def examples_like(values: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return empty tensors like `values`, which require gradients if `inputs` do."""
    depends = needs_gradient(inputs)

    def example(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        return made.requires_grad_().clone() if depends and is_smooth(value.dtype) else made

    with untraced():
        return list(map(example, values))


EFFECTS: set[Any] = {ASSERT}
"""Operators with side effects, which must not be dropped."""


class _LiftedValues:
    """The outer values that a trace has lifted so far."""

    def __init__(self, outer: Any):
        self.outer, self.inner = outer, outer
        self.values: list[Any] = []
        self.nodes: list[Any] = []
        self.versions: list[tuple[Any, int, Any]] = []

    def enter(self, inner: Any, arguments: Sequence[Any]) -> None:
        """Make the inner tracer look up unknown values in the outer tracer."""
        self.inner = inner
        tensors, symbols = _Tensors(self), _Symbols(self)
        tensors.update(inner.tensor_tracker)
        symbols.sym_node_dict.update(inner.symnode_tracker.sym_node_dict)
        inner.tensor_tracker, inner.symnode_tracker = tensors, symbols
        placeholders = [node for node in inner.graph.nodes if node.op == "placeholder"]
        for node, value in zip(placeholders, arguments, strict=True):
            self._save_version(value, node)

    def _save_version(self, value: Any, node: Any) -> None:
        if isinstance(value, torch.Tensor):
            saved = None if is_fake(value) else value.detach().clone()
            self.versions.append((value, version(value), (node, saved)))

    def add(self, value: Any, constant: Any = None) -> None:
        graph = self.inner.graph
        first = next((n for n in graph.nodes if n.op != "placeholder"), None)
        with graph.inserting_before(first) if first is not None else contextlib.nullcontext():
            proxy = self.inner.create_proxy("placeholder", f"outer_{len(self.values)}", (), {})
        self.values.append(value)
        with untracked():
            self._save_version(value, proxy.node)
        track(value, proxy, self.inner, constant)

    def written(self) -> list[torch.Tensor]:
        """Return the lifted tensors and arguments that were written to in place."""
        return [value for value, before, _ in self.versions if version(value) != before]

    def copy_written(self, written: Sequence[torch.Tensor]) -> None:
        """Make the graph write to copies of the tensors in `written` instead."""
        for value, _, (node, saved) in self.versions:
            if not any(value is w for w in written):
                continue
            graph = node.graph
            with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
                copy = graph.call_function(torch.ops.aten.clone.default, (node,))
            copy.meta = {**next(iter(node.users)).meta, "val": node.meta.get("val")}
            node.replace_all_uses_with(copy, delete_user_cb=lambda user, copy=copy: user is not copy)
            if saved is not None:
                with untraced(), torch.no_grad():
                    value.copy_(saved)
        for value in written:
            for other, _, _ in self.versions:
                if other is not value and storage(other) == storage(value):
                    raise AliasError(
                        "a staged branch or loop cannot write to a tensor and use an earlier view of it",
                        why="the write would have to change the view too, which a graph cannot do",
                        remedy="create the view inside the branch or loop, or compute a new "
                        "tensor: x = x + 1",
                    )


class _Tensors(WeakIdKeyDictionary):
    """Proxies of tensors in an inner trace."""

    def __init__(self, lifted: _LiftedValues):
        super().__init__()
        self.lifted = lifted

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(fake_of(key), None)
        if found is not None:
            return found
        slot = slot_of(key, self.lifted.outer, None)
        if slot is None:
            return default
        key = fake_of(key)
        self.lifted.add(key, slot.constant)
        return super().get(key, default)


class OuterTensors(WeakIdKeyDictionary):
    """Proxies of tensors in an outermost trace, where real tensors become inputs at first use.

    `find` returns the fake tensor that stands for a real one, or None if it cannot become an input.
    """

    def __init__(self, tracer: Any, find: Callable[[torch.Tensor], torch.Tensor | None]):
        super().__init__()
        self._lifted, self._find = _LiftedValues(None), find
        self._lifted.inner = tracer
        self.update(tracer.tensor_tracker)
        tracer.tensor_tracker = self

    @property
    def inputs(self) -> list[Any]:
        """The fake tensors of the real ones that have become inputs."""
        return self._lifted.values

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(self.fake(key), default)

    def fake(self, value: Any) -> Any:
        """Return the fake tensor that stands for a real tensor, and any other value unchanged."""
        if not isinstance(value, torch.Tensor) or is_fake(found := fake_of(value)):
            return value if not isinstance(value, torch.Tensor) else found
        if (fake := self._find(value)) is None:
            return value
        if super().get(fake, None) is None:
            self._lifted.add(fake)
        return fake


class _Symbols(SymbolTable):
    """Proxies of symbolic sizes in an inner trace."""

    def __init__(self, lifted: _LiftedValues):
        super().__init__()
        self.lifted = lifted

    def get(self, key: Any, default: Any = None) -> Any:
        node, tracer = key.node, self.lifted.inner
        if key in self or not node.is_symbolic() or node.expr in tracer.sympy_expr_tracker:
            return super().get(key, default)
        if slot_of(key, self.lifted.outer, None) is None:
            return super().get(key, default)
        if not isinstance(key, torch.SymInt):
            raise StagingError(
                "a staged branch or loop cannot use a number that .item() returned before it",
                why="PyTorch's higher-order operators take tensors, not such numbers",
                remedy="use the tensor itself, or call .item() inside the branch or loop",
            )
        self.lifted.add(key)
        return super().get(key, default)


def trace(
    run: Callable[..., Sequence[Any]], arguments: Sequence[Any] = (), *, fresh: bool = False
) -> Program:
    """Trace a closure on example arguments.

    With `fresh`, the results share no memory with other tensors, as higher-order operators require. Tensors
    that are written to in place follow the results.
    """
    lifted = _LiftedValues(current_mode().tracer)
    written: list[torch.Tensor] = []
    values: list[Any] = []
    shared: list[bool] = []

    def traced(*placeholders: Any) -> tuple[Any, ...]:
        lifted.enter(current_mode().tracer, placeholders)
        results = run(*placeholders)
        written[:] = lifted.written()
        values[:] = [*(_without_sharing(results, placeholders, lifted) if fresh else results), *written]
        shared[:] = _shared_memory(values, placeholders, lifted)
        return tuple(values)

    with untraced():
        graph = reenter_make_fx(traced)(*arguments)
    lifted.copy_written(written)
    lifted.values += constants_as_inputs(graph, len(lifted.values))
    graph.recompile()
    return Program(graph, lifted.values, written, values, shared)


def _shared_memory(results: Sequence[Any], arguments: Sequence[Any], lifted: _LiftedValues) -> list[bool]:
    """Return for each result whether it shares memory with another tensor."""
    for value in results:
        slot_of(value, lifted.inner, None)  # looking up a proxy lifts an outer value
    inputs = [v for v in (*arguments, *lifted.values) if isinstance(v, torch.Tensor)]
    own = [storage(v) if isinstance(v, torch.Tensor) else None for v in results]
    outer = {storage(v) for v in inputs}
    return [key is not None and (key in outer or own.count(key) > 1) for key in own]


def _without_sharing(results: Sequence[Any], arguments: Sequence[Any], lifted: _LiftedValues) -> list[Any]:
    seen = {storage(v) for v in (*arguments, *lifted.values) if isinstance(v, torch.Tensor)}
    fresh = []
    for value in results:
        is_outer = slot_of(value, lifted.outer, None) is not None
        if is_outer or storage(value) in seen:
            value = value.clone(memory_format=torch.contiguous_format)
        elif not value.is_contiguous():
            value = value.contiguous()
        seen.add(storage(value))
        fresh.append(value)
    return fresh


def constants_as_inputs(graph: torch.fx.GraphModule, count: int) -> list[torch.Tensor]:
    """Turn constants into operands and return them, so that the program can be saved."""
    aten = torch.ops.aten
    constants: list[torch.Tensor] = []
    for node in list(graph.graph.nodes):
        if node.op != "get_attr" or not isinstance(getattr(graph, node.target, None), torch.Tensor):
            continue
        constant = getattr(graph, node.target)
        first = next(n for n in graph.graph.nodes if n.op != "placeholder")
        with graph.graph.inserting_before(first):
            placeholder = graph.graph.placeholder(f"constant_{count + len(constants)}")
        placeholder.meta = dict(node.meta)
        for user in list(node.users):
            if user.target in (aten.lift_fresh_copy.default, aten.lift_fresh.default):
                user.target = aten.clone.default
        node.replace_all_uses_with(placeholder)
        graph.graph.erase_node(node)
        constants.append(aten.lift_fresh.default(constant))
    return constants


def register_module(tracer: Any, name: str, module: Any) -> str:
    """Register a module under a fresh name on the traced module, and return the name."""
    stem, number = name.rstrip("0123456789"), 0
    while hasattr(tracer.root, f"{stem}{number}"):
        number += 1
    setattr(tracer.root, f"{stem}{number}", module)
    return f"{stem}{number}"
