"""Operands of unfinished expressions, on each version of Python's instructions."""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from typing import Any

import pytest

from autograph_rs.runtime.core.operands import _stacks, pending_variables


def ask(*_: Any, **__: Any) -> set[str]:
    return set(pending_variables(sys._getframe(1))) & {"items", "other"}


class Model:
    def method(self, *arguments: Any) -> Any:
        return arguments[-1]


def in_a_tuple(items, other):
    return (items, ask(other))[1]


def in_a_dict(items, other):
    return {"items": items, "found": ask(other)}["found"]


def a_method_of_the_variable(items, other):
    return [items.append, ask(other)][1]


def an_argument(items, other):
    with contextlib.nullcontext():
        return Model().method(items, ask(other))


def in_an_inner_tuple(items, other):
    return ((items, 1), ask(other))[1]


def on_one_path(items, other):
    return (items if other else None, ask())[1]


def an_argument_of_a_call(items, other):
    return (Model().method(items), ask(other))[1]


def after_a_handler(items, other):
    try:
        raise ValueError
    except ValueError:
        return (items, ask(other))[1]


@pytest.mark.parametrize(
    "f",
    [
        in_a_tuple, in_a_dict, a_method_of_the_variable, an_argument, in_an_inner_tuple, on_one_path,
        an_argument_of_a_call, after_a_handler,
    ],
)  # fmt: skip
def test_an_operand_that_waits(f):
    assert f([0], [1]) == {"items"}


def alone(items, other):
    return ask(items, other)


def arguments_of_the_call(items, other):
    return ask(items, *other, other=items)


def in_loops_and_blocks(items, other):
    for _ in items:
        with contextlib.nullcontext(other):
            found = ask(items)
    return found


def of_another_expression(items, other):
    copied = items + other
    return (copied, ask(items))[1]


def a_computed_number(items, other):
    return (items + other, ask())[1]


def in_a_handler(items, other):
    try:
        raise ValueError
    except ValueError:
        return ask(items, other)
    finally:
        del items


def in_a_comprehension(items, other):
    return next(iter([ask(items, other) for _ in range(1)]))


@pytest.mark.parametrize(
    "f",
    [
        alone, arguments_of_the_call, in_loops_and_blocks, of_another_expression, a_computed_number,
        in_a_handler, in_a_comprehension,
    ],
)  # fmt: skip
def test_nothing_waits(f):
    assert f([0], [1]) == set()


def test_each_instruction_of_the_standard_library_is_known():
    """No function needs an operand that its instructions have not put on the stack."""
    codes = [compile(inspect.getsource(m), m.__file__, "exec") for m in (inspect, contextlib, types)]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        stacks = _stacks(code)
        assert all(len(stack) <= code.co_stacksize for stack in stacks.values())
