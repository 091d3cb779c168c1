"""`global`, `nonlocal`, `del`: names that live elsewhere, and names that stop living."""

import numpy as np

from autograph_rs.testing import samples

counter = 0
settings = {"scale": 3}


@samples((3,), (-3,))
def global_in_branch(x):
    global counter
    counter = 10
    if x > 0:
        counter += x
    result = counter
    counter = 0
    return result


@samples((4,), (0,))
def global_in_loop(n):
    global counter
    counter = 0
    while n > 0:
        counter += n
        n -= 1
    result = counter
    counter = 0
    return result


def count_up(step):
    global counter
    counter += step


@samples((3,), (-3,))
def global_by_helper(x):
    global counter
    counter = 1
    if x > 0:
        count_up(x)
    count_up(100)
    result = counter
    counter = 0
    return result


@samples((3,), (-3,))
def global_is_read(x):
    if x > 0:
        x = x * settings["scale"]
    return x + counter


@samples((3,), (-3,), staged=())
def global_made_and_deleted(x):
    """Plain only: a staged value kept in a global has leaked."""
    global made
    if x > 0:
        made = x
    try:
        result = made
    except NameError as error:
        return str(error)
    del made
    return result


@samples((3,), (-3,))
def nonlocal_in_branch(x):
    total = 10

    def add(y):
        nonlocal total
        if y > 0:
            total += y
        else:
            total -= 1

    add(x)
    add(x)
    return total


@samples((4,), (0,))
def nonlocal_in_loop(n):
    total = 0

    def add(y):
        nonlocal total
        total += y

    for i in range(n):
        add(i)
    return total


@samples((4,), (2,))
def nonlocal_two_levels(n):
    steps = 0

    def outer(y):
        def inner():
            nonlocal steps, y
            while y > 1:
                y = y // 2
                steps += 1
            return y

        return inner() + y

    return outer(n), steps


@samples((np.array([3, -1, 4]),), (np.array([-3, -1, -4]),))
def nonlocal_in_branch_of_loop(xs):
    count = 0
    best = 0

    def visit(x):
        nonlocal count, best
        if x > best:
            best = x
            count += 1

    for x in xs:
        visit(x)
    return count, best


@samples((3,), (-3,), staged=())
def del_in_branch(x):
    """Plain only: a name that is deleted at run time alone cannot be staged."""
    y = x * 2
    if x > 0:
        del y
    return y


@samples((3,), (0,), staged=())
def del_in_loop(n):
    """Plain only: a name that is deleted at run time alone cannot be staged."""
    last = 0
    for i in range(n):
        last = i
        del i
    try:
        return last, i
    except UnboundLocalError as error:
        return last, str(error)


@samples((3,), (-3,))
def del_of_local_in_branch(x):
    if x > 0:
        square = x * x
        x = square + 1
        del square
    return x


@samples(({"a": 1, "b": 2}, [1, 2, 3], 1), ({"a": 1}, [], 0), staged=())
def del_of_items(table, items, n):
    """Plain only: the caller's dict and list change."""
    if n:
        del table["a"], items[0]
        del items[n:]
    else:
        del table["missing"]


@samples((3,), (-3,))
def shadowed_builtin(x):
    max = 10
    if x > 0:
        max = max + x
    return max


@samples((3,), (-3,))
def same_names_as_generated(x):
    get_state = x
    if_body = 1
    if x > 0:
        if_body = get_state * 2
        loop_body = if_body
    else:
        loop_body = -1
    for _ in range(2):
        get_state += loop_body
    return get_state, if_body


@samples((3,), (-3,))
def closure_read_after_change(x):
    scale = 1

    def scaled():
        return x * scale

    first = scaled()
    if x > 0:
        scale = 10
    return first, scaled()


@samples((3,), (-3,))
def class_attribute_as_counter(x):
    class Counter:
        count = 0

    if x > 0:
        Counter.count += x
    else:
        Counter.count = -1
    return Counter.count


@samples((3,))
def bound_on_one_path_and_read_in_a_lambda(x):
    if x > 0:
        y = x * 2
    read = lambda by: y + by  # noqa: E731 - a lambda is what is tried
    return read(1)


@samples((3,))
def bound_on_one_path_and_read_in_functions(x):
    if x > 0:
        y = x * 2

    def outer():
        def inner(y):
            return y + 1

        return inner(y) + y

    return outer()


@samples((3,))
def bound_in_a_loop_and_read_in_a_comprehension(x):
    while x > 0:
        y = x
        x = x - 1
    return [y * i for i in range(1, 3) if y > i - 3]
