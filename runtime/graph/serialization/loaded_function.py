"""Deserialize a traced function from the content of a file, for `load`, or raise `FormatError`."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...debugging.positions import CodePosition
from ...staging.state.missing_values import OptionalStructure
from ...values.structures import LEAF, STANDS_IN, Spec, field_names
from ..concrete.argument_containers import Change, Path
from ..concrete.concrete_graph import ConcreteGraph
from ..concrete.inputs_and_outputs import Inputs, Outputs
from ..ir.graph import Graph
from ..ir.types import ArrayType
from ..native import default_engine
from ..state.variables import Variable, VariableSpec
from ..tracing.specs import TensorSpec
from .graphs import GraphReader
from .reading import (
    check_depth,
    check_keys,
    decode,
    decode_key,
    expect,
    expect_fields,
    expect_index,
    expect_items,
    expect_list,
    expect_name,
    format_error,
    look_up,
)
from .type_agreement import are_compatible
from .verification import is_identifier, verify


@dataclass
class SavedFunction:
    """The content of a file: the traces of a function, and the Variables that they share."""

    name: str
    signature: inspect.Signature | None
    graphs: list[LoadedGraph]
    variables: list[Variable]


class LoadedGraph(ConcreteGraph):
    """A trace loaded from a file. A note on its errors shows the user's code positions."""

    def _traceback(self, error: BaseException, places: Sequence[CodePosition]) -> Any:
        if places:
            frames = "\n".join(
                f'  File "{p.file}", line {p.line}, in {p.function}' + (f"\n    {p.text}" if p.text else "")
                for p in places
            )
            error.add_note(f"The graph {self.graph.name!r} was traced from this code:\n{frames}")


def from_content(content: dict[str, Any], types: Sequence[type] = ()) -> SavedFunction:
    check_keys(content, "content", "name", "parameters", "traces", "variables", "places")
    name = expect_name(content.get("name"), "name")
    signature = _signature(content.get("parameters"))
    variables = [_variable(*item) for item in expect_items(content.get("variables"), "variables")]
    reader = _TraceReader(GraphReader(content.get("places")), _RecordClasses(types), variables)
    graphs = [reader.trace(*item) for item in expect_items(content.get("traces"), "traces")]
    if not graphs:
        raise format_error("traces", "the list is empty")
    return SavedFunction(name, signature, graphs, variables)


def _signature(data: Any) -> inspect.Signature | None:
    if data is None:
        return None
    parameters = []
    for part, at in expect_items(data, "parameters"):
        if list(map(type, expect(part, list, at))) != [str, str] or not is_identifier(part[0]):
            raise format_error(at, "a name and a kind are expected here")
        kind = look_up(part[1], _PARAMETER_KINDS, at, "kind of parameter")
        parameters.append(inspect.Parameter(part[0], kind))
    try:
        return inspect.Signature(parameters)
    except ValueError as error:
        raise format_error("parameters", str(error)) from None


_KINDS: Any = type(inspect.Parameter.KEYWORD_ONLY)  # an enum that `inspect` does not export
_PARAMETER_KINDS = {kind.name.lower(): kind for kind in _KINDS}


def _variable(data: Any, at: str) -> Variable:
    fields = expect_fields(data, at, "name", "value")
    value = decode(fields.get("value"), f"{at}.value")
    if not isinstance(value, np.ndarray):
        raise format_error(f"{at}.value", "the value of a Variable is not an array")
    return Variable(value, value.dtype, expect_name(fields.get("name"), f"{at}.name"))


