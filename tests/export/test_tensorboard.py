"""Graphs in TensorBoard: the events file, and the graph page in a real browser."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required
from browser_support import DESKTOP, browser_page

import autograph_rs as ag


def settle(x, n):
    """Loops and branches for the page: a loop around a conditional."""
    total = x.sum()
    for _ in range(n):
        if total > 3:
            total = total - np.sin(x).sum()
        else:
            total = total + 1
    return total


def factorial(n):
    if n <= 1:
        return np.int64(1)
    return n * staged_factorial(n - 1)


staged_factorial = ag.function(factorial)


def graph_of(f: Any, *args: Any) -> ag.Graph:
    return ag.function(f).get_concrete_function(*args).graph


def written(folder: Path) -> dict[str, Any]:
    """The nodes of the newest `GraphDef` in a folder, by name, read without this package."""
    struct_pb = required("tensorboard.compat.proto.graph_pb2")
    event_pb = required("tensorboard.compat.proto.event_pb2")
    *_, file = sorted(folder.iterdir())
    data, graph = file.read_bytes(), None
    while data:
        size = int.from_bytes(data[:8], "little")
        event = event_pb.Event.FromString(data[12 : 12 + size])
        graph = event.graph_def or graph
        data = data[12 + size + 4 :]
    nodes = struct_pb.GraphDef.FromString(graph).node
    names = {node.name: node for node in nodes}
    assert len(names) == len(nodes)
    return names


def test_scopes_and_edges(tmp_path: Path) -> None:
    """Inner graphs are scopes, every input is a node of the file, and a loop depends on its body."""
    required("tensorboard")
    graph_of(settle, ag.TensorSpec((None,)), np.int64(4)).to_tensorboard(tmp_path)
    nodes = written(tmp_path)
    assert {name for node in nodes.values() for name in node.input} <= nodes.keys()
    assert {"x", "n", "for/for", "for/body/gt", "for/body/cond/if_true/numpy.sin", "return"} <= nodes.keys()
    assert "for/body/return" in nodes["for/for"].input
    assert nodes["for/body/cond/cond"].input[:] == [
        "for/body/gt", "for/body/cond/if_true/return", "for/body/cond/if_false/return"
    ]  # fmt: skip


def test_attributes(tmp_path: Path) -> None:
    """Nodes have the dtype and shape of their results, and the user's line."""
    required("tensorboard")
    graph_of(settle, ag.TensorSpec((None, 3), "float32"), np.int64(4)).to_tensorboard(tmp_path)
    node = written(tmp_path)["for/body/cond/if_true/numpy.sin"]
    assert node.op == "numpy.sin"
    assert node.attr["dtype"].type == 1  # DT_FLOAT
    [shape] = node.attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [-1, 3]
    line = settle.__code__.co_firstlineno + 5
    assert node.attr["source"].s.decode() == f"{__file__}:{line}"
    assert node.attr["code"].s.decode() == "total = total - np.sin(x).sum()"
    assert node.attr["type"].s.decode() == "float32[?, 3]"
    assert node.attr["expression"].s.decode() == "numpy.sin(for/body/cond/if_true/x)"


def test_called_graphs_are_scopes(tmp_path: Path) -> None:
    graph = staged_factorial.get_concrete_function(np.int64(5)).graph
    required("tensorboard")
    graph.to_tensorboard(tmp_path / "new" / "folder")
    nodes = written(tmp_path / "new" / "folder")
    called = {
        name.partition("/")[0] for name in nodes if name.endswith("/cond/cond") and name.count("/") == 2
    }
    [scope] = called
    assert nodes[f"{scope}/n"].op == "Placeholder"
    [call] = [node for name, node in nodes.items() if node.op == "call" and name.startswith(f"{scope}/")]
    assert call.attr["expression"].s.decode().startswith(f"call {scope}(")


def test_a_second_graph_in_the_folder_is_the_newest(tmp_path: Path) -> None:
    required("tensorboard")
    graph_of(settle, ag.TensorSpec((None,)), np.int64(4)).to_tensorboard(tmp_path)
    graph_of(lambda x: -x, ag.TensorSpec(())).to_tensorboard(tmp_path)
    assert written(tmp_path).keys() == {"x", "neg", "return"}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", ["file", "file/inside"])
def test_a_path_that_is_a_file(tmp_path: Path, name: str) -> None:
    required("tensorboard")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(ag.ArgumentError, match="is not a folder"):
        graph_of(lambda x: -x, ag.TensorSpec(())).to_tensorboard(tmp_path / name)
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("path", [3, None, b"folder", "a\0b"])
def test_what_is_no_path(path: Any) -> None:
    required("tensorboard")
    with pytest.raises(ag.ArgumentError, match="path of a folder must be"):
        graph_of(lambda x: -x, ag.TensorSpec(())).to_tensorboard(path)


def test_without_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ag.MissingFrameworkError, match="needs tensorboard") as caught:
        graph_of(lambda x: -x, ag.TensorSpec(())).to_tensorboard(tmp_path / "new")
    assert "autograph_rs[tensorboard]" in str(caught.value)
    assert not (tmp_path / "new").exists()


@contextlib.contextmanager
def tensorboard(folder: Path) -> Iterator[str]:
    """Run TensorBoard on a free port, and yield its address once it has read the folder."""
    options = ["--host=127.0.0.1", "--port=0", "--load_fast=false"]
    options += ["--reload_task=blocking", "--reload_interval=0"]  # all is read before the server starts
    command = [sys.executable, "-m", "tensorboard.main", f"--logdir={folder}", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = (re.search(r"http://\S+", line) for line in process.stderr)
            yield next(filter(None, found))[0]
        finally:
            process.terminate()


def test_the_graph_page(tmp_path: Path) -> None:
    """TensorBoard draws the nodes; the scopes of a loop and of a branch open and show theirs."""
    required("tensorboard")
    graph_of(settle, ag.TensorSpec((None,)), np.int64(4)).to_tensorboard(tmp_path / "logs" / "settle")

    def node(name: str) -> Any:
        return page.locator(f'g.node[data-name="{name}"]').first

    with tensorboard(tmp_path / "logs") as url, browser_page(*DESKTOP) as watched:
        page = watched.page
        page.goto(f"{url}#graphs&run=settle")
        for name in ("x", "n", "numpy.sum", "range", "for", "return"):
            node(name).wait_for(state="attached")
        for scope, inner in (
            ("for", "for/body"),
            ("for/body", "for/body/gt"),
            ("for/body/cond", "for/body/cond/if_true"),
            ("for/body/cond/if_true", "for/body/cond/if_true/numpy.sin"),
        ):
            node(scope).wait_for(state="attached")
            node(scope).locator(".nodecolortarget, rect").first.dispatch_event("dblclick")
            node(inner).wait_for(state="attached")
        texts = page.locator("g.nodes text").all_text_contents()
        assert any("numpy.sin" in text for text in texts)
        assert any("gt" in text for text in texts)
