"""Objects that a traced function creates, and returns or stores in its arguments, are new on each call."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0])


class Point:
    def __init__(self, x, label="p"):
        self.x, self.label = x, label


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


@dataclass
class Pair:
    first: object
    second: object


KNOWN = Point(1)


def test_an_object_comes_with_arrays_and_is_new_at_each_call():
    def f(x):
        point = Point(x * 2)
        point.inner = Pair(Slotted(x + 1), [x.sum()])
        if x[0] > 1:
            point.x = point.x + 1
        return {"point": point}

    staged = ag.function(f)
    made = [staged(x)["point"] for x in (X, X + 1)]
    assert type(made[0]) is Point
    assert made[0] is not made[1]
    assert [list(vars(p)) for p in made] == [["x", "label", "inner"]] * 2
    assert [p.x.tolist() for p in made] == [[2.0, 4.0], [5.0, 7.0]]
    assert [p.inner.first.x.tolist() for p in made] == [[2.0, 3.0], [3.0, 4.0]]
    assert [p.inner.second for p in made] == [[3.0], [5.0]]
    assert made[0].label == "p"


class Account:
    def __init__(self, balance):
        self.balance = balance

    def add(self, amount):
        self.balance = self.balance + amount
        return self

    def is_rich(self):
        return self.balance > 3


def test_an_object_whose_methods_were_called():
    @ag.function
    def f(x):
        accounts = [Account(x[0]), Account(x[1])]
        for amount in x:
            accounts[0].add(amount)
        if accounts[1].is_rich():
            accounts[1].balance = 0.0
        return accounts, accounts[0].is_rich()

    for x in (X, X + 2):
        accounts, is_rich = f(x)
        assert accounts[0].balance == x[0] + x.sum()
        assert accounts[1].balance == (0.0 if x[1] > 3 else x[1])
        assert is_rich == accounts[0].is_rich()


def test_an_object_that_its_own_method_returns():
    made = ag.function(lambda x: Account(x[0]).add(x[1]))(X)
    assert type(made) is Account
    assert made.balance == 3.0


def test_an_object_that_is_put_into_an_argument():
    def f(found, x):
        found.append(Point(x + 1))

    found: list = []
    ag.function(f)(found, X)
    assert found[0].x.tolist() == [2.0, 3.0]


def known(x):
    KNOWN.x = x * 1
    return KNOWN


def given(x, point=KNOWN):
    point.x = x * 1
    return [point]


def twice(x):
    point = Point(x)
    return point, point


def test_an_object_is_returned_twice():
    first, second = ag.function(twice)(X)
    assert first is second and type(first) is Point and first.x.tolist() == X.tolist()


def in_itself(x):
    point = Point(x)
    point.own = point
    return point


def of_another_layout(x):
    return deque([x])


def with_a_variable(x):
    point = Point(x)
    point.v = ag.Variable(0.0) if point.label != "p" else STATE
    return point


STATE = ag.Variable(0.0)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (known, "stored elsewhere"), (given, "stored elsewhere"),
        (in_itself, "occurs twice"), (of_another_layout, "has state other than attributes"),
        (with_a_variable, "contains a Variable"),
    ],
)  # fmt: skip
def test_an_object_that_cannot_be_made_at_each_call_is_refused_at_the_return(f, reason):
    try:
        describe = f"(?s)with staged values.*but this object .*{reason}.*return its values"
        with pytest.raises(ag.LeakError, match=describe):
            ag.function(f)(X)
    finally:
        KNOWN.x = 1


def test_objects_without_staged_values_are_themselves():
    assert ag.function(lambda x: (KNOWN, x))(X)[0] is KNOWN


def in_a_list(x):
    made = []
    for v in x:
        zeros = np.zeros(2)
        made.append((v, zeros))
    return made


def in_a_comprehension(x):
    return [np.zeros(2) for _ in x]


def in_a_branch(x):
    made = [np.ones(2)]
    if x[0] > 0:
        made.append(np.zeros(2))
    return {"made": made}


def as_a_part(x):
    return np.arange(4.0)[int(x[0]) :]


def kept(variable):
    made = []
    for _ in range(int(variable.sum())):
        value = variable.read_value()
        made.append(value)
    return made


def overwrite(value):
    if isinstance(value, np.ndarray):
        value[...] = -9
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    ):
        overwrite(part)


@pytest.mark.parametrize("f", [in_a_list, in_a_comprehension, in_a_branch, as_a_part])
def test_what_is_done_to_a_result_is_not_seen_by_the_next_call(f):
    staged = ag.function(f)
    for _ in range(2):
        made = staged(X)
        np.testing.assert_equal(made, f(X))
        overwrite(made)


def test_arrays_in_a_list_are_as_many_as_the_function_makes():
    made = ag.function(in_a_comprehension)(X)
    made[0][0] = 9
    assert made[1].tolist() == [0.0, 0.0]


def test_what_a_list_holds_of_a_variable_stays_when_that_is_assigned():
    variable = ag.Variable([1.0, 1.0])
    made = ag.function(kept)(variable)
    variable.assign([5.0, 5.0])
    assert [m.tolist() for m in made] == [[1.0, 1.0], [1.0, 1.0]]


def test_what_is_returned_before_a_finally_writes_it():
    """The value stands in no variable of the user's while `finally` runs."""

    def f(k):
        made = np.ones(3)
        try:
            if k.dtype == float:
                return k
            return k, made
        except ValueError:
            return made
        finally:
            made[k] += 2.5

    assert ag.to_graph(f)(np.int64(1))[1].tolist() == [1.0, 3.5, 1.0]
    with pytest.raises(ag.StagingError, match="the result of the function also refers to the array"):
        ag.function(f)(np.int64(1))
