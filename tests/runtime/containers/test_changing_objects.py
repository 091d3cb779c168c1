"""Objects that change while they are items of staged lists: what repeats the trace, and what is refused."""

import copy
import pickle
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, -2.0, 3.0, 0.5])


@dataclass
class Cell:
    x: object
    v: object = None


class Node:
    def __init__(self, x, following=None):
        self.x, self.following = x, following


class Registered:
    def __init__(self, x, register):
        self.x = x
        register.append(self)


class Cached:
    def __init__(self, x):
        self.x = x

    @cached_property
    def square(self):
        return self.x * self.x


def positive(xs, make):
    return [make(x) for x in xs if x > 0]


def linked(xs):
    nodes = positive(xs, Node)
    for i in range(len(nodes) - 1):
        nodes[i].following = nodes[i + 1]
    total, node = 0.0, nodes[0]
    while node is not None:
        total = total * 2 + node.x
        node.x = 0.0
        node = node.following
    return total, [node.x for node in nodes]


def of_a_local_class(xs):
    class Counter:
        def __init__(self, x):
            self.x, self.seen = x, []

        def see(self, x):
            self.seen.append(x)
            self.x += 1

    counters = positive(xs, Counter)
    for counter in counters:
        counter.see(2.0)
        counter.see(counter.x)
    return [(counter.x, counter.seen) for counter in counters]


def types_that_widen(xs):
    cells = [Cell(0, None) for _ in xs]
    total = 0
    for cell, x in zip(cells, xs):  # noqa: B905 - the first is staged
        total += cell.x // 1
        if x > 0:
            cell.x, cell.v = x, x
        cell.x += 1
    return bool(total == 0), [(cell.x, cell.v) for cell in cells]


def named_like_parts_of_staged_values(xs):
    class Thing:
        def __init__(self, x):
            self.type = self.node = self.shared = self.home = self.ndim = self._node = x

    things = positive(xs, Thing)
    for thing in things:
        thing.type += 1
        thing.node += thing._node
        thing.shared = thing.home = 2
    return [(t.type, t.node, t.shared, t.home, t.ndim) for t in things]


def error_with_an_object(xs):
    cells = positive(xs, Cell)
    for cell in cells:
        cell.v = 1
        if cell.x > 2:
            raise KeyError(cell)
    return cells


def read_of_a_missing_attribute(xs):
    cells = positive(xs, Cell)
    cells[0].v = 1
    return cells[0].nothing


def use_of_none(xs):
    cells, best = positive(xs, Cell), None
    for cell in cells:
        if cell.x > 5:
            best = cell
    best.v = 1.0
    return cells


def order_of_reads_and_writes(xs):
    cells = positive(xs, Cell)
    before = cells[0].x
    cells[0].x = 4.0
    after = cells[0].x
    cells[len(cells) - 3].x = 5.0
    return before, after, cells[0].x


@pytest.mark.parametrize(
    "f",
    [
        linked,
        of_a_local_class,
        types_that_widen,
        named_like_parts_of_staged_values,
        error_with_an_object,
        read_of_a_missing_attribute,
        use_of_none,
        order_of_reads_and_writes,
    ],
)
def test_objects_change_as_in_python(f):
    def outcome(function):
        try:
            return repr(function(XS))
        except (AttributeError, KeyError) as error:
            return type(error), str(error)

    assert outcome(ag.function(f)) == outcome(f)


TRACES = []
TOTAL = {"calls": 0}


def with_effects(xs):
    print("begin")
    TRACES.append(1)
    TOTAL["calls"] += 1
    cells = positive(xs, Cell)
    cells[0].v = 1.0
    for cell in cells:
        print(cell.x, cell.v)
    return cells


def test_a_trace_that_is_repeated_has_no_effect(capsys):
    """The first one ends where an object changes that the graph has as a value."""
    TRACES.clear()
    TOTAL["calls"] = 0
    ag.function(with_effects)(XS)
    assert capsys.readouterr().out == "begin\n1.0 1.0\n3.0 None\n0.5 None\n"
    assert TRACES == [1] and TOTAL == {"calls": 1}


def test_results_are_new_objects_in_each_call():
    function = ag.function(with_effects)
    first, second = function(XS), function(XS)
    assert type(first[0]) is Cell and first == second and first[0] is not second[0]
    first[0].x = 100.0
    assert function(XS) == second


# What is refused


def new_attribute(xs):
    cells = positive(xs, Cell)
    for cell in cells:
        cell.other = 1
    return [cell.other for cell in cells]


