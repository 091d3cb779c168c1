"""Lists and arrays with several names: helpers fill what their caller passes to them."""

import contextlib

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 2.0])
TWO = np.float64(2.0)


def note(log, value):
    if value > 0:
        log.append(value)


@samples((XS,), (-XS,))
def noted_by_a_helper(xs):
    log = []
    note(log, xs[0])
    note(log, xs[1])
    return len(log), sum(log)


@samples((XS,), (-XS,))
def noted_in_a_loop(xs):
    log = []
    for x in xs:
        note(log, x)
    return len(log), sum(log)


def push(stack, value):
    if value > 0:
        stack.append(value)
        return True
    return False


def pop(stack):
    if not stack:
        raise ValueError("the stack is empty")
    return stack.pop()


@samples((XS,), (-XS,))
def stack_machine(xs):
    stack, pushed = [], 0
    for x in xs:
        if push(stack, x):
            pushed += 1
    a, b = pop(stack), pop(stack)
    return a - b, pushed


@samples((TWO,), (-TWO,))
def always_under_a_condition(x):
    log = [0.0]
    if x > 0:
        log.append(x)
        note(log, x - 1)
    return len(log), log[-1]


@samples((np.array([1.0, 4.0, 6.0]), np.array([0.5, 5.0])))
def merged(left, right):
    out = []
    merge(out, left, right)
    return out[0], out[3], len(out)


def merge(out, left, right):
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    while i < len(left):
        out.append(left[i])
        i += 1
    while j < len(right):
        out.append(right[j])
        j += 1


def fill(array, value):
    if value > 0:
        array[0] = value
    else:
        array[1] = value


@samples((TWO,), (-TWO,))
def filled_by_a_helper(x):
    array = np.zeros(3)
    fill(array, x)
    total = array.sum()
    fill(array, x - 1)
    return array, total


@samples((XS,), (-XS,))
def histogram(xs):
    counts = np.zeros(4)
    for x in xs:
        count(counts, x)
    return counts


def count(counts, x):
    if x > 0:
        counts[int(x)] += 1


@samples((TWO,), (-TWO,))
def second_name(x):
    log = [1.0]
    same = log
    if x > 0:
        log.append(x)
    same.append(5.0)
    return len(log), len(same), log[-1]


@samples((TWO,), (-TWO,))
def second_name_of_an_array(x):
    array = np.zeros(2)
    same = array
    if x > 0:
        array[0] = x
    same[1] = 7.0
    return array, same[0]


@contextlib.contextmanager
def recorded(log):
    log.append(1.0)
    try:
        yield log
    finally:
        log.append(3.0)


@samples((TWO,), (-TWO,))
def recorded_by_a_context_manager(x):
    log = []
    with recorded(log):
        if x > 0:
            log.append(x)
    return len(log), log[-1], sum(log)


def visit(tree, node, found):
    if node >= len(tree):
        return
    if tree[node] > 0:
        found.append(tree[node])
    visit(tree, 2 * node + 1, found)
    visit(tree, 2 * node + 2, found)


@samples((np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 2.0, 0.0]),))
def collected_by_recursion(tree):
    found = []
    visit(tree, 0, found)
    return len(found), sum(found)


@samples((TWO,), (-TWO,))
def noted_in_a_handler(x):
    log = []
    try:
        if x > 0:
            raise ValueError("too large")
        log.append(0.0)
    except ValueError:
        note(log, x)
        note(log, -x)
    return len(log), sum(log)
