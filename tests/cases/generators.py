"""Generators are left as they are: lazy, and plain."""

import itertools

from autograph_rs.testing import samples


@samples((3,), (0,), staged=())
def is_generator(n):
    """Plain only: a generator function is not staged."""
    i = 0
    while i < n:
        if i % 2 == 0:
            yield i
        else:
            yield -i
        i += 1


@samples((3,), (0,), staged=())
def is_lazy(n):
    """Plain only: the prints show when each part runs."""

    def numbers():
        print("start")
        for i in range(n):
            print("make", i)
            yield i
        print("end")

    made = numbers()
    print("made")
    for number in made:
        print("use", number)


@samples((10,), (2,), staged=())
def stops_early(n):
    """Plain only: the generator has more to give than is asked for."""

    def forever():
        i = 0
        try:
            while True:
                yield i
                i += 1
        finally:
            print("closed at", i)

    total = 0
    numbers = forever()
    for number in numbers:
        if number > n:
            break
        total += number
    numbers.close()
    return total


@samples((3,), (0,), staged=())
def send_and_return(x):
    """Plain only: a generator that is spoken to."""

    def accumulate():
        total = 0
        while True:
            got = yield total
            if got is None:
                return total
            total += got

    talk = accumulate()
    seen = [next(talk), talk.send(x), talk.send(10)]
    try:
        next(talk)
    except StopIteration as stop:
        seen.append(stop.value)
    return seen


@samples(([1, [2, [3, 4]], 5],), ([],), staged=())
def yield_from(items):
    """Plain only: recursion over nested Python lists."""

    def flat(items):
        for item in items:
            if isinstance(item, list):
                yield from flat(item)
            else:
                yield item

    return list(flat(items))


@samples((5,), (0,), staged=())
def generator_expression(n):
    """Plain only: the expression is evaluated as it is consumed."""

    def shown(i):
        print("shown", i)
        return i

    lazy = (shown(i) * 10 for i in range(n) if i % 2)
    print("before")
    return any(value > 5 for value in lazy), list(lazy)


@samples((4,), (1,), staged=())
def infinite(n):
    """Plain only: only as much as is asked for is made."""

    def primes():
        found = []
        for i in itertools.count(2):
            if all(i % p for p in found):
                found.append(i)
                yield i

    return list(itertools.islice(primes(), n))


@samples((3,), (-3,))
def over_static_data(x):
    """A generator of Python values is a Python iterable like any other: its loop is unrolled."""

    def pairs():
        for i in range(3):
            yield i, i * i

    total = 0
    for i, square in pairs():
        if x > 0:
            total += x * square
        else:
            total += i
    return total


@samples((5,), (0,))
def generator_that_any_and_all_end(n):
    """What decides ends the generator, in a trace too; after a staged item all are taken."""
    seen = []

    def noted(i):
        seen.append(i)
        return i

    some = any(noted(i) > 1 for i in range(4)), all(noted(i) < 2 for i in range(4))
    return some, tuple(seen), any(x > n for x in (1, 7, 3))
