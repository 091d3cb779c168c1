"""What `itertools`, `map`, `zip` and the like return over a generator with staged conditions."""

# ruff: noqa: B905, C417 - as people write it

import itertools
from itertools import islice, takewhile

import numpy as np
import pytest

import autograph_rs as ag


def quotients(x):
    """Yield the partial quotients of a number."""
    while True:
        whole = int(np.floor(x))
        yield whole
        rest = x - whole
        if rest < 1e-9:
            return
        x = 1.0 / rest


def convergents(items):
    before, last = 0, 1
    for a in items:
        before, last = last, a * last + before
        yield a, last


def in_a_variable(x):
    items, total = islice(quotients(x), 8), 0
    for a in items:
        total += a
        if total > 20:
            break
    return total


def mapped(x):
    items, total = map(lambda a: a * 2, quotients(x)), 0
    for a in items:
        total += a
        if total > 20:
            break
    return total


def numbered(x):
    items, total = enumerate(quotients(x)), 0
    for k, a in items:
        total += a * k
        if total > 20:
            break
    return total


def as_argument(x):
    total = 0
    for _, n in convergents(islice(quotients(x), 30)):
        if n > 100:
            return total, False
        total += n
    return total, True


def through_two(x):
    items = convergents(map(lambda a: a + 1, islice(quotients(x), 9)))
    total = 0
    for a, _ in items:
        total += a
        if total > 5:
            break
    return total


STAGED = (in_a_variable, mapped, numbered, as_argument, through_two)


@pytest.mark.parametrize("x", [3.245, 2.5, 7.0])
@pytest.mark.parametrize("f", STAGED, ids=lambda f: f.__name__)
def test_is_staged_where_nothing_continues_it(f, x):
    assert ag.function(f)(np.float64(x)) == f(np.float64(x))


def taken_from(x):
    items = quotients(x)
    return sum(islice(items, 2)), next(items, 0)


def looped_over(x):
    items, total = quotients(x), 0
    for a in islice(items, 2):
        total += a
    return total, sum(items)


def while_small(x):
    items = quotients(x)
    return sum(takewhile(lambda a: a < 10, items)), next(items, 0)


def zipped(x):
    items, total = quotients(x), 0
    for a, k in zip(items, [1, 2]):
        total += a * k
    return total, next(items, 0)


def zipped_last(x):
    items, total = quotients(x), 0
    for k, a in zip([1, 2], items):
        total += a * k
    return total, sum(items)


def chained(x):
    items, total = quotients(x), 0
    for a in itertools.chain(islice(items, 1), [5]):
        total += a
    return total, next(items, 0)


def listed(x):
    items = quotients(x)
    return list(islice(items, 2)), list(items)


def in_a_generator(x):
    def signs(items):
        for a in islice(items, 2):
            yield a
        for a in items:
            yield -a

    return sum(signs(quotients(x)))


def left_early(x):
    items, total = islice(quotients(x), 8), 0
    for a in items:
        total += a
        if total > 5:
            break
    for a in items:
        total += 100 * a
    return total


def in_a_list(x):
    items = islice(quotients(x), 8)
    kept, total = [items], 0
    for a in items:
        total += a
        if total > 5:
            break
    return total + sum(kept[0])


CONTINUED = (
    taken_from, looped_over, while_small, zipped, zipped_last, chained, listed, in_a_generator, left_early,
    in_a_list,
)  # fmt: skip


@pytest.mark.parametrize("f", CONTINUED, ids=lambda f: f.__name__)
def test_is_refused_where_later_code_takes_what_is_left(f):
    with pytest.raises(ag.AutographError):
        ag.function(f)(np.float64(3.245))
