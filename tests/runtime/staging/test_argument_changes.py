"""Functions whose code is captured once for each outcome of a condition, and that change their arguments."""

import copy

import numpy as np
import pytest

import autograph_rs as ag

GIVEN = {"a": 1, "b": 2, "list": [1, 2], "inner": {"q": 1}}


def item_assigned(values, n):
    values["a"] = 7
    pair = (1, 2) if n == 1 else (1, 2, 3)
    values["b"] = len(pair)
    return pair


def key_added(values, n):
    if n == 1:
        pair = (1, 2)
    else:
        pair = (1, 2, 3)
    values["c"] = len(pair)
    values["inner"]["q"] += len(pair)
    return pair


def list_and_key(values, n):
    if n == 1:
        pair = (1, 2)
    else:
        pair = (1, 2, 3)
    values["list"].append(len(pair))
    values["list"][0] += len(pair)
    values.pop("a")
    return pair


@pytest.mark.parametrize("f", [item_assigned, key_added, list_and_key])
def test_arguments_change_as_in_python(f):
    staged = ag.function(f)
    for n in np.array([1, 9]):
        plain, given = copy.deepcopy(GIVEN), copy.deepcopy(GIVEN)
        assert staged(given, n) == f(plain, n)
        assert given == plain


def key_removed(values, n):
    if n == 1:
        values.pop("a")
    return len(values)


def key_set(values, n):
    if values["a"] == n:
        values["inner"]["c"] = 5
    return values


def cleared(values, n):
    if n == 1:
        values.clear()
    return len(values)


def removed_in_a_loop(values, n):
    for key in values:
        if values[key] == n:
            values.pop(key)
            break
    return values


@pytest.mark.parametrize("f", [key_removed, key_set, cleared, removed_in_a_loop])
def test_keys_of_an_argument_that_depend_on_a_condition_are_refused(f):
    for n in np.array([1, 9]):
        given = {"a": np.int64(1), "b": np.int64(2), "inner": {"q": 1}}
        if f is removed_in_a_loop:
            del given["inner"]
        before = copy.deepcopy(given)
        with pytest.raises((ag.MissingValueError, ag.MismatchError)):
            ag.function(f)(given, n)
        assert given == before


def two_types_in_a_list(values, n):
    if n == 1:
        values["list"][0] = "x"
    return values["list"][0]


def test_an_item_of_two_types_is_refused():
    for n in np.array([1, 9]):
        with pytest.raises(ag.MismatchError):
            ag.function(two_types_in_a_list)(copy.deepcopy(GIVEN), n)
