"""Graphs as data: values and whole graphs round trip to the last bit; what is no graph is refused."""

from __future__ import annotations

import ast
import gc
import json
import types
from typing import Any

import numpy as np
import pytest
from breadth import some
from test_house import ROOT

import autograph_rs as ag
from autograph_rs.runtime.graph.backend.backend import Missing
from autograph_rs.runtime.graph.compile.control_flow import Emitter
from autograph_rs.runtime.graph.ir.comparison import same_value
from autograph_rs.runtime.graph.ir.expressions import EXPRESSIONS
from autograph_rs.runtime.graph.ir.graph import Graph, Node, Slot
from autograph_rs.runtime.graph.ir.types import ArrayType, ListType, MaybeType, ScalarType, TupleType
from autograph_rs.runtime.graph.rules import TYPE_RULES
from autograph_rs.runtime.graph.serialization import op_schema
from autograph_rs.runtime.graph.serialization.names import CALLS, FUNCTION_OF, name_of, op_of
from autograph_rs.runtime.graph.serialization.reading import decode, decode_type
from autograph_rs.runtime.graph.serialization.values import NotSerializable, encode, encode_type
from autograph_rs.runtime.graph.serialization.verification import verify

X = np.arange(3.0)
NAN = np.frombuffer(bytes.fromhex("fff8000000000123"), ">f8")[0]
FORTRAN = np.asfortranarray(np.arange(6).reshape(2, 3))
VALUES = [
    None, True, False, 0, -1, 2**53 - 1, 2**53, -(2**200), 10**5000, 0.0, -0.0, 1e-320, 0.1, float("inf"),
    -float("inf"), float(NAN), 1j, complex(-0.0, float("nan")), "", "tëxt\n\x00\ud800", b"", b"\x00\xff",
    (), (1,), [], [1, (2.0, [None])], {"a": 1, 2: (3,), None: [], True: False, 1.5: "x"}, slice(None),
    slice(1, None, -2), slice(Slot(0), 5), range(2, 9, 3), Ellipsis, Missing.VALUE, np._NoValue,
    Slot(7), float, int, np.float32, np.dtype("f4"), np.dtype(">i2"), np.dtype("M8[ns]"), np.dtype("U7"),
    np.dtype([("a", "f4"), ("b", "i8", (2,))]), np.float32(0.1), np.int8(-3), np.bool_(True),
    np.complex64(1 + 2j), np.str_("ab"), np.bytes_(b"ab"), np.datetime64("2024-01-01"),
    np.timedelta64(3, "s"), np.float64(NAN), np.longdouble(1) / 3, X, X[::2], np.arange(3, dtype=">i4"),
    np.zeros((0, 3)), np.array(5.0), FORTRAN, np.array(["a", "bcd"]), np.array([b"a", b"bcd"]),
    np.array([True, False]), np.array(["NaT", "2024"], "M8[D]"), np.array([NAN, np.inf, -0.0]),
    np.zeros(2, [("a", "f4"), ("b", ">i8", (2,))]), np.float16([1, 2]),
]  # fmt: skip
TYPES = [
    None, ArrayType(np.dtype("f8"), (None, 3)), ScalarType(complex), ListType(None),
    MaybeType(ListType(ScalarType(str)), "x"), TupleType((ArrayType(np.dtype("?")), ScalarType(int))),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_values_round_trip(value: Any) -> None:
    """A value comes back as it was: type, dtype, bits, order in memory."""
    data = json.loads(json.dumps(encode(value), allow_nan=False))
    made = decode(data, "value")
    assert same_value(made, value), made
    if isinstance(value, np.ndarray):
        assert made.flags.f_contiguous == value.flags.f_contiguous or not value.flags.contiguous
        assert made.flags.writeable


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_types_round_trip(kind: Any) -> None:
    assert decode_type(json.loads(json.dumps(encode_type(kind))), "type") == kind


@pytest.mark.parametrize(
    "value",
    [
        object(), {1, 2}, np.array([None]), np.dtype(object), np.object_, np.random.default_rng(0), print,
        {(1, 2): 3}, np.ma.array([1]), type("Own", (int,), {})(3), lambda: 0, list, np.ndarray, np,
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_other_values_have_no_form(value: Any) -> None:
    """Nothing is saved by a stand-in: no pickle, no name of what a file must not name."""
    with pytest.raises(NotSerializable):
        encode(value)


def test_each_function_with_a_rule_has_a_name() -> None:
    """The tables agree: what can be recorded can be saved, under a name that gives it back."""
    for function in TYPE_RULES:
        name = name_of(function)
        assert name is not None and CALLS[name] is function, function
    for name, function in CALLS.items():
        again = CALLS[str(name_of(function))]
        assert op_of(again) == op_of(function), name


def test_each_op_that_can_be_compiled_is_known() -> None:
    """A new op is an op of the format too, or says why it is not, or this test does."""
    emitted = {name.removeprefix("emit_") for name in dir(Emitter) if name.startswith("emit_")}
    called = {"attempt", "iterate", "next", "py_function", "new_object", "attribute"}
    assert emitted | EXPRESSIONS.keys() | FUNCTION_OF.keys() | called == op_schema.OPS.keys()
    recorded = {
        node.args[0].value
        for folder in ("tracing", "state", "backend")
        for file in (ROOT / "runtime/graph" / folder).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in ("add", "record", "record_call")
    }
    assert {"next", "with_shape", "text"} <= recorded <= op_schema.OPS.keys()


def graph_of(function: Any, *args: Any) -> ag.Graph:
    return ag.function(function).get_concrete_function(*args).graph


def loop(x: Any, n: Any) -> Any:
    total = np.zeros(3)
    for i, (a, b) in enumerate(zip(x, x, strict=False)):
        if a > n:
            total[i] += b * n
            print("above", a, sep="\n")
        assert n > -9, f"{n:>3}"
    while total.sum() > 100:
        total = np.linalg.norm(total[:, None], axis=1) / 2
    return total, [x.reshape(-1, 1)]


def test_graphs_are_inert() -> None:
    """No code, frame or staged value can be reached from a graph."""
    graph = graph_of(loop, X, np.int64(2))
    seen, todo = set(), [graph]
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, (type, types.ModuleType)) or callable(value):
            continue
        seen.add(id(value))
        assert not isinstance(value, (types.CodeType, types.FrameType))
        assert not hasattr(value, "_owner"), value
        todo += gc.get_referents(value)
    places = [place for node in graph.walk() for place in node.places]
    assert {p.file for p in places} == {__file__}
    assert "total[i] += b * n" in {p.text for p in places}


def test_graphs_round_trip() -> None:
    """Text, structure and places come back."""
    graph = graph_of(loop, X, np.int64(2))
    made = ag.Graph.from_json(graph.to_json())
    assert graph.equals(made) and str(graph) == str(made)
    assert [n.places for n in graph.walk()] == [n.places for n in made.walk()]
    assert made.to_json() == graph.to_json()
    verify(graph)


def test_graphs_are_compared_by_what_they_do() -> None:
    """Names and lines do not count; types, constants to the last bit, order and attributes do."""
    one = graph_of(lambda x: np.sum(x * 2.0, axis=0) + 1, X)

    def same(other):
        doubled = other * 2.0
        return np.sum(doubled, axis=0) + 1

    assert one.equals(graph_of(same, X))
    others = [
        (lambda x: np.sum(x * 2.0, axis=-1) + 1, X),
        (lambda x: np.sum(x * 2.0) + 1, X),
        (lambda x: np.sum(x * 2, axis=0) + 1, X),
        (lambda x: np.sum(x * 2.0, axis=0) + True, X),
        (lambda x: 1 + np.sum(x * 2.0, axis=0), X),
        (lambda x: np.sum(x * 2.0, axis=0) + 1, X.astype("f4")),
        (lambda x: np.sum(x * 2.0, axis=0) + 1, np.ones(4)),
        (lambda x: (np.sum(x * 2.0, axis=0) + 1, x), X),
        (lambda x, y: np.sum(x * 2.0, axis=0) + 1, X, X),
    ]
    for other in others:
        assert not one.equals(graph_of(*other)), str(graph_of(*other))
    branches = [graph_of(lambda x, k=k: x if x.sum() > 0 else x * k, X) for k in (1.0, 1.0, -1.0, 0.0, -0.0)]
    assert [branches[0].equals(b) for b in branches] == [True, True, False, False, False]
    assert not branches[3].equals(branches[4])


def test_text_shows_what_inner_arguments_are_outside() -> None:
    """Items, carried and captured values have the outer names."""

    def over(x, y):
        total = 0.0
        for a in x:
            if a > y:
                total += a
        return total

    head = "over(x: float64[3], y: float64[])"
    lines = str(graph_of(over, X, X[0])).splitlines()
    assert lines[0] == head
    assert "    body(%5 in x: float64[], %6 from %2: float64[], %7 = y: float64[])" in lines
    assert "        if_true(%10 = %6: float64[], %11 = %5: float64[])" in lines


def test_text_is_short() -> None:
    """A long constant, line or text is cut."""
    table = np.arange(100.0)
    text = str(
        graph_of(
            lambda x: x + table[x.astype(int)] + len("a very long line, a very long line, a very long line"),
            X,
        )
    )
    assert "constant float64[100]" in text
    assert max(map(len, text.splitlines())) < 150


def test_large_graphs_take_linear_time() -> None:
    """Many thousand nodes print, compare and round trip at once."""
    count = some(5_000, 20_000)
    graph = Graph("long")
    kind = ArrayType(np.dtype("f8"), (3,))
    graph.arguments.append(Node("argument", (), {"name": "x"}, kind))
    node = graph.arguments[0]
    place = graph_of(lambda x: x + 1, X).nodes[0].source
    for _ in range(count):
        node = Node("add", (node, graph.arguments[0]), {}, kind, place)
        graph.nodes.append(node)
    graph.results.append(node)
    assert len(str(graph).splitlines()) == count + 2
    assert graph.equals(ag.Graph.from_json(graph.to_json()))


@pytest.mark.parametrize(
    "name", ["k1", "a0", "sum", "print", "convert", "MISSING", "v2", "class", "errstate"]
)
def test_functions_of_any_name_are_compiled(name: str) -> None:
    """A function's own name does not stand before what the compiled function calls."""

    def f(x):
        return abs(x * np.array([1, -2, 3])).sum() + sum([x[0], x[1]]) + len(str(x[0]))

    f.__name__ = name
    assert ag.function(f)(X) == f(X)


def test_what_cannot_be_saved_names_node_and_place() -> None:
    """The error has the user's line, the op and the reason."""

    class Label:
        def __repr__(self):
            return "label"

    label = Label()

    def f(x):
        if x.sum() > 0:
            print("is", label)
        return x

    line = f.__code__.co_firstlineno + 2

    with pytest.raises(
        ag.SaveError,
        match=r"(?s)the node print of the graph .*Label has no representation in the file format.*"
        rf'test_serialization.py", line {line}, in f\n    print\("is", label\)',
    ):
        graph_of(f, X).to_json()


def test_exceptions_of_the_user_are_saved_as_their_base() -> None:
    """The builtin base with the same arguments and fields, and a note of the original."""

    class OwnError(KeyError):
        def __init__(self, key, hint):
            super().__init__(key)
            self.hint = hint

    def f(x):
        if x.sum() > 0:
            raise OwnError("k", "try j")
        return x

    made = ag.Graph.from_json(graph_of(f, X).to_json())
    [node] = [n for n in made.walk() if n.op == "raise"]
    kind, args, fields = node.attrs["args"]
    assert (kind, args, fields["hint"]) == (KeyError, ("k",), "try j")
    assert fields["__notes__"][0].endswith("OwnError")
