"""Tracebacks of functions that PyTorch captures or compiles."""

from __future__ import annotations

import traceback

import pytest
from failing import FILE, Failing, Scaled, caught, lines_of, name, raised
from torch_support import QUIET, Calls, exported, make_fx, torch
from tracebacks import (
    LATE_ONES,
    TRACED_ONES,
    check_run,
    check_traced,
    describe,
    error_of,
    keeps_frames,
    no_frame_of_ours,
    user_lines,
)  # fmt: skip

import autograph_rs as ag

pytestmark = QUIET
X = torch.tensor(2.0)


def captured(program):
    return make_fx(ag.convert(program))(X)


@TRACED_ONES
def test_errors_of_a_trace(failing: Failing):
    check_traced(captured, failing)


@pytest.mark.parametrize(
    "transformed",
    [
        lambda f: make_fx(ag.to_graph(f))(X),
        lambda f: make_fx(ag.convert(f), tracing_mode="symbolic")(X),
        lambda f: exported(Calls(f), X),
    ],
    ids=["to_graph", "symbolic", "export"],
)
def test_errors_in_every_kind_of_capture(transformed):
    check_traced(transformed, Failing(name, NameError))


def test_dynamo_runs_what_the_user_wrote():
    """After a graph break, the user's code continues in functions that Dynamo names."""
    failing = Failing(name, NameError)
    error = error_of(lambda f: ag.function(f, backend="torch")(X), failing.program)
    no_frame_of_ours(error)
    assert type(error) is failing.kind
    assert user_lines(error)[-1] == failing.lines[-1]


@pytest.mark.parametrize(
    "compiled",
    [
        lambda f: ag.function(f, backend="torch"),
        lambda f: torch.compile(ag.convert(f), backend="eager", fullgraph=True),
    ],
)
def test_a_compiled_program_tells_the_line_that_raises(compiled):
    error = error_of(lambda f: compiled(f)(X), raised)
    assert type(error) is RuntimeError
    assert str(error) == f"Custom: BAD (7) [raised at {FILE}:{lines_of('raised')[-1]}]"


def test_a_bound_method():
    error = error_of(lambda f: exported(Calls(f), X), Scaled(2).scale)
    no_frame_of_ours(error)
    assert str(error) == "'Scaled' object has no attribute 'factor'"


def shapes(x):
    if x > 0:
        x = x + (torch.ones((2, 3)) @ torch.ones((2, 3))).sum()
    return x


def a_tuple(x):
    if x > 0:
        x = x + torch.stack([x, torch.ones(3)]).sum()
    return x


@pytest.mark.parametrize("way", ["make_fx", "export"])
@pytest.mark.parametrize("program", [shapes, a_tuple])
def test_errors_of_torch_tell_the_users_line_once(program, way):
    """They are raised while it is traced, under a staged condition too."""
    error = error_of(captured if way == "make_fx" else lambda f: exported(Calls(f), X), program)
    no_frame_of_ours(error)
    assert isinstance(error, RuntimeError)
    line = program.__code__.co_firstlineno + 2
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f'File "{__file__}", line {line}, in {program.__name__}'
    assert describe(error).count(place) == (last.filename != __file__)
    assert last.filename != __file__ or last.lineno == line


@LATE_ONES
def test_errors_of_the_program(failing: Failing):
    """An exported program has assertions, in whose texts the user's error stands."""
    if failing.program is caught:  # its handler runs while PyTorch traces the branch that raises
        check_traced(captured, failing)
        return
    program = exported(Calls(failing.program), X).module()
    error = error_of(lambda _: program(X), failing.program)
    assert isinstance(error, RuntimeError)
    check_run(error, failing)


def test_errors_with_values_of_the_program():
    def f(x):
        if x > 0:
            raise ValueError(f"{x} is too much")
        return x

    program = exported(Calls(f), X).module()
    error = error_of(lambda _: program(X), f)
    no_frame_of_ours(error)
    assert str(error) == f"ValueError: 2.0 is too much [raised at {__file__}:{f.__code__.co_firstlineno + 2}]"


def test_every_frame_where_it_is_asked_for():
    keeps_frames(
        "import torch\nfrom torch.fx.experimental.proxy_tensor import make_fx",
        "make_fx(ag.convert(failing.name))(torch.tensor(2.0))",
    )
