"""Reverse-mode differentiation: a backward walk over the nodes of a graph.

The gradient rule of a node computes the cotangents of its inputs from its own cotangent. Rules compute with
staged values, so the gradient becomes part of the current graph: it is optimized with the rest and can be
differentiated again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...errors import GradientError
from ...values.structures import flatten
from ..ir.graph import Node, Slot, fill_slots
from ..ir.types import InstanceType, ListType
from ..rules import TYPE_RULES, ufunc_type
from ..rules.tables import CONSTANT, DEFINITIONS, GRADIENT_RULES, PARTIALS, UFUNC_METHOD_GRADIENTS
from ..rules.ufuncs import UFUNCS
from ..tracing import recording
from ..tracing.tensor import wrap
from ..tracing.trace import current_builder
from . import unsupported
from .cotangents import (
    CotangentAt,
    add_cotangents,
    cast_cotangent,
    is_differentiable,
    unbroadcast,
    zeros_like,
)


class Reverse:
    """A backward walk over the nodes of one graph. `owner` is its builder or `ForwardGraph`."""

    def __init__(self, owner: Any, nodes: Sequence[Node], sources: Iterable[Node]):
        self.owner, self.nodes = owner, list(nodes)
        self.active = set(sources)
        self.results: dict[Node, dict[int, Node]] = {}
        self._cotangents: dict[Node, Any] = {}
        self._output_cotangents: dict[Node, dict[int, Any]] = {}
        for node in self.nodes:
            if node.op == "output":
                self.results.setdefault(node.inputs[0], {})[node.attrs["index"]] = node
            inner = (part for graph in node.graphs() for part in graph.walk())
            stored = next((part for part in (node, *inner) if _is_on_objects(part)), None)
            if stored is not None and any(self._is_sought(i) for i in node.inputs):
                raise unsupported.no_rule(stored)
            if self._depends(node):
                self.active.add(node)

    def _is_sought(self, node: Node) -> bool:
        """Return whether a node, or an iterable of a loop, depends on a source."""
        return node in self.active and (node.type is None or is_differentiable(node.type))

    def _depends(self, node: Node) -> bool:
        """Return whether the cotangent of a node contributes to that of a source."""
        if not any(i in self.active for i in node.inputs):
            return False
        if node.op == "output":
            source = node.inputs[0]
            active_results = ACTIVE_RESULTS.get(source.op)
            if active_results is not None and node.attrs["index"] not in active_results(self, source):
                return False
        return node.type is None or is_differentiable(node.type)

    def value(self, node: Node) -> Any:
        return wrap(node, self.owner)

    def result(self, node: Node, index: int, kind: Callable[[], Any]) -> Any:
        """Return one of several results of a node. If it has no output node, add one of type `kind()`."""
        outputs = self.results.setdefault(node, {})
        if index not in outputs:
            output = Node("output", (node,), {"index": index}, kind(), node.source)
            nodes = self.owner.graph.nodes
            nodes.insert(nodes.index(node) + 1, output)
            self.owner.owned.add(output)
            outputs[index] = output
        return self.value(outputs[index])

    def cotangent(self, node: Node) -> Any:
        return self._cotangents.get(node)

    def set_cotangent(self, node: Node, cotangent: Any) -> None:
        self._cotangents[node] = cotangent

    def accumulate(self, node: Node, cotangent: Any) -> None:
        """Add a contribution to the cotangent of a node."""
        if cotangent is None or node not in self.active or not is_differentiable(node.type):
            return
        before = self._cotangents.get(node)
        if isinstance(cotangent, CotangentAt):
            total = cotangent.add_to(zeros_like(self.value(node)) if before is None else before)
        else:
            total = add_cotangents(before, cast_cotangent(cotangent, node.type))
        self._cotangents[node] = total

    def run(self) -> None:
        """Compute all cotangents, from the last node to the first."""
        for node in reversed(self.nodes):
            if node not in self.active:
                continue
            if node.op == "output":
                self._accumulate_output(node)
                continue
            if node.type is None:
                cotangent = self._output_cotangents.pop(node, None)
            else:
                cotangent = self._cotangents.get(node)
            if cotangent is not None:
                self._apply_rule(node, cotangent)

    def _accumulate_output(self, node: Node) -> None:
        cotangent = self._cotangents.get(node)
        [source], index = node.inputs, node.attrs["index"]
        if cotangent is None:
            return
        if source.type is None:
            self._output_cotangents.setdefault(source, {})[index] = cotangent
            return
        before = self._cotangents.get(source)  # a tuple
        parts = list(zeros_like(self.value(source)) if before is None else before)
        parts[index] = add_cotangents(parts[index], cotangent)
        self._cotangents[source] = tuple(parts)

    def _apply_rule(self, node: Node, cotangent: Any) -> None:
        rule = _rule_of(node)
        if rule is None:
            raise unsupported.no_rule(node)
        nodes = current_builder().graph.nodes
        count = len(nodes)
        try:
            rule(self, node, cotangent)
        except GradientError as error:
            error.sites = error.sites or unsupported.sites(node)
            raise
        for added in nodes[count:]:
            if node.source[: len(added.source)] == added.source:
                added.source = node.source


_ON_OBJECTS = frozenset(("reference", "reference_update"))
"""Ops that store values where the inputs of the nodes that read them do not tell."""


def _is_on_objects(node: Node) -> bool:
    return node.op in _ON_OBJECTS or isinstance(node.type, InstanceType)


Rule = Callable[[Reverse, Node, Any], None]


ACTIVE_RESULTS: dict[str, Callable[[Reverse, Node], set[int]]] = {}
"""Functions that return the indices of active results, by the op of a conditional or loop."""
OP_RULES: dict[str, Rule] = {}
"""The gradient rules for ops that are not NumPy functions, by op."""
LIST_OPERATORS: dict[str, Rule] = {}
"""The gradient rules for operators on lists, by op."""


def _rule_of(node: Node) -> Rule | None:
    if node.op in OP_RULES:
        return OP_RULES[node.op]
    if node.op in CONSTANT:
        return no_cotangents
    if isinstance(node.type, ListType) and node.op in UFUNCS:
        return LIST_OPERATORS.get(node.op)
    function: Any = UFUNCS.get(node.op) or node.attrs.get("function")
    if not isinstance(function, type) and function in PARTIALS:
        return _apply_partials
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        if function.__name__ == "outer" and owner in PARTIALS:
            return _differentiate_definition
        return _apply_gradient_rule if (function.__name__, owner) in UFUNC_METHOD_GRADIENTS else None
    if function in CONSTANT:
        return no_cotangents
    if function in GRADIENT_RULES:
        return _apply_gradient_rule
    return _differentiate_definition if function in DEFINITIONS else None


def no_cotangents(reverse: Reverse, node: Node, cotangent: Any) -> None:
    """Apply the rule of an op whose derivative is zero wherever it exists."""


def _apply_partials(reverse: Reverse, node: Node, cotangent: Any) -> None:
    function = UFUNCS.get(node.op) or node.attrs["function"]
    options = node.attrs.get("kwargs") or {}
    if set(options) - {"dtype", "casting"}:
        raise unsupported.unsupported_options(node, sorted(options))
    call = Call(reverse, node)
    template = call.template
    operands = list(map(_as_operand, call.values(template)))
    for slot, operand, partial in zip(template, operands, PARTIALS[function], strict=True):
        if not isinstance(slot, Slot) or node.inputs[slot.index] not in reverse.active:
            continue
        contribution = partial(cotangent, call.result, *operands)
        if contribution is not None:
            reverse.accumulate(node.inputs[slot.index], unbroadcast(contribution, operand))


def _apply_gradient_rule(reverse: Reverse, node: Node, cotangent: Any) -> None:
    function = UFUNCS.get(node.op) or node.attrs["function"]
    owner = getattr(function, "__self__", None)
    rule = GRADIENT_RULES.get(function) or UFUNC_METHOD_GRADIENTS[function.__name__, owner]
    call = Call(reverse, node)
    args, kwargs = call.arguments()
    contributions = rule(cotangent, call.result, *args, **kwargs)
    templates = call.parameter_templates(rule)
    for (_, template), contribution in zip(templates, contributions, strict=False):
        call.accumulate(template, contribution)
    for name, template in templates[len(contributions) :]:
        if call.is_active(template):
            raise unsupported.unsupported_options(node, [name])


def _differentiate_definition(reverse: Reverse, node: Node, cotangent: Any) -> None:
    """Record the definition of a composite function, and reverse it."""
    call = Call(reverse, node)
    call.with_own_nodes = True
    args, kwargs = call.arguments()
    builder = current_builder()
    start = len(builder.graph.nodes)
    function = node.attrs["function"]
    definition = DEFINITIONS.get(function)
    result = _outer(function, *args) if definition is None else definition(*args, **kwargs)
    sources = [recording.to_node(v) for v in call.active_operands.values()]
    inner = Reverse(builder, builder.graph.nodes[start:], sources)
    if isinstance(result, (tuple, list)):
        for index, part in cotangent.items():
            inner.set_cotangent(recording.to_node(result[index]), part)
    else:
        inner.set_cotangent(recording.to_node(result), cotangent)
    inner.run()
    used = {i for n in builder.graph.nodes[start:] for i in n.inputs}
    for name, template in node.attrs.get("kwargs", {}).items():
        operand = call.active_operands.get(template.index) if isinstance(template, Slot) else None
        if operand is not None and recording.to_node(operand) not in used:
            raise unsupported.unsupported_options(node, [name])
    for index, value in call.active_operands.items():
        call.accumulate(Slot(index), inner.cotangent(recording.to_node(value)))


def _outer(function: Any, a: Any, b: Any) -> Any:
    first = np.ndim(a)
    return function.__self__(np.expand_dims(a, tuple(range(first, first + np.ndim(b)))), b)


@cache
def signature_of(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


class Call:
    """The recorded call of a node, and the values of its arguments.

    A template is a recorded argument with slots in place of the inputs.
    """

    def __init__(self, reverse: Reverse, node: Node):
        self.reverse, self.node = reverse, node
        self.with_own_nodes = False  # whether active arguments are copied to new nodes
        self.active_operands: dict[int, Any] = {}

    @cached_property
    def result(self) -> Any:
        """The result, or a sequence of several results."""
        if self.node.type is None:
            return Results(self.reverse, self.node, self)
        return self.reverse.value(self.node)

    def values(self, template: Any) -> Any:
        """Return a template with staged values in place of its slots."""
        return fill_slots(template, self)

    def __getitem__(self, index: int) -> Any:
        node = self.node.inputs[index]
        value = self.reverse.value(node)
        if isinstance(node.type, ListType):
            value = recording.call(np.array, (value,), {})
        if self.with_own_nodes and node in self.reverse.active:
            value = recording.record("same", (value,), recording.to_node(value).type)
            self.active_operands[index] = value
        return value

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        kwargs = self.values(self.node.attrs.get("kwargs", {}))
        return (
            tuple([_as_float_array(v) for v in self.values(self.template)]),
            {name: _as_float_array(v) for name, v in kwargs.items()},
        )

    @property
    def template(self) -> tuple[Any, ...]:
        """The templates of the positional arguments. The arguments of an operator are its inputs."""
        args: tuple[Any, ...] | None = self.node.attrs.get("args")
        return tuple(map(Slot, range(len(self.node.inputs)))) if args is None else args

    def parameter_templates(self, rule: Callable[..., Any]) -> list[tuple[str, Any]]:
        """Return the template of each parameter of a rule, except the cotangent and the result."""
        signature = signature_of(rule)
        bound = signature.bind(None, None, *self.template, **self.node.attrs.get("kwargs", {})).arguments
        return [(name, bound.get(name)) for name in list(signature.parameters)[2:]]

    def is_active(self, template: Any) -> bool:
        if isinstance(template, Slot):
            return self.node.inputs[template.index] in self.reverse.active
        if isinstance(template, dict):
            return any(map(self.is_active, template.values()))
        return isinstance(template, (list, tuple)) and any(map(self.is_active, template))

    def accumulate(self, template: Any, cotangent: Any) -> None:
        """Accumulate the cotangents of the inputs in a template. Call a callable cotangent only if needed."""
        if cotangent is None or not self.is_active(template):
            return
        if isinstance(template, Slot):
            node = self.node.inputs[template.index]
            value = cotangent() if callable(cotangent) else cotangent
            if isinstance(node.type, ListType):
                value = recording.record("iterate", (value,), node.type, function=list)
            self.reverse.accumulate(node, value)
        elif isinstance(template, (list, tuple)):
            for part, part_cotangent in zip(template, cotangent, strict=True):
                self.accumulate(part, part_cotangent)


def _as_operand(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, (list, tuple)) else value


def _as_float_array(value: Any) -> Any:
    """Convert a plain list of floats to an array, but not a list of integers: it may be a shape or axes."""
    if isinstance(value, (list, tuple)) and not any(map(recording.is_staged, flatten(value)[0])):
        with suppress(ValueError):
            array = np.asarray(value)
            return array if array.dtype.kind in "fc" and array.size else value
    return value


class Results:
    """The results of a node, as a sequence. Missing outputs are added on demand."""

    def __init__(self, reverse: Reverse, node: Node, call: Call):
        self._reverse, self._node, self._call = reverse, node, call

    def __getitem__(self, index: int) -> Any:
        return self._reverse.result(self._node, index, lambda: self._type(index))

    def _type(self, index: int) -> Any:
        function = self._node.attrs["function"]
        types = [i.type for i in self._node.inputs]
        args, kwargs = (fill_slots(self._node.attrs[name], types) for name in ("args", "kwargs"))
        if isinstance(function, np.ufunc):
            return ufunc_type(function, "__call__", args, kwargs)[index]
        return TYPE_RULES[function](*args, **kwargs)[index]
