"""Files of traced functions: their text, and the functions that are read from them."""

from __future__ import annotations

import os
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, SaveError, SignatureError
from ..places import Place
from ..structures import LEAF, Spec, flatten, paths
from ..tracebacks import strip
from .agreement import agree
from .concrete import ConcreteFunction
from .ir import Graph
from .reading import chosen, decode, decode_key, expect, expect_size, expect_text, only, wrong
from .serial import Reader, Writer, from_text, to_text
from .signature import Plain, Signature, Tensor, fields_of, outline
from .types import ArrayType
from .values import NotSavable, encode, encode_key
from .verify import is_identifier, verify

# --- to a file --------------------------------------------------------------------------------


def to_file(
    name: str, parameters: Sequence[str], traces: Sequence[ConcreteFunction], path: Any, *, source: bool
) -> None:
    """Write traces of one function to a file; the file that was there stays until this one is whole."""
    writer = Writer(source=source)
    content = {
        "name": name,
        "parameters": list(parameters),
        "traces": [_trace(trace, writer) for trace in traces],
        "places": writer.table(),
    }
    try:
        from_content(content)  # what cannot be read must not be written
    except FormatError as error:
        raise SaveError(
            f"{name} cannot be saved: this version does not read what it writes: {error}"
        ) from error
    _replace(Path(path), to_text(content))


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _trace(trace: ConcreteFunction, writer: Writer) -> dict[str, Any]:
    name, signature = trace.graph.name, trace.signature
    if signature is None:
        raise SaveError(f"{name} cannot be saved: it is not known what it was traced for")
    numbers = iter(range(len(trace.graph.arguments)))
    labels = paths(signature.spec.parts[0], "args") + paths(signature.spec.parts[1], "kwargs")
    arguments = [
        {"argument": next(numbers), **({"form": leaf.form} if leaf.form else {})}
        if isinstance(leaf, Tensor)
        else {"value": _argument_value(leaf, name, f"its argument {label}")}
        for leaf, label in zip(signature.leaves, labels, strict=True)
    ]
    spec, plain, places, writes, apart = trace.layout
    results = [
        {"value": _result_value(value, name, f"its {label}")} if place is None else {"result": place}
        for value, place, label in zip(plain, places, paths(spec, "result"), strict=True)
    ]
    return {
        "arguments": structure(signature.spec, iter(arguments), name),
        "results": structure(spec, iter(results), name),
        "writes": list(writes),
        "apart": sorted(apart),
        "graph": writer.graph(trace.graph),
    }


def _argument_value(leaf: Plain, name: str, what: str) -> Any:
    if leaf.text is None:
        raise SaveError(f"{name} cannot be saved: {what} is part of it, and {leaf} has no form in a file")
    return encode(leaf.value)


def _result_value(value: Any, name: str, what: str) -> Any:
    try:
        return encode(value)
    except NotSavable as reason:
        raise SaveError(f"{name} cannot be saved: {what} is part of it, and {reason}") from None


def structure(spec: Spec, leaves: Iterator[Any], name: str) -> Any:
    if spec.kind is None:
        return next(leaves)
    parts = [structure(part, leaves, name) for part in spec.parts]
    if spec.kind is dict:
        try:
            return {"kind": "dict", "keys": [encode_key(k) for k in spec.keys], "parts": parts}
        except NotSavable as reason:
            raise SaveError(f"{name} cannot be saved: {reason}") from None
    if spec.kind is tuple or spec.kind is list:
        return {"kind": spec.kind.__name__, "parts": parts}
    return {"kind": "record", "name": spec.kind.__name__, "fields": list(fields_of(spec)), "parts": parts}


# --- from a file ------------------------------------------------------------------------------


class LoadedTrace(ConcreteFunction):
    """A trace that was read from a file: its errors tell the user's place in a note."""

    def _user_traceback(self, error: BaseException) -> Any:
        places = self._places_of(error)
        if places:
            error.add_note(f"The graph {self.graph.name!r} was made from this code:\n{_frames(places)}")


