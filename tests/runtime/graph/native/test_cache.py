"""The cache of object code: what it trusts, what it keeps, and what survives a killed process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from autograph_rs.runtime.graph.native.linking import cache

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
    assert [p.suffix for p in directory.iterdir()] == [".o"]


DAMAGES = (
    lambda d: d[:-1],
    lambda d: d[:10],
    lambda _: b"",
    lambda d: d[:-1] + b"x",
    lambda d: d.replace(b"native 1", b"native 0"),
    lambda d: d + b"x",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_ignored(directory, damage):
    """A file that is not what was written is as good as none, and is replaced."""
    cache.store(KEY, b"code")
    [path] = directory.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load(KEY) is None
    cache.store(KEY, b"new")
    assert cache.load(KEY) == b"new"


@POSIX
def test_what_others_may_write_is_ignored(directory):
    """Object code is executed, so nobody else may be able to change it."""
    cache.store(KEY, b"code")
    [path] = directory.iterdir()
    path.chmod(0o666)
    assert cache.load(KEY) is None
    path.chmod(0o600)
    assert cache.load(KEY) == b"code"
    directory.chmod(0o777)
    assert cache.load(KEY) is None
    cache.store(cache.key_of("other"), b"code")
    assert len(list(directory.iterdir())) == 1


@POSIX
def test_links_are_not_followed(directory, tmp_path):
    """A link could lead to a file of somebody else."""
    cache.store(KEY, b"code")
    [path] = directory.iterdir()
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
    """The entries together stay below a size; a use makes an entry young."""
    monkeypatch.setattr(cache, "MAX_BYTES", 3500)
    keys = [cache.key_of(str(i)) for i in range(4)]
    for age, key in enumerate(keys[:3]):
        cache.store(key, bytes(1000))
        os.utime(directory / f"{key}.o", (1000 + age, 1000 + age))
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
    assert len(list(directory.iterdir())) == 1


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


def test_a_killed_writer(directory):
    """A process that dies at any step leaves whole entries or none."""
    for steps in (0, 1, 2, 4, 6):
        result = subprocess.run([sys.executable, "-c", KILLED, str(steps)], check=False)
        assert result.returncode in (0, 9)
        for i in range(3):
            assert cache.load(cache.key_of(str(i))) in (None, bytes([i]) * 5000)
    cache.store(KEY, b"code")
    assert cache.load(KEY) == b"code"
