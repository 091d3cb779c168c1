"""Linked machine code: how it is loaded without LLVM, and what is left to LLVM."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys

import numpy as np
import pytest
from native_support import engine_of, needs_llvm

import autograph_rs as ag
from autograph_rs.runtime.graph.native import background, region
from autograph_rs.runtime.graph.native.assembly.statuses import Mode
from autograph_rs.runtime.graph.native.codegen.layout import FUNCTIONS
from autograph_rs.runtime.graph.native.codegen.region import compile_region
from autograph_rs.runtime.graph.native.linking import compilation, images, keys, llvm

pytestmark = needs_llvm
HAS_IMAGES = sys.platform == "linux" and platform.machine() == "x86_64"
linux_only = pytest.mark.skipif(not HAS_IMAGES, reason="object files of another format are left to LLVM")


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def exponentials(x, n):
    """Call a loop of NumPy, allocate, and read constants."""
    for i in range(n):
        x = np.exp(x * 0.125) + np.where(x > i, x, -1.0)
    return x


def two_loops(n):
    first, second = 0, 0
    for i in range(n):
        first += i
    for i in range(n):
        second += first - i
    return second


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "cache"))


def object_file(function, *arguments) -> bytes:
    """Return the object file of the loop of a function."""
    auto = ag.function(function, engine="auto")
    auto.get_concrete_function(*arguments)
    [loop] = engine_of(auto).regions
    return llvm.object_code(compile_region(loop.graph, Mode.FLAGS)[0])


def from_cache(function, *arguments) -> tuple[bool, object]:
    """Return whether the loop was in the cache, and the result of a call."""
    native = ag.function(function, engine="native")
    result = native(*arguments)
    [row] = native.traces()[0].engine_report().regions
    assert row.state == "native"
    return row.from_cache, result


FRESH = """
import sys
import numpy as np
import autograph_rs as ag
from test_images import collatz, exponentials
for f, args in ((collatz, (np.int64(27),)), (exponentials, (np.arange(5.0), np.int64(3)))):
    native = ag.function(f, engine="native")
    print(np.sum(native(*args)), native.traces()[0].engine_report().regions[0].from_cache)
