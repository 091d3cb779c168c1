"""Objects, dicts and lists in staged lists, and objects that conditions select: changes and identity."""

from dataclasses import dataclass

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, -2.0, 3.0, 0.5])


@dataclass
class Cell:
    x: object
    v: object = None


class Node:
    def __init__(self, x):
        self.x = x

    def grow(self):
        self.x += 1


def positive(xs, make):
    found = []
    for x in xs:
        if x > 0:
            found.append(make(x))
    return found


def stored_and_changed(xs):
    found = []
    for x in xs:
        cell = Cell(x)
        if x > 0:
            found.append(cell)
            cell.x = 5.0
    return found


def read_and_changed(xs):
    cells = positive(xs, Cell)
    cells[0].x = 3.0
    return cells


def popped_and_changed(xs):
    cells = positive(xs, Cell)
    cell = cells.pop()
    cell.x = 3.0
    return cell


def row_that_grows(xs):
    rows, row = [], [1.0]
    for x in xs:
        if x > 0:
            rows.append(row)
        row.append(x)
    return rows


def row_of_the_list_that_grows(xs):
    rows = positive(xs, lambda x: [x])
    rows[0].append(4.0)
    return rows


def list_of_an_item(xs):
    cells = positive(xs, lambda x: Cell(x, [x]))
    cells[0].v.append(1.0)
    return cells


def array_of_an_item(xs):
    cells = positive(xs, lambda x: Cell(x, np.array([x, x])))
    cells[0].v[0] = 1.0
    return cells


def dict_that_changes(xs):
    found, entry = [], {"a": 1.0}
    for x in xs:
        if x > 0:
            found.append(entry)
        entry["a"] = x
    return found


def selected_and_changed(xs):
    first, second = Node(xs[0]), Node(xs[1])
    chosen = first if xs[2] > 0 else second
    chosen.grow()
    return first.x


def source_changed_after_the_selection(xs):
    first, second = Node(xs[0]), Node(xs[1])
    if xs[2] > 0:
        chosen = first
    else:
        chosen = second
    first.x = 100.0
    return chosen.x


def in_an_attribute_and_changed(xs):
    owner = Node(Node(0.0))
    for x in xs:
        node = Node(x)
        if x > owner.x.x:
            owner.x = node
        node.x = 9.0
    return owner.x.x


def none_on_another_path(xs):
    node = Node(xs[0])
    other = node if xs[1] > 0 else None
    if other is not None:
        other.x = 9.0
    return node.x


def items_of_one_list(xs):
    nodes = positive(xs, Node)
    return nodes[0] is nodes[-1]


def not_the_best(xs):
    nodes = [Node(xs[0]), Node(xs[1])]
    best = nodes[0] if xs[2] > 0 else nodes[1]
    return [node.x for node in nodes if node is not best]


def equal_by_identity(xs):
    first, second = Node(xs[0]), Node(xs[1])
    return (first if xs[2] > 0 else second) == first


def position_by_identity(xs):
    nodes = [Node(xs[0]), Node(xs[1])]
    return nodes.index(nodes[0] if xs[2] > 0 else nodes[1])


def hashed_by_identity(xs):
    first, second = Node(xs[0]), Node(xs[1])
    return {(first if xs[2] > 0 else second): 1}


def optional_by_identity(xs):
    node = Node(xs[0])
    return (node if xs[2] > 0 else None) is node


def member_by_identity(xs):
    nodes = positive(xs, Node)
    return Node(xs[0]) in nodes


@pytest.mark.parametrize(
    "f",
    [
        stored_and_changed,
        read_and_changed,
        popped_and_changed,
        selected_and_changed,
        source_changed_after_the_selection,
        none_on_another_path,
        items_of_one_list,
        not_the_best,
        equal_by_identity,
        optional_by_identity,
        member_by_identity,
    ],
)
def test_changes_and_identity_of_objects(f):
    assert repr(ag.function(f)(XS)) == repr(f(XS))


def test_an_attribute_has_one_type():
    with pytest.raises(ag.MismatchError, match="has two types, float and Node"):
        ag.function(in_an_attribute_and_changed)(XS)


