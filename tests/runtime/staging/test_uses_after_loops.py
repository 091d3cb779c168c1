"""What a loop without iterations leaves is None or unbound: numbers, text, tuples, lists and dicts."""

# ruff: noqa: C416, C417, PLW0108, RUF005 - the uses are as people write them

import numpy as np
import pytest
from after_loops import doubled

import autograph_rs as ag


def text(x, n):
    found = None
    for k in range(n):
        found = str(k)
    return found


def pair(x, n):
    found = None
    for k in range(n):
        found = x * 2, k
    return found


def items(x, n):
    found = None
    for _ in range(n):
        found = [x * 2]
    return found


def table(x, n):
    found = None
    for _ in range(n):
        found = {"a": x * 2}
    return found


USES = [
    *[
        (doubled, use)
        for use in (
            lambda t: max(t, 1),
            lambda t: min(t, 1.0),
            lambda t: float(t),
            lambda t: int(t),
            lambda t: round(t),
            lambda t: f"{t:.2f}",
            lambda t: str(t),
            lambda t: t**2 - abs(-t),
            lambda t: 2**t,
            lambda t: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0][int(t)],
            lambda t: t == 6.0,
            lambda t: t in [6.0, 1.0],
            lambda t: sum([t, 1.0]),
            lambda t: sorted([t, 1.0]),
            lambda t: t or 1.0,
            lambda t: t and 2.0,
            lambda t: not t,
            lambda t: {"a": t},
            lambda t: list(map(lambda v: v + 1, [t])),
        )
    ],
    *[
        (text, use)
        for use in (
            lambda t: list(t),
            lambda t: sorted(t),
            lambda t: "0" in t,
            lambda t: f"{t}!",
            lambda t: t.upper() + t[0],
            lambda t: t == "0",
            lambda t: len(t),
            lambda t: t * 2,
            lambda t: [c for c in t],
        )
    ],
    *[
        (pair, use)
        for use in (
            lambda t: t[0] + t[1],
            lambda t: t == (6.0, 0),
            lambda t: 0 in t,
            lambda t: sum(t),
            lambda t: len(t),
            lambda t: t > (1.0, 1),
            lambda t: list(t),
            lambda t: t + (1,),
        )
    ],
    *[
        (items, use)
        for use in (
            lambda t: t[0],
            lambda t: [t.append(1.0), t.sort(), len(t), list(t)],
            lambda t: sum(t),
            lambda t: 6.0 in t,
            lambda t: t == [6.0],
        )
    ],
    *[
        (table, use)
        for use in (
            lambda t: t["a"],
            lambda t: t.get("a"),
            lambda t: list(t.items()),
            lambda t: list(t.values()),
            lambda t: t.pop("a"),
            lambda t: [t.update(a=5.0), t["a"]],
            lambda t: "a" in t,
            lambda t: len(t),
            lambda t: [k for k in t],
        )
    ],
]


def outcome(f, *arguments):
    try:
        return f(*arguments)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("make", "use"), USES)
def test_as_in_python(make, use):
    def f(x, n):
        return use(make(x, n))

    staged = ag.function(f)
    for n in range(3):
        assert outcome(staged, np.float64(3.0), np.int64(n)) == outcome(f, 3.0, n), n


def list_of_one_branch(n):
    if n > 0:
        found = [n]
    found.append(4)
    found.sort()
    return found


def list_of_a_loop(n):
    for k in range(n):
        found = [k, 7]
    found.append(4)
    found[0] = 9
    return found.pop(), found


def dict_of_one_branch(n):
    if n > 0:
        found = {"a": n}
    found.update(b=3)
    found["c"] = 4
    return found


def set_of_one_branch(n):
    if n > 0:
        found = {n}
    found.add(9)
    return found


def nested_list_of_one_branch(n):
    if n > 0:
        found = ([n], {"a": [n]})
    found[0].append(4)
    found[1]["a"].append(5)
    return found


@pytest.mark.parametrize(
    "f",
    [
        list_of_one_branch,
        list_of_a_loop,
        dict_of_one_branch,
        set_of_one_branch,
        nested_list_of_one_branch,
    ],
)
def test_changes_of_what_may_be_unbound(f):
    """Their methods change the variable's own list, not a copy."""
    staged = ag.function(f)
    for n in (1, 3):
        assert staged(np.int64(n)) == f(n)
    with pytest.raises(UnboundLocalError, match="'found'"):
        staged(np.int64(0))


def test_a_reversed_range():
    def f(n):
        best = None
        for k in reversed(range(n)):
            best = k if best is None else 10 * best + k
        return best

    staged = ag.function(f)
    assert [staged(np.int64(n)) for n in (0, 1, 3)] == [None, 0, 210]


def test_an_object_without_attributes_beside_none():
    class Found:
        pass

    def f(x):
        found = None
        if x > 0:
            found = Found()
        return 1 if found is None else 2

    staged = ag.function(f)
    assert [staged(np.float64(x)) for x in (-1.0, 1.0)] == [1, 2]


def test_a_staged_limit_is_refused_with_a_reason():
    def f(n, limit):
        best = None
        for k in range(n):
            ag.set_loop_options(maximum_iterations=limit)
            best = k
        return best

    with pytest.raises(ag.ValueNeededError, match="maximum_iterations cannot be a staged value"):
        ag.function(f)(np.int64(3), np.int64(2))
