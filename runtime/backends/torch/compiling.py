"""Calls of converted functions inside `torch.compile`.

Dynamo, which reads the code of a compiled function, hands calls of converted functions over to `call`. The
function is captured as for `torch.export`, and its graph becomes part of Dynamo's. Tensors that it finds
outside its arguments become inputs, and a guard checks all other plain state that its code may read.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode

from ...debugging.tracebacks import drop_current_frame, strip_internal_frames
from ...errors import AutographError, StagingError, StateError
from ...staging.rolling.outer_state import OuterState
from ...staging.state.missing_values import OptionalStructure
from ...values.locations import ClassView, DictView, Location
from ...values.selected_container import KINDS
from ..functional.optional_values import Optional
from ..functional.staged_text import Text
from .capture import OuterTensors
from .dynamo import Dynamo, default_device_of_program, make_dynamo_operator, tables_of
from .higher_order import separate_operands
from .private import SYMBOLS, current_mode, fake_of, pytree, standing_for_real_tensors, untraced

_LITERALS = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size)


def _captured(dynamo: Dynamo, variables: Sequence[Any]) -> Any:
    """Capture a call, and return Dynamo's variable for its result."""
    function = dynamo.parts(variables[0])[0]
    try:
        return _Call(dynamo, function, variables[2:]).result()
    except Exception as error:  # noqa: BLE001 - without the call, Python raises what the user's code raises
        strip_internal_frames(error)
        what = f"torch.compile cannot capture the converted function {function.__qualname__!r}"
        if isinstance(error, AutographError):
            dynamo.refuse(what, error, str(error), error.remedy)
        dynamo.refuse(what, error, f"{type(error).__name__}: {error}", _REMEDY)


_UNREAD = vars(torch.nn.Module()).keys() - {"training", "_parameters", "_buffers", "_modules"}
"""Attributes of modules that are not compared, as in Dynamo: tables of hooks, and settings of PyTorch."""
_REMEDY = "Without fullgraph=True, the call is made outside the graph, and Python decides its conditions."


