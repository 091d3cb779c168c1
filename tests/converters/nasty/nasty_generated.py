"""The smallest forms of generated programs that once did something else."""

import contextlib

from autograph_rs.testing import samples


@samples((1,), (0,))
def annotation_in_a_branch(n):
    for i in range(n):
        x: int
        (y): nowhere  # noqa: F821
        if i == 0:
            x = y = i
    return x


@samples((0,), (1,))
def walrus_before_a_chain(n):
    a = 5
    return (a := n) < 1 < 2, a, (lambda: (a := 7) > a > n)(), a


@samples((2,))
def suspended_before_a_chain(n):
    def items():
        return ((yield n) or 1) < 2 < 3

    return list(items())


@samples((1,), (0,))
def unbound_beside_a_walrus(n):
    if n:
        c = 3
    x = n < 5 and (a := c)
    while (a := c) and (b := a - 1):
        del c
    return a, b


@samples((3,))
def walrus_operand_of_a_test_in_a_loop(n):
    seen = []
    for i in range(n):
        while (a := i) and (n := n - 1) > 0:
            seen.append((i, n))
    return seen, a, n


@samples((0,), (1,))
def bound_after_a_jump_only(n):
    if n:
        return COUNTER
        COUNTER = 1
    return n


COUNTER = 0


@samples((0,), (3,))
def bound_in_a_chain_that_ends_early(n):
    if 1 < n < (d := 5):
        pass
    elif f"{d}":
        pass
    found = [e for i in range(n) if (e := i)]
    if not n:
        return e
    return d, found, e


@contextlib.contextmanager
def swallowing(error):
    """Swallows what is raised in it, and raises `error` if nothing is."""
    with contextlib.suppress(Exception):
        yield
    if error is not None:
        raise error


@samples((0,), (3,))
def return_undone_and_swallowed(n):
    with swallowing(None):
        if n:
            try:
                return n
            finally:
                raise ValueError


@samples((0,), (3,))
def break_undone_by_the_second_of_two_managers(n):
    seen = []
    for i in range(n):
        with contextlib.suppress(KeyError), swallowing(KeyError(i)) as x:
            if i == 1:
                break
            seen.append(i)
        seen.append("after")
    return seen, x


@samples((0,), (1,))
def names_that_are_missing_in_their_order(n):
    if n:
        c = 3
    errors = []
    try:
        missing[also_missing] = n
    except NameError as e:
        errors.append(str(e))
    try:
        missing[1 // n] = also_missing
    except NameError as e:
        errors.append(str(e))
    try:
        missing[1 // n] = c
    except NameError as e:
        errors.append(str(e))
    try:
        if n > 5:
            d = []
        d[0 != missing] -= 1
    except NameError as e:
        errors.append(str(e))
    return errors


@samples((0,), (1,))
def key_that_rebinds_the_container(n):
    old = xs = [1, 2]

    def key():
        nonlocal xs
        xs = [5, 6]
        return n

    xs[key()] += 10
    return old, xs
