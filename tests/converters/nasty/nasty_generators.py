"""Generators and coroutines: they stay lazy, and the control flow in them that holds no `yield` is converted."""

import contextlib
import inspect
import sys

from autograph_rs.testing import samples


@samples((5,), (0,))
def control_flow_between_yields(n):
    def g():
        total = 0
        for i in range(n):
            if i % 2:
                total += i
            else:
                total -= 1
            while total > 3:
                total -= 2
            yield total
        else:
            if total:
                total = "else"
        return total

    def outer():
        result = yield from g()
        yield result

    return list(outer())


@samples((3,), (0,))
def yield_in_every_place(n):
    def g():
        x = yield
        y = (yield x) if (yield "test") else (yield "else")
        z = [(yield "item"), *((yield "star") or ())]
        if (yield "if") and (yield "and"):
            y = "both"
        while (yield "while"):
            if n > 2:
                break
        for i in (yield "for") or ():
            z.append(i)
        with contextlib.nullcontext((yield "with")) as w:
            z.append(w)
        try:
            assert (yield "assert"), (yield "message")
        except AssertionError as error:
            z.append(str(error))
        z[0] = yield "value"
        z[0] += (yield "augmented") or 0
        del z[(yield "index") or 0]
        f"{(yield 'format')!r:>{(yield 'width') or 5}}"
        f = lambda a=(yield "default"): a
        print(f())
        return x, y, z, w

    made = g()
    seen = [next(made)]
    values = [n, 1, 2, 3, [4], 5, 6, n, [7, 8], 9, 0, 10, 11, 12, 0, 13, 14, 15]
    try:
        for value in values * 2:
            seen.append(made.send(value))
    except StopIteration as stop:
        seen.append(stop.value)
    return seen


@samples((0,), (1,), (2,))
def thrown_and_closed(n):
    log = []

    def inner():
        try:
            while True:
                try:
                    got = yield len(log)
                    if got is None:
                        log.append("none")
                    else:
                        log.append(got)
                except KeyError as error:
                    if n:
                        log.append(("caught", str(error)))
                    else:
                        raise
        finally:
            if n > 1:
                log.append("closed")

    def outer():
        try:
            yield from inner()
        except KeyError:
            log.append("escaped")
            yield "last"

    made = outer()
    next(made)
    made.send("a")
    log.append(made.throw(KeyError("k")))
    made.close()
    log.append(inspect.getgeneratorstate(made))
    try:
        made.send(1)
    except StopIteration:
        log.append("stopped")
    return log


@samples((2,))
def closed_while_yielding(n):
    def stubborn():
        for i in range(n):
            try:
                yield i
            except GeneratorExit:
                if i == 0:
                    yield "ignored"
                raise

    made = stubborn()
    next(made)
    try:
        made.close()
    except RuntimeError as error:
        return str(error)


@samples((3,))
def return_value_through_yield_from(n):
    def leaf(k):
        if k == 0:
            return "done"
        yield k
        return (yield from leaf(k - 1))

    def top():
        result = yield from leaf(n)
        if result == "done":
            return result.upper()

    made, seen = top(), []
    while True:
        try:
            seen.append(next(made))
        except StopIteration as stop:
            return seen, stop.value


@samples((4,))
def delegates_to_anything_iterable(n):
    class Sender:
        def __iter__(self):
            return self

        def __next__(self):
            return n

        def send(self, value):
            if value > 2:
                raise StopIteration(value)
            return -value

        def throw(self, error):
            return type(error).__name__

    def g():
        return (yield from Sender())

    made = g()
    seen = [next(made), made.send(1), made.throw(KeyError())]
    try:
        made.send(9)
    except StopIteration as stop:
        seen.append(stop.value)
    return seen, list(x for x in (yield_all([range(n), "ab", {1: 2}])))


def yield_all(parts):
    for part in parts:
        if part:
            yield from part


@samples((3,))
def generator_expression_is_lazy(n):
    log = []

    def said(x):
        log.append(x)
        return x

    made = (y if (y := said(x)) > 1 else said(-x) for x in said(range(n)) if said(x) % 2 or x for _ in said([0]))
    log.append("made")
    return list(made), log


@samples((3,), (0,))
def generator_of_a_method(n):
    class Tree:
        __depth = n

        def __init__(self, value, *below):
            self.value, self.below = value, below

        def __iter__(self):
            if self.__depth:
                yield self.value
            for tree in self.below:
                yield from tree

    return list(Tree(1, Tree(2, Tree(3)), Tree(4)))


@samples((2,), (0,))
def generator_frames(n):
    def g():
        x = 1
        if n:
            x = 2
        yield sorted(locals())
        yield sys._getframe().f_code.co_name
        for i in range(n):
            if i:
                x = 3
        yield x

    made = g()
    state = inspect.getgeneratorstate(made)
    return state, list(made), inspect.getgeneratorstate(made), made.__name__, made.__qualname__, made.gi_frame


@samples((3,), (0,))
def context_managers_of_generators(n):
    log = []

    @contextlib.contextmanager
    def manager(name):
        log.append(("enter", name))
        try:
            if n > 1:
                yield name
            else:
                yield None
        except ValueError as error:
            log.append(("error", str(error)))
        finally:
            log.append(("exit", name))

    with manager("a") as a, manager("b"):
        if a:
            raise ValueError(a)
    return log
