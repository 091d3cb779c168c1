"""Breakpoints, steps and variables of converted code in `pdb`, and in our own `autograph_rs.debugging.Pdb`.

Each debugger runs in a process of its own, on a terminal, and is typed to.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import pexpect
import pytest
from breadth import some
from debugging_support import line_of, python

PROGRAM = """\
import autograph_rs as ag


def scale(x):
    if x > 2:
        return x * 2
    return x


def collect(xs, limit):
    total = 0  # first
    seen = []
    for x in xs:  # loop
        if x > limit and x:  # if
            total = total + x  # body
            seen.append(scale(x))
        elif x == limit:  # elif
            seen.append(-x)
        else:
            continue  # continue
        total += 0  # after
    return total, seen  # return


def count(n):
    steps = 0
    while n > 1:  # while
        if n % 2:
            n = 3 * n + 1
        else:
            n = n // 2  # halve
        steps += 1  # round
    return steps


def find(xs, wanted):
    for i, x in enumerate(xs):
        try:
            with open(__file__):
                if wanted / x == 1:
                    return i  # found
        except ZeroDivisionError:
            found = sorted(xs)  # handler
            breakpoint()
            x = found
    return None


class Counter:
    def __init__(self):
        self.count = 0

    def add(self, x):
        for _ in range(x):
            def more(y):
                if y > 0:
                    self.count += y  # method
                return y
            more(x)  # more
        return self.count


def numbers(n):
    for i in range(n):
        if i % 2:
            yield i  # yield


def doubled(x):
    if x.sum() > 0:
        y = x * 2  # staged
    else:
        y = x
    for v in x:
        y = y + v  # staged loop
    return y


"""
STEPS = {mark: line_of(PROGRAM, mark) for mark in re.findall(r"# (.+)\n", PROGRAM)}
CALLS = {
    "collect": "print(to_graph(collect)([1, 2, 3], 2))",
    "fails": "print(to_graph(collect)([1, None], 2))",
    "count": "print(to_graph(count)(3))",
    "find": "print(to_graph(find)([0, 1, 2], 2))",
    "method": "print(to_graph(Counter.add)(Counter(), 2))",
    "numbers": "print(list(to_graph(numbers)(4)))",
    "doubled": "import numpy as np; print(ag.function(doubled)(np.array([1.0, 2.0])))",
}


def write(folder: Path, call: str, *, plain: bool = False) -> Path:
    """The program in a file of its own, with one call, converted or plain."""
    file = folder / "user_code.py"
    to_graph = "to_graph = lambda f: f" if plain else "to_graph = ag.to_graph"
    file.write_text(f"{PROGRAM}\n\n{to_graph}\n{CALLS[call]}\n", encoding="utf-8")
    return file


class Session:
    """A debugger on a terminal."""

    def __init__(self, folder: Path, call: str, *, plain: bool = False, ours: bool = True):
        self.file = write(folder, call, plain=plain)
        module = "autograph_rs.debugging" if ours else "pdb"
        self.child = pexpect.spawn(
            sys.executable, ["-m", module, str(self.file)], cwd=str(folder), timeout=300, encoding="utf-8",
            echo=False, dimensions=(60, 200),
        )  # fmt: skip
        self.read()

    def read(self) -> str:
        self.child.expect_exact("(Pdb) ")
        return self.child.before.replace("\r", "").strip()

    def __call__(self, *commands: str) -> str:
        """Return the debugger's output for the last of some commands."""
        for command in commands:
            self.child.sendline(command)
            found = self.read()
        return found

    def lines(self, *commands: str) -> list[int]:
        """The lines of the user's file where the debugger stops after each command; -1 at a return."""
        found = []
        for command in commands:
            shown = self(command)
            stop = re.findall(rf"> {re.escape(str(self.file))}\((\d+)\)", shown)
            found.append(-1 if "--Return--" in shown else int(stop[-1]) if stop else 0)
        return found

    def at(self, mark: str) -> Session:
        """The session at a line, which is reached by a breakpoint."""
        self(f"break {self.file}:{STEPS[mark]}", "continue")
        return self

    def close(self) -> None:
        self.child.close(force=True)


