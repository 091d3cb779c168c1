"""Profilers attribute the time of converted code to the user's functions, at their lines."""

from __future__ import annotations

import cProfile
import gc
import profile
import pstats
import subprocess
import sys
import time
from pathlib import Path

import pytest
from backends.support import required_program
from debugging_support import line_of, load

import autograph_rs as ag
from autograph_rs.converters import Pipeline

PROGRAM = """\
import time

import autograph_rs as ag
from autograph_rs.converters import Pipeline


def busy(n):  # busy
    total = 0
    for i in range(n):
        if i % 2:
            total += i
        else:
            total -= i
    return total


def calls(n):  # calls
    while n > 0:
        busy(2000)
        n = n - 1
    return n


def lasts(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        if seconds > 0:
            busy(20000)  # hot
    return None


if __name__ == "__main__":
    ag.to_graph(lasts)(4)
"""


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "user_code.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return load(file)


@pytest.fixture
def no_collection():
    """Collections of garbage take time in whatever function they begin."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("profiler", [cProfile.Profile, profile.Profile])
def test_time_is_that_of_the_users_functions(module, profiler):
    """No row hides another; the function's own row has the time of all that it does."""
    converted = ag.to_graph(module.calls)
    converted(1)
    profiled = profiler(time.process_time)  # which other processes do not lengthen
    profiled.runcall(converted, 20)
    stats = pstats.Stats(profiled)
    rows = {key: row for key, row in stats.stats.items() if key[0] == module.__file__}
    assert {name for _, _, name in rows} == {"calls", "busy"}
    _, calls, _, whole, _ = rows[module.__file__, line_of(PROGRAM, "busy"), "busy"]
    assert calls == 20
    assert whole > 0.8 * stats.total_tt
    assert rows[module.__file__, line_of(PROGRAM, "calls"), "calls"][3] >= whole
    if profiler is cProfile.Profile:
        assert stats.total_tt == pytest.approx(sum(e.inlinetime for e in profiled.getstats()))


def test_closures_have_rows_of_their_own(module):
    """Each at the first line of what it holds, under the function's name, where operators call them."""
    profiled = cProfile.Profile()
    profiled.runcall(ag.Transpiler(passes=Pipeline()).to_graph(module.busy), 10)
    first = line_of(PROGRAM, "busy")
    found = {key[1] - first: row[1] for key, row in pstats.Stats(profiled).stats.items() if key[2] == "busy"}
    assert found == {0: 1, 3: 10, 4: 5, 6: 5}


def test_py_spy_samples_the_users_lines(tmp_path):
    """`py-spy record` of a converted program names the user's functions, file and lines."""
    spy = required_program(str(Path(sys.executable).with_name("py-spy")), "py-spy")
    file = tmp_path / "user_code.py"
    file.write_text(PROGRAM, encoding="utf-8")
    made = tmp_path / "samples.txt"
    command = [spy, "record", "--format", "raw", "--rate", "50", "--output", made, "--", sys.executable, file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert made.exists(), done.stderr
    stacks = [line.rpartition(" ")[0].split(";") for line in made.read_text(encoding="utf-8").splitlines()]
    inside = [stack for stack in stacks if any("busy (user_code.py" in frame for frame in stack)]
    assert len(inside) > 5, stacks
    hot = f"lasts (user_code.py:{line_of(PROGRAM, 'hot')})"
    assert all(hot in stack for stack in inside), inside[0]