def _run(_: Callable[..., Any], original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    try:
        return original(*args, **kwargs)
    except BaseException as error:
        drop_current_frame(error)
        raise


call = make_dynamo_operator("autograph_rs_call", _captured, _run)
"""Call the original of a converted function, with a tuple and a dict; Dynamo calls `_captured` instead."""


class _Call:
    """A call of a converted function that Dynamo has reached."""

    def __init__(self, dynamo: Dynamo, function: Callable[..., Any], variables: Sequence[Any]):
        self.dynamo, self.function = dynamo, function
        self.inputs: list[Any] = []
        """The values of the graph's inputs: fake tensors and symbols."""
        self.variables: dict[int, Any] = {}
        """Dynamo's variables for these values and for existing objects, by id."""
        self.containers: list[tuple[Any, Any]] = []
        """The lists and dicts among the arguments, with copies of them."""
        self.objects: list[Any] = []
        self.args, self.kwargs = [self._value(v) for v in variables]
        self.state = OuterState([function, *self.objects], torch.nn.Module, _UNREAD)
        self.check = self.state.make_check()
        self.pending = self._make_pending_changes()

    def _make_pending_changes(self) -> list[tuple[Location, Any]]:
        """Make the changes that come before the call; return their locations with the values until now."""
        try:
            pending = self.dynamo.pending(self.state.reached)
        except TypeError as error:
            raise StateError(
                f"the compiled code has changed a {error}, which a converted function may read",
                why="the function is captured before the program makes that change",
                remedy="pass the new value to the function as an argument, or convert what changes it",
            ) from None
        values = [self._value(variable) for _, _, variable in pending]
        slots = [
            Location(next((t for t in tables_of(owner) if name in t), owner), name)
            for owner, name, _ in pending
        ]
        before = [(slot, slot.get()) for slot in slots]
        for slot, value in zip(slots, values, strict=True):
            slot.set(value)
        if pending:
            self.state = OuterState([self.function, *self.objects], torch.nn.Module, _UNREAD)
        return before

    # Arguments

    def _value(self, variable: Any) -> Any:
        """Return the Python value of a variable of Dynamo."""
        variable = variable.realize()
        try:
            value, items = self.dynamo.parts(variable)
        except TypeError as error:
            raise StateError(
                f"a converted function gets an argument of the type {error}",
                why="compiled code passes on tensors, numbers, texts, tuples, lists, dicts and older objects",
                remedy="create the object before the compiled function, or pass its parts",
            ) from None
        if items is None:
            self.variables[id(value)] = variable
            if isinstance(value, (torch.Tensor, *SYMBOLS)):
                self.inputs.append(value)
            elif not isinstance(value, _LITERALS):
                self.objects.append(value)
            return value
        if isinstance(items, dict):
            made: Any = value({key: self._value(item) for key, item in items.items()})
        else:
            made = value([self._value(item) for item in items])
        if isinstance(made, (list, dict)):
            self.containers.append((made, made.copy()))
        return made

    # The capture

    def result(self) -> Any:
        outputs: list[Any] = []
        results: list[Any] = []
        changes: list[tuple[Location, Any]] = []
        outer: list[OuterTensors] = []

        def run(*_: Any) -> tuple[Any, ...]:
            outer[:] = [OuterTensors(current_mode().tracer, lambda tensor: self._lift(tensor, fakes))]
            with _FakeArguments(outer[0]), default_device_of_program():
                results[:] = [_in_parts(self.function(*self.args, **self.kwargs))]
                changes[:] = [
                    (slot, _in_parts(new))
                    for slot, old, new in self.state.new_values()
                    if fake_of(old) is not new
                ]
            leaves = pytree.tree_leaves([results, [value for _, value in changes]])
            parts = [part for v in leaves for part in (v.parts if isinstance(v, _Parts) else [v])]
            outputs[:] = [v for v in parts if self._is_computed(v)]
            return tuple(outputs)

        try:
            with self.dynamo.faking(), standing_for_real_tensors() as fakes:
                graph = make_fx(run, pre_dispatch=True, _allow_non_fake_inputs=True)(*self.inputs)
                self._check(graph)
        finally:
            self.state.restore()
            for slot, value in self.pending:
                slot.set(value)
        given = [self.variables[id(v)] for v in [*self.inputs, *outer[0].inputs]]
        if any(isinstance(module, torch.fx.GraphModule) for module in graph.children()):
            self.dynamo.protect_inputs()
            with self.dynamo.faking():
                separate_operands(graph)
        made = self.dynamo.add(graph, given, outputs)
        self.variables.update((id(v), variable) for v, variable in zip(outputs, made, strict=True))
        self.dynamo.guard(self.check)
        for slot, value in changes:
            self._assign(slot, self._variable(value))
        return self._variable(results[0])

    def _is_computed(self, value: Any) -> bool:
        return isinstance(value, (torch.Tensor, *SYMBOLS)) and id(value) not in self.variables

    def _lift(self, tensor: torch.Tensor, fakes: Any) -> torch.Tensor | None:
        """Make a real tensor another input of Dynamo's graph, and return the fake one that stands for it."""
        if id(tensor) not in self.state.arrays:
            return None
        with untraced():
            places = self.state.locations.get(id(tensor))
            variable = self.dynamo.existing(tensor, *(_source(places[0]) if places else ()))
        fake = self.dynamo.parts(variable)[0]
        fakes[tensor] = fake
        self.variables[id(fake)] = self.variables[id(tensor)] = variable
        return fake

    def _check(self, graph: torch.fx.GraphModule) -> None:
        """Check that the program leaves all that the function does."""
        if self.state.moved() or self.state.changed():
            raise StateError(
                "a converted function advances an iterator, or changes a set or a NumPy array",
                why="inside torch.compile it can change attributes of objects and items of dicts only",
                remedy="return the value, or keep it in an attribute",
            )
        for made, before in self.containers:
            if not _same_items(made, before):
                raise StateError(
                    "a converted function changes a list or dict that the compiled code passes to it",
                    why="only its result leaves the captured program",
                    remedy="return the new items",
                )
        for node in graph.graph.nodes:
            is_tensor = node.op == "get_attr" and isinstance(getattr(graph, node.target), torch.Tensor)
            if is_tensor and any(user.target not in _LIFTING for user in node.users):
                raise StagingError(
                    "a converted function uses a tensor that torch.compile cannot find",
                    why="it is held by an object of a library, or was made by a library at import",
                    remedy="pass the tensor as an argument, or keep it in an attribute or a variable",
                )

    def _assign(self, slot: Location, value: Any) -> None:
        """Make the compiled program assign a value where the function did."""
        owner, key = slot.owner, slot.key
        if isinstance(owner, dict) and not isinstance(owner, DictView):
            module = next((m for m in self.state.modules if any(t is owner for t in tables_of(m))), None)
            self.dynamo.assign(owner if module is None else module, key, value, is_item=module is None)
        elif isinstance(owner, (DictView, list, types.CellType)):
            raise StateError(
                f"a converted function assigns {slot.name!r}",
                why="inside torch.compile it can change attributes of objects and items of dicts only",
                remedy="return the value, or keep it in an attribute",
            )
        else:
            self.dynamo.assign(owner, key, value, is_item=False)

    # Results

    def _variable(self, value: Any) -> Any:
        """Return Dynamo's variable for a value that the function left."""
        if id(value) in self.variables:
            return self.variables[id(value)]
        if isinstance(value, _LITERALS) and not isinstance(value, np.generic):  # np.float64 is a float, too
            return self.dynamo.constant(value)
        if type(value) in (tuple, list):
            return self.dynamo.sequence(type(value), [self._variable(v) for v in value])
        if isinstance(value, _Parts):
            return self.dynamo.built_at_the_end(value.build, [self._variable(v) for v in value.parts])
        leaves, spec = pytree.tree_flatten(value)
        if len(leaves) == 1 and leaves[0] is value:
            return self.dynamo.existing(value)
        return self.dynamo.unflattened([self._variable(v) for v in leaves], spec)


_OPEN_FORMS = (Optional, OptionalStructure, Text, *KINDS)
"""The types of results whose form depends on the values of tensors: None, a text, a container of one path."""


class _Parts:
    """The parts of such a result, of which the compiled program builds it when it has run."""

    def __init__(self, value: Any):
        self.parts, self._spec = pytree.tree_flatten(value)
        self._is_text = isinstance(value, Text)

    def build(self, *parts: Any) -> Any:
        value = pytree.tree_unflatten(parts, self._spec)
        return str(pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, value)) if self._is_text else value


