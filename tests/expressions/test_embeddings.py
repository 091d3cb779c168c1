"""Tests of what embedders meet: checks of their operators, and errors where users see them."""

from __future__ import annotations

import contextlib
import io
import operator
from collections.abc import Callable
from typing import Any

import calculator
import graph_system
import pytest
from calculator import Strict, arguments
from graph_system import Effects, Node, Typed, Untyped, compiled, compute

import autograph_rs as ag


class Anything(Untyped):
    """Operators whose `type_of` answers for any value, as those of a newcomer may."""

    def type_of(self, value: Any) -> Any:
        return "value"


class Untypable(Untyped):
    def type_of(self, value: Any) -> Any:
        return None if isinstance(value, Node) else "value"


class Items:
    """Values with items, without `__iter__`: Python would ask for items without end."""

    def __init__(self, node: Node):
        self.node = node

    def __getitem__(self, key: Any) -> Node:
        return graph_system.applied(int, operator.getitem, self.node, key)


class Vectors(Typed):
    kinds = (Node, Items)
    builtins = {**Typed.builtins, len: lambda items: graph_system.applied(int, len, items.node)}


def outcome(f: Callable[..., Any], *given: Any) -> Any:
    """Return the result or the type of the error, and what is printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            result = f(*given)
        except Exception as error:
            result = type(error)
    return result, printed.getvalue()


def mode(n):
    mode = "a"
    if n > 0:
        mode = "b"
    return 1 if mode == "b" else 2


def one_of(n):
    return n if n > 0 else n + 1


def none_at_first(n):
    best = None
    for i in range(n):
        if best is None or i > best:
            best = i
    return best


def total_of_range(n):
    return sum(range(n))


def total(v):
    return sum(v)


def returned_text(n):
    return f"n = {n}"


def printed_text(n):
    print(f"n = {n}")
    return n


def symbolic_range(n):
    for i in range(n):
        n = n + i
    return n


def last(n):
    for i in range(n):
        n = n - i
    return i


def raising(n):
    if n > 5:
        raise ValueError(f"{n} is more than", 5)
    return n


def printing(n):
    if n > 0:
        print(n)
    return n


def caught(n):
    try:
        if n > 5:
            raise ValueError
    except ValueError:
        return 0
    return n


def mixed_value(n):
    return n and n > 3


def mixed_none(n):
    return (n and n > 3) is None


def mixed_text(n):
    return str(n and n > 3)


@pytest.mark.parametrize(
    ("f", "operators", "texts"),
    [
        (mode, Anything, ["gives two types to 'mode'", "a str"]),
        (one_of, Untypable, ["a Node without a type", "type_of of Untypable returns None"]),
        (none_at_first, Typed, ["a staged 'for' leaves 'best' without a value", "before the loop"]),
        (total_of_range, Typed, ["sum() iterates over a symbolic value", "sum(item for item in values)"]),
        (total, Typed, ["sum() iterates over a symbolic value"]),
        (total, Strict, ["sum() iterates over a symbolic value"]),
        (returned_text, Effects, ["text of symbolic values", 'return f"n = {n}"']),
        (printed_text, Effects, ["text of symbolic values", 'print(f"n = {n}")']),
        (symbolic_range, Strict, ["range() gets a symbolic value", "for i in range(n)"]),
        (last, Typed, ["'i' is read", "an earlier 'if' or loop may leave it unbound", "on each path"]),
        (raising, Typed, ["ValueError is raised", "<symbolic> is more than, 5", "start, print, raise_ and"]),
        (printing, Typed, ["define start, print, raise_ and finish in Typed"]),
        (printing, Strict, ["print the result of the function"]),
        (caught, Typed, ["define start, print, raise_ and finish in Typed"]),
        (mixed_value, Typed, ["gives two types to the value", "make both operands conditions"]),
        (mixed_none, Typed, ["gives two types to the value"]),
        (mixed_text, Typed, ["gives two types to the value"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_refusals(f: Callable[..., Any], operators: Any, texts: list[str]) -> None:
    """Errors have the line of the user, the reason, and a remedy that fits the operators."""
    [argument] = arguments(1) if operators is Strict else [Node(int, lambda _: None)]
    with pytest.raises(ag.AutographError) as raised:
        operators().convert(f)(argument)
    message = str(raised.value)
    for text in (*texts, f"in {f.__name__}", "  why: ", "  fix: "):
        assert text in message


def test_a_sum_of_symbolic_items() -> None:
    """The remedy for `sum(values)` works."""

    def added(v):
        return sum(item for item in v)

    vector = Node(None, lambda _: None)
    built = Vectors().convert(added)(Items(vector))
    assert [compute(built, {vector: v}) for v in ([], [4], [1, 2, 3])] == [0, 4, 6]
    with pytest.raises(ag.ValueNeededError, match=r"sum\(\) iterates over a symbolic value"):
        Vectors().convert(total)(Items(vector))


def enumerated(n):
    total = 0
    for k, item in enumerate([n, 1, n + 2]):
        if item > 6:
            break
        total = total * 10 + item * k
    return total


def zipped(n):
    total = 0
    for a, b in zip([1, n], (n, 3), strict=False):
        total += a * b
    for a, i in zip([1, n, 5], range(n), strict=False):
        total = total * 10 + a + i
    return total


def backwards(n):
    total = 0
    for item in reversed([1, n]):
        total = total * 10 + item
    return total


def numbered_from(n):
    total = 0
    for i, item in enumerate([4, 5], n):
        total = total * 10 + item + i
    return total


def test_enumerate_without_loops() -> None:
    built = Strict().convert(numbered_from)(*arguments(1))
    assert calculator.compute(built, (3,)) == numbered_from(3)


def in_try(n):
    total = 0
    try:
        for k, item in enumerate([n, 1]):
            total += k * item
    except IndexError:
        return -1
    return total


@pytest.mark.parametrize("f", [enumerated, zipped, backwards, numbered_from, in_try])
@pytest.mark.parametrize("operators", [Untyped, Typed, Effects])
def test_sequences_of_plain_lists(f: Callable[..., Any], operators: Any) -> None:
    graph = compiled(operators(), f, int)
    for n in range(9):
        assert graph(n) == f(n), n


def if_both(n):
    if n and n > 3:
        return 1
    return 0


def if_either(n):
    return 1 if not (n and n > 3) or n == 7 else 0


def three(n):
    return 1 if (n or n > 3) and (n > 2 or n) and n else 0


def while_both(n):
    k = 0
    while n and n != 2:
        n, k = n - 1, k + 1
    return k * 10 + n


def in_loop(n):
    found = 0
    for i in range(n):
        if i and i > 3:
            found = i
            break
    return found


def assigned(n):
    m = 0
    if n and (m := n + 1) > 3:
        return m
    return 0


def kept(n):
    large = n and n > 3
    count = 0
    while n > 0:
        if large:
            count += 1
        n -= 1
    return count


def with_effect(n):
    def large():
        print("asked", n)
        return n > 3

    if n and large():
        return 1
    return 2


def guarded(n):
    if n and 10 // n > 3:
        return 1
    return 0


@pytest.mark.parametrize("f", [if_both, if_either, three, while_both, in_loop, assigned, kept, guarded])
@pytest.mark.parametrize("operators", [Untyped, Typed, Effects])
def test_only_the_truth_of_operands_is_used(f: Callable[..., Any], operators: Any) -> None:
    """`and` and `or` of an int and a bool are conditions in a system that has no type for both."""
    graph = compiled(operators(), f, int)
    for n in (0, 1, 2, 3, 4, 7):
        assert graph(n) == f(n), n


def test_operands_have_their_effects_once() -> None:
    graph = compiled(Effects(), with_effect, int)
    for n in (0, 2, 4):
        assert outcome(graph, n) == outcome(with_effect, n)


def class_of(n):
    return isinstance(n, Node), isinstance(n, (int, Node)), isinstance(n, Assignable)


def test_the_classes_of_a_system_are_known() -> None:
    assert Typed().convert(class_of)(Node(int, lambda _: 0)) == (True, True, False)


class Assignable(Node):
    """Values that change in place while the graph is built."""

    def __setitem__(self, key: Any, value: Any) -> None:
        self.function = lambda _: (key, value)


def assigned_item(v):
    v[0] = 3
    return v


def assigned_in_branch(v, n):
    if n > 0:
        v[0] = 3
    return v


@pytest.mark.parametrize("operators", [Typed, Effects])
def test_items_of_symbolic_values_are_assigned_outside_of_branches(operators: Any) -> None:
    value, test = Assignable(int, lambda _: None), Node(int, lambda _: None)
    operators().convert(assigned_item)(value)
    assert compute(value, {}) == (0, 3)
    with pytest.raises(ag.UnsupportedPlaceError, match="assigned under a symbolic condition"):
        operators().convert(assigned_in_branch)(value, test)
    with pytest.raises(TypeError, match="does not support item assignment"):
        operators().convert(assigned_item)(test)