print("llvmlite.binding" in sys.modules)
"""


@linux_only
def test_llvm_is_not_loaded_for_code_in_the_cache(directory):
    """A process that finds its machine code in the cache does without LLVM."""
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-c", FRESH]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    )
    total = str(np.sum(exponentials(np.arange(5.0), 3)))
    assert first == ["111", "False", total, "False", "True"]
    assert second == ["111", "True", total, "True", "False"]


@linux_only
def test_loops_beside_a_hot_one_are_loaded_with_it(directory, monkeypatch):
    """Code in the cache is used at once: no thread compiles, and the other loops need not become hot."""
    native = ag.function(two_loops, engine="native")
    expected = native(np.int64(1000))
    monkeypatch.setattr(region, "HOT_SECONDS", 0)
    monkeypatch.setattr(background.WORKER, "submit", None)
    auto = ag.function(two_loops, engine="auto")
    assert auto(np.int64(1000)) == expected == two_loops(1000)
    assert [(loop.ready, loop.from_cache) for loop in engine_of(auto).regions] == [(True, True)] * 2
    assert [auto(np.int64(n)) for n in range(50)] == [two_loops(n) for n in range(50)]


@pytest.mark.parametrize(
    ("function", "arguments"), [(collatz, (np.int64(27),)), (exponentials, (np.arange(5.0), np.int64(3)))]
)
def test_object_files_are_linked_by_llvm_where_they_are_not_understood(
    directory, monkeypatch, function, arguments
):
    """Without images, the cache keeps object files."""
    monkeypatch.setattr(compilation, "link", lambda *_: None)
    monkeypatch.setattr(compilation, "LoadedImage", None)
    for is_cached in (False, True):
        found, result = from_cache(function, *arguments)
        assert found is is_cached
        np.testing.assert_array_equal(result, function(*arguments))


# --- Linking --------------------------------------------------------------------------------------


@linux_only
def test_what_is_not_understood_has_no_image():
    """An object file of another format, with another relocation or with an unknown function."""
    code = object_file(exponentials, np.arange(5.0), np.int64(3))
    image = images.link(code, FUNCTIONS)
    assert image is not None and set(image.functions) == set(FUNCTIONS)
    assert images.link(b"\xcf\xfa\xed\xfe" + code[4:], FUNCTIONS) is None
    assert images.link(code[:18] + struct.pack("<H", 183) + code[20:], FUNCTIONS) is None  # of ARM
    assert images.link(code.replace(b"PyEval_SaveThread", b"PyEval_SaveThreaX"), FUNCTIONS) is None
    slot = struct.pack("<I", 27)
    places = [i for i in range(len(code) - 4) if code[i : i + 4] == slot]
    changed = bytearray(code)
    for place in places:
        changed[place : place + 4] = struct.pack("<I", 42)
    assert places and images.link(bytes(changed), FUNCTIONS) is None


CASES = ("add i64 %x, 7", "mul i64 %x, %x", "sdiv i64 1000, %x", "xor i64 %x, 55", "sub i64 9, %x")
SWITCH = "\n".join(
    [
        "declare void @PyErr_Clear()",
        "define i64 @chosen(i64 %k, i64 %x) {",
        f"switch i64 %k, label %none [{' '.join(f'i64 {i}, label %l{i}' for i in range(len(CASES)))}]",
        *(
            line
            for i, case in enumerate(CASES)
            for line in (f"l{i}:", "call void @PyErr_Clear()", f"%r{i} = {case}", f"ret i64 %r{i}")
        ),
        "none:",
        "ret i64 -1 }",
    ]
)


@linux_only
def test_tables_of_jumps_are_linked():
    """LLVM may make a table of places in the code, whose entries are distances."""
    code = llvm.object_code(SWITCH)
    assert struct.pack("<I", 24) in code  # R_X86_64_PC64
    loaded = images.LoadedImage(images.link(code, ["chosen"]))
    chosen = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(loaded.address("chosen"))
    assert [chosen(k, 3) for k in range(6)] == [10, 9, 333, 52, 6, -1]


@linux_only
def test_a_function_that_is_missing():
    """The process that loads an image may lack what the one had that linked it."""
    image = images.link(object_file(collatz, np.int64(27)), FUNCTIONS)
    lacking = images.Image(image.data, [(image.slots[0][0], "no_such_function")], image.functions)
    with pytest.raises(OSError, match="the process has no function no_such_function"):
        images.LoadedImage(lacking)


@linux_only
def test_a_system_that_forbids_to_load_code(directory, monkeypatch):
    """The reason is reported, and the loop stays in Python."""

    def refuse(_image):
        raise OSError("not permitted")

    monkeypatch.setattr(compilation, "LoadedImage", refuse)
    for _ in range(2):  # without an entry in the cache, and with one
        native = ag.function(collatz, engine="native")
        assert native(np.int64(27)) == 111
        [row] = native.traces()[0].engine_report().regions
        assert (row.state, row.why) == ("in Python", "machine code cannot be loaded: not permitted")


# --- Keys -----------------------------------------------------------------------------------------


@pytest.fixture
def target_name():
    keys.target_name.cache_clear()
    yield keys.target_name
    keys.target_name.cache_clear()


def test_llvm_names_the_processor_where_no_file_does(target_name, monkeypatch):
    def missing():
        raise FileNotFoundError

    monkeypatch.setattr(keys, "_cpu", missing)
    assert target_name() == llvm.target_name()


@linux_only
def test_the_key_has_the_features_of_the_processor(target_name):
    """Code for a processor with other features is not found."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next(line for line in file if line.startswith("flags"))
    assert flags in target_name()
    assert "llvmlite" not in target_name() and llvm.target_name() not in target_name()


@linux_only
def test_a_fault_of_loading_costs_only_speed(directory, monkeypatch):
    """Code is loaded inside the user's call, which must not fail, even where the stack is almost full."""
    native = ag.function(collatz, engine="native")
    native(np.int64(27))

    def fail(*_arguments):
        raise RecursionError

    monkeypatch.setattr(region, "HOT_SECONDS", 0)
    monkeypatch.setattr(compilation, "GraphText", fail)
    auto = ag.function(collatz, engine="auto")
    assert auto(np.int64(27)) == 111
    background.wait_for_compilation()
    assert auto(np.int64(27)) == 111
    [loop] = engine_of(auto).refused
    assert loop.reason == "the compiler failed"
