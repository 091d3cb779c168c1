"""Comprehensions with several `for` become loops, and do what Python's own do."""

from __future__ import annotations

import asyncio

import pytest

import autograph_rs as ag


def bound_in_the_test(xs):
    if xs and (zs := [x for x in xs for y in xs if x != y]):
        return zs
    elif [x for x in xs for _ in xs]:
        return "same"
    return [f"{[a for a in xs for b in xs if a > b]}" for x in xs if [q for q in xs for r in xs]]


def in_a_default(xs, n=[a for a in (1, 2) for b in (1, 2) if a > b]):  # noqa: B006
    return [[*n, x, m] for x in xs for m in [n]]


def in_functions(xs):
    def inner(k):
        return [k(x) for x in xs for y in xs if x > y]

    late = [lambda: x for x in xs for y in xs if x > y]  # noqa: B023
    ready = [lambda ys=ys: [a for a in xs for b in ys if a > b] for ys in (xs, xs) for _ in xs if ys]
    return inner(lambda v: v + 1), [f() for f in late], [f() for f in ready]


def reads_its_own_name(xs):
    try:
        return [x for x in xs for xs in [xs]]
    except NameError as error:
        return type(error).__name__


def with_targets(pairs):
    return {a: (b, *c) for (a, b), *c in pairs for _ in c if c}


def keys_before_values(log):
    def noted(x):
        log.append(x)
        return x

    made = {noted(a): noted(-b) for a in (1, 2) for b in (3, 4) if noted(a * b)}
    return made, [noted(x) for x in [noted(y) for y in (1, 2) for _ in "a" if y] for _ in "b" if x], log


CALLS = [
    (bound_in_the_test, [1, 2]),
    (bound_in_the_test, [1]),
    (bound_in_the_test, []),
    (in_a_default, [5]),
    (in_functions, [1, 2, 3]),
    (reads_its_own_name, [1]),
    (with_targets, [((1, 2), 3, 4)]),
]


@pytest.mark.parametrize(("f", "argument"), CALLS)
def test_as_in_python(f, argument):
    assert ag.to_graph(f)(argument) == f(argument)


def test_order_of_evaluation():
    assert ag.to_graph(keys_before_values)([]) == keys_before_values([])


class Scaled:
    __factor = 3

    def times(self, xs):
        return [a * self.__factor for a in xs for b in xs if a > b]


def test_private_names():
    assert ag.to_graph(Scaled.times)(Scaled(), [1, 2]) == [6]


async def numbers():
    for i in range(3):
        yield i


async def mixed(xs):
    later = [(a, b) async for a in numbers() for b in xs if a > b]
    return later, [a + b for a in xs for b in xs if a > b]


def test_in_coroutines():
    assert asyncio.run(ag.to_graph(mixed)([0, 1])) == asyncio.run(mixed([0, 1]))


def test_ranges_without_conditions_stay():
    def table(n):
        return [i * j for i in range(n) for j in range(i)]

    assert "for_stmt" not in ag.to_code(table)
    assert ag.to_graph(table)(4) == table(4)


def test_only_where_both_are_converted():
    def pairs(xs):
        return [x for x in xs for y in xs if x > y]

    for features in ({"control_flow"}, {"comprehensions"}):
        assert "for_stmt" not in ag.Transpiler(features=features).to_code(pairs)
