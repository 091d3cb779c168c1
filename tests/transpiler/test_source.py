# ruff: noqa: E501 - texts of programs
"""Finding the source: the right function of the right text, or an error that says what to do."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import traceback

import pytest
from modules import executed

import autograph_rs as ag

PAIRS = [
    ("lambda x: x if x > 0 else 0", "lambda x: x if x < 0 else 0", 3),
    ("lambda x: x + 1 if x else x", "lambda x: x - 1 if x else x", 3),
    ("lambda x: x and 1", "lambda x: x and 2", 3),
    ("lambda x: (x or 1)", "lambda x: ((x) or (2))", 0),
    ("lambda x: not x", "lambda x: not (not x)", 3),
    ("lambda x: 1", "lambda x: 2", 3),
    ("lambda x: None", "lambda x: ()", 3),
    ("lambda x: x", "lambda x: (x, 1)", 3),
    ("lambda x: f'{x}'", "lambda x: f'{x}!'", 3),
    ("lambda x: 1 < x < 3", "lambda x: 1 < x < 4", 3),
    ("lambda x: (y := x)", "lambda x: (y := -x)", 3),
    ("lambda x: [i for i in range(x)]", "lambda x: {i for i in range(x)}", 3),
    ("lambda x: (lambda: x)()", "lambda x: (lambda: -x)()", 3),
    ("lambda *x: x", "lambda *x: x[0]", 3),
    ("lambda x: 'é' if x else 'ü'", "lambda x: '日' if x else '本'", 3),
    ("lambda x: max(x, 1)", "lambda x: max(x, 4)", 3),
]


@pytest.mark.parametrize(("first", "second", "argument"), PAIRS)
def test_two_lambdas_on_one_line(module, first: str, second: str, argument: int):
    made = module(f"'é'; f, g = {first}, {second}\n")
    assert ag.to_graph(made.f)(argument) == made.f(argument)
    assert ag.to_graph(made.g)(argument) == made.g(argument)


def test_the_same_lambda_twice(module):
    """If two lambdas look exactly alike, either will do."""
    made = module("f, g = lambda x: x if x else 1, lambda x: x if x else 1\n")
    assert ag.to_graph(made.f)(0) == ag.to_graph(made.g)(0) == 1


def test_lambdas_in_a_chained_call(module):
    made = module("""
class Chain:
    def __init__(self): self.links = []
    def add(self, f): self.links.append(f); return self

chain = (Chain().add(lambda x: x if x else 1).add(lambda x: x if x else 2)
    .add(lambda x: x if x else 3).add(
        lambda x:
            x
            if x else 4))
""")
    assert [ag.to_graph(f)(0) for f in made.chain.links] == [1, 2, 3, 4]


def test_nested_lambdas(module):
    made = module(
        "f = lambda a: lambda b: lambda c: a if b else c\ng = lambda a: lambda a: lambda a: a if a else 9\n"
    )
    assert ag.to_graph(made.f)(1)(0)(2) == 2
    assert ag.to_graph(made.f(1))(0)(2) == 2
    assert ag.to_graph(made.f(1)(0))(2) == 2
    assert [ag.to_graph(made.g)(1)(1)(0), ag.to_graph(made.g(1))(1)(0), ag.to_graph(made.g(1)(1))(0)] == [
        9
    ] * 3


def test_lambdas_of_defaults_and_decorators(module):
    made = module("""
def with_(f): return lambda g: [f, g]
@with_(lambda x: x if x else 7)
def f(a=lambda x: x if x else 8, *, b=lambda x: (x if x else 9)): return [a, b] if a else 0
""")
    first, f = made.f
    assert ag.to_graph(first)(0) == 7
    assert [ag.to_graph(g)(0) for g in ag.to_graph(f)()] == [8, 9]


def test_functions_of_equal_names(module):
    made = module("""
def make(k):
    if k:
        def f(x): return x if x else "a"
    else:
        def f(x):
            return x if x else "b"
    return f
