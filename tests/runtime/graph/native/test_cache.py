"""The cache of object code: what it trusts, what it keeps, and what survives a killed process."""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import threading

import numpy as np
import pytest
from breadth import some
from native_support import described, needs_llvm

import autograph_rs as ag
from autograph_rs.runtime.graph.ir.graph import Graph, Node
from autograph_rs.runtime.graph.native.linking import cache
from autograph_rs.runtime.graph.native.linking.keys import GraphText, UnknownValueError

KEY = cache.key_of("text", "cpu")
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no permission bits")


@pytest.fixture
def directory(tmp_path, monkeypatch):
    place = tmp_path / "cache"
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(place))
    return place


def test_an_entry_is_read_again(directory):
    """What is stored is loaded, and nothing else is."""
    assert cache.load(KEY) is None
    cache.store(KEY, b"code")
    assert cache.load(KEY) == b"code"
    assert cache.load(cache.key_of("text", "other cpu")) is None
    assert cache.key_of("a", "b") != cache.key_of("ab")
    assert [p.suffix for p in directory.rglob("*") if p.is_file()] == [".o"]


DAMAGES = (
    lambda d: d[:-1],
    lambda d: d[:10],
    lambda _: b"",
    lambda d: d[:-1] + b"x",
    lambda d: d.replace(b"native 3", b"native 0"),
    lambda d: d + b"x",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_ignored(directory, damage):
    """A file that is not what was written is as good as none, and is replaced."""
    cache.store(KEY, b"code")
    [path] = directory.rglob("*.o")
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load(KEY) is None
    cache.store(KEY, b"new")
    assert cache.load(KEY) == b"new"


@POSIX
def test_what_others_may_write_is_ignored(directory):
    """Object code is executed, so nobody else may be able to change it."""
    cache.store(KEY, b"code")
    [path] = directory.rglob("*.o")
    path.chmod(0o666)
    assert cache.load(KEY) is None
    path.chmod(0o600)
    for part in (path.parent, directory):
        assert cache.load(KEY) == b"code"
        part.chmod(0o777)
        assert cache.load(KEY) is None
        cache.store(KEY, b"other code")
        part.chmod(0o700)
    assert cache.load(KEY) == b"code"


@POSIX
def test_links_are_not_followed(directory, tmp_path):
    """A link could lead to a file of somebody else."""
    cache.store(KEY, b"code")
    [path] = directory.rglob("*.o")
    target = tmp_path / "elsewhere"
    path.rename(target)
    target.chmod(0o666)
    path.symlink_to(target)
    assert cache.load(KEY) is None


def test_the_setting(monkeypatch, tmp_path):
    """The cache can be elsewhere, or off."""
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", "off")
    assert cache.cache_directory() is None
    cache.store(KEY, b"code")
    assert cache.load(KEY) is None
    monkeypatch.delenv("AUTOGRAPH_RS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache.cache_directory().parts[-2:] == ("autograph_rs", "native")


def test_a_place_that_cannot_be_written_to(monkeypatch, tmp_path):
    """A cache that cannot be created is as good as none."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "file" / "cache"))
    cache.store(KEY, b"code")
    assert cache.load(KEY) is None
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "file"))
    cache.store(KEY, b"code")
    assert cache.load(KEY) is None


def test_the_oldest_entries_are_deleted(directory, monkeypatch):
    """The entries of a subdirectory together stay below a size; a use makes an entry young."""
    monkeypatch.setattr(cache, "MAX_BYTES", 3500 * cache.DIRECTORIES)
    keys = [key for i in range(1000) if (key := cache.key_of(str(i))).startswith("a")][:4]
    for age, key in enumerate(keys[:3]):
        cache.store(key, bytes(1000))
        os.utime(directory / "a" / f"{key}.o", (1000 + age, 1000 + age))
    assert cache.load(keys[0]) is not None
    cache.store(keys[3], bytes(1000))
    assert [cache.load(key) is not None for key in keys] == [True, False, True, True]


def test_concurrent_writers(directory):
    """Writers of one entry do not disturb each other, and a reader sees a whole entry or none."""
    codes = [bytes([i]) * 20_000 for i in range(4)]
    seen: set[bytes | None] = set()

    def work(code: bytes) -> None:
        for _ in range(20):
            cache.store(KEY, code)
            seen.add(cache.load(KEY))

    threads = [threading.Thread(target=work, args=(code,)) for code in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen <= {*codes, None} and cache.load(KEY) in codes
    assert len([path for path in directory.rglob("*") if path.is_file()]) == 1


KILLED = """
import os, sys
from autograph_rs.runtime.graph.native.linking import cache
steps = int(sys.argv[1])
def count(event, arguments):
    global steps
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.utime"):
        steps -= 1
        if steps < 0:
            os._exit(9)  # at once, like a kill: nothing is flushed or cleaned up
sys.addaudithook(count)
for i in range(3):
    cache.store(cache.key_of(str(i)), bytes([i]) * 5000)
"""


@pytest.mark.slow
def test_a_killed_writer(directory):
    """A process that dies at any step leaves whole entries or none."""
    for steps in (0, 1, 2, 4, 6):
        result = subprocess.run([sys.executable, "-c", KILLED, str(steps)], check=False)
        assert result.returncode in (0, 9)
        for i in range(3):
            assert cache.load(cache.key_of(str(i))) in (None, bytes([i]) * 5000)
    cache.store(KEY, b"code")
    assert cache.load(KEY) == b"code"


KILLED_AT_RANDOM = """
import itertools
from autograph_rs.runtime.graph.native.linking import cache
print("begun", flush=True)
for i in itertools.count():
    cache.store(cache.key_of(str(i % 7)), bytes([i % 7]) * 200_000)
"""


@pytest.mark.slow
@POSIX
def test_a_writer_that_is_killed_by_a_signal(directory):
    """Wherever SIGKILL hits a writer, what is left is whole."""
    rng = random.Random(5)
    for _ in range(some(4, 30)):
        with subprocess.Popen([sys.executable, "-c", KILLED_AT_RANDOM], stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            select.select([], [], [], rng.random() * 0.02)
            writer.kill()
        for i in range(7):
            assert cache.load(cache.key_of(str(i))) in (None, bytes([i]) * 200_000)
    cache.store(KEY, b"code")
    assert cache.load(KEY) == b"code"


# --- Entries --------------------------------------------------------------------------------------


def grows(x, y, n):
    """Leave 64 bits in the middle of a loop within a loop."""
    rows, total, bound = [], 1, 0
    for i in range(n):
        row = y * i
        row[0] = x[i]
        for _ in range(3):
            total = total * 3 + i
        if total % 2:
            bound += i
        rows.append(row)
    return total, bound, rows


@needs_llvm
def test_machine_code_from_the_cache_gives_up_like_new_code(directory):
    """Where a region may give up, and what it hands out there, is kept with its code."""
    x, y, n = np.arange(60.0), np.ones(2), np.int64(40)
    expected = described(grows(x, y, int(n)))
    for is_cached in (False, True):
        function = ag.function(grows, engine="native")
        assert described(function(x, y, n)) == expected
        [row] = function.traces()[0].engine_report().regions
        assert (row.state, row.from_cache, row.bailouts > 0) == ("native", is_cached, True)


@needs_llvm
def test_what_differs_in_a_graph_has_another_key():
    """The key depends on constants, their types and bits, dtypes, ops, and the order of inputs."""

    def text(function, dtype="float64"):
        graph = ag.function(function).get_concrete_function(ag.TensorSpec((None,), dtype)).graph
        return GraphText(graph).text

    functions = (
        lambda x: x * 2.0, lambda x: x * -2.0, lambda x: x * 2, lambda x: x + 2.0, lambda x: x - 2.0,
        lambda x: 2.0 - x, lambda x: x * 0.0, lambda x: x * -0.0, lambda x: np.minimum(x, 2.0),
        lambda x: np.maximum(x, 2.0), lambda x: x[1:], lambda x: x[:1], lambda x: x[1], lambda x: x[-1],
        lambda x: np.where(x > 0, x, 1.0), lambda x: np.where(x > 0, 1.0, x),
    )  # fmt: skip
    texts = [text(f) for f in functions] + [text(functions[0], "float32")]
    assert len(set(texts)) == len(texts)
    assert text(lambda x: x * 2.0) == texts[0]


def text_with(value):
    graph = Graph("attribute")
    graph.nodes = [Node("call", (), {"function": value}, None, ())]
    return GraphText(graph).text


def test_classes_have_a_text_even_if_their_objects_have_no_hash():
    class Table(dict):
        pass

    assert len({text_with(kind) for kind in (list, dict, np.ndarray)}) == 3
    with pytest.raises(UnknownValueError):
        text_with(Table())
