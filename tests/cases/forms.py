"""Forms of the grammar that the other files lack, with staged values in them."""

import asyncio
import contextlib

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (-3,))
def condition_in_defaults(x):
    def f(a=1 if x > 0 else 2, *, b=x > 1 and x < 5):
        return a, b

    return f(), (lambda c=-1 if x < 0 else 1: c)()


@samples((0,), (2,))
def index_in_default(i):
    table = [5, 6, 7]

    def f(k=table[i]):
        return k + 1

    return f()


@samples((3,), (-3,))
def argument_of_a_decorator(x):
    def scaled(by):
        def decorate(f):
            return lambda y: f(y) * by

        return decorate

    @scaled(2 if x > 0 else 3)
    def double(y):
        return y + x

    return double(1)


@samples((3,), (-3,))
def control_flow_in_a_generator(x):
    def g():
        y = 0
        if x > 0:
            y = 1
        yield y
        for i in range(x):
            y += i
        yield y

    return list(g())


@samples((3,), (1,))
def generator_that_is_spoken_to(x):
    def g():
        total = 0
        while True:
            got = yield total
            if got > 0:
                total += got
            else:
                total -= got

    talk = g()
    next(talk)
    return talk.send(x), talk.send(-x)


@samples((3,), (1,))
def break_out_of_a_generator(x):
    def g():
        yield 1
        yield 2
        yield 3

    total = 0
    for i in g():
        if i >= x:
            break
        total += i
    return total


@samples((3,), (-3,))
def control_flow_in_coroutines(x):
    async def doubled(y):
        if y > 0:
            y = y * 2
        return y

    async def main():
        z = await doubled(x)
        total = 0
        for i in range(z):
            total += i
        async with contextlib.AsyncExitStack():
            if x > 1:
                total += 100
        return total

    return asyncio.run(main())


@samples((np.array([1, 2, 3]),), (np.array([-1, 0, 5]),))
def condition_in_async_for(xs):
    async def numbers():
        for i in range(3):
            yield i

    async def main():
        total = 0
        async for i in numbers():
            if xs[i] > 1:
                total += xs[i]
        return total

    return asyncio.run(main())


@samples((3,), (1,))
def staged_parts_of_a_structure(x):
    match (x, 2):
        case (a, 2):
            y = a + 1
        case _:
            y = 0
    match {"k": x, "l": 1}:
        case {"k": v, **rest}:
            y += v
    return y, len(rest)


@samples((1,), (3,), (4,), (9,), (-1,))
def every_pattern_that_is_staged(x):
    match x:
        case 1 | 2:
            y = 0
        case (3 | 4) as z if z > 3:
            y = z
        case w if w > 2:
            y = w * 10
        case _:
            y = -1
    return y


@samples((3,), (-3,))
def deleted_attribute(x):
    class Box:
        pass

    box = Box()
    box.y, box.z = 1, 2
    if x > 0:
        del box.y
    else:
        del box.z
    try:
        first = box.y if x < 0 else box.z
    finally:
        box.y = 5
    return first, box.y


@samples((-3,), (3,))
def read_of_a_deleted_attribute(x):
    class Box:
        pass

    box = Box()
    box.y = 1
    if x > 0:
        del box.y
    return box.y


@samples((-3,), (3,))
def deleted_global(x):
    global made
    made = 1
    if x > 0:
        del made
    found = made
    del made
    return found


@samples((3,), (-3,))
def deleted_items(x):
    items = [1, 2, 3]
    if x > 0:
        del items[0]
    return items[0], len(items)


@samples((3,), (-3,))
def import_in_branch(x):
    if x > 0:
        import math
        from math import pi

        y = math.floor(pi)
    else:
        y = 0
    return y


@samples((3,), (-3,))
def every_augmented_operator(x):
    y, z = 1, 7.5
    if x > 0:
        y += 9
        y -= 2
        y *= 3
        y //= 2
        y %= 7
        y **= 2
        y <<= 2
        y >>= 1
        y |= 8
        y &= 12
        y ^= 3
        z /= 2
    return y, z


@samples((3,), (-3,))
def every_operator(x):
    bits = x | 1, x & 6, x ^ 1, ~x, x << 1, x >> 1
    numbers = x + 1, x - 1, x * 2, x / 2, x // 2, x % 2, x**2, -x, +x
    return bits, numbers, (x < 1, x <= 1, x > 1, x >= 1, x == 3, x != 3, x is None, x is not None, not x)


@samples((np.array([1.0, 2.0]),))
def augmented_product_of_matrices(x):
    y = np.ones((2, 2))
    if x[0] > 0:
        y @= np.eye(2)
    return y @ x


@samples((3,), (1,))
def exception_group_with_branches(x):
    y = 0
    try:
        if x > 2:
            y = 1
        raise ExceptionGroup("told", [ValueError()])
    except* ValueError:
        if x > 0:
            y += 10
    return y


@samples((np.array([1, 2, 3]),))
def stars(xs):
    first, *rest = xs
    joined = [*rest, first]
    return joined, max(*rest), {**{"a": first}, "b": 1}["a"], xs[*(0,)]


@samples((3,), (-3,))
def walrus_in_conditions(x):
    if (y := x * 2) > 5 and (z := y + 1):
        y += z
    while (w := y) > 0:
        y -= 3
    return y, w, (lambda: (v := x) + 1)(), f"{(u := x)!r:>{5}}", u


@samples((np.array([1, 2, 3]),))
def comprehensions_of_staged_values(xs):
    chosen = {k: xs[k] if xs[k] > 1 else 0 for k in range(3)}
    lazy = (xs[k] * 2 for k in range(3))
    return chosen, sum(lazy), [i * j for i in xs for j in range(2)], [x for x in xs if x > 1]


@samples((3,), (-3,))
def every_form_of_f_string(x):
    return f"{x!r:>{5}} {x + 1 = } {x!s} {'a' if x > 0 else 'b'} {{}} {f'{x}'}"


@samples((3,), (-3,))
def declared_names(x):
    y: int = 1
    z: int
    if x > 0:
        y: int = 2
        z = 3
    else:
        z = 4
    (w): int = y + z
    return w


@samples((3,), (-3,))
def methods_with_super(x):
    class A:
        def m(self, k):
            if k > 0:
                return k
            return -k

    class B(A):
        def m(self, k):
            if k > 1:
                r = super().m(k) + 1
            else:
                r = super(__class__, self).m(k)
            return r

    return B().m(x)
