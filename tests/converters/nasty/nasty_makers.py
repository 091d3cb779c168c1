"""Functions that make functions, classes and generators."""

import asyncio
import dataclasses

from autograph_rs.testing import samples


class Base:
    """What the others inherit from."""

    def name(self):
        return "base"


class Derived(Base):
    """`super()` wherever it may stand."""

    def name(self):
        return "derived"

    def in_branch(self, n):
        if n > 0:
            for _ in range(n):
                return super().name()

    def in_lambda(self, n):
        return (lambda s: super().name() if n > 0 else 0)(self)

    def in_default(self, n):
        if n > 0:

            def g(x=super().name()):
                return x

            return g()

    def in_lambda_default(self, n):
        return (lambda x=super().name(): x)() if n > 0 else None

    def without_parameters(*args):
        if len(args) > 0:
            return super().name()

    def with_explicit_arguments(self, n):
        return [super(Derived, self).name() for _ in range(n) if n > 0]

    def in_nested_class(self, n):
        class Inner(Base):
            def name(self):
                for _ in range(n):
                    if n > 0:
                        return super().name() + __class__.__name__

        return Inner().name() + super().name()

    of_lambda = lambda self, n: super().name() if n > 0 else None


@samples(
    *[(form, 1) for form in vars(Derived) if form.startswith(("in_", "with", "of_"))],
)
def forms_of_super(form, n):
    return getattr(Derived(), form)(n)


@samples((0,))
def shadowed_super(n):
    super = lambda: 5
    if n == 0:
        return super()


@samples((0,), (3,))
def nested_generators(n):
    def g(k):
        if k > 0:
            r = yield k
            if r:
                return
            x = yield from g(k - 1)
            return x
        return "end"

    def h():
        x = yield from g(n)
        yield x

    return list(h())


@samples((2,))
def generator_is_thrown_at(n):
    def g():
        while True:
            try:
                x = yield n
                if x:
                    return x
            except ValueError as e:
                print("caught", e)
                continue
            finally:
                print("finally")

    it = g()
    next(it)
    it.throw(ValueError("v"))
    try:
        it.send(1)
    except StopIteration as stop:
        print(stop.value)


@samples((5,))
def generators_are_lazy(n):
    print("start")
    it = (print("item", i) or i for i in range(n) if i > 1)
    print("made")
    for v in it:
        if v > 2:
            return v


@samples((1,), (0,))
def yield_in_default(n):
    if n > 0:

        def g(x=(yield 1)):
            return x

    yield n
    if n > 0:
        yield g()


@samples((0,), (1,))
def yield_in_assert_message(n):
    try:
        assert n, (yield 1)
    except AssertionError as e:
        yield str(e)


@samples((5,))
def late_bound_closures(n):
    late = []
    for i in range(n):
        if i % 2:
            late.append(lambda: i)
    early = [lambda k=k: k for k in range(n) if k]
    return [f() for f in late], [f() for f in early]


@samples((10,))
def recursive_closure(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


@samples((400,))
def deep_recursion(n):
    if n > 0:
        return deep_recursion(n - 1) + 1
    return 0


class NotNone:
    """Whose initialiser returns something."""

    def __init__(self):
        return 3


@samples((0,))
def init_returns_a_value(n):
    return NotNone()


@samples((0,))
def classes_of_every_form(n):
    class C:
        def __new__(cls, *a):
            if a:
                return 5
            return super().__new__(cls)

        def __init_subclass__(cls, **k):
            if k:
                print(k)
            super().__init_subclass__()

        def __init__(self):
            print("init")

    class D(C, z=1):
        def __init__(self):
            if n == 0:
                super().__init__()

        @property
        def p(self):
            return 1 if self else 0

        @staticmethod
        def s(x):
            return x if x else -1

        @classmethod
        def c(cls, x=0):
            return cls.__name__ if not x else None

        def __call__(self):
            return __class__.__name__

    d = D()
    return C(1), d.p, d.s(0), D.c(), d()


@samples((0,))
def dataclass_inside(n):
    @dataclasses.dataclass
    class P:
        a: int
        b: int = 5

        def total(self):
            return self.a + self.b if self.a else None

        def __post_init__(self):
            if self.b:
                self.b += 1

    return P(1).total(), dataclasses.astuple(P(2))


@samples((0,))
def argument_errors(n):
    class C:
        def __init__(self, a):
            self.a = a

        def m(self):
            pass

    for t in (lambda: C(), lambda: C(1, 2), lambda: C(1).m(3), lambda: (lambda x: x)()):
        try:
            t()
        except TypeError as e:
            print(e)


class Unhashable(type):
    """The class of classes that cannot be keys."""

    def __eq__(cls, other):
        return cls is other


@samples((1,))
def condition_of_an_unhashable_class(n):
    class Value(metaclass=Unhashable):
        pass

    value = Value()
    if value:
        n += 1
    return n, not value, [1, 2][n - 1]


@samples((2,))
def class_body_rebinds(n):
    x = 1

    class A:
        nonlocal x
        x = 5 if n else 0

    if n > 0:
        x += 1
    return x


@samples((0,))
def coroutines(n):
    class Manager:
        async def __aenter__(self):
            return 3

        async def __aexit__(self, *a):
            return False

    async def items(k):
        for i in range(k):
            if i == 2:
                return
            yield i
            await asyncio.sleep(0)

    async def main():
        out = []
        async for i in items(5):
            if i == 0:
                continue
            out.append(i)
        else:
            out.append("else")
        async with Manager() as c:
            if c > 2:
                out.append(await asyncio.sleep(0, "x") if c else 0)
        out += [i async for i in items(3) if i]
        out.append([await asyncio.sleep(0, j) for j in range(2) if j])
        if await asyncio.sleep(0, 1) and await asyncio.sleep(0, 2):
            out.append("and")
        try:
            assert n, await asyncio.sleep(0, "message")
        except AssertionError as e:
            out.append(str(e))
        for k in range(3):
            if k == 1:
                return out

    return asyncio.run(main())
