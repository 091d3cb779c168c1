"""Containers and text with staged values: what is replaced, saved, refused and left to Python."""

from __future__ import annotations

import bisect
import collections
import heapq
import traceback

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.containers import REPLACED, calls

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])


def test_the_names_are_those_of_the_tables():
    tables = (*calls._METHODS.values(), *calls._FUNCTIONS.values())
    assert {name for table in tables for name in table} == REPLACED


def looked_up(xs):
    counts = {1.0: 0, 3.0: 0}
    for x in xs:
        if x in counts:
            counts[x] += 1
    return counts, {1.0: "one", 3.0: "three"}.get(xs[0], "none")


def queued(xs):
    heap, last, ordered = [], collections.deque(maxlen=3), []
    for x in xs:
        heapq.heappush(heap, (abs(x), x))
        last.appendleft(x)
        bisect.insort(ordered, x)
    ordered.insert(1, 0.0)
    ordered.remove(4.0)
    smallest = heapq.heappop(heap)
    return smallest, last, ordered, ordered.index(1.0), sorted(xs, key=abs), min(xs, key=lambda x: x * x)


def told(xs):
    words = []
    for x in xs:
        words.append("%.1f" % x)
    return "; ".join(words).replace("-", "~"), "{0[0]:>6.2f}|{n!r}".format(xs, n=xs[1]), f"{[xs[2]]}"


@pytest.mark.parametrize("f", [looked_up, queued, told])
def test_saved_and_loaded(f, tmp_path):
    function = ag.function(f)
    assert repr(function(XS)) == repr(f(XS))
    ag.save(function.get_concrete_function(XS), tmp_path / "f.json")
    assert repr(ag.load(tmp_path / "f.json")(XS)) == repr(f(XS))


def test_a_missing_key_is_told_at_the_line_of_the_user():
    @ag.function
    def price(k):
        prices = {1: 2.0}
        return prices[k] + 1

    with pytest.raises(KeyError) as info:
        price(np.int64(7))
    assert info.value.args == (np.int64(7),)
    assert "return prices[k] + 1" in traceback.format_tb(info.value.__traceback__)[-1]


def test_keys_of_several_types():
    table = {1: "int", "a": "text", None: "none", (1, 2): "pair", True: "int"}
    f = ag.function(lambda k, j: (table.get(k, "?"), (k, j) in table, k in {2, "b"}))
    assert f(np.int64(1), np.int64(2)) == ("int", True, False)
    assert f(np.int64(2), np.int64(1)) == ("?", False, True)


def test_a_dict_that_contains_itself():
    def f(x):
        node = {"value": x}
        node["self"] = node
        return node.get("value")

    assert ag.function(f)(np.float64(1.5)) == 1.5


def test_a_default_dict_reads_an_unknown_key():
    f = ag.function(lambda k: collections.defaultdict(int, {1: 5})[k])
    assert (f(np.int64(1)), f(np.int64(2))) == (5, 0)


def test_a_selected_default_stays_the_users_list():
    def f(k):
        default = [0, 0]
        rows = {1: [1, 2]}
        row = rows.get(k, default)
        default[0] = 5
        return row[0]

    with pytest.raises(ag.AliasError, match="is read after one of the candidates has changed"):
        ag.function(f)(np.int64(2))


def test_a_plain_deque_stays_plain():
    names = {1: "a", 2: "bb"}

    def f(x):
        waiting, total = collections.deque([1, 2]), x
        while waiting:
            total = total + len(names[waiting.popleft()])
        return total

    assert ag.function(f)(np.float64(1.0)) == 4.0


def test_a_deque_with_two_names():
    def f(xs):
        first = collections.deque()
        second = first
        for x in xs:
            first.append(x)
        return second

    assert ag.function(f)(XS) == f(XS)


def test_effects_in_the_second_operand_of_and():
    def f(xs):
        stack, asked = [], [0]

        def ask(x):
            asked[0] += 1
            return x > 0

        for x in xs:
            if x > 0:
                stack.append(x)
        if stack and ask(xs[0]):
            asked[0] += 10
        return stack, asked

    assert ag.function(f)(XS) == f(XS)
    assert ag.function(f)(-XS) == f(-XS)


@pytest.mark.slow
def test_a_list_beside_a_condition():
    def f(xs):
        found = []
        for x in xs:
            if x > 3:
                found.append(x)
        count = 1 if found or xs[0] > 0 else 2
        if not (found and found[0] > 100):
            count += 10
        return count + (100 if xs[0] > 0 and found else 0)

    for xs in (XS, -XS, np.array([-1.0])):
        assert ag.function(f)(xs) == f(xs)


@pytest.mark.parametrize(
    ("f", "value"),
    [
        (lambda x: "%d" % x, XS),
        (lambda x: "%d %d" % (x,), XS[0]),
        (lambda x: "%d" % (x, x), XS[0]),
        (lambda x: "{} {}".format(x), XS[0]),
        (lambda x: ", ".join(["a", x]), XS[0]),
        (lambda x: format(x, "q"), XS[0]),
    ],
)
def test_errors_of_formats_are_those_of_python(f, value):
    with pytest.raises((TypeError, IndexError, ValueError)) as plain:
        f(value)
    with pytest.raises(plain.type) as staged:
        ag.function(f)(value)
    assert str(plain.value) == str(staged.value).partition("\n")[0]
