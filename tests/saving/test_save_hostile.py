"""Files that are damaged, foreign or made to do harm: `load` says what is wrong and runs nothing of them."""

from __future__ import annotations

import copy
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from breadth import some

import autograph_rs as ag
from autograph_rs.runtime.graph.serialization.graphs import from_text, to_text
from autograph_rs.runtime.graph.serialization.loaded_function import from_content

seen = ag.Variable([1.0, 2.0])


def everything(x: Any, n: Any, k: float, log: list, mark: Any) -> Any:
    """A graph with most kinds of node and attribute."""
    total, out = np.zeros(3), []
    for i, (a, b) in enumerate(zip(x, x, strict=False)):
        if a > n:
            total[i] += b * k
            out.append((a, int(n)))
            print("above", a, sep="\n")
        assert n > -9, f"{n:>3}"
    while total.sum() > 100 and n < 5:
        total = np.linalg.norm(total[:, None], axis=1) / 2
    if n > 100:
        raise KeyError("large", n)
    generator = np.random.default_rng(3)
    seen[0] = generator.random() if n > 3 else np.random.rand()  # noqa: NPY002
    mark.assign_add(1)
    log[0]["seen"] = log[1]
    log.append(seen)
    with np.errstate(divide="ignore"):
        ratio = x / n
    return {"total": total, 2: [np.add.reduce(x, dtype=np.float32), out]}, ratio, max(x[0], n), k


def arguments() -> Any:
    return np.arange(3.0), np.int64(2), 0.5, [{}, [7]], ag.Variable(1)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("files") / "f.json"
    ag.save(ag.function(everything).get_concrete_function(*arguments()), file)
    return file.read_text()


@pytest.fixture(scope="module")
def content(text: str) -> Any:
    return json.loads(text)["content"]


def load_content(content: Any) -> Any:
    """Load a file whose checksum is correct."""
    return from_content(from_text(to_text(content)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: "", "invalid JSON"),
        (lambda t: t[:-100], "invalid JSON"),
        (lambda t: "[]", "an object is expected"),
        (lambda t: '{"format": "other"}', "'other', not 'autograph_rs graph'"),
        (lambda t: t.replace('"version": 1', '"version": "1"'), "version: an integer is expected"),
        (lambda t: t.replace('"version": 1', '"version": true'), "version: an integer is expected"),
        (lambda t: t.replace("0.5", "0.25"), "sha256"),
        (lambda t: t.replace('"op": "add"', '"op": "sub"', 1), "sha256"),
        (lambda t: t.replace('"content"', '"content": {}, "content"'), "is duplicated"),
        (lambda t: t.replace("0.5", "NaN"), "NaN is not valid JSON"),
        (lambda t: t.replace("0.5", "1e999"), "1e999 is too large"),
        (lambda t: t.replace("0.5", "1" * 5000), "unreadable JSON"),
        (lambda t: "[" * 100_000, "nested too deep"),
        (lambda t: '{"a":' * 100_000, "nested too deep"),
        (lambda t: "\x80PNG", "invalid JSON"),
    ],
)
def test_a_damaged_file_is_refused(text: str, change: Any, reason: str, tmp_path: Path) -> None:
    """The error names the file, and the place in it."""
    file = tmp_path / "bad.json"
    file.write_text(change(text))
    with pytest.raises(ag.FormatError, match=f"bad.json cannot be loaded: .*{reason}"):
        ag.load(file)


def test_a_file_of_a_later_version_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "later.json"
    file.write_text(text.replace('"version": 1', '"version": 2'))
    with pytest.raises(ag.VersionError, match=r"later\.json cannot be loaded: version: 2 is later than 1"):
        ag.load(file)


def test_files_that_are_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ag.FormatError, match="it is not text"):
        ag.load(tmp_path / "f")
    with pytest.raises(FileNotFoundError):
        ag.load(tmp_path / "none")


def nodes(graph: Any) -> Iterator[dict]:
    for node in graph["nodes"]:
        yield node
        for name in ("then", "orelse", "body"):
            if name in node:
                yield from nodes(node[name])


def node(content: Any, op: str) -> dict:
    return next(n for n in nodes(content["traces"][0]["graph"]) if n["op"] == op)


def put(op: str, /, **new: Any) -> Any:
    """A change of the first node of an op."""
    return lambda content: node(content, op).update(new)


def attr(op: str, /, **new: Any) -> Any:
    return lambda content: node(content, op)["attrs"].update(new)


def graph(content: Any) -> Any:
    return content["traces"][0]["graph"]