def deleted_attribute(xs):
    cells = positive(xs, Cell)
    cells[0].v = 1
    del cells[0].v
    return cells


def hashed(xs):
    nodes = positive(xs, Node)
    nodes[0].x = 1.0
    return {nodes[0], nodes[1]}


def unhashable(xs):
    cells = positive(xs, Cell)
    cells[0].x = 1.0
    return {cells[0]: 1}


def registered_by_init(xs):
    register = []
    nodes = [Registered(1.0, register)]
    for x in xs:
        nodes.append(Registered(x, []))
    nodes[0].x = 5.0
    return register[0].x


def with_a_cache(xs):
    found = positive(xs, Cached)
    found[0].x = 2.0
    return found[0].square


def array_that_is_written_to(xs):
    cells = positive(xs, lambda x: Cell(x, np.zeros(2)))
    cells[0].x = 0.0
    cells[0].v[0] = 1.0
    return cells


def deep_copy(xs):
    cells = positive(xs, lambda x: Cell(x, np.zeros(2)))
    cells[0].x = 0.0
    return copy.deepcopy(cells[0])


def pickled(xs):
    cells = positive(xs, Cell)
    cells[0].x = 0.0
    return pickle.dumps(cells[0])


@pytest.mark.parametrize(
    ("f", "kind", "text"),
    [
        (new_attribute, ag.AliasError, "the new attribute 'other' is assigned to a Cell"),
        (deleted_attribute, ag.AliasError, "the attribute 'v' is deleted from a Cell"),
        (hashed, ag.AliasError, "the identity of a Node is tested"),
        (unhashable, TypeError, "unhashable type: 'Cell'"),
        (registered_by_init, ag.AliasError, "a Registered that is an item of a staged list is changed"),
        (with_a_cache, ag.AliasError, "a Cached that is an item of a staged list is changed"),
        (array_that_is_written_to, ag.AliasError, "to which a new array has to be assigned"),
        (deep_copy, ag.AliasError, r"copy.deepcopy\(\) copies a Cell"),
        (pickled, ag.AliasError, "takes the state of a Cell"),
    ],
)
def test_what_no_graph_can_follow(f, kind, text):
    with pytest.raises(kind, match=text):
        ag.function(f)(XS)


def of_the_caller(xs, cell):
    cells = positive(xs, Cell)
    cells.append(cell)
    for other in cells:
        other.v = 1.0
    return cell.v


def changed_beside(xs, cell):
    cells = positive(xs, Cell)
    for other in cells:
        other.v = 1.0
    cell.v = cells[0].x + 1
    return cell.v


def test_objects_of_the_caller():
    with pytest.raises(ag.StagingError, match="a Cell that converted code has not created is stored"):
        ag.function(of_the_caller)(XS, Cell(1.0))
    cell = Cell(1.0)
    assert ag.function(changed_beside)(XS, cell) == cell.v == 2.0


def sum_of_changed(xs):
    cells = [Cell(x, 0.0) for x in xs]
    for cell in cells:
        cell.v += cell.x * cell.x
    total = 0.0
    for cell in cells:
        total += cell.v
    return total


def test_gradients_and_files_of_objects_are_refused(tmp_path):
    function = ag.function(sum_of_changed)
    assert function(XS) == sum_of_changed(XS)
    with pytest.raises(ag.GradientError, match="has no gradient"):
        ag.grad(function)(XS)
    with pytest.raises(ag.SaveError, match="Cell"):
        ag.save(function, tmp_path / "function.json")


def array_stored_many_times(xs):
    row, rows = np.zeros(2), []
    for x in xs:
        if x > 0:
            rows.append(row)
    row[0] = 7.0
    return rows[0][0]


def array_in_an_attribute(xs):
    row = np.zeros(2)
    cells = positive(xs, lambda x: Cell(x, row))
    row[0] = 7.0
    return cells[0].v[0]


@pytest.mark.parametrize("f", [array_stored_many_times, array_in_an_attribute])
def test_a_plain_array_in_a_staged_list_may_not_change(f):
    with pytest.raises(ag.AliasError, match="an array that is an item of a staged list is changed"):
        ag.function(f)(XS)


def arrays_after_a_plain_one(xs):
    rows = [np.zeros(2)]
    for x in xs:
        if x > 0:
            rows.append(rows[-1] + x)
    return [row.tolist() for row in rows]


def test_a_plain_array_before_staged_ones():
    assert ag.function(arrays_after_a_plain_one)(XS) == arrays_after_a_plain_one(XS)