def _frames(places: Sequence[Place]) -> str:
    return "\n".join(
        f'  File "{p.file}", line {p.line}, in {p.function}' + (f"\n    {p.text}" if p.text else "")
        for p in places
    )


class LoadedFunction:
    """A function that `load` read from a file: a callable with the traces that were saved.

    It is called as the original is. The arguments choose the trace: the most special one that they fit.

    Raises:
        SignatureError: the arguments fit none of the traces.
    """

    def __init__(self, name: str, parameters: Sequence[str], traces: Sequence[ConcreteFunction]):
        self.__name__ = name
        self.parameters = tuple(parameters)
        self.concrete_functions = tuple(traces)
        signatures = [(t.signature, t) for t in traces if t.signature is not None]
        self._signatures = sorted(signatures, key=lambda pair: pair[0].openness)

    def __repr__(self) -> str:
        listed = ", ".join(str(s) for s, _ in self._signatures)
        return f"<loaded function {self.__name__}: {listed}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            trace, leaves = self._chosen(args, kwargs)
            return trace(*[leaf for leaf in leaves if isinstance(leaf, (np.ndarray, np.generic))])
        except BaseException as error:
            strip(error)
            raise

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, list[Any]]:
        for given in self._arrangements(args, kwargs):
            leaves, spec = flatten(given)
            shape = outline(spec)
            for signature, trace in self._signatures:
                if signature.admits(shape, leaves):
                    return trace, leaves
        leaves, spec = flatten((args, kwargs))
        types = [
            ArrayType(v.dtype, v.shape) if isinstance(v, (np.ndarray, np.generic)) else None for v in leaves
        ]
        listed = "".join(f"\n    {self.__name__}{s}" for s, _ in self._signatures)
        raise SignatureError(
            f"{self.__name__} was called with {Signature.of(spec, leaves, types)}, but was saved for:{listed}"
        )

    def _arrangements(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
        """The arguments as they are given, then by position or by name as a trace has them."""
        yield args, kwargs
        names = self.parameters
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        if len(args) > len(names) or len(given) != len(args) + len(kwargs):
            return
        for count, keys in {(_positional(s), s.spec.parts[1].keys) for s, _ in self._signatures}:
            wanted = (*names[:count], *keys)
            if count <= len(names) and len(wanted) == len(given) and set(wanted) == set(given):
                yield tuple(given[n] for n in names[:count]), {k: given[k] for k in keys}

    @property
    def _only(self) -> ConcreteFunction:
        if len(self.concrete_functions) != 1:
            raise AttributeError(
                f"{self.__name__} has {len(self.concrete_functions)} traces: ask one of .concrete_functions"
            )
        return self.concrete_functions[0]

    @property
    def graph(self) -> Graph:
        """The graph of the only trace."""
        return self._only.graph

    @property
    def structured_outputs(self) -> Any:
        """The result of the only trace, with types in the place of staged values."""
        return self._only.structured_outputs

    @property
    def python_source(self) -> str:
        """The Python that runs the graph of the only trace."""
        return self._only.python_source


def _positional(signature: Signature) -> int:
    return len(signature.spec.parts[0].parts)


def load(path: str | os.PathLike[str], *, types: Sequence[type] = ()) -> LoadedFunction:
    """A function that `save` wrote to a file. Nothing of the file is run before the function is called.

    Args:
        path: the file.
        types: namedtuples and frozen dataclasses of results. A result of another class is a namedtuple of
            the same name and fields that is made for it.

    Raises:
        FormatError: the file holds no function that was saved, or was damaged since.

    >>> import autograph_rs as ag, numpy as np, os, tempfile
    >>> scale = ag.function(lambda x, by: {"scaled": x * by})
    >>> scale(np.array([1.0, 2.0]), 3.0)
    {'scaled': array([3., 6.])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(scale, os.path.join(folder, "scale.json"))
    ...     loaded = ag.load(os.path.join(folder, "scale.json"))
    >>> loaded(np.array([2.0, 0.5]), 3.0)
    {'scaled': array([6. , 1.5])}
    """
    raw = Path(path).read_bytes()
    try:
        return from_content(from_text(raw.decode("utf-8")), types)
    except UnicodeDecodeError:
        reason = "it is no text"
    except FormatError as error:
        reason = str(error)
    raise FormatError(f"{os.fspath(path)} cannot be loaded: {reason}")


def from_content(content: dict[str, Any], types: Sequence[type] = ()) -> LoadedFunction:
    only(content, "content", "name", "parameters", "traces", "places")
    name = expect_text(content.get("name"), "name")
    parameters = [
        expect_text(p, f"parameters[{i}]")
        for i, p in enumerate(expect(content.get("parameters"), list, "parameters"))
    ]
    reader = Reader(content.get("places"))
    records = _Records(types)
    traces = expect(content.get("traces"), list, "traces")
    if not traces:
        raise wrong("traces", "there are none")
    made = [_read_trace(trace, reader, records, f"traces[{i}]") for i, trace in enumerate(traces)]
    return LoadedFunction(name, parameters, made)


def _read_trace(data: Any, reader: Reader, records: _Records, at: str) -> LoadedTrace:
    known = expect(data, dict, at)
    only(known, at, "arguments", "results", "writes", "apart", "graph")
    graph = reader.graph(known.get("graph"), f"{at}.graph")
    verify(graph, f"{at}.graph")
    leaves: list[Any] = []
    spec = records.structure(known.get("arguments"), leaves, _argument(graph), f"{at}.arguments", 0)
    _check_arguments(spec, leaves, graph, f"{at}.arguments")
    writes = _numbers(known.get("writes"), len(graph.arguments), f"{at}.writes")
    count = len(graph.results) - len(writes)
    if count < 0:
        raise wrong(f"{at}.writes", "more arguments are written than the graph has results")
    for result, index in zip(graph.results[count:], writes, strict=True):
        kind = graph.arguments[index].type
        if not agree(result.type, kind) or not isinstance(kind, ArrayType):
            raise wrong(f"{at}.writes", f"argument {index} is written as {result.type}")
    apart = set(_numbers(known.get("apart"), len(graph.results), f"{at}.apart"))
    outputs: list[Any] = []
    made = records.structure(known.get("results"), outputs, _result(count), f"{at}.results", 0)
    plain = [None if isinstance(o, _Result) else o for o in outputs]
    places = [o.index if isinstance(o, _Result) else None for o in outputs]
    try:
        trace = LoadedTrace(graph, made, plain, places, writes, twins=apart)
    except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError) as error:
        raise wrong(f"{at}.graph", f"cannot be compiled: {error}") from None
    trace.signature = Signature(spec, tuple(leaves))
    return trace


