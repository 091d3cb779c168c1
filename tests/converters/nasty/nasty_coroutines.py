"""Coroutines and asynchronous generators, driven by hand and by a loop."""

import asyncio
import inspect
import types

from autograph_rs.testing import samples


@types.coroutine
def suspended(value):
    """Suspends a coroutine once, with `value`."""
    got = yield value
    return got


def driven(coroutine, *sent):
    """What a coroutine gives when it is driven by hand, to its result."""
    seen = []
    values = iter(sent)
    try:
        seen.append(coroutine.send(None))
        while True:
            seen.append(coroutine.send(next(values, None)))
    except StopIteration as stop:
        seen.append(("result", stop.value))
    except Exception as error:
        seen.append((type(error).__name__, str(error)))
    return seen


@samples((3,), (0,))
def awaits_in_every_place(n):
    async def main():
        out = [await suspended("item"), *(await suspended("star") or ())]
        if await suspended("if") and await suspended("and"):
            out.append("both")
        out.append(await suspended("then") if await suspended("test") else await suspended("else"))
        while await suspended("while"):
            if n:
                break
        else:
            out.append("else")
        for i in await suspended("for") or ():
            if i > 1:
                out.append(i)
        out[0] = await suspended("value")
        out[(await suspended("index")) and 0] = 1
        out += [x async for x in numbers(n) if x or await suspended("in")]
        out.append({x: y async for x in numbers(n) for y in [x * x] if y})
        out.append({x async for x in numbers(n)})
        out.append([[y for y in range(x)] async for x in numbers(n)])
        out.append([x async for x in (await suspended(z) async for z in numbers(n))])
        out.append([await suspended(x) for x in range(n)])
        out.append((lambda: n if n else -n)())
        out.append(f"{await suspended('f')!s:>{await suspended('w') or 4}}")
        assert await suspended("assert"), await suspended("message")
        return out

    async def numbers(k):
        for i in range(k):
            if i == 1:
                await suspended("numbers")
            yield i

    return driven(main(), 1, [2], 3, 4, 5, 6, 7, 0, [1, 2, 3], 8, 0, 9)


@samples((3,), (0,))
def asynchronous_loops_and_managers(n):
    log = []

    class Manager:
        def __init__(self, swallows):
            self.swallows = swallows

        async def __aenter__(self):
            log.append("enter")
            return await asyncio.sleep(0, self)

        async def __aexit__(self, kind, error, trace):
            log.append(("exit", kind and kind.__name__))
            return self.swallows and kind is KeyError

    async def count(k):
        try:
            for i in range(k):
                if i % 2:
                    got = yield i
                    if got:
                        log.append(got)
                else:
                    yield -i
        finally:
            await asyncio.sleep(0)
            log.append("finally")

    async def main():
        async with Manager(True) as a, Manager(False) as b:
            if n:
                raise KeyError(a is b)
            log.append("inside")
        async for i in count(5):
            if i < 0:
                continue
            async for j in count(2):
                if j:
                    break
            else:
                log.append("never")
            if i == 3:
                log.append((i, j))
                break
        else:
            log.append("else")
        made = count(n)
        try:
            log.append(await made.__anext__())
            log.append(await made.asend("sent"))
            log.append(await made.athrow(ValueError("thrown")))
        except (ValueError, StopAsyncIteration) as error:
            log.append(repr(error))
        await made.aclose()
        async for i in count(n):
            async with Manager(False):
                if i == -2:
                    return log, i
        return log

    return asyncio.run(main())


@samples((2,), (0,))
def tasks_and_cancellation(n):
    log = []

    async def worker(name):
        try:
            for i in range(3):
                if i == n:
                    log.append(("waits", name))
                await asyncio.sleep(0)
                log.append((name, i))
        except asyncio.CancelledError:
            log.append(("cancelled", name))
            raise
        finally:
            if n:
                log.append(("done", name))

    async def main():
        first, second = asyncio.create_task(worker("a")), asyncio.create_task(worker("b"))
        await asyncio.sleep(0)
        if n:
            first.cancel()
        results = await asyncio.gather(first, second, return_exceptions=True)
        return [type(r).__name__ for r in results], log

    return asyncio.run(main())


@samples((1,), (0,))
def coroutine_that_returns_early(n):
    class Connection:
        async def fetch(self, k):
            for i in range(3):
                if i == k:
                    return await suspended(i)
            if k > 5:
                return "many"

        @property
        async def name(self):
            return "name" if n else await suspended("none")

    async def main():
        c = Connection()
        return await c.fetch(1), await c.fetch(9), await c.fetch(4), await c.name

    return driven(main(), "x", "y")


@samples((2,), (0,))
def asynchronous_methods_of_every_kind(n):
    class Base:
        async def value(self, k):
            return k + 1 if k else await suspended(k)

    class Derived(Base):
        async def value(self, k=2, *, scale=3):
            if k:
                for _ in range(k):
                    return scale * await super().value(k)
            return await super().value(k)

        async def values(self):
            for i in range(n):
                if i:
                    yield await super().value(i)

        @staticmethod
        async def static():
            return n and await suspended("static")

        @classmethod
        async def of_class(cls):
            return cls.__name__ if n else await suspended("class")

    async def main():
        d = Derived()
        return (
            await d.value(), await d.value(0), [v async for v in d.values()],
            await d.static(), await Derived.of_class(), await anext(aiter(d.values()), "none"),
        )  # fmt: skip

    return driven(main(), "a", "b", "c")


@samples((3,))
def never_awaited(n):
    async def f():
        if n:
            return n

    made = f()
    kind = inspect.iscoroutine(made), inspect.iscoroutinefunction(f)
    made.close()

    async def g():
        if n:
            yield n

    return kind, inspect.isasyncgen(g()), inspect.isasyncgenfunction(g)
