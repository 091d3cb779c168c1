"""`assert` and `raise`, passed by and met, with the type and text that Python gives."""

import numpy as np

from autograph_rs.testing import samples


class Rejected(Exception):
    """An error of the user's own."""

    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


@samples((3,), (-3,), (4,))
def assert_with_message(x):
    assert x > 0, "x must be positive"
    return x * 2


@samples((3,), (-3,))
def assert_bare(x):
    assert x > 0
    return x


@samples((np.array([1.0, 2.0]),), (np.array([1.0, -2.0]),))
def assert_all(xs):
    assert (xs > 0).all(), "all must be positive"
    return np.log(xs)


@samples((3,), (-3,), (-30,))
def assert_in_branch(x):
    if x < 0:
        assert x < -10, "small negatives are not allowed"
        x = -x
    return x


@samples((np.array([1, 2, 3]),), (np.array([1, 9, 3]),))
def assert_in_loop(xs):
    total = 0
    for x in xs:
        assert x < 5, "too large"
        total += x
    return total


def explain(x):
    print("explained")
    return f"not {x}"


@samples((3,), (-3,))
def assert_message_is_lazy(x):
    assert x > 0, explain(x)
    return x


@samples((4.0,), (-4.0,), (9.0,))
def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return np.sqrt(x)


@samples((4,), (-4,))
def raise_with_value(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x


@samples((4,), (-4,))
def raise_in_else(x):
    if x > 0:
        y = x
    else:
        raise RuntimeError("no y")
    return y


@samples((1,), (2,), (3,))
def raise_in_chain(x):
    if x == 1:
        y = 10
    elif x == 2:
        y = 20
    else:
        raise KeyError("x")
    return y


@samples((np.array([1, 2, 3]), 5), (np.array([1, 7, 3]), 5), (np.array([1, 2, 3]), 0))
def raise_in_loop(xs, limit):
    total = 0
    for x in xs:
        if x > limit:
            raise OverflowError("over the limit")
        total += x
    return total


@samples((3, 5), (9, 5))
def raise_in_while(n, limit):
    i = 0
    while i < n:
        print(i)
        if i > limit:
            raise LookupError("beyond", 5)
        i += 1
    return i


@samples((4,), (-4,))
def raise_class_without_call(x):
    if x < 0:
        raise NotImplementedError
    return x


@samples((4,), (-4,))
def raise_own_class(x):
    if x < 0:
        raise Rejected(7)
    return x


@samples((4,), (-4,), (0,))
def raise_on_every_other_path(x):
    if x > 0:
        return x
    if x < 0:
        raise ValueError("negative")
    raise ValueError("zero")


@samples((4,), (0,), staged=())
def raise_from(x):
    """Plain only: what is caught here is raised while Python runs."""
    try:
        return 8 // x
    except ZeroDivisionError as error:
        raise ValueError("x is zero") from error


@samples((1,), (0,), (-1,))
def raise_again(x):
    try:
        if x == 0:
            raise ValueError("zero")
        if x < 0:
            raise KeyError(x)
    except ValueError:
        print("again")
        raise
    except KeyError:
        raise TypeError("no") from None
    return x


@samples((3,), (-3,))
def raise_in_helper(x):
    def checked(value):
        if value < 0:
            raise ValueError("checked")
        return value

    return checked(x) + checked(x + 1)


@samples((3,), (-3,), staged=())
def raise_what_is_no_error(x):
    """Plain only: staged, the mistake is found while tracing, whichever branch is taken."""
    if x < 0:
        raise "text"
    return x


@samples((3,), (-3,), (-30,))
def assert_of_a_plain_value_in_branch(x):
    checks = []
    if x < 0:
        if x < -10:
            assert not checks, "nothing to check"
            x = -x
        else:
            assert checks, "nothing was checked"
    return x


@samples((3,), (-3,))
def value_of_the_branch_that_does_not_raise(x):
    if x > 0:
        y = x * 2
        for _ in range(x):
            y += 1
    else:
        raise ValueError(x)
    return y


@samples((np.array([1.0, 2.0]), 1), (np.array([1.0, 2.0]), 0))
def alias_made_in_the_branch_that_does_not_raise(xs, n):
    if n > 0:
        ys = xs
        ys[0] = 5.0
    else:
        raise ValueError(n)
    ys[1] = 7.0
    return xs, ys


@samples((3,), (-3,))
def raise_that_ends_the_function(x):
    print("before", x)
    if x is not None:
        raise KeyError(x)
    return x


@samples((3,), (-3,))
def assert_that_ends_the_function(x):
    assert x is None, f"got {x}"
    return x