@pytest.fixture
def session(tmp_path):
    """Start debuggers, and end them with the test."""
    started: list[Session] = []

    def start(call: str, **options) -> Session:
        started.append(Session(tmp_path, call, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()


def both(session, call: str, mark: str, *commands: str) -> tuple[list[int], list[int]]:
    """Return where the same commands lead from a line, in the original and in the converted program."""
    plain = session(call, plain=True, ours=False).at(mark).lines(*commands)
    return plain, session(call).at(mark).lines(*commands)


# --- Our own --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "mark", "steps"),
    [
        ("collect", "first", 16),
        ("count", "while", 26),
        ("find", "handler", 3),
        ("method", "more", 5),
        ("numbers", "yield", 5),
    ],
)
def test_next_goes_where_it_goes_in_the_original(session, call, mark, steps):
    """From branch to branch, round to round, out of handlers and methods: line for line."""
    plain, made = both(session, call, mark, *["next"] * steps)
    assert 0 not in plain
    assert made == plain


def test_step_enters_what_the_user_wrote(session):
    """A called function is entered and left; no operator is."""
    plain, made = both(session, "collect", "body", "next", *["step"] * 6)
    assert made == plain


@pytest.mark.slow
@pytest.mark.parametrize("command", ["until", "return"])
def test_until_and_return(session, command):
    """`until` leaves the loop, `return` runs to the end of the function and not of a closure."""
    plain, made = both(session, "collect", "after", "clear 1", command, "next")
    assert made == plain
    assert made[1] in (STEPS["return"], -1)


def test_where_up_and_down_show_the_users_frames(session):
    """One entry for the function, at the line where it is, however deep its closures."""
    started = session("method").at("method")
    shown = re.findall(r"(\w+\.py)\(\d+\)([<>\w]+)\(\)", started("where"))
    assert [function for name, function in shown if name == "user_code.py"] == ["<module>", "add", "more"]
    assert {name for name, _ in shown} <= {"user_code.py", "pdb.py", "bdb.py"}
    assert "add()" in started("up")
    assert "more(x)" in started("list")
    assert started("p x") == "2"
    assert "<module>" in started("up")
    assert "more()" in started("down", "down")


def test_variables_have_the_users_names(session):
    """All variables of the function can be read from a branch of a loop, and no others are there."""
    started = session("collect").at("after")
    assert started("p xs, limit, total, seen, x") == "([1, 2, 3], 2, 0, [-2], 2)"
    assert started("pp sorted(locals())") == "['limit', 'seen', 'total', 'x', 'xs']"
    assert started("args").split("\n") == ["xs = [1, 2, 3]", "limit = 2"]
    started = session("find").at("found")
    assert started("pp sorted(n for n in locals() if n[0] != '_')") == "['found', 'i', 'wanted', 'x', 'xs']"


def test_variables_are_changed(session):
    """From a closure that knows a variable and from one that does not."""
    started = session("collect").at("continue")
    started("!total = 100", "!limit = 0", "clear 1")
    assert started("p total, limit") == "(100, 0)"
    started.at("after")
    assert started("p total, limit, x") == "(102, 0, 2)"
    assert "(105, [2, 6])" in started("clear 2", "continue")


def test_longlist_shows_the_whole_function(session):
    shown = session("collect").at("body")("longlist")
    assert re.match(rf"{STEPS['first'] - 1}\s+def collect", shown)
    assert re.search(rf"{STEPS['body']}.*->.*total = total \+ x", shown)
    assert "return total, seen" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "mark"),
    [
        *(("collect", mark) for mark in some(("loop", "elif"), ("loop", "if", "elif", "body", "after"))),
        *(("count", mark) for mark in some(("while",), ("while", "round", "halve"))),
    ],
)
def test_a_breakpoint_stops_as_often_as_in_the_original(session, call, mark):
    """The header of a loop counts each round; a condition with `and` counts once."""

    def stops(**options) -> int:
        started, found = session(call, **options).at(mark), 1
        while started.lines("continue") == [STEPS[mark]]:
            found += 1
            assert found < 20
        return found

    assert stops() == stops(plain=True, ours=False)


