"""Sets and dicts with staged members and keys: what is refused, and what other names of them see."""

from collections import Counter, defaultdict, deque

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([4, 2, 4])
SEEN: set[int] = set()


def staged(f, *args):
    specs = [ag.TensorSpec((None,) * np.ndim(a), np.asarray(a).dtype) for a in args]
    return ag.function(f, input_signature=specs)(*args)


def table_that_grows(n):
    table = {0: 0, 1: 1}
    for i in range(2, n + 1):
        table[i] = table[i - 1] + table[i - 2]
    return table[n]


def second_name(xs):
    seen, places = set(), {}
    same, also = seen, places
    for i, x in enumerate(xs):
        seen.add(x)
        places[x] = i
    also[9] = 9
    return same, seen is same, places


def in_a_closure(xs):
    seen = set()

    def note(x):
        seen.add(x)

    for x in xs:
        note(x)
    return seen


def in_a_list(xs):
    sets = [set(), set()]
    for x in xs:
        sets[0].add(x)
    return sets


def order_after_a_restored_key(x):
    items, taken = {"a": 1, "b": 2}, 0
    if x > 5:
        taken = items.pop("a")
    return items, taken


def new_in_each_round(xs):
    count = 0
    for x in xs:
        rests = set()
        for y in xs:
            rests.add(y % x)
        count += len(rests)
    return count


def keys_while_it_is_emptied(xs):
    waiting, total = set(xs), 0
    while waiting:
        least = min(waiting)
        waiting.remove(least)
        total = total * 10 + least
    return total


def caught_in_a_loop(xs):
    found = set()
    for x in xs:
        try:
            found.remove(x)
        except KeyError:
            found.add(x)
    return found


def default_that_is_stored(xs):
    counts = defaultdict(int)
    for x in xs:
        if counts[x] == 0:
            counts[x + 1] += 1
    return counts


@pytest.mark.parametrize(
    "f",
    [second_name, in_a_closure, in_a_list, new_in_each_round, keys_while_it_is_emptied, caught_in_a_loop,
     default_that_is_stored],
)  # fmt: skip
def test_is_what_python_does(f):
    assert repr(staged(f, XS)) == repr(f(XS))


@pytest.mark.parametrize(("f", "x"), [(table_that_grows, 10), (order_after_a_restored_key, 1)])
def test_numbers(f, x):
    assert repr(staged(f, np.int64(x))) == repr(f(np.int64(x)))


def selected_and_written(xs):
    a, b = set(), set()
    c = a if xs[0] > 0 else b
    c.add(1)
    return a, b


def selected_and_the_other_written(xs):
    a, b = set(), set()
    c = a if xs[0] > 0 else b
    a.add(xs[0])
    return c, b


def selected_deque(xs):
    a, b = deque(), deque()
    c = a
    if xs[0] > 0:
        c = b
    for x in xs:
        c.append(x)
    return a, b


def selected_deque_of_which_one_changes(xs):
    a, b = deque(), deque()
    c = a if xs[0] > 0 else b
    a.append(5)
    return c, b


def selected_array_of_which_one_changes(xs):
    a, b = np.zeros(3, int), np.ones(3, int)
    c = a if xs[0] > 0 else b
    a[0] = xs[1]
    return c, b


def selected_array_of_which_a_loop_changes_one(xs):
    a, b = np.zeros(3, int), np.ones(3, int)
    c = a if xs[0] > 0 else b
    for x in xs:
        a[0] += x
    return c, b


def of_a_global(xs):
    for x in xs:
        SEEN.add(x)
    return SEEN


def in_a_tuple(xs):
    pair = set(), 1
    for x in xs:
        pair[0].add(x)
    return pair


@pytest.mark.parametrize(
    "f",
    [selected_and_written, selected_and_the_other_written, selected_deque,
     selected_deque_of_which_one_changes, selected_array_of_which_one_changes,
     selected_array_of_which_a_loop_changes_one, of_a_global, in_a_tuple],
)  # fmt: skip
def test_a_change_that_another_name_would_miss_is_refused(f):
    with pytest.raises((ag.AliasError, ag.MismatchError)):
        staged(f, XS)
    assert set() == SEEN


def arrays(xs):
    rows = {}
    rows[xs[0]] = xs
    return rows


def of_two_types(xs):
    places = {"a": 1}
    places[xs[0]] = 2
    return places


def adds(members, x):
    members.add(x)
    return len(members)


