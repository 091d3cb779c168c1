"""What PyTorch has no public name for: is a tensor traced, a closure as a graph, the operators on graphs.

Everything private of torch is used in this file alone, each with its reason.

A *program* is a closure that was run once while PyTorch captures: a graph of tensors to tensors. What the
closure found outside itself (tensors, sizes, parameters) is *lifted*: it becomes a further input of the
graph at its first use, and an operand of the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

# Tracers of `make_fx`, which `export` uses too: no public function tells whether a tensor has a proxy.
import torch.fx.experimental.proxy_tensor as px

# NumPy's functions on tensors, with NumPy's names and promotion; made for Dynamo.
from torch import _numpy

# Which modules Dynamo does not read; the public `disable` marks one function, not what finds it.
from torch._dynamo import trace_rules

# The one way to trace a graph within a graph.
from torch._higher_order_ops.utils import reenter_make_fx

# Promotion in Python: `torch.promote_types` is dispatched, and would leave nodes in the captured graph.
from torch._prims_common import get_higher_dtype

# Copying nodes is right for fake tensors alone; the base class does not tell.
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree  # of the values of nodes, as torch itself takes them apart
from torch.utils.weak import WeakIdKeyDictionary

from ...errors import AliasError, StagingError
from .autograd import is_smooth, needs_gradient
from .graphs import constants_as_inputs, operands_of, registered, with_operands

# The public functions of these names go through Dynamo, which forbids what branches write outside themselves.
operators = torch.ops.higher_order

SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
promoted, numpy_of_torch = get_higher_dtype, _numpy


def skip_when_compiling(*modules: str) -> None:
    """Let Dynamo break its graph at calls of modules of the runtime, some of which it fails to read."""
    for module in modules:
        trace_rules.add(f"{__name__.rpartition('.backends.')[0]}.{module}")


def is_capturing() -> bool:
    """Whether a trace is under way. Dynamo traces the runtime as plain Python, so it does not count."""
    return not torch.compiler.is_dynamo_compiling() and px.get_proxy_mode() is not None


def is_traced(value: Any) -> bool:
    """Whether a tensor or symbol gets its value only when the captured program runs."""
    if isinstance(value, SYMBOLS):
        node = value.node  # the expression of a symbol has no other name
        return node.is_symbolic() and node.shape_env._maybe_evaluate_static(node.expr) is None
    mode = None if torch.compiler.is_dynamo_compiling() else px.get_proxy_mode()
    if mode is None:
        return False
    return getattr(px.get_proxy_slot(value, mode.tracer, None), "constant", value) is None


def is_known(value: Any) -> bool:
    """Whether a tensor or symbol is one of the trace that is under way, or of one around it."""
    return px.get_proxy_slot(value, px.get_proxy_mode().tracer, None) is not None


def expression(size: Any) -> Any:
    """A size as something to compare: a comparison of symbols would itself be captured."""
    return size.node.expr if isinstance(size, torch.SymInt) else size


def storage(tensor: torch.Tensor) -> Any:
    """What two tensors share when one is a view of the other."""
    return tensor.untyped_storage()._cdata  # the public data_ptr() is 0 for all fake tensors


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """What is computed here leaves no nodes in the graph that is captured."""
    with px.disable_proxy_modes_tracing(), px._temp_remove_pre_dispatch_torch_function_mode():
        yield


@dataclass
class Program:
    """A graph, the outer values that it gets after its own arguments, and values like its results."""

    graph: torch.fx.GraphModule
    operands: list[Any]
    written: list[torch.Tensor]
    values: list[Any]
    shared: list[bool]
    """Whether a result shares memory with an argument, an operand or another result."""

    def results(self, arguments: Sequence[Any], *, fresh: bool = True) -> list[Any]:
        """The results as nodes of the trace under way; with `fresh` what is shared is copied."""
        inputs = [*arguments, *self.operands]
        if not _is_direct(inputs) or any("unbacked_bindings" in n.meta for n in self.graph.graph.nodes):
            return list(self.graph(*inputs))
        return [
            value.clone(memory_format=torch.contiguous_format) if is_shared and fresh else value
            for value, is_shared in zip(self._copied(inputs), self.shared, strict=True)
        ]

    def _copied(self, inputs: Sequence[Any]) -> list[Any]:
        """The results of the graph's nodes, copied into the current trace: nothing is traced again."""
        tracer = px.get_proxy_mode().tracer
        copies: dict[Any, Any] = {}
        given = iter(inputs)
        for node in self.graph.graph.nodes:
            if node.op == "placeholder":
                copies[node] = tracer.create_arg(tracer.unwrap_proxy(next(given)))
            elif node.op == "get_attr":
                name = registered(tracer, node.target, getattr(self.graph, node.target))
                copies[node] = tracer.graph.create_node("get_attr", name)
                copies[node].meta = dict(node.meta)
            elif node.op != "output":
                copies[node] = tracer.graph.node_copy(node, copies.__getitem__)
        [results] = self.graph.graph.output_node().args
        nodes = [copies[node] for node in results]
        made = _alike(self.values, inputs)
        return [_tracked(v, torch.fx.Proxy(n, tracer), tracer) for v, n in zip(made, nodes, strict=True)]

    @property
    def has_effects(self) -> bool:
        return any(node.target in EFFECTS for node in self.graph.graph.nodes)


