"""The operators as an interface: the document names all of them, and those of other frameworks plug in."""

# ruff: noqa: PERF401, RET504, PLC3002, PLW0108, PYI024 - functions and operators as users write them

from __future__ import annotations

import collections
import hashlib
import inspect
import re
import types
from typing import Any

import numpy as np
import pytest
from test_house import ROOT

import autograph_rs as ag
from autograph_rs import converters, runtime
from autograph_rs.converters import OPERATORS_VERSION

# What the rows of each version's tables hash to: a row that changes is a new version.
VERSIONS = {1: "776e6934d85ace81", 2: "4ee6d27426fe90eb", 3: "e31ec4811c9f30b2"}
ONLY_WITH_YOURS = converters.Lists.operators
NOT_WRITTEN = {"Undefined", "converted_call"}
HEADER = "| operator | since | stands for | what it has to do |"


def documented() -> dict[str, tuple[str, int]]:
    """The signature of each operator in `docs/operators.md`, and the version that it came with."""
    text = (ROOT / "docs" / "operators.md").read_text("utf-8")
    tables = [part.split("\n\n")[0] for part in text.split(HEADER)[1:]]
    rows = re.findall(r"^\| `((\w+)\(.*?\))` \| (\d+) \|", "\n".join(tables), re.MULTILINE)
    return {name: (signature, int(since)) for signature, name, since in rows}


def signature_of(name: str, operator: Any) -> str:
    found = inspect.signature(operator)
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return f"{name}{found.replace(parameters=bare, return_annotation=found.empty)}"


def test_the_document_has_every_operator() -> None:
    ours = {*runtime.OPERATORS, "callee"}
    assert documented().keys() == ours | ONLY_WITH_YOURS


@pytest.mark.parametrize("name", sorted({*runtime.OPERATORS, "callee"} - {"slice"}))
def test_signatures_are_those_of_the_document(name: str) -> None:
    assert signature_of(name, getattr(runtime, name)) == documented()[name][0]


PASSES = {*(ROOT / "converters").rglob("*.py")} - {ROOT / "converters" / "passes" / "inlining.py"}


def test_the_document_has_what_the_passes_write() -> None:
    sources = "".join(f.read_text("utf-8") for f in PASSES)
    golden = "".join(f.read_text("utf-8") for f in (ROOT / "tests" / "cases").glob("*.golden"))
    named = re.findall(r"\bag__\.(?!name\b)(\w+)", sources + golden)
    assert {*named, *re.findall(r'\boperator\(\s*"(\w+)"', sources)} == documented().keys() - NOT_WRITTEN


def test_a_change_of_the_operators_is_a_new_version() -> None:
    rows = documented()
    digest = hashlib.sha256(repr(sorted(rows.values())).encode()).hexdigest()[:16]
    assert max(VERSIONS) == OPERATORS_VERSION == max(since for _, since in rows.values())
    assert VERSIONS[OPERATORS_VERSION] == digest, "raise OPERATORS_VERSION, and say so in the changed rows"


# Lists, as operators of other frameworks have them ----------------------------------------------


ListPopOpts = collections.namedtuple("ListPopOpts", ("element_dtype", "element_shape"))
ListStackOpts = collections.namedtuple("ListStackOpts", ("element_dtype", "original_call"))


class Frozen:
    """A list that never changes: each change makes another."""

    def __init__(self, *items: Any):
        self.items = items

    def __len__(self) -> int:
        return len(self.items)


def new_list(iterable=None):
    return Frozen(*(iterable or ()))


def list_append(list_, x):
    if isinstance(list_, Frozen):
        return Frozen(*list_.items, x)
    list_.append(x)
    return list_


def list_pop(list_, i, opts):
    assert isinstance(opts, ListPopOpts)
    if not isinstance(list_, Frozen):
        return list_, list_.pop() if i is None else list_.pop(i)
    items = list(list_.items)
    popped = items.pop(-1 if i is None else i)
    return Frozen(*items), popped


