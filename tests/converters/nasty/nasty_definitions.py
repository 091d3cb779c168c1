"""Functions, classes and their names in every form of the grammar."""

import contextlib

from autograph_rs.testing import samples

shared, other_shared = 0, []


@samples((0,), (2,))
def walrus_in_places_of_definitions(n):
    def f(x=(a := n), *, y=(b := n + 1)) -> (c := int):
        return x, y

    @(d := lambda g: g)
    def g(x: (e := str) = 1):
        return x

    class A((h := object), metaclass=(i := type)):
        (j := n)
        k = [m for m in range(2) if m or j] if False else (l := 1)

    return f(), g(), a, b, c, d(1), e, h, i, A.j, A.l


@samples((0,), (3,))
def declared_in_branches(n):
    if n:
        global shared, other_shared
        shared = n
        other_shared = [n]
    for i in range(n):
        global loop_made
        loop_made = i
        shared += 1

    def outer():
        x, y = 1, 2

        def inner(k):
            while k:
                nonlocal x, y
                x += k
                k -= 1
                if k == 1:
                    del y
            return x

        inner(n)
        try:
            return x, y
        except NameError as error:
            return str(error)

    def class_that_declares():
        z = 1

        class A:
            if n:
                nonlocal z
                global shared
                z = 5
                shared += 1

        return z, hasattr(A, "z")

    result = outer(), class_that_declares(), shared, other_shared, globals().pop("loop_made", None)
    shared, other_shared = 0, []
    return result


@samples((0,), (3,))
def definitions_in_branches_and_loops(n):
    made = []
    if n:

        def f(x):
            "What f does."
            return x if x else -1

        class A:
            "What A is."
            x = n

            def m(self):
                if self.x:
                    return f(self.x)

    else:
        f = lambda x: x or "none"

        class A:
            def m(self):
                return f(0)

    for i in range(n):

        def g(k=i):
            if k:
                return i, k
            return f"{k}"

        class B(A):
            y = i

            @staticmethod
            def make():
                return B.y if i else None

        made.append((g, B))
    while len(made) < 4:

        async def h():
            if n:
                return n

        def gen():
            for k in range(2):
                if k:
                    yield made

        made.append((gen, h))
    return (
        f.__doc__, A.__doc__, A().m(), f(n), [(g(), B.make(), B.y, B().m()) for g, B in made[:n]],
        [next(gen()) is made for gen, h in made[n:]],
    )  # fmt: skip


@samples((0,), (3,))
def decorators_of_every_form(n):
    log = []

    def said(text):
        log.append(text)

        def decorate(f):
            log.append((text, f.__name__))
            if n:
                f.told = text
            return f

        return decorate

    table = {"key": said}

    @said("first")
    @(said("yes") if n else said("no"))
    @table["key"]("item")
    @(lambda f: f)
    def f():
        return n

    class A:
        @property
        def x(self):
            if n:
                return self._x
            return "none"

        @x.setter
        def x(self, value):
            if value > 1:
                self._x = value

        @x.deleter
        def x(self):
            log.append("deleted")

        @staticmethod
        @said("static")
        def s(k):
            return k if k else n

        @classmethod
        def c(cls, *, k=1):
            for _ in range(k):
                return cls.__name__

        @contextlib.contextmanager
        def m(self):
            if n:
                yield self

    @said("class")
    @(lambda c: c)
    class B(A):
        pass

    a = B()
    a.x = n + 2
    found = a.x
    del a.x
    try:
        with a.m() as same:
            log.append(same is a)
    except RuntimeError as error:
        log.append(str(error))
    return log, f(), found, a.s(0), A.c(), B.c(k=0), getattr(f, "told", None)


@samples((0,), (3,))
def parameters_of_every_form(n):
    def f(a, b=n, /, c=3, *args, d, e=5, **kwargs):
        if kwargs:
            return a, b, c, args, d, e, kwargs
        return a, b, c, args, d, e

    def only(a, /):
        return a if a else None

    def named(*, a):
        return a if a else None

    outcomes = []
    for call in (
        lambda: f(1, d=4), lambda: f(1, 2, 3, 4, d=5, a=6), lambda: f(*[1, 2], **{"d": 3}), lambda: only(a=1),
        lambda: only(), lambda: named(1), lambda: named(a=n), lambda: f(1), lambda: f(), lambda: f(1, d=1, **{"d": 2}),
        lambda: (lambda a, /, *b, c=n, **d: (a, b, c, d) if c else d)(1, 2, e=3),
    ):  # fmt: skip
        try:
            outcomes.append(call())
        except TypeError as error:
            outcomes.append(str(error))
    return outcomes


@samples((0,), (3,))
def metaclasses_and_bases(n):
    class Meta(type):
        @classmethod
        def __prepare__(meta, name, bases, **kwargs):
            if kwargs:
                return {"prepared": sorted(kwargs)}
            return {}

        def __new__(meta, name, bases, namespace, **kwargs):
            if n:
                namespace["n"] = n
            return super().__new__(meta, name, bases, namespace)

        def __init__(cls, name, bases, namespace, **kwargs):
            super().__init__(name, bases, namespace)

        def __call__(cls, *args):
            if args:
                return super().__call__()
            return "no instance"

    class Later:
        def __mro_entries__(self, bases):
            return (list,) if n else (dict,)

    class A(Later(), metaclass=Meta, flag=n):
        pass

    class B(*(A,), **{"metaclass": Meta}):
        x = [i for i in range(3) if i]
        y = {k: v for k, v in zip("ab", x)}
        for z in range(n):
            if z == 1:
                break
        else:
            z = "else"
        w: int = 5
        del x

    return A.__mro__[1], A.prepared, getattr(B, "n", None), A(), type(A(1)).__name__, sorted(vars(B))[:0], B.y, B.z, B.__annotations__


@samples((0,), (3,))
def lambdas_of_every_form(n):
    fs = [
        lambda: None, lambda *a, **k: (a, k), lambda a, b=n, /, c=2, *, d=3: (a, b, c, d), lambda: (yield n),
        lambda x=n: x if x else -1, lambda: [i for i in range(n) if i], lambda: (lambda y: y and n)(n), lambda: (z := n) or z,
        lambda: 0 < n < 5, lambda: not n, lambda: f"{n:>3}", lambda: {"a": n}["a"], lambda: [*range(n)], lambda: n in (3,),
        lambda: {**{"a": n}}, lambda: [1, 2, 3][n - 3 :], lambda: (n, *range(n)), lambda: sorted([3, 1], key=lambda v: -v if n else v),
    ]  # fmt: skip
    results = [f(1) if f.__code__.co_varnames[:1] == ("a",) else f() for f in fs]
    results[3] = list(results[3])
    return results, [f.__name__ for f in fs[:2]], fs[2].__defaults__


@samples((0,), (1,))
def docstrings_of_every_form(n):
    def plain():
        "plain"
        return n if n else 1

    def joined():
        "two" " parts"
        if n:
            return n

    def formatted():
        f"no docstring {n}"
        if n:
            return n

    def of_bytes():
        b"no docstring"
        if n:
            return n

    def alone():
        """Alone."""

    def two():
        """First."""
        """Second."""
        for _ in "a":
            pass

    def shadowed():
        """Told."""
        __doc__ = n
        return __doc__ if n else "none"

    return [(f.__doc__, f()) for f in (plain, joined, formatted, of_bytes, alone, two, shadowed)]
