"""`ConcreteFunction.engine_report()`: what runs a graph, as data, as text, as HTML and in the log."""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag
from autograph_rs.functions.engine_report import EngineReport
from autograph_rs.runtime.graph import native
from autograph_rs.runtime.graph.native import region
from autograph_rs.runtime.graph.native.background import wait_for_compilation
from autograph_rs.runtime.graph.native.linking import llvm
from autograph_rs.runtime.graph.native.report import RegionReport

VECTOR = [ag.TensorSpec((None,), "float64")]


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def sorted_sums(x):
    total = 0.0
    for _ in range(len(x)):
        total += np.sort(x * total)[0]
        for i in range(len(x)):
            total += x[i]
    return total


def powers(n):
    total = 1
    for _ in range(n):
        total = total * 3
    return total


def bounded(n):
    while n > 1:
        ag.set_loop_options(maximum_iterations=3)
        n = n // 2
    return n


def report_of(f, *args, engine, **options) -> EngineReport:
    return ag.function(f, engine=engine, **options).get_concrete_function(*args).engine_report()


def line_in(f, number: int) -> int:
    return f.__code__.co_firstlineno + number


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "cache"))


def test_numpy_compiles_nothing():
    report = report_of(collatz, np.int64(1), engine="numpy")
    assert report.regions == ()
    assert str(report) == (
        "collatz(n: int64[]) -> int\n  engine 'numpy': Python code that calls NumPy runs the graph"
    )
    assert report.graph_text == str(report.graph)


@pytest.mark.needs("onnxruntime")
def test_onnxruntime_compiles_nothing():
    required("onnx")
    required("onnxruntime")
    report = report_of(collatz, np.int64(1), engine="onnxruntime")
    assert report.regions == ()
    assert report.summary == "engine 'onnxruntime': onnxruntime runs the graph, as an ONNX model"


def test_a_loaded_function_runs_on_numpy(tmp_path):
    ag.save(ag.function(collatz).get_concrete_function(np.int64(1)), tmp_path / "f.json")
    [trace] = ag.load(tmp_path / "f.json").concrete_functions
    assert trace.engine_report().summary == "engine 'numpy': Python code that calls NumPy runs the graph"


def test_without_llvmlite(monkeypatch):
    """The report names the missing package, and other reasons where there are some."""
    monkeypatch.setattr(native, "is_available", lambda: False)
    report = report_of(sorted_sums, engine="auto", input_signature=VECTOR)
    assert [(r.line, r.state, r.why) for r in report.regions] == [
        (
            line_in(sorted_sums, 2),
            "in Python",
            f"numpy.sort is not compiled (line {line_in(sorted_sums, 3)}: total += np.sort(x * total)[0])",
        ),
        (line_in(sorted_sums, 4), "in Python", "llvmlite is not installed"),
    ]
    assert report.summary == "engine 'auto': 2 in Python"


def test_a_graph_with_nothing_to_compile(monkeypatch):
    for available in (False, True):
        monkeypatch.setattr(native, "is_available", lambda is_available=available: is_available)
        report = report_of(lambda x: x + 1, np.ones(2), engine="auto")
        assert report.regions == ()
        assert report.summary == "engine 'auto': the graph has nothing to compile"


def test_a_region_waits_until_it_is_hot(monkeypatch):
    """The engine "auto" has not compiled a loop that has not run."""
    monkeypatch.setattr(native, "is_available", lambda: True)
    report = report_of(collatz, np.int64(1), engine="auto")
    [r] = report.regions
    assert (r.state, r.kind, r.line, r.text) == (
        "waiting", "while loop", line_in(collatz, 2), "while n != 1:",
    )  # fmt: skip
    assert (r.compile_seconds, r.python_calls, r.native_calls, r.bailouts) == (None, 0, 0, 0)
    assert str(report).splitlines() == [
        "collatz(n: int64[]) -> int",
        "  engine 'auto': 1 waiting",
        f"  {r.line}  while n != 1:",
        f"  {'':{len(str(r.line))}}      # waiting: it is compiled once it has taken 10 ms in Python",
    ]


def test_loops_that_are_excluded(monkeypatch):
    """Loops with ops that are never compiled are listed, too; the loops inside of them are regions."""
    monkeypatch.setattr(native, "is_available", lambda: True)
    report = report_of(sorted_sums, engine="auto", input_signature=VECTOR)
    assert [(r.kind, r.state) for r in report.regions] == [("for loop", "in Python"), ("for loop", "waiting")]
    [r] = report_of(bounded, np.int64(9), engine="auto").regions
    assert (r.state, r.why) == ("in Python", "its number of iterations is bounded")


@pytest.mark.needs("llvmlite")
def test_compiled_before_the_first_call(cache):
    required("llvmlite")
    report = report_of(collatz, np.int64(1), engine="native")
    [r] = report.regions
    assert (r.state, r.why, r.from_cache) == ("native", "", False)
    assert r.compile_seconds > 0
    assert report.summary == "engine 'native': 1 native"
    assert str(report).splitlines()[3].strip().startswith("# native, compiled in ")
    [r] = report_of(collatz, np.int64(1), engine="native").regions
    assert r.from_cache


@pytest.mark.needs("llvmlite")
def test_a_chain_is_a_region(cache):
    """Operations that follow each other on a large array are one region, marked at the first of them."""
    required("llvmlite")
    f = ag.function(lambda x: (x + 1) * x - 2, engine="native")
    x = np.linspace(-1, 1, 5000)
    assert np.array_equal(f(x), (x + 1) * x - 2)
    report = f.get_concrete_function(x).engine_report()
    [r] = report.regions
    assert (r.state, r.kind) == ("native", "chain of array operations")
    [marked] = [line for line in report.graph_text.splitlines() if "[native]" in line]
    assert " = add(" in marked


