"""Traced functions as `load` makes them of the content of a file; what is no such content is an error."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..places import Place
from ..structures import LEAF, STANDS_IN, Spec, fields_of
from .agreement import agree
from .concrete import ConcreteGraph, Inputs, Outputs
from .containers import Change, Path
from .ir import Graph
from .reading import chosen, decode, decode_key, expect, expect_size, expect_text, only, wrong
from .serial import Reader
from .specs import TensorSpec
from .types import ArrayType
from .variables import Variable, VariableSpec
from .verify import is_identifier, verify


@dataclass
class Saved:
    """What a file holds: the traces of a function, and the Variables that they share."""

    name: str
    signature: inspect.Signature | None
    graphs: list[LoadedGraph]
    variables: list[Variable]


class LoadedGraph(ConcreteGraph):
    """A trace that was read from a file: its errors tell the user's place in a note."""

    def _traceback(self, error: BaseException, places: Sequence[Place]) -> Any:
        if places:
            error.add_note(f"The graph {self.graph.name!r} was made from this code:\n{_frames(places)}")


def _frames(places: Sequence[Place]) -> str:
    return "\n".join(
        f'  File "{p.file}", line {p.line}, in {p.function}' + (f"\n    {p.text}" if p.text else "")
        for p in places
    )


def from_content(content: dict[str, Any], types: Sequence[type] = ()) -> Saved:
    only(content, "content", "name", "parameters", "traces", "variables", "places")
    name = expect_text(content.get("name"), "name")
    signature = _signature(content.get("parameters"))
    variables = [
        _variable(v, f"variables[{i}]")
        for i, v in enumerate(expect(content.get("variables"), list, "variables"))
    ]
    loader = _Loader(Reader(content.get("places")), _Records(types), variables)
    traces = expect(content.get("traces"), list, "traces")
    if not traces:
        raise wrong("traces", "there are none")
    made = [loader.trace(trace, f"traces[{i}]") for i, trace in enumerate(traces)]
    return Saved(name, signature, made, variables)


def _signature(data: Any) -> inspect.Signature | None:
    if data is None:
        return None
    parameters = []
    for i, part in enumerate(expect(data, list, "parameters")):
        at = f"parameters[{i}]"
        if list(map(type, expect(part, list, at))) != [str, str] or not is_identifier(part[0]):
            raise wrong(at, "not a name and a kind")
        parameters.append(inspect.Parameter(part[0], chosen(part[1], _KINDS, at, "kind of parameter")))
    try:
        return inspect.Signature(parameters)
    except ValueError as error:
        raise wrong("parameters", str(error)) from None


_KINDS = {
    kind.name.lower(): kind
    for kind in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.VAR_KEYWORD,
    )
}


def _variable(data: Any, at: str) -> Variable:
    known = expect(data, dict, at)
    only(known, at, "name", "value")
    value = decode(known.get("value"), f"{at}.value")
    if not isinstance(value, np.ndarray):
        raise wrong(f"{at}.value", "a Variable has an array")
    return Variable(value, value.dtype, expect_text(known.get("name"), f"{at}.name"))