def adds_on_one_path(members, x):
    if x > 0:
        members.add(3)
    return len(members)


def puts(items, x):
    items[x] = 1
    return len(items)


@pytest.mark.parametrize(("f", "given"), [(adds, {1}), (adds_on_one_path, {1}), (puts, {1: 1}), (puts, {})])
def test_the_callers_own_are_refused(f, given):
    before = given.copy()
    with pytest.raises(ag.AliasError, match="the caller"):
        ag.function(f)(given, np.int64(4))
    assert given == before


def changed_in_place_by_an_operator(xs):
    plain = {1}
    same = plain
    plain |= set(xs)
    return same


def plain_on_the_left(xs):
    return {1} - set(xs)


@pytest.mark.parametrize("f", [changed_in_place_by_an_operator, plain_on_the_left])
def test_a_plain_set_is_the_left_operand(f):
    """`plain |= staged` changes all names of the plain set, and `plain - staged` makes a new one."""
    assert staged(f, XS) == f(XS)


def ordered_by_values(xs):
    places = {}
    for i, x in enumerate(xs):
        places[x] = i + 0
    return sorted(places, key=places.get), max(places, key=lambda x: places[x]), sorted(places, reverse=True)


def removed_from_a_counter(xs):
    counts = Counter(xs)
    del counts[xs[0]]
    del counts[xs[0] + 100]
    return counts, isinstance(counts, Counter)


def compared_with_a_list(xs):
    return set(xs) == [4, 2], set(xs) != [4, 2], set(xs) == {4, 2}


@pytest.mark.parametrize("f", [ordered_by_values, removed_from_a_counter, compared_with_a_list])
def test_builtins_and_comparisons(f):
    assert repr(staged(f, XS)) == repr(f(XS))


@pytest.mark.parametrize("f", [arrays, of_two_types])
def test_other_keys_and_values_are_refused(f):
    with pytest.raises((ag.StagingError, ag.ValueNeededError, ag.MismatchError)):
        staged(f, XS)


def test_recursion_that_fills_a_dict():
    def numbers(n):
        known = {}

        def fibonacci(n):
            if n < 2:
                return n
            if n in known:
                return known[n]
            known[n] = fibonacci(n - 1) + fibonacci(n - 2)
            return known[n]

        return fibonacci(n)

    assert staged(numbers, np.int64(5)) == 5


def test_an_array_is_no_member():
    def f(xs):
        return {1}.union([xs])

    with pytest.raises(TypeError, match="unhashable type"):
        f(XS)
    with pytest.raises(TypeError, match="unhashable type"):
        staged(f, XS)


def test_a_missing_member_raises_as_in_python():
    def f(xs):
        members = set(xs)
        members.remove(xs[0] + 100)
        return members

    for call in (f, lambda xs: staged(f, xs)):
        with pytest.raises(KeyError, match="104"):
            call(XS)


def key_added_in_a_loop(ks):
    found = {2: 0.5}
    for _ in found.items():
        found[max(ks)] = 1.0
    return found


def member_added_in_a_loop(ks):
    found = {2}
    for _ in found:
        found.add(max(ks))
    return len(found)


def key_added_in_a_loop_over_a_copy(ks):
    found = {2: 0.5}
    for _ in list(found):
        found[max(ks)] = 1.0
    for _ in range(2):
        found[min(ks)] = 3.0
    return sorted(found.items())


def test_a_loop_over_a_dict_that_gets_staged_keys():
    for function in (key_added_in_a_loop, member_added_in_a_loop):
        with pytest.raises(RuntimeError, match="changed size during iteration"):
            ag.function(function)(np.array([3, 0, 1]))
        assert ag.function(function)(np.array([2, 0, 1])) == function(np.array([2, 0, 1]))
    ks = np.array([3, 0, 1])
    assert ag.function(key_added_in_a_loop_over_a_copy)(ks) == key_added_in_a_loop_over_a_copy(ks)


def missing_key_of_an_emptied_dict(k, x):
    found = {}
    found[k] = x
    found.pop(k)
    if x > 2:
        return found.popitem()
    return k, x


def test_missing_items_are_errors_of_the_branch():
    """A `popitem` in a branch that does not run raises nothing."""
    staged = ag.function(missing_key_of_an_emptied_dict)
    assert staged(np.int64(1), np.float64(0.5)) == (1, 0.5)
    with pytest.raises(KeyError, match="dictionary is empty"):
        staged(np.int64(1), np.float64(2.5))