def list_stack(list_, opts):
    assert isinstance(opts, ListStackOpts)
    return ("stacked", *list_.items) if isinstance(list_, Frozen) else opts.original_call(list_)


OF_LISTS = types.SimpleNamespace(
    new_list=new_list, list_append=list_append, list_pop=list_pop, list_stack=list_stack,
    ListPopOpts=ListPopOpts, ListStackOpts=ListStackOpts,
)  # fmt: skip


def plain(value: Any) -> Any:
    """A result with Python's lists in it."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return list(map(plain, value.items)) if isinstance(value, Frozen) else value


def appended(n):
    found = []
    for i in range(n):
        if i % 2:
            found.append(i)
    return found


def popped_in_conditions(n):
    found, seen = [1, 2, 3, 4, 5], []
    while len(found) > 0 and found.pop() > n:
        if len(found) > 1 and found.pop(0) < 3:
            seen.append(found.pop() if n > 1 else 0)
    return found, seen


def popped_from_popped(n):
    left, right = [n, 0, 1], [1]
    x = left.pop(right.pop())
    left.pop()
    return left, right, x


def appended_of_itself(n):
    found = [n, n + 1, n + 2]
    found.append(found.pop())
    found.append(found.pop() if n > 1 else 7)
    value = found.pop(0)
    found.append(found.pop(n % 2) + value)
    return found, value


def bound_in_tests(n):
    found = [n, 1]
    last = n > 1 and found.pop()
    found.append(found.pop(0) or last)
    match found.pop():
        case 1:
            found.append("one")
        case _:
            found.append("other")
    assert found.pop(), found.pop()
    return found, last


def two_names(n):
    found = [n]
    found = found.pop()
    return found


def of_a_parameter(n, xs=()):
    xs = xs or [n]
    xs.append(n)
    return xs


def what_is_no_list(n):
    found = {"a": n}
    found.pop("a")
    queue = collections.deque((n,))
    queue.append(1)
    return found, queue, np.stack((np.arange(n), np.arange(n))).shape


GROWING = (
    appended, popped_in_conditions, popped_from_popped, appended_of_itself, bound_in_tests, two_names,
    of_a_parameter, what_is_no_list,
)  # fmt: skip


@pytest.mark.parametrize("f", GROWING)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_lists_that_never_change_behave_like_lists(f, n):
    """The operators give other lists, and every variable is bound to them."""
    assert plain(ag.Transpiler(operators=OF_LISTS).to_graph(f)(n)) == f(n)


def test_a_list_that_is_state():
    seen = []

    def for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
        seen.append((symbol_names, opts, plain(get_state())))
        for item in iter_:
            body(item)

    operators = types.SimpleNamespace(**vars(OF_LISTS), for_stmt=for_stmt)
    ag.Transpiler(operators=operators).to_graph(appended)(2)
    assert seen == [(("found",), {"iterate_names": "i"}, ([],))]


def test_lists_are_stacked():
    def f(x):
        return np.stack([x, 2])

    assert ag.Transpiler(operators=OF_LISTS).to_graph(f)(1) == ("stacked", 1, 2)
    assert list(ag.Transpiler(operators=OF_LISTS, features={"calls"}).to_graph(f)(1)) == [1, 2]


def test_what_cannot_be_bound_stays_a_call():
    outer = [1, 2]

    class Holder:
        xs = [1, 2]

    def f(x):
        outer.append(x)
        Holder.xs.append(x)
        last = outer.pop
        return [xs.pop() for xs in ((1, 2), outer) if xs is outer], (lambda xs: xs.pop())(Holder.xs), last()

    mine = ag.Transpiler(operators=types.SimpleNamespace(list_append=list_append, list_pop=list_pop))
    assert mine.to_graph(f)(3) == ([3], 3, 2)
    assert not re.search(r"ag__\.list_(append|pop)", mine.to_code(f))


@pytest.mark.parametrize(
    ("operators", "written"),
    [
        ({"not_": lambda a: not a}, set()),
        ({"new_list": new_list}, {"new_list"}),
        ({"list_append": list_append}, {"list_append"}),
        ({"list_pop": list_pop, "list_stack": list_stack}, {"list_pop", "list_stack"}),
    ],
)
def test_only_the_operators_that_there_are(operators, written):
    def f(x):
        xs = [x]
        xs.append(x)
        return xs.pop(), np.stack(xs)

    code = ag.Transpiler(operators=types.SimpleNamespace(**operators)).to_code(f)
    assert ONLY_WITH_YOURS & set(re.findall(r"ag__\.(\w+)", code)) == written


# Operators with options -------------------------------------------------------------------------


def indexed(xs, i):
    assert i < len(xs)
    xs[i] = xs[i] + 1
    xs[0] += 1
    return xs


@pytest.mark.parametrize("options", [None, collections.namedtuple("GetItemOpts", ("element_dtype",))])
def test_items_with_options(options):
    seen = []

    def get_item(target, i, opts):
        seen.append((i, opts.element_dtype, options is None or isinstance(opts, options)))
        return target[i]

    def set_item(target, i, x):
        return [*target[:i], x, *target[i + 1 :]]

    operators = types.SimpleNamespace(get_item=get_item, set_item=set_item)
    if options is not None:
        operators.GetItemOpts = options
    given = [1, 2, 3]
    assert ag.Transpiler(operators=operators).to_graph(indexed)(given, 1) == [2, 3, 3]
    assert given == [1, 2, 3]
    assert seen == [(1, None, True)]


def test_assertions_without_a_message():
    def assert_stmt(expression1, expression2):
        seen.append((expression1, expression2()))

    def f(x):
        assert x > 0
        assert x > 1, "larger"

    seen: list = []
    ag.Transpiler(operators=types.SimpleNamespace(assert_stmt=assert_stmt)).to_graph(f)(1)
    assert seen == [(True, ""), (False, "larger")]


class Missing:
    def __init__(self, symbol_name):
        self.symbol_name = symbol_name


def ldu(load_v, name):
    try:
        return load_v()
    except (KeyError, AttributeError, NameError):
        return Missing(name)


def ld(v):
    if isinstance(v, Missing):
        raise UnboundLocalError(f"{v.symbol_name} is missing")
    return v


def bound_in_one_branch(x):
    if x > 0:
        y = x
    return y


@pytest.mark.parametrize("own", [{}, {"ld": ld, "ldu": ldu, "Undefined": Missing}])
def test_missing_values_have_names(own):
    seen = []

    def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts):
        before = get_state()
        seen.extend(value.symbol_name for value in before)
        body()
        after = get_state()
        set_state(after if cond else before)

    mine = ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt, **own))
    assert mine.to_graph(bound_in_one_branch)(1) == 1
    with pytest.raises(UnboundLocalError, match="y is missing" if own else "local variable 'y'"):
        mine.to_graph(bound_in_one_branch)(0)
    assert seen == ["y", "y"]


@pytest.mark.parametrize("recursive", [True, False])
def test_calls_with_a_scope_and_options(recursive):
    seen = []

    def converted_call(f, args, kwargs, caller_fn_scope=None, options=None):
        seen.append((f, caller_fn_scope, options))
        return f(*args, **(kwargs or {}))

    operators = types.SimpleNamespace(converted_call=converted_call)
    assert ag.Transpiler(operators=operators).to_graph(lambda x: abs(x))(-1) == 1
    operators.ConversionOptions = lambda **given: given
    ag.Transpiler(operators=operators, recursive=recursive).to_graph(lambda x: abs(x))(-1)
    options = {"recursive": recursive, "optional_features": ()}
    assert seen == [(abs, None, None), (abs, None, options)]
