"""Results whose structure depends on staged values, and lists that an early return hands out."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

ONE, FIVE = np.float64(1.0), np.float64(5.0)


def check(function: Any, *arguments: Any) -> None:
    np.testing.assert_equal(ag.function(function)(*arguments), function(*arguments))


class Color(enum.Enum):
    RED, BLUE = 1, 2


@dataclass
class Point:
    x: float
    y: Any


def members(x):
    return Color.RED if x > 2 else Color.BLUE


def member_or_name(x):
    if x > 2:
        return Color.RED
    return "blue"


def nested(x):
    if x > 2:
        return {"a": (x, [1, 2]), "b": None}
    return {"a": (x, {"c": x}), "b": [x]}


def dataclass_or_none_or_tuple(x):
    if x > 4:
        return Point(x, [x])
    if x > 2:
        return None
    return x, 1


def array_of_other_rank(x):
    if x > 2:
        return np.ones((2, 2)) * x
    return np.ones(3) * x


def from_two_loops(x):
    for i in range(4):
        if x > i + 3:
            return "first", i
    n = 0
    while n < 3:
        if x < n:
            return {"second": n}
        n += 1
    return [x]


@pytest.mark.parametrize(
    "function",
    [member_or_name, nested, dataclass_or_none_or_tuple, array_of_other_rank, from_two_loops],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("x", [ONE, np.float64(3.0), FIVE, np.float64(-1.0)])
def test_structures(function: Any, x: Any):
    check(function, x)


def text_or_number(x):
    if x > 2:
        return "large"
    return x


USES = {
    "arithmetic": lambda x: text_or_number(x) + 1,
    "reflected": lambda x: x * text_or_number(x),
    "truth": lambda x: 1 if text_or_number(x) else 2,
    "equality": lambda x: text_or_number(x) == "large",
    "identity": lambda x: text_or_number(x) is text_or_number(x),
    "class": lambda x: isinstance(text_or_number(x), str),
    "type": lambda x: type(text_or_number(x)) is str,
    "length": lambda x: len(text_or_number(x)),
    "item": lambda x: text_or_number(x)[0],
    "items": lambda x: [c for c in text_or_number(x)],  # noqa: C416
    "call": lambda x: text_or_number(x)(),
    "attribute": lambda x: text_or_number(x).real,
    "text": lambda x: f"{text_or_number(x)}",
    "key": lambda x: {text_or_number(x): 1},
    "numpy": lambda x: np.sqrt(text_or_number(x)),
    "member": lambda x: x in [text_or_number(x), 1.0],
    "shown": lambda x: print(text_or_number(x)),
}


def outcome(function: Any, x: Any) -> Any:
    """Return the text of a result, or the class of an error that it raises."""
    try:
        return str(function(x))
    except (TypeError, IndexError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
@pytest.mark.parametrize("x", [ONE, FIVE])
def test_uses_are_captured_for_each_structure(use: Any, x: Any):
    assert outcome(ag.function(use), x) == outcome(use, x)


def text_or_number_of_a_loop(x):
    for i in range(3):
        if x > i + 3:
            return "large"
    return x


@pytest.mark.parametrize("use", [use for name, use in USES.items() if name != "identity"])
@pytest.mark.parametrize("x", [ONE, FIVE])
def test_uses_of_what_a_loop_returns(monkeypatch: Any, use: Any, x: Any):
    monkeypatch.setitem(globals(), "text_or_number", text_or_number_of_a_loop)
    assert outcome(ag.function(use), x) == outcome(use, x)


def words(n):
    if n < 0:
        return "negative"
    return (n, 1) if n < 1 else words(n - 1)


@pytest.mark.parametrize(
    "use", [len, lambda found: found[0], lambda found: f"{found}", lambda found: found + found]
)
@pytest.mark.slow
def test_uses_of_what_a_recursive_function_returns_are_refused(use: Any):
    """What it returns in one of several structures can be returned and compared with None."""
    with pytest.raises(ag.MismatchError, match="is used") as found:
        ag.function(lambda n: use(words(n)))(np.int64(3))
    assert "one structure" in str(found.value)


def handed_out_by_attribute(x):
    log = SimpleNamespace(items=[])
    fill(log, x)
    log.items.append(7.0)
    return log.items


def fill(log, x):
    items = log.items
    for i in range(3):
        if x > i + 3:
            return items
        items.append(x * i)
    return items


def changed_in_finally(x):
    items = []
    try:
        for i in range(3):
            if x > i + 3:
                return items
            items.append(x)
    finally:
        items.append(0.5)
    return items


def changed_by_the_caller(x):
    def until(items):
        for i in range(3):
            if x > i + 3:
                return items
            items.append(x)
        return items

    own = []
    found = until(own)
    found.append(-1.0)
    return own, found


def kept_in_a_closure(x):
    holder = SimpleNamespace(add=None)

    def filled():
        items = []
        holder.add = items.append
        for i in range(3):
            if x > i + 3:
                return items
            items.append(x)
        return items

    found = filled()
    holder.add(9.0)
    return found


@pytest.mark.parametrize(
    "function",
    [handed_out_by_attribute, changed_in_finally, changed_by_the_caller, kept_in_a_closure],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("x", [ONE, FIVE])
def test_lists_with_other_names(function: Any, x: Any):
    """A list that anything else refers to when it is returned is right, or refused."""
    try:
        result = ag.function(function)(x)
    except ag.StagingError:
        return
    np.testing.assert_equal(result, function(x))


def test_a_plain_list_that_changes_after_an_early_return():
    def first_above(x):
        seen: list[Any] = []
        for limit in (1.0, 2.0, 3.0):
            seen.append(limit)
            if x < limit:
                return {"below": limit, "seen": seen}
        return {"above": seen}

    for x in (0.5, 2.5, 9.0):
        check(first_above, np.float64(x))


def test_each_call_returns_its_own_structure():
    constant = np.zeros(2)

    @ag.function
    def made(x):
        if x > 2:
            return {"a": constant.copy(), "b": [1, 2]}
        return None

    first, second = made(FIVE), made(FIVE)
    first["a"][0] = 5.0
    first["b"].append(3)
    assert second["a"][0] == 0.0
    assert second["b"] == [1, 2]
    assert made(FIVE)["a"][0] == 0.0


def test_gradients_and_files_are_refused():
    @ag.function
    def f(x):
        if x > 2:
            return {"a": x}
        return x

    with pytest.raises(ag.AutographError):
        ag.grad(f)(ONE)
    with pytest.raises(ag.AutographError):
        f.get_concrete_function(ONE).graph.to_json()


class Outcome:
    def __init__(self, status, count):
        self.status, self.count = status, count


def minimized(x, limit):
    for k in range(limit):
        if x < 0.2:
            return Outcome("converged", k)
        x = x * 0.5
    return Outcome("stopped", limit)


def test_an_object_that_a_loop_or_what_follows_it_returns():
    def status(x, limit):
        outcome = minimized(x, limit)
        return outcome.status, outcome.count

    for limit in (0, 2, 9):
        check(status, ONE, np.int64(limit))
