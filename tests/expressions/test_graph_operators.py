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


def statements_of_two_arguments() -> list[Callable[..., Any]]:
    functions = [f for _, f in inspect.getmembers(statements, inspect.isfunction)]
    return [
        f for f in functions if f.__module__ == "statements" and len(inspect.signature(f).parameters) >= 2
    ]


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


REFUSED = {
    "conditional_call", "default_none", "early", "fizzbuzz", "flags", "formatted", "looked_up", "matched",
    "looked_up_default", "matched_dict", "matched_pair", "mixed_and", "none_result", "truthiness", "zipped",
}  # fmt: skip
"""The statements that have text or None on one path, for which the system has no type."""


@pytest.mark.parametrize("f", statements_of_two_arguments(), ids=lambda f: f.__name__)
def test_statements(f: Callable[..., Any]) -> None:
    """Statements without loops have the same results, or errors of the same type."""
    if f.__name__ in REFUSED:
        with pytest.raises(ag.StagingError):
            compiled(Effects(), f, int, int)
        return
    graph = compiled(Effects(), f, int, int)
    for given in itertools.product(range(-4, 6), repeat=2):
        (kind, expected), printed = outcome(f, given)
        (found_kind, found), found_printed = outcome(graph, given)
        assert printed == found_printed, given
        if issubclass(kind, Exception):
            assert found_kind is kind, given
        else:
            assert found == expected or (found != found and expected != expected), given


def halved(x):
    while x > 1:
        x = x // 2
    return x


def unchanged(x):
    while x > 1:
        halved(1)
    return x


def test_types_settle() -> None:
    """A variable that is an int before a loop and a float after an iteration is carried as a float."""

    def averaged(n):
        total = 0
        for i in range(n):
            total = total + i / 2
        return total

    graph = compiled(Typed(), averaged, int)
    assert (type(graph(0)), graph(0)) == (float, 0.0)
    assert graph(4) == 3.0


@pytest.mark.slow
def test_plain_values_give_what_python_gives() -> None:
    for f, inputs in loop_functions.PURE:
        for given in inputs:
            assert outcome(Typed().convert(f), given) == outcome(f, given)


def test_a_loop_calls_the_system_once_for_each_loop() -> None:
    """The body of a loop is not unrolled, and a loop over a long plain range with a break is a loop, too."""

    def root(x):
        guess = x
        for _ in range(1000):
            if guess * guess - x < 1:
                break
            guess = (guess + x / guess) / 2
        return guess

    operators = Typed()
    assert 3 <= compiled(operators, root, float)(9.0) < 3.2
    assert operators.loops == 1


def test_maximum_iterations() -> None:
    def limited(n):
        while n > 0:
            ag.set_loop_options(maximum_iterations=3)
            n -= 1
        return n

    assert [compiled(Typed(), limited, int)(n) for n in (2, 5)] == [0, 2]


def test_calls_of_converted_functions_and_threads_do_not_mix() -> None:
    operators = Typed()
    inner = operators.convert(halved)

    def outer(x):
        return inner(x) + inner(x + 8)

    assert compiled(operators, outer, int)(5) == 2


def test_a_failure_in_a_loop_is_a_value() -> None:
    """Operators with a `failure`, and no effects, return it where the function raises, also in a loop."""

    class Failing(Typed):
        failure = -999

    def smallest_above(n, limit):
        found = 0
        for i in range(n):
            if i * i == 49:
                raise ValueError("seven")
            if i > limit:
                found = i
                break
        if found == 0:
            raise LookupError("none")
        return found

    graph = compiled(Failing(), smallest_above, int, int)
    for given in itertools.product((0, 3, 20), (1, 5, 8)):
        (kind, expected), _ = outcome(smallest_above, given)
        assert graph(*given) == (-999 if issubclass(kind, Exception) else expected), given


def test_a_failure_ends_a_loop() -> None:
    class Failing(Typed):
        failure = -999

    def endless_after_zero(n):
        while n != 0:
            if n < 0:
                raise ValueError("negative")
            n -= 2
        return n

    graph = compiled(Failing(), endless_after_zero, int)
    assert [graph(n) for n in (4, 5)] == [0, -999]


def from_the_second_iteration(n):
    total = 0
    for i in range(n):
        if i > 0:
            total += last  # noqa: F821
        last = i  # noqa: F841
    return total


def unbound_in_a_loop(n):
    total = 0
    while n > 0:
        if n % 2 == 0:
            total += last  # noqa: F821
        last = n  # noqa: F841
        n -= 1
    return total


