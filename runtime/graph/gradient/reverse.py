"""Reverse mode, from graph to graph: a walk over nodes from the last to the first.

Each node that has a cotangent, and depends on a source, gives cotangents to its inputs by the rule of its
op. Rules compute with staged values, so that what they do becomes nodes of the current graph, which is
optimised with the rest and can be differentiated again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...errors import GradientError
from ...structures import flatten
from .. import record
from ..ir import Node, Slot
from ..rules import NUMPY, ufunc_type
from ..staged import wrap
from ..trace import current
from ..types import ListType
from . import refused
from .rules import CONSTANT, DEFINITIONS, PARTIALS, REDUCTIONS, RULES
from .values import At, added, fitted, is_differentiable, unbroadcast, zeros_like


class Reverse:
    """The cotangents of the nodes of one graph.

    Args:
        owner: what the nodes belong to: a builder, or a region.
        nodes: the nodes in program order.
        sources: those whose cotangents are wanted.
    """

    def __init__(self, owner: Any, nodes: Sequence[Node], sources: Iterable[Node]):
        self.owner, self.nodes = owner, list(nodes)
        self.active = set(sources)
        self.results: dict[Node, dict[int, Node]] = {}
        self._cotangents: dict[Node, Any] = {}
        self._of_results: dict[Node, dict[int, Any]] = {}
        self._sources = frozenset(self.active)
        for node in self.nodes:
            if node.op == "output":
                self.results.setdefault(node.inputs[0], {})[node.attrs["index"]] = node
            if self._depends(node):
                self.active.add(node)

    def _depends(self, node: Node) -> bool:
        """Whether a node's cotangent is of use to a source."""
        if not any(i in self.active for i in node.inputs):
            return False
        if node.op == "output":
            source = node.inputs[0]
            control = CONTROL.get(source.op)
            if control is not None and node.attrs["index"] not in control.active(self, source):
                return False
        return node.type is None or is_differentiable(node.type)

    def value(self, node: Node) -> Any:
        return wrap(node, self.owner)

    def result(self, node: Node, index: int, kind: Callable[[], Any]) -> Any:
        """One of several results of a node; one that nobody took, of such a type, is taken now."""
        known = self.results.setdefault(node, {})
        if index not in known:
            made = Node("output", (node,), {"index": index}, kind(), node.source)
            nodes = self.owner.graph.nodes
            nodes.insert(nodes.index(node) + 1, made)
            self.owner.owned.add(made)
            known[index] = made
        return self.value(known[index])

    def cotangent(self, node: Node) -> Any:
        return self._cotangents.get(node)

    def seed(self, node: Node, cotangent: Any) -> None:
        """Start with a cotangent, which replaces what there was."""
        self._cotangents[node] = cotangent

    def give(self, node: Node, cotangent: Any) -> None:
        """Add to the cotangent of a node."""
        if cotangent is None or node not in self.active or not is_differentiable(node.type):
            return
        before = self._cotangents.get(node)
        if isinstance(cotangent, At):
            total = cotangent.added_to(zeros_like(self.value(node)) if before is None else before)
        else:
            total = added(before, fitted(cotangent, node.type))
        self._cotangents[node] = total

    def run(self) -> None:
        """Walk from the last node to the first."""
        for node in reversed(self.nodes):
            if node not in self.active:
                continue
            if node.op == "output":
                self._to_source(node)
                continue
            given = self._of_results.pop(node, None) if node.type is None else self._cotangents.get(node)
            if given is not None:
                self._step(node, given)

    def _to_source(self, node: Node) -> None:
        cotangent = self._cotangents.get(node)
        [source], index = node.inputs, node.attrs["index"]
        if cotangent is None:
            return
        if source.type is None:
            self._of_results.setdefault(source, {})[index] = cotangent
            return
        before = self._cotangents.get(source)  # of a tuple, part by part
        parts = list(zeros_like(self.value(source)) if before is None else before)
        parts[index] = added(parts[index], cotangent)
        self._cotangents[source] = tuple(parts)

    def _step(self, node: Node, cotangent: Any) -> None:
        rule = _rule_of(node)
        if rule is None:
            raise refused.no_rule(node)
        try:
            rule(self, node, cotangent)
        except GradientError as error:
            error.sites = error.sites or refused.sites(node)
            raise


Rule = Callable[[Reverse, Node, Any], None]