def f(x): return x if x else "c"
first = f
def f(x): return x if x else "d"
""")
    assert [ag.to_graph(f)(0) for f in (made.make(1), made.make(0), made.first, made.f)] == list("abcd")


def test_methods_and_decorated_functions(module):
    made = module("""
import functools
def decorated(f):
    @functools.wraps(f)
    def wrapper(*a):
        if a: return f(*a) + 1
    return wrapper
class A:
    @decorated
    @decorated
    def m(self, x):
        return x if x else 5
    @property
    def p(self): return 6 if self else 0
""")
    assert ag.to_graph(made.A.m)(made.A(), 0) == 7
    assert ag.to_graph(made.A.p.fget)(made.A()) == 6


def test_private_names(module):
    made = module("""
class _A:
    __x = 3
    def m(self, __y=4):
        def helper(__z): return self.__x if __z else __z
        self.__w = __y if __y else 1
        return self.__x, self.__w, helper(0)
    of_lambda = lambda self, n: self.__x if n else 0
    class Inner:
        __x = 5
        def m(self): return self.__x if self else 0
    class __:
        __x = 6
        def m(self): return self.__x if self else 0
""")
    a = made._A()
    assert ag.to_graph(a.m)() == (3, 4, 0)
    assert vars(a) == {"_A__w": 4}
    assert ag.to_graph(made._A.of_lambda)(a, 1) == 3
    assert ag.to_graph(made._A.Inner.m)(made._A.Inner()) == 5
    assert ag.to_graph(made._A.__.m)(made._A.__()) == 6


@pytest.mark.parametrize(
    "raw",
    [
        "# -*- coding: latin-1 -*-\n'é'; f, g = lambda x: 'é' * x, lambda x: 'èé' * x\n".encode("latin-1"),
        "\ufeff'日'; f, g = lambda x: '日' * x, lambda x: '本日' * x\n".encode(),
        b"def f(x):\n\treturn x if x else 1\n\x0c\ndef g(x):\n\tif x:\n\t        return 1\n\treturn '\x0c' if x else 2\n",
        b"def f(x):\r\n    s = '''a\r\n b'''\r\n    return s if x else 1\r\ng = lambda x: 1 if x else 2\r\n",
        b"def f(x):\r    return x if x else 1\rdef g(x):\r    return x if x else 2\r",
        "def f(x):\n    return '\u2028' if x else 1  # \u2028 \x85 \x1c\ndef g(x):\n    return x if x else 2\n".encode(),
    ],
    ids=["latin-1", "byte order mark", "tabs and form feeds", "crlf", "cr", "line separators"],
)
def test_files_of_every_form(module, raw: bytes):
    made = module("", raw=raw)
    for f in (made.f, made.g):
        assert [ag.to_graph(f)(x) for x in (0, 1)] == [f(x) for x in (0, 1)]


def test_executed_text_in_linecache():
    assert ag.to_graph(executed("def f(x):\n  return x if x else 3\n").f)(0) == 3


def test_nothing_to_read():
    f = executed("def f(x):\n  return x if x else 3\n", "<gone>", keep=False).f
    with pytest.raises(ag.ConversionError, match=r"(?s)'f'.*<gone>.*by exec.*source=") as caught:
        ag.to_graph(f)
    assert isinstance(caught.value, ValueError)
    assert ag.convert(f)(0) == 3  # nothing is staged, so nothing is read


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return 1 // x if x < 1 else 2",
        "\n    def f(x):\n        return 1 // x if x < 1 else 2\n",
    ],
)
def test_source_is_given(source: str):
    f = executed(source.strip().replace("        ", "    "), "<given>", keep=False).f
    assert ag.to_graph(f, source=source)(1) == 2
    assert "if_exp" in ag.to_code(f, source=source)
    assert ag.convert(source=source)(f)(1) == 2


def test_given_source_stands_at_its_place():
    """The lines of a traceback are those of the function's own file."""
    text = "def f(x):\n    if x > 0:\n        return 1 / 0\n    return 2"
    f = executed("\n" * 40 + text, "<placed>", keep=False).f

    def lines(function) -> list[int]:
        with pytest.raises(ZeroDivisionError) as caught:
            function(1)
        return [frame.lineno for frame in traceback.extract_tb(caught.value.__traceback__)][-1:]

    assert lines(ag.to_graph(f, source=text)) == lines(f)


