"""Tracebacks of functions on the embedded graph."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
from failing import DEFERRED, FILE, TRACED, Failing, from_another, mismatch
from tracebacks import (
    DEFERRED_ONES,
    RUN_ONES,
    TRACED_ONES,
    by_name,
    check_traced,
    error_of,
    keeps_frames,
    lines_of_plain_run,
    no_frame_of_ours,
    shown_with,
    user_lines,
)

import autograph_rs as ag

ALL_ONES = pytest.mark.parametrize("failing", TRACED + DEFERRED, ids=by_name)


def run(program):
    return ag.function(program)(np.float64(2.0))


@TRACED_ONES
def test_errors_of_a_trace(failing: Failing):
    check_traced(run, failing)


@DEFERRED_ONES
def test_deferred_errors_of_a_trace(failing: Failing):
    check_traced(run, failing)


@ALL_ONES
def test_errors_of_converted_code_on_plain_values(failing: Failing):
    if failing.program is mismatch:
        assert ag.to_graph(mismatch)(2.0) == 1.0
    else:
        error = check_traced(lambda program: ag.to_graph(program)(2.0), failing)
        plain = dict.fromkeys(lines_of_plain_run(failing.program))
        assert [*dict.fromkeys(user_lines(error))] == [*plain]


@RUN_ONES
def test_errors_of_the_program(failing: Failing):
    """They are the user's own, with the user's lines."""
    error = error_of(run, failing.program)
    no_frame_of_ours(error)
    assert type(error) is failing.kind
    if failing.args is not None:
        assert error.args == failing.args
    assert user_lines(error)[-1] == failing.lines[-1]
    assert tuple(map(type, shown_with(error))) == failing.members
    assert traceback.extract_tb(error.__traceback__)[-1].filename == FILE


def test_errors_of_numpy_have_the_users_line_last():
    def f(x):
        if x > 0:
            x = x + np.ones((2, 3)) @ np.ones((2, 3))
        return x

    error = error_of(run, f)
    no_frame_of_ours(error)
    assert isinstance(error, ValueError)
    assert traceback.extract_tb(error.__traceback__)[-1].lineno == f.__code__.co_firstlineno + 2


def test_every_frame_where_it_is_asked_for():
    keeps_frames("import numpy as np", "ag.function(failing.name)(np.float64(2.0))")


def test_a_cause_makes_it_no_other_graph():
    """It is no part of a file."""
    graph = ag.function(from_another).get_concrete_function(np.float64(2.0)).graph
    again = ag.Graph.from_json(graph.to_json())
    assert graph.equals(again)