class _Loader:
    """Reads traces that share Variables, places and the classes of records."""

    def __init__(self, reader: Reader, records: _Records, variables: Sequence[Variable]):
        self.reader, self.records, self.variables = reader, records, variables

    def trace(self, data: Any, at: str) -> LoadedGraph:
        known = expect(data, dict, at)
        only(known, at, "arguments", "state", "results", "writes", "changes", "apart", "graph")
        graph = self.reader.graph(known.get("graph"), f"{at}.graph")
        verify(graph, f"{at}.graph")
        inputs = self.inputs(known, graph, at)
        writes = _numbers(known.get("writes"), len(graph.arguments), f"{at}.writes")
        count = len(graph.results) - len(writes)
        if count < 0:
            raise wrong(f"{at}.writes", "more arguments are written than the graph has results")
        for result, index in zip(graph.results[count:], writes, strict=True):
            kind = graph.arguments[index].type
            if not agree(result.type, kind) or not isinstance(kind, ArrayType):
                raise wrong(f"{at}.writes", f"argument {index} is written as {result.type}")
        apart = set(_numbers(known.get("apart"), count, f"{at}.apart"))
        outputs = Outputs(*self.values(known.get("results"), count, f"{at}.results"))
        changes = [
            self.change(c, inputs.spec, count, f"{at}.changes[{i}]")
            for i, c in enumerate(expect(known.get("changes"), list, f"{at}.changes"))
        ]
        try:
            return LoadedGraph(graph, inputs, outputs, writes, changes, twins=apart)
        except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError) as error:
            raise wrong(f"{at}.graph", f"cannot be compiled: {error}") from None

    def inputs(self, known: dict[str, Any], graph: Graph, at: str) -> Inputs:
        state = expect(known.get("state"), list, f"{at}.state")
        staged = len(graph.arguments) - len(state)
        forms: dict[int, str] = {}
        leaves: list[Any] = []
        leaf = _argument(graph, staged, leaves, forms)
        spec = self.records.structure(known.get("arguments"), leaves, leaf, f"{at}.arguments", 0)
        _check_arguments(spec, leaves, graph, staged, f"{at}.arguments")
        places = {
            own.number: i for i, own in reversed(list(enumerate(leaves))) if isinstance(own, VariableSpec)
        }
        held = []
        for i, number in enumerate(state):
            if (number is None) is not (staged + i in places):
                raise wrong(f"{at}.state[{i}]", "it is either a Variable of the file or an argument")
            held.append(places[staged + i] if number is None else self.own(number, f"{at}.state[{i}]"))
            variable = graph.arguments[staged + i].type
            if not isinstance(variable, ArrayType) or (number is not None and held[-1].type != variable):
                raise wrong(f"{at}.state[{i}]", f"the graph takes {variable}, which the Variable is not")
        own = [id(v) for v in held if isinstance(v, Variable)]
        if len(set(own)) != len(own):
            raise wrong(f"{at}.state", "a Variable stands twice")
        return Inputs(spec, leaves, held, forms)

    def own(self, number: Any, at: str) -> Variable:
        if expect_size(number, at) >= len(self.variables):
            raise wrong(at, f"the file has {len(self.variables)} Variables")
        return self.variables[number]

    def values(self, data: Any, count: int, at: str) -> tuple[Spec, list[Any], list[int | None]]:
        found: list[Any] = []
        spec = self.records.structure(data, found, _result(count), at, 0)
        plain = [None if isinstance(f, _Result) else f for f in found]
        return spec, plain, [f.index if isinstance(f, _Result) else None for f in found]

    def change(self, data: Any, spec: Spec, count: int, at: str) -> Change:
        known = expect(data, dict, at)
        only(known, at, "path", "items")
        path = _path(known.get("path"), spec, f"{at}.path")
        changed = _at(spec, path)
        fields = None if changed.kind in (list, dict) else fields_of(changed)
        items: dict[Any, Any] = {}
        for i, pair in enumerate(expect(known.get("items"), list, f"{at}.items")):
            place = f"{at}.items[{i}]"
            if len(expect(pair, list, place)) != 2:
                raise wrong(place, "not a key and what it gets")
            key, item = decode_key(pair[0], place), expect(pair[1], dict, place)
            if key in items or (fields is not None and key not in fields):
                raise wrong(place, f"{key!r} is no key, or stands twice")
            if "path" in item:
                only(item, place, "path")
                items[key] = _path(item["path"], spec, place, container=False)
            else:
                items[key] = self.values(item, count, place)
        return Change(path, items)


def _path(data: Any, spec: Spec, at: str, *, container: bool = True) -> Path:
    """The way to something among the arguments, of which `spec` is the structure."""
    path = tuple(decode_key(k, at) for k in expect(data, list, at))
    found = _at(spec, path)
    if len(path) < 2 or (container and found.kind in (None, tuple)):
        raise wrong(at, "leads to no list, dict or object among the arguments")
    return path


def _is_field(key: Any, spec: Spec) -> bool:
    return type(key) is str and spec.kind not in (None, dict, list, tuple)


def _at(spec: Spec, path: Path) -> Spec:
    for key in path:
        items = zip(fields_of(spec), spec.parts, strict=True) if _is_field(key, spec) else spec.items()
        spec = next((part for k, part in items if type(k) is type(key) and k == key), LEAF)
    return spec


class _Result:
    def __init__(self, index: int):
        self.index = index


def _argument(
    graph: Graph, staged: int, leaves: list[Any], forms: dict[int, str]
) -> Callable[[dict[str, Any], str], Any]:
    numbers = iter(range(staged + 1))

    def leaf(known: dict[str, Any], at: str) -> Any:
        if "value" in known:
            only(known, at, "value")
            return decode(known["value"], f"{at}.value")
        if "variable" in known:
            only(known, at, "variable")
            index = expect_size(known["variable"], f"{at}.variable")
            kind = graph.arguments[index].type if staged <= index < len(graph.arguments) else None
            if not isinstance(kind, ArrayType):
                raise wrong(f"{at}.variable", "no Variable that the graph takes")
            return VariableSpec(index, kind)
        only(known, at, "argument", "form")
        index = expect_size(known.get("argument"), f"{at}.argument")
        if index != next(numbers) or index >= staged:
            raise wrong(f"{at}.argument", "the arguments are not those of the graph, in order")
        kind = graph.arguments[index].type
        if not isinstance(kind, ArrayType):
            raise wrong(f"{at}.argument", f"no array, but {kind}")
        if "form" in known:
            form = chosen(known["form"], {f: f for f in ("array", "scalar")}, f"{at}.form", "form")
            forms[len(leaves)] = form
        return TensorSpec(kind.shape, kind.dtype)

    return leaf