def test_python_looks_for_an_object_in_a_plain_list():
    with pytest.raises(ag.ValueNeededError, match="not converted"):
        ag.function(position_by_identity)(XS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "text"),
    [
        (array_of_an_item, "to which a new array has to be assigned"),
        (dict_that_changes, "a dict that is an item of a staged list is changed"),
        (hashed_by_identity, "the identity of a Node is tested"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_changes_and_identity_that_no_graph_can_follow(f, text):
    with pytest.raises(ag.AliasError, match=text) as caught:
        ag.function(f)(XS)
    assert "fix: " in str(caught.value)


@pytest.mark.parametrize("f", [row_that_grows, row_of_the_list_that_grows, list_of_an_item])
def test_a_list_that_is_an_item_changes_for_all_its_names(f):
    found, expected = ag.function(f)(XS), f(XS)
    assert repr(found) == repr(expected)


def list_and_item(xs):
    nodes = positive(xs, Node)
    return nodes, nodes[0]


def one_row_many_times(xs):
    rows, row = [], [xs[0]]
    for x in xs:
        if x > 0:
            rows.append(row)
    return rows, row


def test_results_are_one_object_where_they_are_in_python():
    nodes, first = ag.function(list_and_item)(XS)
    assert nodes[0] is first and type(first) is Node
    rows, row = ag.function(one_row_many_times)(XS)
    assert len(rows) == 3 and all(found is row for found in rows)


def both_results(xs):
    first, second = Node(xs[0]), Node(xs[1])
    return first, first if xs[2] > 0 else second


def list_and_best(xs):
    nodes = positive(xs, Node)
    best = nodes[0]
    for node in nodes:
        if node.x > best.x:
            best = node
    return nodes, best


@pytest.mark.parametrize("f", [both_results, list_and_best])
def test_objects_that_are_one_are_one_in_the_results(f):
    for xs in (XS, -XS):
        found, expected = ag.function(f)(xs), f(xs)
        first, best = found
        position = expected[0].index(expected[1]) if isinstance(first, list) else None
        assert (first[position] if position is not None else first) is best or first is not best
        assert best.x == expected[1].x


def best_argument(nodes, x):
    best = nodes[0]
    for node in nodes:
        if node.x > best.x + x:
            best = node
    return best


def test_results_that_may_be_an_argument_are_refused():
    with pytest.raises(ag.LeakError, match="may be the same as another one that is returned or was passed"):
        ag.function(best_argument)([Node(XS[0]), Node(XS[2])], XS[3])


def flag(x):
    positive = bool(x > 0)
    match positive:
        case True:
            return 1, positive is False
    return 2, positive is not True


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_bools_are_tested_for_being_true(x):
    assert ag.function(flag)(np.float64(x)) == flag(np.float64(x))


def sum_of_items(xs):
    total = 0.0
    for node in positive(xs, Node):
        total += node.x
    return total


def test_gradients_of_attributes_are_refused():
    with pytest.raises(ag.GradientError, match="attribute has no gradient"):
        ag.grad(ag.function(sum_of_items))(XS)


def test_graphs_with_objects_are_not_saved(tmp_path):
    function = ag.function(sum_of_items)
    function(XS)
    with pytest.raises(ag.SaveError, match="Node"):
        ag.save(function, tmp_path / "function.json")


def mixed_items(xs):
    return positive(xs, Node) + [Cell(xs[0])]  # noqa: RUF005


def none_among_objects(xs):
    cells = positive(xs, Cell)
    cells.append(None)
    return cells


def test_items_have_one_class():
    with pytest.raises(ag.MismatchError, match="items of two types"):
        ag.function(mixed_items)(XS)
    assert ag.function(none_among_objects)(XS) == none_among_objects(XS)


def tree(xs):
    root = Node(xs[0])
    root.left = Node(xs[1]) if xs[1] > 0 else None
    root.right = Node(xs[2]) if xs[2] > 0 else None
    depth = 1
    if root.left is not None or root.right is not None:
        depth = 2
    return depth, root.right.x


def test_objects_may_be_none():
    assert ag.function(tree)(XS) == tree(XS)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'x'"):
        ag.function(tree)(-XS)
