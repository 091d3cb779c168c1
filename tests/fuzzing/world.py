"""Globals of the plain programs: a trace of effects, objects, context managers, coroutines.

Each effect of a program is appended to `TRACE`.
"""

from __future__ import annotations

import contextlib
import functools
import math
from typing import Any

import numpy as np

TRACE: list[tuple[Any, str]] = []
MOST = 3000


class OutOfFuel(BaseException):
    """A program did too much; it stops at the same place converted and unconverted."""


class Oops(Exception):
    """An exception of a program's own."""


class Box:
    """Two attributes that a class pattern can match; more can be set."""

    __match_args__ = ("p", "q")

    def __init__(self, p=0, q=1):
        self.p = p
        self.q = q

    def __repr__(self):
        return f"{type(self).__name__}({vars(self)})"


def t(label, value=None):
    """`value`, and an entry in the trace."""
    if len(TRACE) >= MOST:
        raise OutOfFuel
    TRACE.append((label, repr(value)))
    return value


def fail(error):
    raise error


def push(items, value):
    """Append to a list that stays short, even if a loop that iterates it does so."""
    if len(items) < 6:
        items.append(value)
    return len(items)


@contextlib.contextmanager
def entered(label, value=0, swallowed=()):
    """Says when it is entered and left, and swallows what it is told to."""
    t(f"enter {label}", value)
    try:
        yield value
    except swallowed as error:
        t(f"swallow {label}", error)
    finally:
        t(f"leave {label}")


class Manager:
    """As `entered`, in the other spelling; also for `async with`."""

    def __init__(self, label, value=0, swallowed=()):
        self.label, self.value, self.swallowed = label, value, swallowed

    def __enter__(self):
        return t(f"enter {self.label}", self.value)

    def __exit__(self, kind, error, traceback):
        t(f"exit {self.label}", error)
        return kind is not None and issubclass(kind, self.swallowed)

    async def __aenter__(self):
        return await step(self.__enter__())

    async def __aexit__(self, *error):
        await step(0)
        return self.__exit__(*error)


def logged(label):
    """A decorator that says when it decorates and when what it decorated is called."""
    t(f"decorator {label}")

    def decorate(function):
        t(f"decorate {label}")

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            t(f"call {label}", (args, kwargs))
            return function(*args, **kwargs)

        return wrapped

    return decorate


class step:
    """`await step(x)` is `x`, after one suspension."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        t("suspended", (yield self.value))
        return self.value


class steps:
    """`async for` over the numbers below `n`."""

    def __init__(self, n):
        self.rest = iter(range(n))

    def __aiter__(self):
        return self

    async def __anext__(self):
        for item in self.rest:
            return await step(item)
        raise StopAsyncIteration


def drive(coroutine):
    """Run a coroutine to its end, as an event loop would."""
    try:
        sent = coroutine.send(None)
        while True:
            sent = coroutine.send(sent)
    except StopIteration as stop:
        return stop.value


class Thing:
    """An object whose methods read and change it."""

    def __init__(self, p, q):
        self.p = p
        self.q = q

    def half(self):
        return self.p * 0.5 if self.q > 1 else self.p

    def grow(self, by):
        if by > self.p:
            self.p = (self.p + by) * 0.5
            self.q = (self.q + 1) % 5


class Pair:
    """Two numbers with special methods."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if isinstance(other, Pair):
            return Pair(self.x + other.x, self.y + other.y)
        return Pair(self.x + other, self.y)

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __contains__(self, value):
        return self.x <= value <= self.y

    def __lt__(self, other):
        return self.x < other.x if self.x != other.x else self.y < other.y

    def __bool__(self):
        return bool(self.x > 0)

    def __float__(self):
        return float(self.x * 0.5)


def put(items, value):
    """Append a number if it is positive, to a list that its caller has."""
    if value > 0:
        items.append(value)
    return value


def take(items):
    if items:
        return items.pop()
    return 0.5


def fill(array, i, value):
    """Write to an array that its caller has."""
    if value > array[i % 3]:
        array[i % 3] = value
    elif i > 1:
        array[0] *= 0.5


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def halved(n, x):
    if n <= 0:
        return x
    return halved(n - 1, x * 0.5)


def first_above(xs, limit):
    """The first number above a limit, or None."""
    for x in xs:
        if x > limit:
            return x
    return None


def upto(xs, limit):
    """The numbers before the first above a limit, without the negative ones."""
    for x in xs:
        if x > limit:
            return
        if x >= 0:
            yield x * 0.5


def checked(x, limit):
    if x > limit:
        raise ValueError(f"{x:.2f} is too large")
    return x


PLAIN_NAMES = "Oops Box t fail push entered Manager logged step steps drive".split()
STAGED_NAMES = {"np": np, "math": math, "Thing": Thing, "nullcontext": contextlib.nullcontext}
STAGED_NAMES["contextmanager"] = contextlib.contextmanager
STAGED_NAMES |= {
    f.__name__: f for f in (Pair, put, take, fill, factorial, halved, first_above, upto, checked)
}
NAMES = {name: globals()[name] for name in PLAIN_NAMES}