def _result(count: int) -> Callable[[dict[str, Any], str], Any]:
    def leaf(known: dict[str, Any], at: str) -> Any:
        if "value" in known:
            only(known, at, "value")
            return decode(known["value"], f"{at}.value")
        only(known, at, "result")
        index = expect_size(known.get("result"), f"{at}.result")
        if index >= count:
            raise wrong(f"{at}.result", f"the graph has {count} results")
        return _Result(index)

    return leaf


def _check_arguments(spec: Spec, leaves: Sequence[Any], graph: Graph, staged: int, at: str) -> None:
    count = sum(isinstance(leaf, TensorSpec) for leaf in leaves)
    if count != staged:
        raise wrong(at, f"{count} arrays are no arguments for the graph, which takes {max(staged, 0)}")
    fits = spec.kind is tuple and [p.kind for p in spec.parts] == [tuple, dict]
    if not fits or not all(isinstance(k, str) for k in spec.parts[1].keys):
        raise wrong(at, "not a tuple of arguments by position and a dict of arguments by name")


def _numbers(data: Any, count: int, at: str) -> list[int]:
    made = [expect_size(n, f"{at}[{i}]") for i, n in enumerate(expect(data, list, at))]
    if len(set(made)) != len(made) or any(n >= count for n in made):
        raise wrong(at, f"numbers below {count} are expected, each once")
    return made


class _Records:
    """The classes of namedtuples and dataclasses, by name and fields."""

    def __init__(self, types: Sequence[type]):
        self.made: dict[Any, Any] = {}
        for kind in types:
            fields = getattr(kind, "_fields", None) or tuple(getattr(kind, "__dataclass_fields__", ()))
            self.made[kind.__name__, tuple(fields)] = kind

    def structure(self, data: Any, leaves: list[Any], leaf: Callable[..., Any], at: str, depth: int) -> Spec:
        if depth > 60:
            raise wrong(at, "nested too deep")
        known = expect(data, dict, at)
        if "kind" not in known:
            leaves.append(leaf(known, at))
            return LEAF
        kind = expect(known["kind"], str, f"{at}.kind")
        extra = {"dict": ("keys",), "record": ("name", "fields")}.get(kind, ())
        only(known, at, "kind", "parts", *extra)
        parts = tuple(
            self.structure(part, leaves, leaf, f"{at}.parts[{i}]", depth + 1)
            for i, part in enumerate(expect(known.get("parts"), list, f"{at}.parts"))
        )
        if kind == "dict":
            listed = expect(known.get("keys"), list, f"{at}.keys")
            keys = tuple(decode_key(k, f"{at}.keys[{i}]") for i, k in enumerate(listed))
            self._check(len(set(keys)) == len(parts) == len(keys), f"{at}.keys")
            return Spec(dict, keys, parts)
        if kind == "record":
            return self._record(known, parts, at)
        return Spec(chosen(kind, {"tuple": tuple, "list": list}, f"{at}.kind", "kind"), (), parts)

    def _record(self, known: dict[str, Any], parts: tuple[Spec, ...], at: str) -> Spec:
        name = expect_text(known.get("name"), f"{at}.name")
        fields = tuple(
            expect_text(f, f"{at}.fields[{i}]")
            for i, f in enumerate(expect(known.get("fields"), list, f"{at}.fields"))
        )
        self._check(len(fields) == len(parts) and all(map(is_identifier, (name, *fields))), f"{at}.fields")
        if (name, fields) not in self.made:
            try:
                self.made[name, fields] = namedtuple(name, fields, rename=True)  # noqa: PYI024 - the file has the fields
            except (ValueError, SyntaxError) as error:
                raise wrong(f"{at}.fields", str(error)) from None
            self._check(self.made[name, fields]._fields == fields, f"{at}.fields")
            setattr(self.made[name, fields], STANDS_IN, True)
        kind = self.made[name, fields]
        return Spec(kind, () if hasattr(kind, "_fields") else fields, parts)

    @staticmethod
    def _check(holds: bool, at: str) -> None:
        if not holds:
            raise wrong(at, "not as many different names as parts")