EVIL = "__import__('os').system('touch evil')"
CHANGES: dict[str, tuple[Any, str]] = {
    "unknown op": (put("mul", op="eval"), "op: 'eval' is not a known op or function"),
    "function of a module": (put("mul", op="os.system"), "is not a known op or function"),
    "function of numpy": (put("numpy.linalg.norm", op="numpy.load"), "'numpy.load' is not a known op"),
    "ufunc method": (put("numpy.add.reduce", op="numpy.add.resolve_dtypes"), "is not a known op or function"),
    "argument op": (put("mul", op="argument"), "is not a known op or function"),
    "arity": (put("mul", inputs=[0]), r"nodes\[\d+\] \(mul\): has 1 inputs, not 2"),
    "undefined": (put("mul", inputs=[0, 99]), "99 is not defined at this point"),
    "negative": (put("mul", inputs=[0, -1]), "-1 is not a valid length"),
    "itself": (
        lambda c: graph(c)["nodes"][3].update(inputs=[len(graph(c)["arguments"]) + 3]), "not defined at this"
    ),
    "type": (put("mul", type={"scalar": "int"}), "is of type float64"),
    "dtype": (put("mul", type={"array": "O", "shape": []}), "not a dtype that the format supports"),
    "attribute": (put("mul", attrs={"function": 1}), "no attribute 'function'"),
    "attribute kind": (attr("for", carried=True), "attribute carried is invalid"),
    "limit": (attr("while", maximum_iterations=EVIL), "maximum_iterations is invalid"),
    "index": (attr("output", index=EVIL), "index is invalid"),
    "large index": (attr("output", index=50), "selects result 50 of"),
    "structure": (attr("for", structure={"tuple": [0, 1]}), "structure does not name"),
    "keyword": (attr("numpy.linalg.norm", kwargs={"dict": [[EVIL, 1]]}), "keyword"),
    "reserved": (attr("numpy.linalg.norm", kwargs={"dict": [["if", 1]]}), "keyword"),
    "print to": (attr("print", kwargs={"dict": [["file", 1]]}), "kwargs is invalid"),
    "slot": (attr("print", args={"tuple": [{"slot": 9}]}), "a slot refers to a missing input"),
    "format": (
        attr("text", args={"tuple": [{"tuple": [{"slot": 0}, "x", ""]}]}), "args is invalid"
    ),
    "exception": (put("raise", exception="SystemExit"), "'SystemExit' is not a known exception"),
    "errstate": (
        lambda c: next(n for n in nodes(graph(c)) if "errstate" in n.get("attrs", {}))["attrs"]
        .update(errstate={"dict": [["divide", "call"]]}), "errstate"
    ),
    "no effect": (lambda c: node(c, "print").pop("effect"), "has an effect, but `effect` is not true"),
    "missing body": (lambda c: node(c, "for").pop("body"), "body: an object is expected here, not null"),
    "branch results": (
        lambda c: node(c, "cond")["then"]["results"].clear(),
        "different numbers of results|selects",
    ),
    "branch operands": (lambda c: node(c, "cond")["then"]["arguments"].pop(), "branch operands|not defined"),
    "name": (lambda c: graph(c).update(name="f():\n    evil()\ndef g"), "name"),
    "empty name": (lambda c: graph(c).update(name=""), "name"),
    "argument name": (lambda c: graph(c)["arguments"][0].update(name="a\0b"), "name"),
    "places": (lambda c: c["places"][0].append(1), r"places\[0\]"),
    "place": (put("mul", at=[10**6]), "not defined at this point"),
    "result": (lambda c: c["traces"][0]["results"]["parts"].__setitem__(1, {"result": 77}), "the graph has"),
    "written": (lambda c: c["traces"][0].update(writes=[0, 0]), "distinct numbers below"),
    "arguments": (lambda c: c["traces"][0]["arguments"]["parts"].pop(), "a tuple of positional and"),
    "record": (
        lambda c: c["traces"][0].update(results={"kind": "record", "name": EVIL, "fields": [], "parts": []}),
        "a valid and distinct name",
    ),
    "fields": (
        lambda c: c["traces"][0].update(results={"kind": "record", "name": "P", "fields": ["class"],
                                                 "parts": [{"value": 1}]}), "a valid and distinct name"
    ),
    "no traces": (lambda c: c.update(traces=[]), "traces: the list is empty"),
    "another key": (lambda c: c.update(run="me"), "the key 'run' is unknown"),
    "bad array": (
        lambda c: next(n for n in nodes(graph(c)) if "array" in str(n.get("attrs")))["attrs"]["value"]
        .update(shape=[10**15]), "are not an array of dtype"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=list(CHANGES))
def test_a_graph_that_is_not_well_formed_is_refused(content: Any, change: Any, reason: str) -> None:
    """With a right checksum too: each part is checked, and the error names the place."""
    changed = copy.deepcopy(content)
    change(changed)
    with pytest.raises(ag.FormatError, match=reason):
        load_content(changed)


def test_graphs_nested_without_end_are_refused() -> None:
    """Each is a function of the compiler's on Python's stack, and deeper ones are refused before."""
    inner: dict = {"name": "g", "arguments": [], "nodes": [], "results": []}
    empty = inner
    true = {"op": "constant", "type": {"scalar": "bool"}, "attrs": {"value": True}}
    for _ in range(100):
        cond = {"op": "cond", "inputs": [0], "then": inner, "orelse": empty}
        inner = {"name": "g", "arguments": [], "nodes": [true, cond], "results": []}
    with pytest.raises(ag.FormatError, match="graphs are nested more than"):
        ag.Graph.from_json(to_text({"graph": inner, "places": []}))


SEEDS = int(os.environ.get("AUTOGRAPH_RS_FUZZ", some(200, 500)))
HARMLESS = ("exec", "compile", "object.__getattr__", "sys._getframe", "builtins.id", "gc.get", "code.__new__")
SEEN: list[str] = []
WATCHING: list[bool] = []


def watch(event: str, args: tuple) -> None:
    if WATCHING and not event.startswith(HARMLESS):
        SEEN.append(event)


def load_watched(content: Any) -> Any:
    """`load_content`, while no file is opened, nothing imported and no process started."""
    text = to_text(content)
    if not SEEN:
        SEEN.append("watching")
        sys.addaudithook(watch)  # which stays to the end of the process
    WATCHING.append(True)
    try:
        return from_content(from_text(text))
    finally:
        WATCHING.clear()


VALUES = [
    None, True, -1, 0, 1, 3, 99, 2**70, 0.5, "", "x", EVIL, "mul", "print", "numpy.sum", "float", "=f8", [],
    [0], {}, [[]], {"tuple": []}, {"slot": 0}, {"dtype": "=U9"}, {"type": "int"}, {"special": "..."},
    {"special": "missing"}, {"scalar": "int"}, {"array": "=i8", "shape": [None]}, {"list": None},
    {"kind": "tuple", "parts": []}, {"value": 1}, {"argument": 0}, {"int": "0x1"},
]  # fmt: skip


def paths_in(data: Any, path: tuple = ()) -> Iterator[tuple]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from paths_in(part, (*path, key))


def mutated(content: Any, paths: list[tuple], rng: random.Random) -> Any:
    """A copy with a few values replaced, dropped, doubled or swapped."""
    made = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        path = rng.choice(paths)
        holder = made
        try:
            for key in path[:-1]:
                holder = holder[key]
            old = holder[path[-1]]
            action = rng.randrange(5)
            if action == 0:
                del holder[path[-1]]
            elif action == 1 and isinstance(holder, list):
                holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(old))
            elif action == 2 and isinstance(old, int):
                holder[path[-1]] = old + rng.choice([-1, 1, 2, 100])
            elif action == 3:
                other = made
                for key in rng.choice(paths):
                    other = other[key]
                holder[path[-1]] = copy.deepcopy(other)
            else:
                holder[path[-1]] = copy.deepcopy(rng.choice(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
    return made


@pytest.mark.slow
def test_changed_graphs_load_or_are_refused(content: Any) -> None:
    """Any change of the content, under a right checksum, is another graph or our error, and runs nothing."""
    paths = list(paths_in(content))
    loaded = 0
    for seed in range(SEEDS):
        changed = mutated(content, paths, random.Random(seed))
        try:
            made = load_watched(changed)
        except ag.FormatError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        loaded += 1
        for trace in made.graphs:
            str(trace.graph)
            assert trace.graph.equals(ag.Graph.from_json(trace.graph.to_json())), seed
    assert SEEDS / 20 < loaded < SEEDS * 0.7
    assert SEEN == ["watching"]


@pytest.mark.slow
def test_changed_bytes_are_refused(text: str, tmp_path: Path) -> None:
    """A file with any byte changed loads to an equal graph, or not at all."""
    rng = random.Random(0)
    file = tmp_path / "f.json"
    raw, whole = text.encode(), from_content(from_text(text)).graphs[0].graph
    for _ in range(300):
        changed = bytearray(raw)
        for _ in range(rng.choice([1, 1, 3])):
            place = rng.randrange(len(changed))
            changed[place : place + rng.randrange(2)] = bytes([rng.randrange(256)][: rng.randrange(2)])
        file.write_bytes(changed)
        try:
            made = ag.load(file)
        except (ag.FormatError, ag.VersionError):
            continue
        assert made.graph.equals(whole)
