"""Functions that other code makes: by exec, by decorators, by hand, by libraries that write code."""

from __future__ import annotations

import collections
import dataclasses
import functools
import linecache
import types
import typing
from collections.abc import Callable

import numpy as np
import pytest
from backends.support import required
from transpiler.modules import executed

import autograph_rs as ag

X = np.float64(-2.0)
BY_EXEC = r"(?s)is not available.*created by exec, eval or compile.*pass its text"


def absolute(x):
    return x if x > 0 else -x


def through(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) if args else None

    return wrapper


@typing.overload
def overloaded(x: int) -> int: ...
@typing.overload
def overloaded(x: float) -> float: ...
def overloaded(x):
    return x if x > 0 else -x


dispatched = functools.singledispatch(absolute)
dispatched.register(str, len)


class Methods:
    def m(self, k, x):
        return x * k if x > 0 else -x * k

    once = functools.partialmethod(m, 1)

    def __call__(self, x):
        return self.once(x)


CONVERTED: dict[str, Callable] = {
    "wraps of wraps": through(through(absolute)),
    "overload": overloaded,
    "singledispatch": dispatched,
    "partialmethod": Methods().once,
    "object": Methods(),
    "partial of a method": functools.partial(Methods().m, 1),
    "FunctionType": types.FunctionType(absolute.__code__, globals(), "another name"),
    "at another line": types.FunctionType(absolute.__code__.replace(co_firstlineno=1), globals()),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_converted(name: str):
    assert ag.function(CONVERTED[name])(X) == 2
    assert ag.function(lambda x: CONVERTED[name](x))(X) == 2


@dataclasses.dataclass
class Pair:
    a: object
    b: object = 3


Named = collections.namedtuple("Named", "a b")  # noqa: PYI024 - what it makes is what is tried


@pytest.mark.parametrize(
    "given",
    [
        Pair.__init__,
        Pair.__repr__,
        Named.__new__,
        eval("lambda x: x"),
        executed("def f(): pass", keep=False).f,
    ],
    ids=["dataclass", "its __repr__", "namedtuple", "eval", "exec"],
)
def test_made_by_exec(given: Callable):
    """Such code is called as it is, and an error where it is to be converted."""
    if given.__name__ == "__repr__":  # the standard library wraps what it made
        given = given.__wrapped__
    with pytest.raises(ag.ConversionError, match=BY_EXEC):
        ag.to_graph(given)


def test_made_by_exec_is_called():
    f = ag.function(lambda x: Pair(x).a * Pair(x).b + Named(x, 1)._replace(b=2).b if x < 0 else x)
    assert f(X) == -4


def test_made_by_exec_is_called_with_what_is_staged():
    """The error of a staged value in such a function says why the function was not converted."""
    inner = executed("def inner(x):\n    return x if x > 0 else -x\n", "<nowhere>", keep=False).inner
    f = ag.function(lambda x: inner(x))
    with pytest.raises(ag.StagingError, match="decides a branch") as caught:
        f(X)
    assert "'inner' was called unconverted: the source of 'inner'" in str(caught.value)
    assert ag.to_graph(lambda x: inner(x))(-2) == 2
    text = "def inner(x):\n    return x if x > 0 else -x\n"
    inner = ag.convert(inner, source=text)
    assert f(X) == 2
    assert ag.function(inner)(X) == 2


def test_the_text_of_a_function_is_given():
    text = "def inner(x):\n    return x if x > 0 else -x\n"
    made = executed(text, "<nowhere>", keep=False)
    assert ag.function(made.inner, source=text)(X) == 2
    assert ag.function(source=text)(executed(text, "<nowhere>", keep=False).inner)(X) == 2


def test_many_texts_under_one_name():
    """The text of another function is never taken for that of this one."""
    name, texts = "<many>", [f"def f(x):\n    return x + {i} if x > 0 else x\n" for i in range(3)]
    made = [executed(text, name).f for text in texts]
    assert ag.to_graph(made[2])(1) == 3
    for f in made[:2]:
        with pytest.raises(ag.ConversionError, match=BY_EXEC):
            ag.to_graph(f)
    linecache.cache[name] = len(texts[0]), None, texts[0].splitlines(keepends=True), name
    assert ag.to_graph(made[0])(1) == 1


@pytest.mark.parametrize(
    "change",
    [{"co_consts": (None, 1)}, {"co_name": "other"}, {"co_varnames": ("y",)}, {"co_code": b"\x97\0d\0S\0"}],
    ids=repr,
)
def test_code_that_was_changed_by_hand(change: dict):
    with pytest.raises(ag.ConversionError, match=r"(?s)has changed.*pass its text"):
        ag.to_graph(types.FunctionType(absolute.__code__.replace(**change), globals()))


def test_attrs():
    attrs = required("attrs")

    @attrs.define
    class Point:
        a: object = attrs.field(converter=absolute)

        def absolute(self):
            return self.a if self.a > 0 else -self.a

    assert ag.function(lambda x: Point(x).absolute())(X) == 2
    assert ag.to_code(Point.__init__).startswith("def ag____init__(self, a)")


def test_sympy():
    sympy = required("sympy")
    s = sympy.symbols("s")
    made = sympy.lambdify(s, sympy.Piecewise((s, s > 0), (-s, True)), "math")
    assert ag.function(made)(X) == ag.function(lambda x: made(x))(X) == 2


def test_jinja():
    """It writes code and keeps it; what it renders is plain."""
    template = required("jinja2").Environment(autoescape=True).from_string("{% if n %}{{ n }}{% endif %}")
    f = ag.function(lambda x, n: (template.render(n=n), x if x > 0 else -x))
    assert f(X, 3) == ("3", 2)


def test_made_by_exec_under_the_name_of_a_file(module):
    """Its text is had from nowhere, though `linecache` asks the loader of the module that runs `exec`."""
    made = "def inner(x):\n    return x if x > 0 else -x\n"
    inner = module(f"exec(compile({made!r}, 'generated.py', 'exec'))").inner
    with pytest.raises(ag.SourceError, match=r"(?s)is not available.*file does not exist"):
        ag.to_graph(inner)
    assert ag.to_graph(lambda x: inner(x))(-2) == 2


def test_a_magic_of_ipython_in_a_process_without_it():
    made = executed("def f(x):\n    return x\n", "<timed exec>", keep=False)
    with pytest.raises(ag.SourceError, match=r"(?s)is not available.*a cell without that magic"):
        ag.to_graph(made.f)


def test_a_text_with_functions_whose_names_end_alike():
    text = "def lute(x):\n    return 0\ndef absolute(x):\n    return x if x > 0 else -x\n"
    assert ag.to_graph(types.FunctionType(absolute.__code__.replace(), {}), source=text)(-2) == 2
