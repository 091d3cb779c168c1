"""Arrays and lists on JAX that grow in loops which state a `maximum_size`."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support import required

jax = required("jax")
import jax.numpy as jnp  # noqa: E402

import autograph_rs as ag  # noqa: E402

XS = np.array([3.0, -1.0, 0.5, 2.0, 4.0], np.float32)


def staged(f):
    return jax.jit(ag.convert(f))


def run(compiled, *arguments):
    """Run a compiled function to its end, so that its errors are raised."""
    jax.block_until_ready(compiled(*arguments))
    jax.effects_barrier()


def check_same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    else:
        found = np.asarray(found)
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def nested(xs, n):
    out = np.zeros(0, np.float32)
    for x in xs:
        ag.set_loop_options(maximum_size=15)
        i = 0
        while i < n:
            out = np.append(out, x + i)
            i += 1
    return out, out.sum()


def lists_of_each_round(xs, n):
    total, lengths = 0.0, []
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        above = []
        for y in xs:
            if y > x + n:
                above.append(y)  # noqa: PERF401 - the loop is under test
        total = total + sum(above) * len(above)
        if len(above) > 1:
            lengths.append(len(above))
    return total, lengths


def read_after_an_append(xs, n):
    out, best = np.zeros(0, np.float32), 0.0
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > n:
            out = np.append(out, x)
        if len(out) > 0:
            best = best + out.max() * out[-1]
        pair = np.append(out, x)[-2:]
        best = best + pair.sum()
    return out, best


def methods_of_lists(xs, n):
    out = [1.0, 2.0]
    for x in xs:
        ag.set_loop_options(maximum_size=12)
        if x > n:
            out.extend([x, x * 2])
            out[0] = out[-1] + 1
        elif len(out) > 2:
            out += [out.pop(), out.pop(0)]
        if not out:
            out.clear()
    return out, len(out), max(out), [v * 2 for v in out if v > 1], 2.0 in np.array(out)


def rows_of_lists(xs, n):
    path, point = [], xs[:2]
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        point = point * 0.5 + x
        if x >= n:
            path.append(point)
    return np.array(path), path[-1]


class Collector:
    def __init__(self):
        self.items, self.array = [], np.zeros(0, np.float32)

    def add(self, x):
        self.items.append(x)
        self.array = np.append(self.array, x)


def attributes(xs, n):
    collector = Collector()
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > n:
            collector.add(x)
    return len(collector.items), collector.array


def positive(xs):
    for x in xs:
        if x > 0:
            yield x


def of_a_generator(xs, n):
    out = np.zeros(0, np.float32)
    for x in positive(xs):
        ag.set_loop_options(maximum_size=5)
        out = np.append(out, x * n)
    return out


def by_a_helper(xs, n):
    def doubled(x):
        return np.append(np.zeros(0, np.float32), x * 2) if x > n else np.zeros(0, np.float32)

    out = np.zeros(0, np.float32)
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        out = np.concatenate([out, doubled(x)])
    return out


def none_or_a_part(xs, n):
    best = None
    for x in xs:
        if x > n:
            best = xs[:n]
    return 0.0 if best is None else best.sum()


def part_that_may_be_unbound(xs, n):
    for x in xs:
        if x > n - 10:
            part = xs[:n]
    return part.sum()


def while_that_shortens(xs, n):
    xs, count = xs[xs > -5], 0
    while len(xs) > n:
        xs = xs[1:]
        count += 1
    return xs, count


def plain_counter(xs, n):
    out = []
    for i in range(10):
        ag.set_loop_options(maximum_size=10)
        if i % (n + 3) == 0:
            out.append(i)
    return out


def range_with_a_limit(xs, n):
    product = 1.0
    for i in range(n):
        ag.set_loop_options(maximum_iterations=5)
        product = product * xs[i]
    return product


PROGRAMS = [
    nested, lists_of_each_round, read_after_an_append, methods_of_lists, rows_of_lists, attributes,
    of_a_generator, by_a_helper, none_or_a_part, part_that_may_be_unbound, while_that_shortens, plain_counter,
    range_with_a_limit,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_compute_what_python_does(f):
    compiled = staged(f)
    for n in (1, 2, 3):
        check_same(compiled(XS, n), f(XS, n))


# More items than a loop may leave


def appended(xs, limit):
    out = np.zeros(0)
    for x in xs:
        ag.set_loop_options(maximum_size=3)
        if x > limit:
            out = np.append(out, x)
    return out


def listed(xs, n):
    out = []
    while len(out) < n:
        ag.set_loop_options(maximum_size=3)
        out.append(xs[0])
    return out


def endless(xs, n):
    out = np.zeros(0)
    while out.sum() < 1000:
        ag.set_loop_options(maximum_size=3)
        out = np.append(out, n)
    return out


def read_at_once(xs, n):
    out, total = np.zeros(0), 0.0
    for x in xs:
        ag.set_loop_options(maximum_size=3)
        if x > -n:
            out = np.append(out, x)
        total = total + out.max()
    return total


TOO_MANY = re.compile("OptionError: an array or list has more items than the maximum_size=3 of its loop")


@pytest.mark.parametrize(
    ("f", "fits", "exceeds"),
    [(appended, 1.0, -2.0), (listed, 3, 4), (endless, 500, 2), (read_at_once, -2.5, 9.0)],
)
def test_an_array_that_outgrows_its_loop_is_an_error(f, fits, exceeds):
    compiled = staged(f)
    if f is not read_at_once:
        check_same(compiled(XS, fits), f(XS, fits))
    with pytest.raises(jax.errors.JaxRuntimeError, match=TOO_MANY):
        run(compiled, XS, exceeds)


def test_a_loop_with_effects_ends_with_the_error(capfd):
    def shown(xs):
        out = np.zeros(0)
        for x in xs:
            ag.set_loop_options(maximum_size=3)
            print("length", len(out))
            out = np.append(out, x)
        return out.sum()

    with pytest.raises(jax.errors.JaxRuntimeError, match=TOO_MANY):
        run(staged(shown), XS)
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("length")]
    assert lines == ["length 0", "length 1", "length 2", "length 3"]


def test_under_vmap_each_element_has_a_length_of_its_own():
    limits = jnp.array([0.0, 1.0, 9.0])
    batch = jax.jit(jax.vmap(ag.convert(appended), (None, 0)))(XS[1:], limits)
    for i, limit in enumerate(limits):
        check_same(jax.tree.map(lambda a, i=i: a[i], batch), appended(XS[1:], limit))
    assert batch.mask.tolist() == [[True, True, True], [True, True, False], [False, False, False]]
    with pytest.raises(ag.ValueNeededError, match="batch of arrays"):
        np.asarray(batch)


# Gradients


def squares(xs, limit):
    out = np.zeros(0)
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > limit:
            out = np.append(out, x * x)
    return out.sum() + out[0] ** 2


def bounded_while(xs, n):
    out, i = [], 0
    while i < n:
        ag.set_loop_options(maximum_size=5, maximum_iterations=5)
        out.append(xs[i] ** 2)
        i += 1
    return sum(out) * out[0]


def recurrence(xs, n):
    total = 0.0
    for x in xs[:n]:
        total = total * x + x
    return total


@pytest.mark.parametrize(
    ("f", "argument"), [(squares, 1.0), (bounded_while, 3), (recurrence, 4), (range_with_a_limit, 3)]
)
def test_reverse_mode(f, argument):
    gradient = jax.jit(jax.grad(ag.convert(f)))(XS, argument)
    step = 1e-3
    for i in range(len(XS)):
        ends = [f(XS.astype(float) + sign * step * (np.arange(len(XS)) == i), argument) for sign in (1, -1)]
        assert float(gradient[i]) == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-2, abs=1e-2)


# What is refused


def grow_without_a_bound(xs):
    out = np.zeros(0)
    for x in xs:
        out = np.append(out, x)
    return out


def begins_with_more(xs):
    out = np.zeros(3)
    for x in xs:
        ag.set_loop_options(maximum_size=2)
        out = np.append(out, x)
    return out


def list_of_pairs(xs):
    out = []
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > 0:
            out.append((x, 1))
    return out


def list_of_shapes(xs):
    out = []
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > 0:
            out.append(x)
            out.append(xs)
    return out


def inserted(xs):
    out = []
    for x in xs:
        ag.set_loop_options(maximum_size=5)
        if x > 0:
            out.append(x)
            out.insert(0, x)
    return out


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (grow_without_a_bound, r"maximum_size=n\) allows up to n items"),
        (begins_with_more, "more than the maximum_size=2 of the loop"),
        (list_of_pairs, "a value of type tuple is appended to a list"),
        (list_of_shapes, "of the shape"),
        (inserted, r"insert\(\)|method of a list"),
    ],
)
def test_what_cannot_be_staged_says_so(f, message):
    with pytest.raises(ag.AutographError, match=message):
        staged(f)(XS)


@pytest.mark.parametrize("size", [-1, 1.5, True])
def test_the_option_is_a_plain_number(size):
    def f(xs):
        for x in xs:
            ag.set_loop_options(maximum_size=size)
            last = x
        return last

    with pytest.raises(ag.OptionError, match="maximum_size must be a plain int"):
        staged(f)(XS)


def test_the_option_cannot_be_staged():
    def f(xs, n):
        for x in xs:
            ag.set_loop_options(maximum_size=n)
            last = x
        return last

    with pytest.raises(ag.OptionError, match="maximum_size must be a plain int"):
        staged(f)(XS, 3)