class _TraceReader:
    """Deserializer for traces that share Variables, code positions and record classes."""

    def __init__(self, graphs: GraphReader, records: _RecordClasses, variables: Sequence[Variable]):
        self.graphs, self.records, self.variables = graphs, records, variables

    def trace(self, data: Any, at: str) -> LoadedGraph:
        keys = ("arguments", "state", "results", "writes", "changes", "apart", "graph")
        fields = expect_fields(data, at, *keys)
        graph = self.graphs.program(fields.get("graph"), f"{at}.graph")
        verify(graph, f"{at}.graph")
        inputs = self.inputs(fields, graph, at)
        writes = _distinct_indices(fields.get("writes"), len(graph.arguments), f"{at}.writes")
        count = len(graph.results) - len(writes)
        if count < 0:
            raise format_error(f"{at}.writes", "the graph has fewer results than written arguments")
        for result, index in zip(graph.results[count:], writes, strict=True):
            kind = graph.arguments[index].type
            if not are_compatible(result.type, kind) or not isinstance(kind, ArrayType):
                raise format_error(
                    f"{at}.writes",
                    f"argument {index} of type {kind} is written with a value of type {result.type}",
                )
        copied_results = set(_distinct_indices(fields.get("apart"), count, f"{at}.apart"))
        outputs = Outputs(*self.values(fields.get("results"), count, f"{at}.results"))
        items = expect_items(fields.get("changes"), f"{at}.changes")
        changes = [self.change(item, inputs.spec, count, place) for item, place in items]
        try:
            return LoadedGraph(
                graph, inputs, outputs, writes, changes,
                copied_results=copied_results, engine=default_engine(),
            )  # fmt: skip
        except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError) as error:
            raise format_error(f"{at}.graph", f"the graph cannot be compiled: {error}") from None

    def inputs(self, fields: dict[str, Any], graph: Graph, at: str) -> Inputs:
        state = expect_items(fields.get("state"), f"{at}.state")
        staged = len(graph.arguments) - len(state)
        forms: dict[int, str] = {}
        leaves: list[Any] = []
        decode_leaf = _argument_decoder(graph, staged, leaves, forms)
        spec = self.records.structure(fields.get("arguments"), leaves, decode_leaf, f"{at}.arguments", 0)
        _check_arguments(spec, leaves, graph, staged, f"{at}.arguments")
        leaf_of = {
            leaf.number: i for i, leaf in reversed(list(enumerate(leaves))) if isinstance(leaf, VariableSpec)
        }
        variables = []
        for i, (number, location) in enumerate(state):
            if (number is None) is not (staged + i in leaf_of):
                raise format_error(location, "either a Variable in the file or an argument is expected here")
            variables.append(leaf_of[staged + i] if number is None else self.variable(number, location))
            kind = graph.arguments[staged + i].type
            if not isinstance(kind, ArrayType) or (number is not None and variables[-1].type != kind):
                raise format_error(location, f"a Variable of type {kind} is expected here")
        own = [id(v) for v in variables if isinstance(v, Variable)]
        if len(set(own)) != len(own):
            raise format_error(f"{at}.state", "a Variable is duplicated")
        return Inputs(spec, leaves, variables, forms)

    def variable(self, number: Any, at: str) -> Variable:
        if expect_index(number, at) >= len(self.variables):
            raise format_error(at, f"the file has only {len(self.variables)} Variables")
        return self.variables[number]

    def values(self, data: Any, count: int, at: str) -> tuple[Spec, list[Any], list[int | None]]:
        leaves: list[Any] = []
        spec = self.records.structure(data, leaves, _result_decoder(count), at, 0)
        plain = [None if isinstance(leaf, _Result) else leaf for leaf in leaves]
        return spec, plain, [leaf.index if isinstance(leaf, _Result) else None for leaf in leaves]

    def change(self, data: Any, spec: Spec, count: int, at: str) -> Change:
        fields = expect_fields(data, at, "path", "items")
        path = _path(fields.get("path"), spec, f"{at}.path")
        changed = _spec_at(spec, path)
        names = None if changed.kind in (list, dict) else field_names(changed)
        items: dict[Any, Any] = {}
        for pair, location in expect_items(fields.get("items"), f"{at}.items"):
            encoded_key, content = expect_list(pair, location, 2, "a key and its new value")
            key, item = decode_key(encoded_key, location), expect(content, dict, location)
            if key in items or (names is not None and key not in names):
                raise format_error(location, f"{key!r} is duplicated or is not a field")
            if "path" in item:
                check_keys(item, location, "path")
                items[key] = _path(item["path"], spec, location, container=False)
            else:
                items[key] = self.values(item, count, location)
        return Change(path, items)


def _path(data: Any, spec: Spec, at: str, *, container: bool = True) -> Path:
    """Decode a path into the arguments, whose structure is `spec`."""
    path = tuple(decode_key(k, at) for k in expect(data, list, at))
    if len(path) < 2 or (container and _spec_at(spec, path).kind in (None, tuple)):
        raise format_error(at, "the path does not lead to a list, dict or object among the arguments")
    return path


def _spec_at(spec: Spec, path: Path) -> Spec:
    for key in path:
        is_field = type(key) is str and spec.kind not in (None, dict, list, tuple)
        items = zip(field_names(spec), spec.parts, strict=True) if is_field else spec.items()
        spec = next((part for k, part in items if type(k) is type(key) and k == key), LEAF)
    return spec


@dataclass
class _Result:
    index: int


def _plain_value(fields: dict[str, Any], at: str) -> Any:
    check_keys(fields, at, "value")
    return decode(fields["value"], f"{at}.value")


