"""Breakpoints, steps and variables of converted code in debugpy, by its own adapter, as editors use it."""

from __future__ import annotations

from pathlib import Path

import pytest
from backends.support import required
from dap import Client
from debugging_support import line_of

required("debugpy")

PROGRAM = """\
import numpy as np

import autograph_rs as ag


def scale(x):
    return x * 2  # callee


def collect(xs, limit):
    seen = []
    for x in xs:  # loop
        if x > limit:  # if
            seen.append(scale(x))  # body
        else:
            seen.append(-x)  # else
    return seen  # return


def positive(x):
    if x.sum() > 0:
        y = x * 2  # staged
    else:
        y = -x  # staged else
    return y


print(ag.to_graph(collect)([1, 5, 3], 2))
print(ag.function(positive)(np.ones(2)))
"""
LINES = {
    mark: line_of(PROGRAM, mark)
    for mark in ("callee", "loop", "if", "body", "else", "return", "staged", "staged else")
}
HIDDEN = {"rules": [{"module": "autograph_rs", "include": False}]}
"""What docs/debugging.md says to write into the editor's launch configuration."""


@pytest.fixture
def client(tmp_path):
    """Start a program under the debugger, with breakpoints at marked lines."""
    started: list[Client] = []

    def start(*marks: str, condition: str | None = None, **options) -> Client:
        file = tmp_path / "user_code.py"
        file.write_text(PROGRAM, encoding="utf-8")
        started.append(Client(file, **{"justMyCode": False, **HIDDEN, **options}))
        started[-1].run(file, *(LINES[mark] for mark in marks), condition=condition)
        return started[-1]

    yield start
    for each in started:
        each.close()


def places(stack) -> list[tuple[str, int]]:
    """Functions and lines of the stack, without what starts the program."""
    shown = [frame for frame in stack if frame.get("presentationHint") != "subtle"]
    assert {Path(frame["source"]["path"]).name for frame in shown} <= {"user_code.py"}, shown
    return [(frame["name"], frame["line"]) for frame in shown]


@pytest.mark.parametrize(("mark", "times"), [("loop", 4), ("if", 3), ("body", 2), ("else", 1), ("return", 1)])
def test_a_breakpoint_stops_once_per_execution(client, mark, times):
    """The header of a loop is executed once more than its body, as in Python."""
    session = client(mark)
    stacks = [session.stopped()]
    while stacks[-1]:
        assert places(stacks[-1])[0] == ("collect", LINES[mark])
        stacks.append(session.go("continue"))
    assert len(stacks) - 1 == times


def test_a_conditional_breakpoint_reads_the_users_variables(client):
    session = client("if", condition="x == 3")
    [top, *_] = session.stopped()
    shown = session.variables(top)
    assert shown["x"] == "3"
    assert shown["limit"] == "2"
    assert session.request("evaluate", expression="x + limit", frameId=top["id"])["result"] == "5"
    assert session.go("continue") == []


def test_step_into_goes_from_line_to_line(client):
    """Through the loop, the branches and what is called, and never into an operator."""
    session = client("loop")
    stacks = [session.stopped()]
    stacks += [session.go("stepIn") for _ in range(5)]
    expected = [
        ("collect", LINES["loop"]),
        ("collect", LINES["if"]),
        ("collect", LINES["else"]),
    ]
    assert [places(stack)[0] for stack in stacks[:3]] == expected
    for stack in stacks:
        assert {name for name, _ in places(stack)} == {"collect", "<module>"}


def test_step_over_and_out_of_a_branch(client):
    """At the end of a branch the function goes on; out of it the loop does."""
    session = client("body")
    session.stopped()
    lines = {places(session.go("next"))[0] for _ in range(2)}
    assert lines <= {("collect", LINES[mark]) for mark in ("if", "loop")}
    assert places(session.go("stepOut"))[-1][0] == "<module>"


def test_a_called_function_is_entered_and_left(client):
    session = client("callee")
    stack = places(session.stopped())
    assert stack[0] == ("scale", LINES["callee"])
    assert stack[1] == ("collect", LINES["body"])
    assert places(session.go("stepOut"))[0] == ("collect", LINES["body"])


def test_a_breakpoint_stops_while_a_function_is_traced(client):
    """In both branches, with the staged values by their names."""
    session = client("staged", "staged else")
    [top, *_] = session.stopped()
    assert (top["name"], top["line"]) == ("positive", LINES["staged"])
    assert session.variables(top)["x"].startswith("<staged float64")
    [top, *_] = session.go("continue")
    assert top["line"] == LINES["staged else"]
