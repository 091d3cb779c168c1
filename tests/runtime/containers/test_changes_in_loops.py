"""Loops whose body changes the list, set or dict that they go over."""

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([3, 2, 5])


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (KeyError, RuntimeError) as error:
        return type(error), str(error)


def doubled(xs):
    values = {}
    for x in xs:
        values[x] = x * 2
    return values


def keys_written(n, xs):
    values = doubled(xs)
    for key in values:
        values[key] += n
    return values


def items_written(n, xs):
    values = doubled(xs)
    for key, value in values.items():
        values[key] = value + n
    return values


def numbered_items_written(n, xs):
    values = doubled(xs)
    for i, (key, _) in enumerate(values.items(), 5):
        values[key] = i
    return values


def later_item_written(n, xs):
    values, total = doubled(xs), 0
    for key, value in values.items():
        values[xs[-1]] = 100
        total += value * key
    return total, values


def later_value_written(n, xs):
    values, total = doubled(xs), 0
    for value in values.values():
        values[xs[-1]] = 100
        total += value
    return total, values


def key_added(n, xs):
    values = doubled(xs)
    for key in values:
        if key == n:
            values[key + 100] = 1
    return values


def key_added_before_a_break(n, xs):
    values = doubled(xs)
    for key, value in values.items():
        if value == 2 * n:
            values[key + 100] = 1
            break
    return values


def key_deleted(n, xs):
    values = doubled(xs)
    for key, value in values.items():
        if value == 2 * n:
            del values[key]
    return values


def key_replaced(n, xs):
    values = doubled(xs)
    for key in values:
        if key == n:
            del values[key]
            values[key + 100] = 1
        if key > 50:
            return key
    return values


def largest_cleared(n, xs):
    values, best = doubled(xs), None
    for key, value in values.items():
        if best is None or value > best:
            best = value
            values[key] = 0
    return best, values


def returned_from_a_loop(n, xs):
    values = doubled(xs)
    for key in values:
        if key == n:
            return key
        values[key] = -1
    return values[xs[0]]


def error_caught(n, xs):
    values = doubled(xs)
    try:
        for key, value in values.items():
            if value == 2 * n:
                values[key + 100] = 1
    except RuntimeError as error:
        return str(error)
    return "unchanged"


def views_used_after_changes(n, xs):
    values = doubled(xs)
    keys, items, known = values.keys(), values.items(), list(values)
    values[n] = 7
    total = 0
    for key, value in items:
        total += key * value
    return len(keys), len(known), total, n in keys, max(values.values())


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize(
    "function",
    [
        keys_written, items_written, numbered_items_written, later_item_written,
        later_value_written, key_added,
        key_added_before_a_break, key_deleted, largest_cleared, returned_from_a_loop, error_caught,
        views_used_after_changes,
    ],
)  # fmt: skip
def test_a_loop_sees_the_changes_of_its_dict(function, engine):
    if engine == "native":
        pytest.importorskip("llvmlite")
    staged = ag.function(function, engine=engine)
    for n in np.array([3, 2, 5, 77]):
        assert outcome(staged, n, XS) == outcome(function, n, XS)


def test_a_loop_that_removes_and_adds_keys_is_refused():
    with pytest.raises(ag.AliasError, match="a loop over a dict removes keys and adds keys"):
        ag.function(key_replaced)(np.int64(7), XS)


def members_added(n, xs):
    members = set()
    for x in xs:
        members.add(x)
    for _ in members:
        members.add(n)
    return members


def mapped_values(n, xs):
    values, total = doubled(xs), 0
    for value in map(abs, values.values()):
        values[xs[-1]] = n
        total += value
    return total


def numbered_in_a_plain_loop(n, xs):
    values = {2: 0.5}
    for i, _ in enumerate(values):
        if n > 3:
            values[0] = i
    return values


@pytest.mark.parametrize("function", [members_added, mapped_values, numbered_in_a_plain_loop])
def test_what_a_loop_cannot_see_is_refused(function):
    with pytest.raises(ag.AliasError, match=r"in a loop over the dict|that it iterates over"):
        ag.function(function)(np.int64(2), XS)


def key_added_in_a_branch(n):
    values = {2: 0.5}
    for _ in values:
        if n > 3:
            values[0] = 1.0
    return values


def key_removed_before_a_break(n):
    values = {1: 2, 5: 6}
    for key in values:
        if n > key:
            values.pop(key)
            break
    return values


def member_added_in_a_branch(n):
    members = {1, 5}
    for member in members:
        if n > member:
            members.add(7)
            if n > 6:
                return "returned"
    return members


def later_item_of_a_plain_dict_written(n):
    values, total = {0: 0.5, 2: 0.25}, 0.0
    for key, value in values.items():
        values[n] = 1.0
        total += value + key
    return values, total


def error_of_a_plain_loop_caught(n):
    values, total = {0: 0.5, 2: 0.25}, 0.0
    try:
        for value in values.values():
            values[n] = 1.0
            total += value
    except RuntimeError as error:
        return str(error)
    return total


@pytest.mark.parametrize(
    "function",
    [
        key_added_in_a_branch, key_removed_before_a_break, member_added_in_a_branch,
        later_item_of_a_plain_dict_written, error_of_a_plain_loop_caught,
    ],
)  # fmt: skip
def test_a_plain_loop_sees_the_changes_of_its_dict_or_set(function):
    staged = ag.function(function)
    for n in np.array([0, 2, 4, 7]):
        assert outcome(staged, n) == outcome(function, n)


def items_of_a_list_written(i):
    values, total = [1, 2, 3], 0
    for value in values:
        values[i] = 9
        total += value
    return total, values


def numbered_items_of_a_list_written(i):
    values, total = [1, 2, 3], 0
    for place, value in enumerate(values):
        values[i] = 9 + place
        total += value
    return total, values


def reversed_items_of_a_list_written(i):
    values, total = [1, 2, 3], 0
    backwards = reversed(values)
    for value in backwards:
        values[i] = 9
        total += value
    return total, values


def pairs_of_a_list_written(i):
    values, total = [1, 2, 3], 0
    for one, other in zip(values, reversed(values), strict=True):
        values[i] = 9
        total += one * other
    return total, values


@pytest.mark.parametrize(
    "function",
    [
        items_of_a_list_written, numbered_items_of_a_list_written, reversed_items_of_a_list_written,
        pairs_of_a_list_written,
    ],
)  # fmt: skip
def test_a_plain_loop_sees_the_items_written_to_its_list(function):
    staged = ag.function(function)
    for i in np.arange(-3, 3):
        assert staged(i) == function(i)