def _is_direct(values: Sequence[Any]) -> bool:
    """Whether nodes may be written without running them: on fake tensors, and where autograd comes later."""
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    if not all(isinstance(v, FakeTensor) for v in tensors):
        return False
    later = px.get_proxy_mode().pre_dispatch or not torch.is_grad_enabled()
    return later or not any(v.requires_grad for v in tensors)


def _alike(values: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Tensors like `values`, which depend on `inputs`."""
    depends = needs_gradient(inputs)

    def alike(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        return made.requires_grad_().clone() if depends and is_smooth(value.dtype) else made

    with untraced():
        return list(map(alike, values))


def _tracked(value: Any, proxy: Any, tracer: Any) -> Any:
    with px.disable_proxy_modes_tracing():
        return px.track_tensor_tree(value, proxy, constant=None, tracer=tracer)


def _call(
    operator: Any, graphs: dict[str, Any], call: Callable[..., tuple], results: Sequence[Any]
) -> list[Any]:
    """An operator on graphs, as a node; `call` makes its arguments, `results` are like its results."""
    tracer = px.get_proxy_mode().tracer
    inner = [tracer.create_proxy("get_attr", registered(tracer, n, g), (), {}) for n, g in graphs.items()]
    values = call(*inner)
    arguments = pytree.tree_map(tracer.unwrap_proxy, values)
    proxy = tracer.create_proxy("call_function", operator, arguments, {})
    return list(_tracked(tuple(_alike(results, pytree.tree_leaves(values))), proxy, tracer))


def assert_holds(holds: torch.Tensor, text: str) -> None:
    torch.ops.aten._assert_async.msg(holds, text)  # the operator of torch._assert, with a text


def is_view(tensor: torch.Tensor) -> bool:
    return tensor._is_view()  # a fake tensor keeps its base to itself


EFFECTS: set[Any] = {torch.ops.aten._assert_async.msg}
"""Operators that do something besides computing, and must not be dropped."""


class _Lifted:
    """The outer values that a trace has used so far."""

    def __init__(self, outer: Any):
        self.outer, self.inner = outer, outer
        self.values: list[Any] = []
        self.nodes: list[Any] = []
        self.versions: list[tuple[Any, int, Any]] = []

    def enter(self, inner: Any, arguments: Sequence[Any]) -> None:
        """Ask the outer tracer for what the inner one does not know."""
        self.inner = inner
        tensors, symbols = _Tensors(self), _Symbols(self)
        tensors.update(inner.tensor_tracker)
        symbols.sym_node_dict.update(inner.symnode_tracker.sym_node_dict)
        inner.tensor_tracker, inner.symnode_tracker = tensors, symbols
        places = [node for node in inner.graph.nodes if node.op == "placeholder"]
        for node, value in zip(places, arguments, strict=True):
            self._note(value, node)

    def _note(self, value: Any, node: Any) -> None:
        if isinstance(value, torch.Tensor):
            is_fake = px.is_fake(value)
            saved = None if is_fake else value.detach().clone()
            self.versions.append((value, value._version, (node, saved)))  # a write has no other trace

    def add(self, value: Any, constant: Any = None) -> None:
        graph = self.inner.graph
        first = next((n for n in graph.nodes if n.op != "placeholder"), None)
        with graph.inserting_before(first) if first is not None else contextlib.nullcontext():
            proxy = self.inner.create_proxy("placeholder", f"outer_{len(self.values)}", (), {})
        self.values.append(value)
        with px.disable_proxy_modes_tracing():
            self._note(value, proxy.node)
            px.track_tensor_tree(value, proxy, constant=constant, tracer=self.inner)

    def written(self) -> list[torch.Tensor]:
        """The tensors that came from outside, or as arguments, and have been written in place."""
        return [value for value, version, _ in self.versions if value._version != version]

    def copy_written(self, changed: Sequence[torch.Tensor]) -> None:
        """In the graph a copy is written in the place of each."""
        for value, _, (node, saved) in self.versions:
            if not any(value is c for c in changed):
                continue
            graph = node.graph
            with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
                copy = graph.call_function(torch.ops.aten.clone.default, (node,))
            copy.meta = {**next(iter(node.users)).meta, "val": node.meta.get("val")}
            node.replace_all_uses_with(copy, delete_user_cb=lambda user, copy=copy: user is not copy)
            if saved is not None:
                with untraced(), torch.no_grad():
                    value.copy_(saved)
        for value in changed:
            for other, _, _ in self.versions:
                if other is not value and storage(other) == storage(value):
                    raise AliasError(
                        "a staged branch or loop writes to a tensor, and uses a view of it made before",
                        why="the view would have to change too, each time that the program runs",
                        remedy="make the view inside, or compute a new tensor: x = x + 1",
                    )


class _Tensors(WeakIdKeyDictionary):
    """The proxies of tensors in an inner trace."""

    def __init__(self, lifted: _Lifted):
        super().__init__()
        self.lifted = lifted

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key, None)
        if found is not None:
            return found
        slot = px.get_proxy_slot(key, self.lifted.outer, None)
        if slot is None:
            return default
        self.lifted.add(key, slot.constant)
        return super().get(key, default)


class _Symbols(px._SymNodeDict):
    """The proxies of symbolic sizes in an inner trace."""

    def __init__(self, lifted: _Lifted):
        super().__init__()
        self.lifted = lifted

    def get(self, key: Any, default: Any = None) -> Any:
        node, tracer = key.node, self.lifted.inner
        if key in self or not node.is_symbolic() or node.expr in tracer.sympy_expr_tracker:
            return super().get(key, default)
        if px.get_proxy_slot(key, self.lifted.outer, None) is None:
            return super().get(key, default)
        if not isinstance(key, torch.SymInt):
            raise StagingError(
                "a staged branch or loop uses a number that .item() made before it",
                why="PyTorch's operators on graphs take tensors, and no such numbers",
                remedy="use the tensor itself, or call .item() inside",
            )
        self.lifted.add(key)
        return super().get(key, default)


def trace(
    run: Callable[..., Sequence[Any]], arguments: Sequence[Any] = (), *, fresh: bool = False
) -> Program:
    """A closure, run once on `arguments`, which stand for others of their kind.

    With `fresh` the results share no memory with anything, as the operators on graphs ask for. What was
    written in place comes after the results.
    """
    lifted = _Lifted(px.get_proxy_mode().tracer)
    written: list[torch.Tensor] = []
    values: list[Any] = []
    shared: list[bool] = []

    def traced(*placeholders: Any) -> tuple[Any, ...]:
        lifted.enter(px.get_proxy_mode().tracer, placeholders)
        results = run(*placeholders)
        written[:] = lifted.written()
        values[:] = [*(_unshared(results, placeholders, lifted) if fresh else results), *written]
        shared[:] = _sharing(values, placeholders, lifted)
        return tuple(values)

    with untraced():
        graph = reenter_make_fx(traced)(*arguments)
    lifted.copy_written(written)
    lifted.values += constants_as_inputs(graph, len(lifted.values))
    graph.recompile()
    return Program(graph, lifted.values, written, values, shared)


def _sharing(results: Sequence[Any], arguments: Sequence[Any], lifted: _Lifted) -> list[bool]:
    """Which results share memory with something else. A lifted value is known once its proxy is asked for."""
    for value in results:
        px.get_proxy_slot(value, lifted.inner, None)
    inputs = [v for v in (*arguments, *lifted.values) if isinstance(v, torch.Tensor)]
    own = [storage(v) if isinstance(v, torch.Tensor) else None for v in results]
    outer = {storage(v) for v in inputs}
    return [key is not None and (key in outer or own.count(key) > 1) for key in own]


def _unshared(results: Sequence[Any], arguments: Sequence[Any], lifted: _Lifted) -> list[Any]:
    seen = {storage(v) for v in (*arguments, *lifted.values) if isinstance(v, torch.Tensor)}
    found = []
    for value in results:
        is_outer = px.get_proxy_slot(value, lifted.outer, None) is not None
        if is_outer or storage(value) in seen:
            value = value.clone(memory_format=torch.contiguous_format)
        elif not value.is_contiguous():
            value = value.contiguous()
        seen.add(storage(value))
        found.append(value)
    return found


# The operators on graphs ------------------------------------------------------------------------


@contextlib.contextmanager
def _unchecked() -> Iterator[None]:
    """Without a check for writes that runs the graphs once more, on memory that holds anything."""
    kinds = (operators.cond, operators.while_loop, operators.scan)
    before = [kind._supports_training_input_mutation for kind in kinds]
    for kind in kinds:
        kind._supports_training_input_mutation = True
    try:
        yield
    finally:
        for kind, value in zip(kinds, before, strict=True):
            kind._supports_training_input_mutation = value


def conditional(pred: Any, programs: Sequence[Program]) -> list[Any]:
    operands = operands_of(programs)
    graphs = [with_operands(p, 0, operands) for p in programs]
    if _is_direct([pred, *operands]):
        names = dict(zip(("true_graph_0", "false_graph_0"), graphs, strict=True))
        return _call(operators.cond, names, lambda *g: (pred, *g, tuple(operands)), programs[0].values)
    with _unchecked():
        return list(operators.cond(pred, *graphs, tuple(operands)))


def loop(test: Program, body: Program, carried: Sequence[Any]) -> list[Any]:
    operands = operands_of([test, body])
    asks = with_operands(test, len(carried), operands, alone=True)
    step = with_operands(body, len(carried), operands)
    if _is_direct([*carried, *operands]):
        names = {"while_loop_cond_graph_0": asks, "while_loop_body_graph_0": step}
        return _call(operators.while_loop, names, lambda *g: (*g, tuple(carried), tuple(operands)), carried)
    with _unchecked():
        return list(operators.while_loop(asks, step, tuple(carried), tuple(operands)))


def scanned(step: Program, carried: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    operands = operands_of([step])
    graph = with_operands(step, len(carried) + len(rows), operands)
    if _is_direct([*carried, *rows, *operands]):
        count = len(rows[0])
        with untraced():
            stacked = [v.new_empty((count, *v.shape)) for v in step.values[len(carried) :]]
        return _call(
            operators.scan,
            {"scan_combine_graph_0": graph},
            lambda g: (g, list(carried), list(rows), tuple(operands)),
            [*carried, *stacked],
        )
    with _unchecked():
        return list(operators.scan(graph, list(carried), list(rows), tuple(operands)))