def test_given_source_of_a_method():
    text = "class A:\n    __x = 1\n    def f(self):\n        return self.__x if self else 0\n"
    A = executed(text, "<method>", keep=False).A
    assert ag.to_graph(A.f, source="def f(self):\n    return self.__x if self else 0\n")(A()) == 1


@pytest.mark.parametrize("source", ["def g(x): return x", "def f(y): return y", "x = 1", "def f(x: return"])
def test_given_source_is_another(source: str):
    f = executed("def f(x):\n  return x\n", "<other>", keep=False).f
    with pytest.raises(ag.ConversionError):
        ag.to_graph(f, source=source)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x - 1\n",
        "def f(x):\n    return y + 1\n",
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return x + 'a'\n",
        "def f(x, y):\n    return x + 1\n",
        "def f(x):\n",
        "",
    ],
)
def test_a_changed_file_is_noticed(module, text: str):
    made = module("def f(x):\n    return x + 1\n")
    ag.to_code(module("def other(): pass\n").other)
    with open(made.__file__, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(made.__file__, (1, 1))
    with pytest.raises(ag.ConversionError, match="made_"):
        ag.to_graph(made.f)


def test_a_change_elsewhere_does_no_harm(module):
    made = module("def f(x):\n    return x if x else 1\n")
    with open(made.__file__, "a", encoding="utf-8") as file:
        file.write("# more\n")
    os.utime(made.__file__, (1, 1))
    assert ag.to_graph(made.f)(0) == 1


def test_texts_are_forgotten():
    """A cached text is dropped with its functions, so that a long session does not grow."""
    from autograph_rs.source import definitions

    before = len(definitions._files)
    for i in range(200):
        name = f"<cell {i}>"
        ag.to_code(executed(f"f = lambda x: x if x else {i}\n", name).f)
        del linecache.cache[name]
    assert len(definitions._files) - before < 100


def test_files_are_let_go_of_once_others_are_converted(module):
    from autograph_rs.source import definitions

    first = module("def f(x):\n    return x if x else 1\n")
    many = module("".join(f"f{i} = lambda x: x if x else {i}\n" for i in range(definitions.MAX_IDLE + 1)))
    last = module("def f(x):\n    return x if x else 2\n")
    ag.to_graph(first.f)
    for i in range(definitions.MAX_IDLE + 1):
        ag.to_graph(getattr(many, f"f{i}"))
    ag.to_graph(last.f)
    kept = {name for name, *_ in definitions._files}
    assert first.__file__ not in kept
    assert {many.__file__, last.__file__} <= kept


def test_objects_that_hold_functions(module):
    made = module("""
class Callable:
    def __call__(self, x): return x if x else 4
def f(x, y): return x if x else y
""")
    assert ag.to_graph(made.Callable())(0) == 4
    assert ag.to_graph(functools.partial(functools.partial(made.f, 0), y=5))() == 5


def test_trees_on_which_a_tool_hangs_what_holds_each_node(module):
    """Python makes one node of each operator for all trees, so such links lead from ours to another."""
    links = []
    for node in ast.walk(ast.parse("a + b")):
        for child in ast.iter_child_nodes(node):
            child.parent = node
            links.append(child)
    try:
        made = module("def f(x):\n    return x + 1 if x else -x\n")
        assert ag.to_graph(made.f)(2) == 3
        assert "ag__" in ag.to_code(made.f)
    finally:
        for node in links:
            vars(node).pop("parent", None)