class _Result:
    def __init__(self, index: int):
        self.index = index


def _argument(graph: Graph) -> Callable[[dict[str, Any], str], Tensor | Plain]:
    numbers = iter(range(len(graph.arguments) + 1))

    def leaf(known: dict[str, Any], at: str) -> Tensor | Plain:
        if "value" in known:
            only(known, at, "value")
            return Plain(decode(known["value"], f"{at}.value"))
        only(known, at, "argument", "form")
        index = expect_size(known.get("argument"), f"{at}.argument")
        if index != next(numbers) or index >= len(graph.arguments):
            raise wrong(f"{at}.argument", "the arguments are not those of the graph, in order")
        form = chosen(known.get("form", ""), {f: f for f in ("", "array", "scalar")}, f"{at}.form", "form")
        return Tensor(graph.arguments[index].type, form)

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


def _check_arguments(spec: Spec, leaves: Sequence[Any], graph: Graph, at: str) -> None:
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    if len(tensors) != len(graph.arguments) or not all(isinstance(t.kind, ArrayType) for t in tensors):
        raise wrong(
            at, f"{len(tensors)} arrays are no arguments for the graph, which takes {len(graph.arguments)}"
        )
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
        kind = self.made[name, fields]
        return Spec(kind, () if hasattr(kind, "_fields") else fields, parts)

    @staticmethod
    def _check(holds: bool, at: str) -> None:
        if not holds:
            raise wrong(at, "not as many different names as parts")
