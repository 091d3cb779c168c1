# ruff: noqa: B007, C400, F841, PLW0108, PT011, RET503, RUF005 - the functions are what is tried
"""Functions that inspect frames see those of plain Python, without internal ones."""

from __future__ import annotations

import logging
import sys
import traceback

import pytest

import autograph_rs as ag


def same(f, *args) -> None:
    assert ag.to_graph(f)(*args) == f(*args)


def test_locals():
    def f(x):
        if x > 0:
            y = 1
        for i in range(x):
            if i == 3:
                break
        return sorted(locals())

    same(f, 5)


def test_locals_in_branches():
    def f(x):
        if x > 0:
            y = x
            return sorted(locals())
        return dir()

    same(f, 5)
    same(f, 0)


@pytest.mark.parametrize(
    "expression",
    [
        "sorted(locals()) if x else None",
        "x and sorted(locals())",
        "not x or sorted(vars())",
        "eval('x + y') if x else 0",
        "x and eval('x + y')",
        "[k for k in sorted(locals())]",
        "eval('x') < eval('y') < 9",
        "dir() and x",
    ],
)
def test_frame_readers_in_expressions(module, expression: str):
    made = module(f"def f(x):\n    y = 2\n    return {expression}\n")
    same(made.f, 1)


def test_eval_and_exec():
    def f(x):
        y = 1
        if x > 0:
            y = eval("x + y")
            exec("y = 100")
        while x > 0:
            x -= eval("1")
        return x, y, eval("[x, y]")

    same(f, 3)


def test_globals_and_module_names():
    def f(x):
        if x > 0:
            return globals()["__name__"], __name__, sorted(vars(ag))[:1]

    same(f, 1)


def test_function_name_in_a_branch():
    def f(x):
        for _ in range(x):
            if x > 0:
                return sys._getframe().f_code.co_qualname

    same(f, 1)


def test_place_of_log_records(caplog: pytest.LogCaptureFixture):
    def f(x):
        for _ in range(x):
            if x > 0:
                logging.getLogger().warning("told")

    f(1)
    ag.to_graph(f)(1)
    first, second = caplog.records
    assert (first.funcName, first.lineno, first.pathname) == (second.funcName, second.lineno, second.pathname)


class Fails:
    """Whose making fails."""

    def __init__(self, x):
        if x > 0:
            for _ in range(2):
                raise ValueError("made to fail")


class Hostile:
    """Whose every use fails."""

    def __bool__(self):
        raise ValueError("bool")

    def __iter__(self):
        raise ValueError("iter")

    def __getitem__(self, key):
        raise ValueError("getitem")

    def __setitem__(self, key, value):
        raise ValueError("setitem")

    def __contains__(self, item):
        raise ValueError("contains")

    def __call__(self):
        raise ValueError("call")

    def __enter__(self):
        raise ValueError("enter")

    def __exit__(self, *_):
        pass


WAYS = {
    "init": lambda h: Fails(1),
    "and": lambda h: h and 1,
    "or": lambda h: 0 or h or 1,
    "not": lambda h: not h,
    "if else": lambda h: 1 if h else 2,
    "call": lambda h: h(),
    "item": lambda h: h[h],
    "in": lambda h: 1 in h,
    "not in": lambda h: 1 not in h,
    "list comprehension": lambda h: [i for i in h if i],
    "condition of a comprehension": lambda h: [i for i in (1, 2) if h],
    "element of a comprehension": lambda h: [h[i] for i in (1, 2)],
    "set comprehension": lambda h: {i for i in (1, 2) if h},
    "generator expression": lambda h: list(i for i in h),
    "builtin": lambda h: list(h),
    "comparison": lambda h: 0 < len([h]) < h(),
    "any": lambda h: any([h]),
    "partial": lambda h: __import__("functools").partial(Fails, 1)(),
    "map": lambda h: list(map(Fails, [1])),
    "no function": lambda h: h.missing(1),
    "unpacked": lambda h: [*h],
}


def in_statements(kind, h):
    if kind == "if":
        if h:
            pass
    elif kind == "while":
        while h:
            pass
    elif kind == "for":
        for _ in h:
            pass
    elif kind == "for with break":
        for i in [1, 2]:
            if h:
                break
    elif kind == "assert":
        assert h
    elif kind == "set":
        h[h] = 1
    elif kind == "update":
        h[h] += 1
    elif kind == "with":
        with h:
            pass
    elif kind == "match":
        match 5:
            case x if h:
                pass
    elif kind == "unbound":
        if kind == "never":
            unset = 1
        print(unset)
    elif kind == "raise":
        try:
            h[0]
        except ValueError as e:
            if kind:
                raise KeyError("again") from e
    elif kind == "generator":

        def items():
            for i in range(2):
                if i and h:
                    yield i
            yield 0

        for _ in items():
            if kind:
                h()


STATEMENTS = "if while for assert set update with match unbound raise generator".split() + ["for with break"]


def places(f, *args) -> list:
    """The frames of the traceback of every error in the chain, from ours on."""
    with pytest.raises(Exception) as caught:
        f(*args)
    error, found = caught.value, []
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        found.append([(frame.filename, frame.lineno, frame.name) for frame in frames])
        error = error.__cause__ or error.__context__
    return [[place for place in frames if place[2] != "places"] for frames in found]


@pytest.mark.parametrize("way", WAYS)
def test_tracebacks_of_expressions(way: str):
    f = WAYS[way]
    made = [distinct(frames) for frames in places(ag.to_graph(f), Hostile())]
    assert made == [distinct(frames) for frames in places(f, Hostile())]
    assert places(ag.convert(f), Hostile()) == places(f, Hostile())


@pytest.mark.parametrize("kind", STATEMENTS)
def test_tracebacks_of_statements(kind: str):
    """A closure stands for its statement, so lines may repeat, but no frame is ours."""
    made = [distinct(frames) for frames in places(ag.to_graph(in_statements), kind, Hostile())]
    assert made == [distinct(frames) for frames in places(in_statements, kind, Hostile())]
    assert places(ag.convert(in_statements), kind, Hostile()) is not None


def distinct(frames: list) -> list:
    """The innermost frame of each run of frames of one function. A set's comprehension becomes a list's.

    An operand of `and` is a lambda on the line of its statement.
    """
    frames = [(file, line, name.replace("setcomp", "listcomp")) for file, line, name in frames]
    callers = [None, *frames[:-1]]
    frames = [p for p, c in zip(frames, callers, strict=True) if c is None or p != (*c[:2], "<lambda>")]
    return [p for p, n in zip(frames, [*frames[1:], None], strict=True) if n is None or p[2] != n[2]]


def test_a_call_of_a_call_whose_first_ends_on_a_later_line():
    """The closing parenthesis may stand left of where the call begins."""

    def make(*args):
        return lambda x: (*args, x)

    def f(x):
        return make(
            x,
        )(x)

    assert ag.to_graph(f)(3) == (3, 3)
