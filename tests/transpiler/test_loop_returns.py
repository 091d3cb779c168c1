"""Returns in loops that are made behind them: what they give, plain and staged."""

# ruff: noqa: PLW0120, RET504, SIM110 - functions as users write them

import numpy as np
import pytest

import autograph_rs as ag


def else_returns(n):
    x = 0
    for i in range(n):
        x += i
        if x > 5:
            return x
    else:
        return x


def else_of_a_while_returns(n):
    x = n * 2
    while n > 0:
        n = n - 1
        x = x + 1
        if x > 9:
            return x
    else:
        x = -x
        return x


def else_returns_and_break(n):
    x = 0
    for i in range(n):
        x += i
        if x > 20:
            break
        if x > 5:
            return x
    else:
        return -x
    return x * 100


def endless(n):
    while True:
        n = n + 3
        if n > 10:
            return n


def nested(n):
    x = 0
    for i in range(n):
        for j in range(i):
            x += j
            if x > 7:
                return x
            if j > 3:
                break
        else:
            x += 1
    return x


def before_a_finally(n):
    x = 0
    while n > 0:
        try:
            n = n - 1
            x = x + n
            if x > 5:
                return x
        finally:
            x = x + 100
    return x


def constants(n):
    for i in range(n):
        if i * i > 10:
            return True
    return False


def rebound_by_a_closure(n):
    x = 0

    def change():
        nonlocal x
        x += 1
        return x > 3

    while n > 0:
        n = n - 1
        if change():
            return x
    return -x


FUNCTIONS = [
    else_returns,
    else_of_a_while_returns,
    else_returns_and_break,
    endless,
    nested,
    before_a_finally,
    constants,
    rebound_by_a_closure,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("n", [0, 1, 3, 5, 9])
def test_what_is_returned(f, n):
    assert ag.to_graph(f)(n) == f(n)
    assert ag.function(f)(np.int64(n)) == f(n)