@pytest.mark.needs("llvmlite")
def test_the_graph_marks_regions(cache):
    """Marks appear in the text of the report, not in the graph."""
    required("llvmlite")
    trace = ag.function(sorted_sums, engine="native", input_signature=VECTOR).get_concrete_function()
    text = trace.engine_report().graph_text
    assert [line.split("[")[1].split("]")[0] for line in text.splitlines() if " = for(" in line] == [
        "in Python", "native",
    ]  # fmt: skip
    plain = ag.function(sorted_sums, engine="numpy", input_signature=VECTOR).get_concrete_function()
    assert str(trace.graph) == str(plain.graph)
    assert trace.graph.equals(plain.graph)


@pytest.mark.needs("llvmlite")
def test_calls_that_were_timed(cache, monkeypatch, caplog):
    """A hot region is compiled in the background; calls before and after are timed."""
    required("llvmlite")
    caplog.set_level(logging.INFO, "autograph_rs.native")
    monkeypatch.setattr(region, "HOT_SECONDS", 0.0)
    f = ag.function(collatz, engine="auto")
    assert f(np.int64(27)) == 111
    wait_for_compilation()
    assert f(np.int64(27)) == 111
    [r] = f.traces()[0].engine_report().regions
    assert (r.state, r.python_calls, r.native_calls) == ("native", 1, 1)
    assert r.python_seconds > 0
    assert r.native_seconds > 0
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"compiled the loop at {__file__}:{r.line} in ")


@pytest.mark.needs("llvmlite")
def test_bailouts_are_counted(cache):
    """An int that exceeds 64 bits leaves machine code."""
    required("llvmlite")
    f = ag.function(powers, engine="native")
    assert f(np.int64(10)) == 3**10
    [before] = f.traces()[0].engine_report().regions
    assert f(np.int64(60)) == 3**60
    [after] = f.traces()[0].engine_report().regions
    assert before.bailouts == 0
    assert after.bailouts > 0
    assert "bailout" in str(f.traces()[0].engine_report())


@pytest.mark.needs("llvmlite")
def test_a_llvmlite_that_is_too_old(cache, monkeypatch):
    """The loops stay in Python, and the report says why."""
    binding = required("llvmlite.binding")
    monkeypatch.setattr(binding, "llvm_version_info", (15, 0, 7))
    llvm._binding.cache_clear()
    try:
        f = ag.function(collatz, engine="native")
        assert f(np.int64(27)) == 111
        [r] = f.traces()[0].engine_report().regions
    finally:
        llvm._binding.cache_clear()
    assert (r.state, r.why) == ("in Python", "the installed llvmlite is older than 0.45")


def square_sum(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


@pytest.mark.parametrize("engine", ["auto", pytest.param("native", marks=pytest.mark.needs("llvmlite"))])
def test_loops_of_a_gradient(engine, cache, monkeypatch):
    """The backward loop has the place of the loop that it differentiates."""
    if engine == "native":
        required("llvmlite")
    monkeypatch.setattr(native, "is_available", lambda: True)
    f = ag.function(square_sum, engine=engine)
    report = ag.grad(f).get_concrete_function(np.arange(3.0)).engine_report()
    place = (__file__, line_in(square_sum, 2), "for x in xs:")
    assert [(r.file, r.line, r.text) for r in report.regions] == [place, place]


ROW = RegionReport(
    "/home/a/model.py", 7, "for x in xs:", "for loop", "native", compile_seconds=0.01234, from_cache=True,
    python_seconds=0.0045678, python_calls=1, native_seconds=3.25e-6, native_calls=8, bailouts=2,
)  # fmt: skip


def test_text_of_several_files():
    graph = ag.function(lambda x: x).get_concrete_function(np.ones(2)).graph
    slow = dataclasses.replace(ROW, file="/home/a/b.py", line=12, state="in Python", why="it is <slow>")
    report = EngineReport("f(xs)", "auto", (ROW, slow), graph)
    timed = "in Python 4,567.8 us (1 call timed), in machine code 3.2 us (8 calls timed), 2 bailouts"
    assert str(report).splitlines() == [
        "f(xs)",
        "  engine 'auto': 1 native, 1 in Python",
        "  model.py:7  for x in xs:",
        "                  # native, loaded in 12.3 ms",
        f"                  # {timed}",
        "     b.py:12  for x in xs:",
        "                  # in Python: it is <slow>",
        f"                  # {timed}",
    ]
    page = report._repr_html_()
    assert page.count("<tr>") == 3
    for text in ("model.py:7", "loaded in 12.3 ms", "4,567.8 us (1 call timed)", "it is &lt;slow&gt;"):
        assert text in page


def test_text_of_a_whole_graph():
    """Its times are those of whole calls."""
    graph = ag.function(lambda x: x).get_concrete_function(np.ones(2)).graph
    report = EngineReport("f(xs)", "auto", (ROW,), graph, dataclasses.replace(ROW, bailouts=0))
    timed = "with Python around the loops 4,567.8 us (1 call timed), as machine code 3.2 us (8 calls timed)"
    assert str(report).splitlines()[5:] == [
        "     code around the loops",
        "         # native, loaded in 12.3 ms",
        f"         # whole call: {timed}",
    ]


def test_a_report_is_data():
    report = report_of(collatz, np.int64(1), engine="auto")
    assert report == report_of(collatz, np.int64(1), engine="auto")
    assert hash(report.regions) == hash(report_of(collatz, np.int64(1), engine="auto").regions)
    assert isinstance(report, ag.EngineReport)
