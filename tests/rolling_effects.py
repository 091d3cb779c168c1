"""Functions whose loops change plain state through code that the body only reaches indirectly."""

# ruff: noqa: C417, PLW0108, PLW0603 - each form is a case
from __future__ import annotations

import contextlib
import functools
import random
import types

module = types.ModuleType("effects_elsewhere")
exec(
    compile(
        "n = 0\nITEMS = []\ndef bump():\n    global n\n    n += 1\n    return n\n"
        "def put():\n    ITEMS.append(len(ITEMS))\n    return 1\n",
        __file__.replace("rolling_effects", "effects_elsewhere"),
        "exec",
    ),
    vars(module),
)
module.__file__ = __file__
total = 0
late: dict[str, object] = {}


class Counter:
    total = 0
    made = 0
    entered = 0
    left = 0

    def __init__(self):
        Counter.made += 1

    def next(self):
        Counter.total += 1
        return Counter.total

    @classmethod
    def of_class(cls):
        cls.total += 1
        return 1.0

    @staticmethod
    def static():
        Counter.total += 1
        return 1.0

    @property
    def read(self):
        type(self).total += 1
        return 1.0

    def __enter__(self):
        Counter.entered += 1
        return self

    def __exit__(self, *_):
        Counter.left += 1

    def __call__(self):
        Counter.total += 1
        return 1.0

    def __radd__(self, other):
        Counter.total += 1
        return other + 1.0

    def draw(self):
        return Number()


class Number:
    """A number that draws one each time it is added."""

    def __radd__(self, other):
        return other + random.random()


class Holder:
    def __init__(self):
        self.n = 0

    def go(self):
        self.n += 1
        return self.n


counter, h = Counter(), Holder()


def tick():
    global total
    total += 1
    return total


def noted(f):
    @functools.wraps(f)
    def wrapper(*args):
        tick()
        return f(*args)

    return wrapper


@noted
def decorated():
    return 1.0


@contextlib.contextmanager
def managed():
    tick()
    yield


def with_default(found=[]):  # noqa: B006 - the effect is the point
    found.append(1)
    return len(found)


def with_attribute():
    with_attribute.n += 1
    return with_attribute.n


def in_with():
    with counter:
        return 1.0


def in_managed():
    with managed():
        return 1.0


def set_late():
    late["f"] = Counter.static


def by_name():
    return globals()["tick"]()


def reset():
    global total
    total = 0
    module.n, module.ITEMS[:], h.n, with_attribute.n = 0, [], 0, 0
    with_default.__defaults__[0].clear()
    Counter.total = Counter.made = Counter.entered = Counter.left = 0
    random.seed(3)


def effects():
    shared = (module.n, len(module.ITEMS), h.n, with_attribute.n, len(with_default.__defaults__[0]), total)
    found = *shared, Counter.total, Counter.made, Counter.entered, Counter.left
    return [v if type(v) is int else "staged" for v in found]


partial = functools.partial(tick)
BODIES = {
    "a class attribute": lambda: counter.next(),
    "a global of another module": lambda: module.bump(),
    "a list of another module": lambda: module.put(),
    "a comprehension": lambda: sum([tick() for _ in range(1)]),
    "a lambda passed to map": lambda: sum(map(lambda v: v * tick(), [1])),
    "a method of a global object": lambda: h.go(),
    "a class method": lambda: Counter.of_class(),
    "a static method": lambda: counter.static(),
    "an initializer": lambda: float(Counter() is not None),
    "a property": lambda: counter.read,
    "a call of an object": lambda: counter(),
    "an operator": lambda: 1.0 + counter,
    "a decorated function": lambda: decorated(),
    "a partial function": lambda: partial(),
    "a context manager": in_with,
    "a generator as a context manager": in_managed,
    "a default": lambda: with_default(),
    "an attribute of a function": lambda: with_attribute(),
    "a computed name": by_name,
    "an operator that draws": lambda: 1.0 + counter.draw(),
}


def body_of(use):
    def plain_range(x):
        for _ in range(20):
            x = x + use()
        return x

    def with_exit(x):
        for _ in range(20):
            x = x + use()
            if x > 1e6:
                break
        return x

    return plain_range, with_exit


def counted(x):
    k = Counter()
    for _ in range(20):
        x = x + k.next()
    return x


def added_in_the_body(x):
    for _ in range(20):
        x = x + (1.0 + counter)
        if x > 1e6:
            break
    return x


def direct(x):
    for _ in range(20):
        x = x + sum([tick() for _ in range(1)]) + sum(map(lambda v: v * tick(), [1]))
        type(counter).total += 1
        module.put()
        if x > 1e6:
            break
    return x


PROGRAMS = {f"{name}, {f.__name__}": f for name, use in BODIES.items() for f in body_of(use)}
PROGRAMS |= {f.__name__: f for f in (counted, added_in_the_body, direct)}