def assigned_later(n):
    first = 0
    if n > 5:
        first = second  # noqa: F821
    second = 2
    return first + second


def undefined(n):
    return missing if n > 5 else 0  # noqa: F821


UNBOUND = [from_the_second_iteration, unbound_in_a_loop, assigned_later, undefined]


@pytest.mark.parametrize("f", UNBOUND)
def test_unbound_variables(f: Callable[..., Any]) -> None:
    """Reading a variable that has no value is an error of the path that does so."""
    graph = compiled(Effects(), f, int)
    for n in (0, 1, 2, 3, 7):
        assert outcome(graph, (n,)) == outcome(f, (n,)), n
    with pytest.raises(ag.UnsupportedPlaceError, match="assign a value on each path"):
        compiled(Typed(), f, int)


def one_attribute(x):
    account = loop_functions.Account(1)
    if x > 0:
        account.extra = 2
    return account.extra


def unbound(x):
    if x > 0:
        y = 1
    return y


def raising(x):
    if x > 0:
        raise ValueError("large")
    return x


def printing(x):
    if x > 0:
        print("large")
    return x


def growing(n):
    found = []
    while n > 0:
        n -= 1
        found.append(n)
    return found


def two_types(n):
    kind = "none"
    while n > 0:
        n, kind = n - 1, n
    return kind


def caught(n):
    try:
        if n > 3:
            raise ValueError
        return 1
    except ValueError:
        return 0


def growing_in_a_handler(n):
    found = []
    try:
        if n > 3:
            raise ValueError
        found.append(n)
    except ValueError:
        found.append(n)
        found.append(-n)
    return found


@pytest.mark.parametrize(
    ("f", "operators", "text"),
    [
        (growing_in_a_handler, Effects, "'found'"),
        (unbound, Typed, "the variable 'y' is read"),
        (one_attribute, Effects, "'account.extra'"),
        (raising, Typed, "ValueError is raised under a symbolic condition"),
        (printing, Typed, "print"),
        (growing, Typed, "found"),
        (two_types, Typed, "gives two types to 'kind'"),
        (unchanged, Typed, "a 'while' on a symbolic condition changes nothing"),
        (caught, Typed, "ValueError is raised under a staged condition inside a"),
    ],
)
def test_refusals(f: Callable[..., Any], operators: Any, text: str) -> None:
    """What the system cannot express is an error with a line of the user's code, a reason and a remedy."""
    with pytest.raises(ag.StagingError) as raised:
        compiled(operators(), f, int)
    message = str(raised.value)
    assert text in message
    assert 'test_graph_operators.py", line' in message
    assert f"in {f.__name__}" in message
    assert "  why: " in message
    assert "  fix: " in message


def largest_of_pairs(n, k):
    return max((n, 1), (k, 2)), min([(n, 3), (k, 2)]), (n, k) == (k, 1)


@pytest.mark.parametrize("operators", [Typed, Effects])
def test_tuples_are_compared_by_their_items(operators: Any) -> None:
    graph = compiled(operators(), largest_of_pairs, int, int)
    for given in itertools.product((0, 1, 2), repeat=2):
        assert graph(*given) == largest_of_pairs(*given)


def popped(i):
    items = [1, 2, 3]
    return items.pop(i)


def test_an_item_that_a_list_lacks_is_an_error() -> None:
    graph = compiled(Effects(), popped, int)
    for i in (-4, -3, 2, 3):
        assert outcome(graph, (i,)) == outcome(popped, (i,))


def test_the_message_of_an_error_that_is_always_raised() -> None:
    def failing(n: Any) -> None:
        raise ValueError(f"got {n}")

    with pytest.raises(ValueError, match="got <symbolic>"):
        compiled(Typed(), failing, int)


def test_incomplete_operators() -> None:
    class Few(ag.GraphOperators):
        kinds = (Node,)

        def cond(self, test: Any, then: Any, orelse: Any) -> Any:
            return then

    with pytest.raises(ag.ArgumentError, match="Few lacks placeholder, while_loop"):
        Few()

    class Silent(Typed):
        def start(self) -> None: ...

        def print(self, token: Any, *values: Any) -> None: ...

    with pytest.raises(ag.ArgumentError, match="Silent has start, print, but not finish, raise_"):
        Silent()


def test_a_loop_with_too_few_results() -> None:
    class Short(Typed):
        def while_loop(self, *parts: Any) -> Any:
            return super().while_loop(*parts)[:1]

    with pytest.raises(ag.ArgumentError, match="while_loop of Short returns 1 values for 2 variables"):
        compiled(Short(), halved, int)