def test_conditional_and_temporary_breakpoints(session):
    started = session("collect")
    started(f"tbreak {started.file}:{STEPS['loop']}", f"break {started.file}:{STEPS['if']}, x == 3")
    assert started.lines("continue", "continue") == [STEPS["loop"], STEPS["if"]]
    assert started("p x, total") == "(3, 0)"


def test_breakpoint_in_converted_code(session):
    """`breakpoint()` stops in the user's function, in a handler in a loop."""
    started = session("find")
    place = STEPS["handler"] + 1
    [line] = started.lines("continue")
    assert line in (place, place + 1)  # since Python 3.13 at the call, before that behind it
    assert started("p found, wanted, i") == "([0, 1, 2], 2, 0)"
    assert "find()" in started("where").splitlines()[-2]


def test_steps_while_a_function_is_traced(session):
    """Both branches are gone through; the tensors are there by name."""
    started = session("doubled").at("staged")
    assert started("p x").startswith("<staged float64")
    assert started("pp sorted(locals())") == "['x']"
    assert started.lines("next") == [STEPS["staged"] + 2]
    assert started("next", "p y").startswith("<staged")
    started.at("staged loop")
    assert started("p v").startswith("<staged")
    assert re.findall(r"user_code.py\(\d+\)(\w+)", started("where"))[-1] == "doubled"
    assert started("where").count("doubled()") == 1


def test_errors_stop_once_and_post_mortem_shows_the_users_frames(session):
    started = session("fails")
    shown = started("continue")
    assert "Entering post mortem debugging" in shown
    assert started("p x, seen") == "(None, [])"
    assert started("where").count("collect()") == 1
    assert "<module>()" in started("up")


# --- Python's own ---------------------------------------------------------------------------------


def test_python_s_own_pdb_stops_and_prints(session):
    started = session("collect", ours=False).at("body")
    assert started("p x, total") == "(3, 0)"
    assert "collect()" in started("where").splitlines()[-2]


def test_skip_keeps_python_s_own_pdb_out_of_operators(tmp_path):
    """With `skip`, `step` goes from user's line to user's line: where `next` would run the whole loop."""
    write(tmp_path, "count")
    script = "import pdb, user_code\nimport autograph_rs as ag\n"
    script += "f = ag.to_graph(user_code.collect)\n"
    script += "pdb.Pdb(skip=['autograph_rs.*']).runcall(f, [3], 2)\n"
    done = python("-c", script, cwd=tmp_path, text="step\n" * 14)
    found = re.findall(r"> (\S+)\((\d+)\)(\w+)\(\)", done.stdout)
    stops = list(itertools.takewhile(lambda stop: Path(stop[0]).name == "user_code.py", found))
    assert not any("autograph_rs" in name for name, *_ in found)  # after the call comes the end of Python
    names = ("first", "loop", "if", "body")
    lines = [int(line) for _, line, _ in stops]
    assert [line for line in lines if line in [STEPS[n] for n in names]][:1] == [STEPS["first"]]
    assert {STEPS[name] for name in names} <= set(lines)


def test_breakpoint_hook(tmp_path):
    """`PYTHONBREAKPOINT` names the function."""
    write(tmp_path, "find")
    hook = {"PYTHONBREAKPOINT": "autograph_rs.debugging.set_trace"}
    done = python("user_code.py", cwd=tmp_path, text="p found\np sorted(locals())[0]\nc\n", **hook)
    assert "[0, 1, 2]" in done.stdout, done.stderr
    assert "'found'" in done.stdout
