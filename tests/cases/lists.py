"""Python lists that grow and shrink while a staged loop runs."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, -1, 4, -1, 5])


@samples((XS,), (XS[:1],))
def append(xs):
    out = []
    for x in xs:
        out.append(x * x)
    return np.stack(out)


@samples((XS,), (-XS,))
def append_in_branch(xs):
    out = []
    for x in xs:
        if x > 0:
            out.append(x)
    return np.array(out)


@samples((XS,), (-XS,))
def append_in_both_branches(xs):
    out = []
    for x in xs:
        if x > 0:
            out.append(x)
        else:
            out.append(0)
    return out


@samples((XS,), (-XS,))
def two_lists(xs):
    up, down = [], []
    for x in xs:
        if x > 0:
            up.append(x)
        else:
            down.append(x)
    return len(up), sum(up), len(down), sum(down)


@samples((6,), (1,))
def append_in_while(n):
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return np.stack(path)


@samples((5,), (0,))
def squares(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return out


@samples((4,), (0,))
def sum_and_len(n):
    out = []
    for i in range(n):
        out.append(i + 1)
    return sum(out), len(out)


@samples((3,), (0,))
def stack_of_nothing_raises(n):
    out = []
    for i in range(n):
        out.append(i)
    return np.stack(out)


@samples((np.array([[1.0, 2.0], [3.0, 4.0]]),))
def append_rows(rows):
    out = []
    for row in rows:
        out.append(row / row.sum())
    return np.stack(out)


@samples((4,), (2,))
def read_last(n):
    out = [1, 1]
    for _ in range(n):
        out.append(out[-1] + out[-2])
    return out


@samples((5,), (0,))
def pop(n):
    stack = [10]
    for i in range(n):
        stack.append(i)
        if i % 2 == 1:
            stack.pop()
    return len(stack), stack[-1]


@samples((3,), (0,))
def pop_value(n):
    stack = [1, 2, 3, 4]
    total = 0
    while n > 0:
        total = total * 10 + stack.pop()
        n -= 1
    return total, stack


@samples((5,), (3,))
def pop_from_empty_raises(n):
    stack = [1, 2, 3]
    for _ in range(n):
        stack.pop()
    return len(stack)


@samples((3,), (-3,))
def append_outside_loop(x):
    out = [0]
    if x > 0:
        out.append(x)
    return out


@samples((3,), (1,))
def nested_loops(n):
    out = []
    for i in range(n):
        for j in range(i + 1):
            out.append(i * 10 + j)
    return out


@samples((3,), (0,))
def aug_assign(n):
    out = [0]
    for i in range(n):
        out += [i]
    return out


@samples((4, 1), (4, 3))
def write_element(n, where):
    out = []
    for i in range(n):
        out.append(i)
    out[where] = 100
    return out


@samples((XS, 4), (XS, 40))
def append_until_break(xs, stop):
    out = []
    for x in xs:
        if x == stop:
            break
        out.append(x)
    return out


@samples((4,), (0,))
def loop_over_list(n):
    out = []
    for i in range(n):
        out.append(i * 3)
    total = 0
    for x in out:
        if x % 2:
            total += x
    return total


@samples((3,), (0,))
def append_pairs(n):
    out = []
    for i in range(n):
        out.append((i, i * 0.5))
    return out


@samples((2.0,), (-2.0,))
def unrolled_append(x):
    out = []
    for factor in [1, 2, 3]:
        if x * factor > 3:
            out.append(x * factor)
        else:
            out.append(0.0)
    return np.array(out)


@samples(([5, 3], 1), ([], 1), staged=())
def argument_list(items, x):
    """Plain only: a list of the caller gets one element for each trace, not for each call."""
    total = len(items) + x
    items.append(7)
    for item in items:
        total += item
    return total


@samples(({1: [2, 3], 2: [4], 3: [4], 4: []}, 1), ({7: []}, 7), staged=())
def depth_first(graph, start):
    """Plain only: the keys of the dict would be staged."""
    seen = []
    stack = [start]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.append(node)
        for following in reversed(graph[node]):
            stack.append(following)
    return seen


@samples((np.array([1, 0, 1, 1]), 3), (np.array([0, 0, 0, 0]), 1))
def insert_extend_remove(xs, n):
    """List methods other than append and pop, on a list that no staged loop changes."""
    out = [n, 2]
    out.insert(0, xs[0])
    out.extend([xs[1], n])
    out.reverse()
    del out[1]
    return out


@samples((XS, 0), (XS, 3))
def items_of_the_list_that_a_loop_fills(xs, n):
    found, last = [], 0
    for x in xs:
        found.append(found[-1] + x if found else n)
        if len(found) > 3:
            last = found.pop(0)
    return found, last


@samples((XS, 0), (XS, 3))
def item_of_an_empty_list(xs, n):
    found = []
    for x in xs[:n]:
        found.append(x)
    return found[0]


@samples((1.0,), (-1.0,))
def lists_of_two_lengths(x):
    if x > 0:
        return [x, 2.0]
    return []


@samples((2.0, 3), (-2.0, 0))
def lists_that_are_summed(x, n):
    found = []
    for i in range(n):
        found = found + [x * i]
    chosen = [1.0, x] if x > 0 else [2.0]
    if x < 0:
        pairs = [(1, x)]
    else:
        pairs = [(2, x), (3, x)]
    return found, chosen, pairs, len(chosen)


@samples((3, 1), (0, -1), (9, 2), (-3, -2))
def slices_of_a_plain_list(n, step):
    values = [1, 2, 3, 4]
    head = values[:n]
    head.append(n)
    return head, values[n:1:step], [(i, n) for i in range(3)][n:]