def _in_parts(value: Any) -> Any:
    """Return a result with the parts of what has no form yet. They are read while the trace runs."""

    def is_open(value: Any) -> bool:
        return isinstance(value, _OPEN_FORMS)

    if not any(map(is_open, pytree.tree_leaves(value, is_leaf=is_open))):
        return value
    return pytree.tree_map(lambda v: _Parts(v) if is_open(v) else v, value, is_leaf=is_open)


class _FakeArguments(TorchFunctionMode):
    """Replace real tensors among the arguments of PyTorch's functions with fake ones."""

    def __init__(self, outer: OuterTensors):
        super().__init__()
        self._outer = outer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = pytree.tree_map_only(torch.Tensor, self._outer.fake, (args, kwargs or {}))
        return func(*args, **kwargs)


_LIFTING = (torch.ops.aten.lift_fresh_copy.default, torch.ops.aten.lift_fresh.default)


def _source(place: Location) -> tuple[Any, Any]:
    owner = place.owner
    if isinstance(owner, ClassView):
        return owner.kind, place.key
    if isinstance(owner, DictView):
        return owner.whole, place.key
    if isinstance(owner, types.CellType):
        return owner, "cell_contents"
    return owner, place.key


def _same_items(first: Any, second: Any) -> bool:
    if isinstance(first, dict):
        return list(first) == list(second) and all(first[k] is second[k] for k in first)
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))
