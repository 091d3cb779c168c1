"""Linked lists and trees of the user's classes, which staged conditions build and change."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0, 3.0])


@dataclass
class Node:
    key: float
    left: Any = None
    right: Any = None
    count: int = 1


class Link:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest


def insert(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    elif key > node.key:
        node.right = insert(node.right, key)
    else:
        node.count += 1
    return node


def total(node):
    if node is None:
        return 0.0
    return node.key * node.count + total(node.left) + total(node.right)


def height(node):
    return 0 if node is None else 1 + max(height(node.left), height(node.right))


def collect(node, out):
    if node is not None:
        collect(node.left, out)
        out.append(node.key)
        collect(node.right, out)


def search_tree(xs):
    root = None
    for x in xs:
        root = insert(root, x)
    out = []
    collect(root, out)
    return total(root), height(root), np.array(out)


def tree_in_a_loop(xs):
    root = Node(xs[0])
    for x in xs[1:]:
        node = root
        while True:
            if x < node.key:
                if node.left is None:
                    node.left = Node(x)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(x)
                    break
                node = node.right
    return height(root), total(root.left)


def build(xs):
    if len(xs) == 0:
        return None
    middle = len(xs) // 2
    return Node(xs[middle], build(xs[:middle]), build(xs[middle + 1 :]))


def balanced_tree(xs):
    root = build(np.sort(xs[xs > 0]))
    found = []
    for x in xs:
        node = root
        while node is not None and node.key != x:
            node = node.left if x < node.key else node.right
        found.append(node is not None)
    return found, height(root)


def grow(y, depth):
    node = Node(y.mean(), count=len(y))
    if depth == 0 or len(y) < 3 or y.max() - y.min() < 0.5:
        return node
    node.left = grow(y[y < y.mean()], depth - 1)
    node.right = grow(y[y >= y.mean()], depth - 1)
    return node


def prune(node, least):
    if node.left is None:
        return 1
    below = prune(node.left, least) + prune(node.right, least)
    if node.count < least:
        node.left = node.right = None
        return 1
    return below


def pruned_tree(xs):
    root = grow(xs, 3 + 0 * np.int64(xs[0]))
    before = height(root)
    return prune(root, xs[2] + 1), before, height(root), total(root)


def linked_list(xs):
    head = None
    for x in xs:
        if x > 0:
            head = Link(x, head)
    before = None
    while head is not None:  # reversed in place
        head.rest, before, head = before, head, head.rest
    values = []
    while before is not None:
        values.append(before.value)
        before = before.rest
    return values


def attribute_in_a_recursive_function(xs):
    cells = [Node(x) for x in xs if x > 0]

    def visit(k):
        if k <= 0:
            return 0.0
        cells[k].count += 1
        return cells[k].key + visit(k - 1)

    return visit(len(cells) - 1) + visit(len(cells) - 2), [cell.count for cell in cells]


@pytest.mark.parametrize(
    "f",
    [
        search_tree,
        tree_in_a_loop,
        balanced_tree,
        pruned_tree,
        linked_list,
        attribute_in_a_recursive_function,
    ],
)
def test_trees(f):
    staged = ag.function(f)
    for xs in (XS, -XS, np.sort(XS), np.abs(XS)):
        assert_same(staged(xs), f(xs))


def assert_same(actual, expected):
    if isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected)
        for own, other in zip(actual, expected, strict=True):
            assert_same(own, other)
    else:
        np.testing.assert_allclose(actual, expected)


# None as an argument


def best_sum(xs, k, best):
    if k >= len(xs):
        return -math.inf if best is None else best
    if xs[k] < 0:
        return best_sum(xs, k + 1, best)
    return best_sum(xs, k + 1, xs[k] if best is None or xs[k] > best else best)


def widest_gap(xs, k, pair):
    if k == len(xs):
        return 0.0 if pair is None else pair[1] - pair[0]
    if xs[k] < 0:
        return widest_gap(xs, k + 1, pair)
    low, high = (xs[k], xs[k]) if pair is None else pair
    return widest_gap(xs, k + 1, (min(low, xs[k]), max(high, xs[k])))


@pytest.mark.parametrize("f", [best_sum, widest_gap])
def test_none_as_an_argument_of_a_recursive_function(f):
    staged = ag.function(lambda xs, k: f(xs, k, None))
    for xs in (XS, -np.abs(XS), np.abs(XS)):
        np.testing.assert_allclose(staged(xs, np.int64(0)), f(xs, 0, None))


# Arrays and lists in attributes


class Best:
    def __init__(self):
        self.array, self.sizes = np.zeros(2), [0, 0]


def keeps_arrays(xs, n):
    best = Best()
    fresh = xs + 1

    def go(n, array):
        best.array = array
        if n > 0:
            go(n - 1, array)

    go(n, fresh)
    fresh[0] = 9.0
    return best.array


def test_an_array_in_an_attribute_may_not_have_another_name():
    with pytest.raises(ag.StagedRecursionError, match="may have another name"):
        ag.function(keeps_arrays)(XS, np.int64(2))


def keeps_lists(n):
    best = Best()

    def go(n):
        sizes = [n, 1]
        best.sizes = sizes
        if n > 0:
            go(n - 1)
        sizes[1] = 7

    go(n)
    return best.sizes


def test_lists_in_attributes():
    assert ag.function(keeps_lists)(np.int64(3)) == keeps_lists(3) == [0, 7]


@dataclass
class Task:
    ident: int
    after: list = field(default_factory=list)
    before: list = field(default_factory=list)


def order_of(links):
    tasks = [Task(i) for i in range(4)]
    for first, second in links.tolist():
        tasks[first].after.append(second)
        tasks[second].before.append(first)
    pending = [len(task.before) for task in tasks]
    ready = deque(i for i, count in enumerate(pending) if count == 0)
    order = []
    while ready:
        i = ready.popleft()
        order.append(i)
        for j in tasks[i].after:
            pending[j] -= 1
            if pending[j] == 0:
                ready.append(j)
    return order, len(order) == len(tasks)


def test_the_type_of_a_list_never_contains_itself():
    staged = ag.function(order_of)
    for links in ([[0, 1], [1, 2], [3, 2]], [[0, 1], [1, 2], [2, 0]]):
        assert_same(staged(np.array(links)), order_of(np.array(links)))


# Conditions that read what has changed


def changed_nodes(xs):
    nodes = []
    for x in xs:
        if x > 0:
            nodes.append(Node(x))
    for node in nodes:
        node.key = node.key + 1
    return nodes


def pick(nodes, otherwise):
    if nodes[0].key > 2:
        return otherwise
    return [1.0, 2.0], 3.0


def none_after_a_change(xs):
    found = pick(changed_nodes(xs), None)
    first, _ = found if found is not None else ([], 0.0)
    return first


def text_after_a_change(xs):
    found = pick(changed_nodes(xs), "none")
    if found == "none":
        return 0.0
    return found[1]


@pytest.mark.parametrize("f", [none_after_a_change, text_after_a_change])
def test_a_condition_that_reads_a_changed_object(f):
    """Code is not repeated for each outcome: the condition would not see the change."""
    with pytest.raises(ag.MismatchError, match="another structure"):
        ag.function(f)(np.array([1.5, 3.0]))


# Arguments of another structure in each call


def sum_of_positive(values, total):
    if not values:
        return total
    if values[0] > 0:
        return sum_of_positive(values[1:], total + values[0])
    return sum_of_positive(values[1:], total)


def test_recursion_over_a_tuple_is_unrolled():
    staged = ag.function(lambda a, b, c: sum_of_positive((a, b, c), a * 0))
    for values in ((1.0, -2.0, 3.0), (-1.0, 2.0, -3.0)):
        arguments = [*map(np.float64, values)]
        assert staged(*arguments) == sum_of_positive(arguments, 0.0)


# Objects that refer to themselves


def refers_to_itself(x):
    link = Link(x, None)
    if x > 0:
        link.rest = link
    return link.value if link.rest is None else link.rest.value * 2


@pytest.mark.parametrize("x", [1.5, -1.5])
def test_an_object_that_refers_to_itself(x):
    assert ag.function(refers_to_itself)(np.float64(x)) == refers_to_itself(x)
