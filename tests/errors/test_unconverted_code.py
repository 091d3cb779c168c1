"""Errors of code that is not converted and was handed a staged value: when they come, and what they tell."""

from __future__ import annotations

import fractions
import functools
import json
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag


def note_of(error: BaseException) -> list[str]:
    [note] = [n for n in getattr(error, "__notes__", ()) if n.startswith("while this was staged:")]
    return [line.strip() for line in note.splitlines()]


def on_graph(f: Callable[..., Any]) -> Callable[..., Any]:
    return ag.function(f)


def on_jax(f: Callable[..., Any]) -> Callable[..., Any]:
    return required("jax").jit(ag.convert(f))


def on_tensorflow(f: Callable[..., Any]) -> Callable[..., Any]:
    tf = required("tensorflow")
    return lambda n: tf.function(ag.convert(f), autograph=False)(tf.constant(n))


def on_torch(f: Callable[..., Any]) -> Callable[..., Any]:
    torch = required("torch")

    class Module(torch.nn.Module):
        def forward(self, n: Any) -> Any:
            return ag.convert(f)(n)

    return lambda n: torch.export.export(Module(), (torch.tensor(int(n)),))


def third(n):
    if n > 3:
        n = n + fractions.Fraction(n, 3)
    return n


@pytest.mark.parametrize(
    "way",
    [
        on_graph,
        pytest.param(on_jax, marks=pytest.mark.needs("jax")),
        pytest.param(on_tensorflow, marks=pytest.mark.needs("tensorflow")),
        pytest.param(on_torch, marks=pytest.mark.needs("torch")),
    ],
)
@pytest.mark.parametrize("n", [2, 5])
def test_a_library_that_cannot_take_it_fails_whether_or_not_the_branch_runs(way: Any, n: int) -> None:
    with pytest.raises(TypeError, match="Rational") as caught:
        way(third)(np.int64(n))
    first, where, line, carets, row, remedy = note_of(caught.value)
    assert remedy == "fix: fractions.Fraction needs values: call it outside, or through ag.py_function"
    assert first == "while this was staged:"
    assert where == f'File "{__file__}", line {third.__code__.co_firstlineno + 2}, in third'
    assert line == "n = n + fractions.Fraction(n, 3)"
    assert carets == "^" * len("fractions.Fraction(n, 3)")
    assert row.startswith("n is a staged value of type ")


def parsed(n):
    if n > 3:
        n = n + fractions.Fraction("many")
    return n


def test_a_library_of_plain_values_fails_when_the_branch_runs() -> None:
    f = ag.function(parsed)
    assert f(np.int64(2)) == 2
    with pytest.raises(ValueError, match="Invalid literal"):
        f(np.int64(5))


class Refused(Exception):
    pass


def refused(total, x):
    if x < 0:
        raise Refused(x)
    return total + x


def test_the_users_own_raise_is_part_of_the_program_below_a_library_too() -> None:
    f = ag.function(lambda xs: functools.reduce(refused, xs, 0.0))
    assert f(np.array([1.0, 2.0])) == 3
    with pytest.raises(Refused) as caught:
        f(np.array([1.0, -2.0]))
    assert caught.value.args == (-2.0,)
    assert not hasattr(caught.value, "__notes__")


def attribute(n):
    box = types.SimpleNamespace(width=n)
    return json.dumps(box.width)


def held(n):
    sizes = {"n": [n]}
    return json.dumps(sizes)


def operand(n):
    return n + None


def in_a_list(n):
    items = [2 * i for i in range(n)]
    return json.dumps(items)


@pytest.mark.parametrize(
    ("f", "row"),
    [
        (attribute, "box.width is a staged value of type int64[]"),
        (held, "sizes contains a staged value of type int64[]"),
        (operand, "n is a staged value of type int64[]"),
        (in_a_list, "items is a staged value of type list[int]"),
    ],
)
def test_it_is_named_with_its_type(f: Any, row: str) -> None:
    with pytest.raises(TypeError) as caught:
        ag.function(f)(np.int64(2))
    rows = [line for line in note_of(caught.value) if not line.startswith("fix:")]
    assert rows[-1] == row
    assert "Tensor" not in str(caught.value)
    assert "Staged" not in str(caught.value)


def plain(n):
    table = {}
    return n + table["scale"]


def test_an_error_of_plain_values_has_no_note() -> None:
    with pytest.raises(KeyError) as caught:
        ag.function(plain)(np.int64(2))
    assert not hasattr(caught.value, "__notes__")