class Control:
    """How a condition or loop is reversed."""

    @staticmethod
    def active(reverse: Reverse, node: Node) -> frozenset[int]:
        """The results that depend on the active inputs."""
        raise NotImplementedError

    @staticmethod
    def reverse(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
        """Give the inputs their cotangents, for those of the results."""
        raise NotImplementedError


CONTROL: dict[str, type[Control]] = {}
STRUCTURAL: dict[str, Rule] = {}
"""The rules of ops that are no function of numbers and arrays."""
LISTS: dict[str, Rule] = {}
"""The rules of operators of lists."""


def _rule_of(node: Node) -> Rule | None:
    control = CONTROL.get(node.op)
    if control is not None:
        return control.reverse
    if node.op in STRUCTURAL:
        return STRUCTURAL[node.op]
    if node.op in CONSTANT:
        return _nothing
    if isinstance(node.type, ListType) and node.op in record.UFUNCS:
        return LISTS.get(node.op)
    function: Any = record.UFUNCS.get(node.op) or node.attrs.get("function")
    if not isinstance(function, type) and function in PARTIALS:
        return _elementwise
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        if function.__name__ == "outer" and owner in PARTIALS:
            return _defined
        return _function if (function.__name__, owner) in REDUCTIONS else None
    if function in CONSTANT:
        return _nothing
    return _function if function in RULES else _defined if function in DEFINITIONS else None


def _nothing(reverse: Reverse, node: Node, cotangent: Any) -> None:
    """The rule of what is constant wherever it has a derivative."""


def _elementwise(reverse: Reverse, node: Node, cotangent: Any) -> None:
    function = record.UFUNCS.get(node.op) or node.attrs["function"]
    options = node.attrs.get("kwargs") or {}
    if set(options) - {"dtype", "casting"}:
        raise refused.with_option(node, sorted(options))
    call = Call(reverse, node)
    template = call.template
    operands = list(map(_as_operand, call.values(template)))
    for slot, operand, partial in zip(template, operands, PARTIALS[function], strict=True):
        if not isinstance(slot, Slot) or node.inputs[slot.index] not in reverse.active:
            continue
        made = partial(cotangent, call.result, *operands)
        if made is not None:
            reverse.give(node.inputs[slot.index], unbroadcast(made, operand))


def _function(reverse: Reverse, node: Node, cotangent: Any) -> None:
    function = record.UFUNCS.get(node.op) or node.attrs["function"]
    owner = getattr(function, "__self__", None)
    rule = RULES.get(function) or REDUCTIONS[function.__name__, owner]
    call = Call(reverse, node)
    args, kwargs = call.arguments()
    made = rule(cotangent, call.result, *args, **kwargs)
    template = call.bound(rule)
    for (_, wanted), given in zip(template, made, strict=False):
        call.give(wanted, given)
    for name, wanted in template[len(made) :]:  # which the rule does not know of
        if call.is_active(wanted):
            raise refused.with_option(node, [name])


def _defined(reverse: Reverse, node: Node, cotangent: Any) -> None:
    """The rule of a function that is a composition of others: they are recorded, and reversed."""
    call = Call(reverse, node)
    args, kwargs = call.arguments(is_alone=True)
    builder = current()
    start = len(builder.graph.nodes)
    function = node.attrs["function"]
    definition = DEFINITIONS.get(function)
    made = _outer(function, *args) if definition is None else definition(*args, **kwargs)
    inner = Reverse(builder, builder.graph.nodes[start:], [record.to_node(v) for v in call.alone.values()])
    if isinstance(made, (tuple, list)):
        for index, given in cotangent.items():
            inner.seed(record.to_node(made[index]), given)
    else:
        inner.seed(record.to_node(made), cotangent)
    inner.run()
    used = {i for n in builder.graph.nodes[start:] for i in n.inputs}
    for name, wanted in node.attrs.get("kwargs", {}).items():
        alone = call.alone.get(wanted.index) if isinstance(wanted, Slot) else None
        if alone is not None and record.to_node(alone) not in used:
            raise refused.with_option(node, [name])
    for index, value in call.alone.items():
        call.give(Slot(index), inner.cotangent(record.to_node(value)))


def _outer(function: Any, a: Any, b: Any) -> Any:
    """What the method `outer` of a ufunc gives."""
    first = np.ndim(a)
    return function.__self__(np.expand_dims(a, tuple(range(first, first + np.ndim(b)))), b)


@cache
def signature_of(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


class Call:
    """A node's call: the user's own arguments, with staged values in them."""

    def __init__(self, reverse: Reverse, node: Node):
        self.reverse, self.node = reverse, node
        self.alone: dict[int, Any] = {}

    @cached_property
    def result(self) -> Any:
        """The result; of a function that has several, a sequence of them."""
        if self.node.type is None:
            return Results(self.reverse, self.node, self)
        return self.reverse.value(self.node)

    def values(self, template: Any) -> Any:
        """What a template stands for."""
        if isinstance(template, Slot):
            return self._input(template.index)
        if isinstance(template, dict):
            return {k: self.values(v) for k, v in template.items()}
        if isinstance(template, slice):
            return slice(*map(self.values, (template.start, template.stop, template.step)))
        if isinstance(template, (list, tuple)):
            return type(template)([self.values(v) for v in template])
        return template

    def _input(self, index: int) -> Any:
        node = self.node.inputs[index]
        value = self.reverse.value(node)
        if isinstance(node.type, ListType):
            value = record.call(np.array, (value,), {})
        if self._is_alone and node in self.reverse.active:
            value = wrap(record.add("same", (value,), record.to_node(value).type))
            self.alone[index] = value
        return value

    _is_alone = False

    def arguments(self, *, is_alone: bool = False) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments by position and by name; `is_alone` gives active ones nodes of their own."""
        self._is_alone = is_alone
        named = self.values(self.node.attrs.get("kwargs", {}))
        return (
            tuple([_with_array(v) for v in self.values(self.template)]),
            {name: _with_array(v) for name, v in named.items()},
        )

    @property
    def template(self) -> tuple[Any, ...]:
        """The arguments by position; an operator has its inputs."""
        found: tuple[Any, ...] | None = self.node.attrs.get("args")
        return tuple(map(Slot, range(len(self.node.inputs)))) if found is None else found

    def bound(self, rule: Callable[..., Any]) -> list[tuple[str, Any]]:
        """The template of each parameter of a rule, after those for cotangent and result."""
        signature = signature_of(rule)
        found = signature.bind(None, None, *self.template, **self.node.attrs.get("kwargs", {})).arguments
        return [(name, found.get(name)) for name in list(signature.parameters)[2:]]

    def is_active(self, template: Any) -> bool:
        """Whether a template holds an input of which a cotangent is asked."""
        if isinstance(template, Slot):
            return self.node.inputs[template.index] in self.reverse.active
        if isinstance(template, dict):
            return any(map(self.is_active, template.values()))
        return isinstance(template, (list, tuple)) and any(map(self.is_active, template))

    def give(self, template: Any, cotangent: Any) -> None:
        """Give cotangents to the inputs in a template; one that is a function is asked for it if needed."""
        if cotangent is None or not self.is_active(template):
            return
        if isinstance(template, Slot):
            node = self.node.inputs[template.index]
            made = cotangent() if callable(cotangent) else cotangent
            if isinstance(node.type, ListType):
                made = wrap(record.add("iterate", (made,), node.type, function=list))
            self.reverse.give(node, made)
        elif isinstance(template, (list, tuple)):
            for part, given in zip(template, cotangent, strict=True):
                self.give(part, given)


def _as_operand(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, (list, tuple)) else value


def _with_array(value: Any) -> Any:
    """An array for a plain list of floats, which is no shape and no choice of axes."""
    if isinstance(value, (list, tuple)) and not any(map(record.is_staged, flatten(value)[0])):
        with suppress(ValueError):
            array = np.asarray(value)
            return array if array.dtype.kind in "fc" and array.size else value
    return value


class Results:
    """The results of a node that has several; one that nobody took is taken now."""

    def __init__(self, reverse: Reverse, node: Node, call: Call):
        self._reverse, self._node, self._call = reverse, node, call

    def __getitem__(self, index: int) -> Any:
        return self._reverse.result(self._node, index, lambda: self._type(index))

    def _type(self, index: int) -> Any:
        function = self._node.attrs["function"]
        args, kwargs = (self._types(self._node.attrs[name]) for name in ("args", "kwargs"))
        if isinstance(function, np.ufunc):
            return ufunc_type(function, "__call__", args, kwargs)[index]
        return NUMPY[function](*args, **kwargs)[index]

    def _types(self, template: Any) -> Any:
        if isinstance(template, Slot):
            return self._node.inputs[template.index].type
        if isinstance(template, dict):
            return {k: self._types(v) for k, v in template.items()}
        if isinstance(template, (list, tuple)):
            return type(template)([self._types(v) for v in template])
        return template
