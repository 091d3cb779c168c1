"""Lists that become objects of the graph: names, refusals, and what the graph does with them."""

from collections import deque

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1, 1, 2, 3, 3, 3, 1])


def filled(xs):
    rows = [[] for _ in range(4)]
    for i, x in enumerate(xs):
        rows[x].append(i)
    return rows


def test_rows_grow_in_place():
    """Each iteration appends to the list that Python would append to, and copies nothing."""
    source = ag.function(filled).get_concrete_function(XS).python_source
    loop = source[source.index("for ") :]
    assert ".append(" in loop and "list(" not in loop and "copy" not in loop


def test_results_share_what_they_share_in_python():
    def shared(n):
        rows = [[] for _ in range(3)]
        rows[n].append(1)
        rows[0] = rows[n]
        return rows, rows[n]

    rows, row = ag.function(shared)(np.int64(2))
    assert rows[0] is rows[2] and rows[2] is row and rows[1] is not row


def test_reads_see_earlier_changes_only():
    """Equal reads before and after a change are two reads."""

    def read_twice(n):
        rows = [[1], [2, 3]]
        before = len(rows[n]), sum(rows[n])
        rows[n].append(4)
        return before, len(rows[n]), sum(rows[n])

    assert ag.function(read_twice)(np.int64(1)) == read_twice(1)


def test_a_branch_that_only_returns_its_arguments_has_aliases():
    def chosen(xs, c):
        small, large = [], []
        for x in xs:
            (large if x > c else small).append(x)
        return small, large

    assert ag.function(chosen)(XS, np.int64(1)) == chosen(XS, 1)


def item_that_grows_in_a_later_round(xs):
    item, out = [0], []
    for x in xs:
        item.append(x)
        item = [x]
        out.append(item)
    return out


def item_stored_in_a_branch(xs):
    item, out = [0], []
    if xs[0] > 0:
        item = [xs[1]]
        out.append(item)
    item[0] = 7
    return out


def item_that_grows_after_the_loop(xs):
    row, out = [1], []
    for x in xs:
        row = [x]
        out.append(row)
    row.append(5)
    return out


def read_after_it_became_an_object(xs):
    rows = [[] for _ in range(4)]
    first = rows[xs[0]]
    for i, x in enumerate(xs):
        rows[x].append(i)
    return first


def deques_of_which_one_is_chosen(xs):
    import collections

    a, b = collections.deque(), collections.deque()
    c = a if xs[0] > 0 else b
    for x in xs:
        c.append(x)
    return a, b


@pytest.mark.parametrize(
    "f",
    [
        item_that_grows_in_a_later_round, item_stored_in_a_branch, item_that_grows_after_the_loop,
        read_after_it_became_an_object, deques_of_which_one_is_chosen,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_names_that_the_graph_cannot_follow_are_refused(f):
    with pytest.raises(ag.AliasError) as caught:
        ag.function(f)(XS)
    assert "fix: " in str(caught.value)


@pytest.mark.parametrize(("i", "text"), [(9, "list index out of range"), (2, "pop from empty list")])
def test_errors_are_those_of_python(i, text):
    def popped(i):
        rows = [[1], [2, 3], []]
        return rows[i].pop()

    with pytest.raises(IndexError, match=text):
        popped(i)
    with pytest.raises(IndexError, match=text):
        ag.function(popped)(np.int64(i))


def test_a_list_cannot_contain_itself():
    def cyclic(n):
        rows = [[] for _ in range(n)]
        rows[0].append(rows[1])
        rows[1].append(rows[0])
        return rows

    with pytest.raises(ag.AliasError, match="an item of itself"):
        ag.function(cyclic)(np.int64(2))


def test_gradients_are_refused():
    def total(xs):
        rows = [[], []]
        for i, x in enumerate(xs):
            rows[i % 2].append(x * x)
        return sum(rows[0])

    with pytest.raises(ag.GradientError, match="reference"):
        ag.function(lambda xs: ag.grad(total)(xs))(np.array([1.0, 2.0]))


def test_files_are_refused(tmp_path):
    with pytest.raises(ag.AutographError, match="several names"):
        ag.save(ag.function(filled).get_concrete_function(XS), tmp_path / "f.json")


def test_deques_of_lists():
    def lots(prices):
        held = deque([price] for price in prices)
        held[0].append(3.0)
        held.append([9.0, 0.0])
        held[-1][1] = 5.0
        first = held.popleft()
        first[0] -= 1
        return first, list(held), len(held[0])

    for prices in ([1.5, 2.5], [1.5]):
        assert ag.function(lots)(np.array(prices)) == lots(np.array(prices))
