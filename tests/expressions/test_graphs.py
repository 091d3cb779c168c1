"""Tests of systems with functional conditionals and loops: their graphs compute what Python computes."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
from collections.abc import Callable
from typing import Any

import loop_functions
import pytest
import statements
from graph_system import Effects, Node, Typed, Untyped, compiled

import autograph_rs as ag


def outcome(f: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """Return the result with its type, or the error, and what is printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = f(*given)
            shown = type(result), result
        except Exception as error:
            shown = type(error), str(error)
    return shown, printed.getvalue()


@pytest.mark.parametrize("operators", [Untyped, Typed, Effects])
@pytest.mark.parametrize(("f", "inputs"), loop_functions.PURE, ids=lambda f: getattr(f, "__name__", ""))
def test_loops(f: Callable[..., Any], inputs: Any, operators: Any) -> None:
    graph = compiled(operators(), f, *map(type, inputs[0]))
    for given in inputs:
        assert outcome(graph, given) == outcome(f, given), given


@pytest.mark.parametrize(("f", "inputs"), loop_functions.EFFECTS, ids=lambda f: getattr(f, "__name__", ""))
def test_effects_and_errors(f: Callable[..., Any], inputs: Any) -> None:
    """Effects happen in order, and errors that end the function are those of Python."""
    graph = compiled(Effects(), f, *map(type, inputs[0]))
    for given in inputs:
        assert outcome(graph, given) == outcome(f, given), given
