"""Lists that may be None: other names, items and files."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph import Graph

XS = np.array([3.0, -1.0, 4.0])


def optional(xs):
    items = None
    if xs[0] > 0:
        items = [x for x in xs if x > 0]
    return items


def other_name(xs):
    items = optional(xs)
    other = items
    if xs[1] > 0:
        other = [4.0]
    if other is not None:
        other.append(1.0)
    return items


def older_list(xs):
    items = [1.0]
    other = items
    if xs[0] > 0:
        other = None
    if other is not None:
        other.append(2.0)
    return items


def either(xs):
    items = optional(xs)
    other = items or [9.0]
    other.append(3.0)
    return items


def item(xs):
    items, rows = optional(xs), []
    if items is not None:
        rows.append(items)
        items.append(3.0)
    return rows


def item_created_in_a_branch(xs):
    items, rows = None, []
    for x in xs:
        if x > 0:
            if items is None:
                items = []
                rows.append(items)
            items.append(x)
        else:
            items = None
    return rows


def list_of_lists(xs):
    rows, chosen = [], None
    for x in xs:
        row = [x]
        rows.append(row)
    if xs[0] > 0:
        chosen = rows
    if chosen is not None:
        chosen[0].append(5.0)
    return rows


@pytest.mark.parametrize("f", [other_name, older_list, either, item, item_created_in_a_branch, list_of_lists])
def test_changes_that_another_name_would_have_to_see_are_refused(f):
    with pytest.raises(ag.AliasError):
        ag.function(f)(XS)


@pytest.mark.parametrize("sign", [1, -1])
def test_one_name_sees_what_another_changes(sign):
    def f(xs):
        items = optional(xs)
        other = items
        if other is not None:
            other.append(7.0)
            return len(items), items
        return -1, items

    assert ag.function(f)(sign * XS) == f(sign * XS)


@pytest.mark.parametrize("sign", [1, -1])
def test_graphs_survive_serialization(sign):
    def f(xs):
        items = optional(xs)
        if items is not None:
            items.append(2.0)
        return items

    graph = ag.function(f, optimise=False).get_concrete_function(sign * XS).graph
    assert Graph.from_json(graph.to_json()).equals(graph)
    assert ag.function(f)(sign * XS) == f(sign * XS)


@pytest.mark.parametrize("values", [[1.0, 2.0, -3.0], [-1.0, -2.0, -3.0], [3.0, 1.0, 1.0]])
def test_a_variable_that_may_be_unbound_may_be_none(values):
    def f(xs):
        for i, x in enumerate(xs):
            if x < 0:
                at = i
                break
        else:
            at = None
        return at

    assert ag.function(f)(np.array(values)) == f(np.array(values))
