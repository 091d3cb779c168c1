"""Programs that fail, for the tests of tracebacks.

The places that a traceback must show are marked by comments: the program's name and a number, from the
outside in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = __file__
_lines = Path(__file__).read_text(encoding="utf-8").splitlines()


class Custom(Exception):
    """Whose arguments are not its text."""

    def __init__(self, code, reason):
        super().__init__(code, reason)
        self.code = code

    def __str__(self):
        return f"{self.reason()} ({self.code})"

    def reason(self):
        return self.args[1].upper()


@dataclass
class Failing:
    """A program, the error that ends it, and what it is shown with."""

    program: Callable[..., Any]
    kind: type[BaseException]
    args: tuple[Any, ...] | None = None
    members: tuple[type[BaseException], ...] = ()

    @property
    def lines(self) -> list[int]:
        return lines_of(self.program.__name__)


def lines_of(name: str) -> list[int]:
    """The lines that are marked with a name, in the order of their numbers."""
    marks = [(text.rpartition("# ")[2], n) for n, text in enumerate(_lines, 1) if f"# {name} " in text]
    return [n for _, n in sorted(marks)]


# What fails while it is traced -------------------------------------------------------------------


def name(x):
    if x > 0:  # name 1
        x = x + undefined_name  # noqa: F821  # name 2
    return x


def attribute(x):
    if x > 0:  # attribute 1
        x = x.undefined_thing  # attribute 2
    return x


def kinds(x):
    while x > 0:  # kinds 1
        x = x - ("1" + 1)  # kinds 2
    return x


def zero(x):
    for i in range(3):  # zero 1
        if x > i:  # zero 2
            x = x + 1 // (i - i)  # zero 3
    return x


def index(x):
    values = [1, 2]
    if x > 0:  # index 1
        x = x + values[5]  # index 2
    return x


def key(x):
    table = {"a": 1}
    if x > 0:  # key 1
        x = x + 1
        if x > 1:  # key 2
            x = x + table["b"]  # key 3
    return x


def custom(x):
    if x is not None:
        fails(x)  # custom 1
    return x


def fails(x):
    raise Custom(7, "bad")  # custom 2


def asserted(x):
    assert x is None, "it is there"  # asserted 1
    return x


def nested(x):
    while x > 0:  # nested 1
        x = first(x)  # nested 2
    return x


def first(x):
    for _ in range(2):  # nested 3
        x = second(x)  # nested 4
    return x


def second(x):
    return third(x) if x > 0 else x  # nested 5


def third(x):
    if x > 1:  # nested 6
        return x + undefined_name  # noqa: F821  # nested 7
    return x


class Scaled:
    def __init__(self, by):
        self.by = by

    def scale(self, x):
        if x > 0:  # method 2
            x = x * self.factor  # method 3
        return x


def method(x):
    return Scaled(2).scale(x)  # method 1


def lambdas(x):
    doubled = lambda y: y * undefined_name  # noqa: E731, F821  # lambdas 2
    return doubled(x) + 1  # lambdas 1


def comprehension(x):
    if x > 0:  # comprehension 1
        x = x + sum([i * undefined_name for i in range(3)])  # noqa: F821  # comprehension 2
    return x


def caught(x):
    try:  # caught 1
        name(x)
    except NameError as error:
        raise Custom(8, "again") from error  # caught 2
    return x


def during(x):
    if x > 0:  # during 1
        try:  # during 2
            name(x)
        except NameError:
            x = x + {}["k"]  # during 3
    return x


def several(x):
    found = []
    for f in (lambdas, fails):
        try:
            f(x)
        except (NameError, Custom) as error:
            found.append(error)
    raise ExceptionGroup("several", found)  # several 1


def mismatch(x):
    y = "text"
    while x > 0:  # mismatch 1
        y = x
        x = x - 1
    return y


TRACED = [
    Failing(name, NameError, ("name 'undefined_name' is not defined",)),
    Failing(attribute, AttributeError),
    Failing(kinds, TypeError, ('can only concatenate str (not "int") to str',)),
    Failing(custom, Custom, (7, "bad")),
    Failing(asserted, AssertionError, ("it is there",)),
    Failing(nested, NameError, ("name 'undefined_name' is not defined",)),
    Failing(method, AttributeError, ("'Scaled' object has no attribute 'factor'",)),
    Failing(lambdas, NameError),
    Failing(comprehension, NameError),
    Failing(several, ExceptionGroup, None, (NameError, Custom)),
    Failing(mismatch, TypeError),
]
DEFERRED = [
    Failing(zero, ZeroDivisionError, ("integer division or modulo by zero",)),
    Failing(index, IndexError, ("list index out of range",)),
    Failing(key, KeyError, ("b",)),
    Failing(during, KeyError, ("k",), (NameError,)),
    Failing(caught, Custom, (8, "again"), (NameError,)),
]
"""What fails while a branch is traced, but is raised only where that branch is taken."""


# What fails when the program runs ----------------------------------------------------------------


def raised(x):
    if x > 0:  # raised 1
        raise Custom(7, "bad")  # raised 2
    return x


def checked(x):
    assert x < 0, "not below"  # checked 1
    return x


def raised_inside(x):
    for _ in range(3):  # raised_inside 1
        if x > 0:  # raised_inside 2
            x = refused(x)  # raised_inside 3
    return x


def refused(x):
    if x > 1:  # raised_inside 4
        raise ValueError("refused")  # raised_inside 5
    return x


def unbound(x):
    if x < 0:
        y = x
    return y * 2  # unbound 1


def from_another(x):
    if x > 0:  # from_another 1
        try:
            fails(x)
        except Custom as error:
            raise ValueError("of another") from error  # from_another 2
    return x


def while_handling(x):
    try:
        {}["k"]
    except KeyError:
        if x > 0:  # while_handling 1
            raise ValueError("handling") from None  # while_handling 2
        return x + 1


RUN = [
    Failing(from_another, ValueError, ("of another",), (Custom,)),
    Failing(while_handling, ValueError, ("handling",)),
    Failing(raised, Custom, (7, "bad")),
    Failing(checked, AssertionError, ("not below",)),
    Failing(raised_inside, ValueError, ("refused",)),
    Failing(unbound, UnboundLocalError),
]