def _argument_decoder(
    graph: Graph, staged: int, leaves: list[Any], forms: dict[int, str]
) -> Callable[[dict[str, Any], str], Any]:
    numbers = iter(range(staged + 1))

    def leaf(fields: dict[str, Any], at: str) -> Any:
        if "value" in fields:
            return _plain_value(fields, at)
        if "variable" in fields:
            check_keys(fields, at, "variable")
            index = expect_index(fields["variable"], f"{at}.variable")
            kind = graph.arguments[index].type if staged <= index < len(graph.arguments) else None
            if not isinstance(kind, ArrayType):
                raise format_error(f"{at}.variable", "the graph has no Variable argument of this number")
            return VariableSpec(index, kind)
        check_keys(fields, at, "argument", "form")
        index = expect_index(fields.get("argument"), f"{at}.argument")
        if index != next(numbers) or index >= staged:
            raise format_error(
                f"{at}.argument", "the arguments are not in the same order as those of the graph"
            )
        kind = graph.arguments[index].type
        if not isinstance(kind, ArrayType):
            raise format_error(f"{at}.argument", f"an array is expected here, not {kind}")
        if "form" in fields:
            form = look_up(fields["form"], {f: f for f in ("array", "scalar")}, f"{at}.form", "form")
            forms[len(leaves)] = form
        return TensorSpec(kind.shape, kind.dtype)

    return leaf


def _result_decoder(count: int) -> Callable[[dict[str, Any], str], Any]:
    def leaf(fields: dict[str, Any], at: str) -> Any:
        if "value" in fields:
            return _plain_value(fields, at)
        check_keys(fields, at, "result")
        index = expect_index(fields.get("result"), f"{at}.result")
        if index >= count:
            raise format_error(f"{at}.result", f"the graph has only {count} results")
        return _Result(index)

    return leaf


def _check_arguments(spec: Spec, leaves: Sequence[Any], graph: Graph, staged: int, at: str) -> None:
    count = sum(isinstance(leaf, TensorSpec) for leaf in leaves)
    if count != staged:
        raise format_error(at, f"the graph does not have {count} array arguments")
    is_args_kwargs = spec.kind is tuple and [p.kind for p in spec.parts] == [tuple, dict]
    if not is_args_kwargs or not all(isinstance(k, str) for k in spec.parts[1].keys):
        raise format_error(at, "a tuple of positional and a dict of keyword arguments are expected here")


def _distinct_indices(data: Any, count: int, at: str) -> list[int]:
    indices = [expect_index(*item) for item in expect_items(data, at)]
    if len(set(indices)) != len(indices) or any(n >= count for n in indices):
        raise format_error(at, f"distinct numbers below {count} are expected here")
    return indices


class _RecordClasses:
    """The user's namedtuples and dataclasses, by name and fields. Other records become new namedtuples."""

    def __init__(self, types: Sequence[type]):
        self.classes: dict[Any, Any] = {("OptionalStructure", ("ag__marker", "ag__parts")): OptionalStructure}
        for kind in types:
            fields = getattr(kind, "_fields", None) or tuple(getattr(kind, "__dataclass_fields__", ()))
            self.classes[kind.__name__, tuple(fields)] = kind

    def structure(
        self, data: Any, leaves: list[Any], decode_leaf: Callable[..., Any], at: str, depth: int
    ) -> Spec:
        check_depth(depth, at)
        fields = expect(data, dict, at)
        if "kind" not in fields:
            leaves.append(decode_leaf(fields, at))
            return LEAF
        kind = expect(fields["kind"], str, f"{at}.kind")
        extra = {"dict": ("keys",), "record": ("name", "fields")}.get(kind, ())
        check_keys(fields, at, "kind", "parts", *extra)
        parts = tuple(
            self.structure(part, leaves, decode_leaf, place, depth + 1)
            for part, place in expect_items(fields.get("parts"), f"{at}.parts")
        )
        if kind == "dict":
            keys = tuple(decode_key(*item) for item in expect_items(fields.get("keys"), f"{at}.keys"))
            self._check(len(set(keys)) == len(parts) == len(keys), f"{at}.keys")
            return Spec(dict, keys, parts)
        if kind == "record":
            return self._record(fields, parts, at)
        return Spec(look_up(kind, {"tuple": tuple, "list": list}, f"{at}.kind", "kind"), (), parts)

    def _record(self, data: dict[str, Any], parts: tuple[Spec, ...], at: str) -> Spec:
        name = expect_name(data.get("name"), f"{at}.name")
        fields = tuple(expect_name(*item) for item in expect_items(data.get("fields"), f"{at}.fields"))
        self._check(len(fields) == len(parts) and all(map(is_identifier, (name, *fields))), f"{at}.fields")
        if (name, fields) not in self.classes:
            try:
                self.classes[name, fields] = namedtuple(name, fields, rename=True)  # noqa: PYI024 - the fields are data
            except (ValueError, SyntaxError) as error:
                raise format_error(f"{at}.fields", str(error)) from None
            self._check(self.classes[name, fields]._fields == fields, f"{at}.fields")
            setattr(self.classes[name, fields], STANDS_IN, True)
        kind = self.classes[name, fields]
        return Spec(kind, () if hasattr(kind, "_fields") else fields, parts)

    @staticmethod
    def _check(condition: bool, at: str) -> None:
        if not condition:
            raise format_error(at, "a valid and distinct name is expected here for each part")
