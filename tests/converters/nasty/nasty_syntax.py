"""The forms of Python's grammar that the other samples do not use: each is small, and there are many."""

import contextlib
import sys

from cases_support import samples

made_by_import = None


@samples((0,), (2,))
def imports(n):
    import collections.abc
    import os.path as path, math
    from collections import OrderedDict as od, deque

    if n:
        import json
        from math import floor, ceil as up

        import xml.dom
        n = up(n + 0.5)
    else:
        json = xml = None
    for _ in range(n):
        import string
    try:
        from json import no_such_name
    except ImportError as error:
        kind = type(error).__name__
    try:
        import no_such_module.inside
    except ModuleNotFoundError as error:
        kind += str(error)
    try:
        letters = string.digits
    except UnboundLocalError as error:
        letters = str(error)
    return path.sep, math.e, od, deque, collections.abc.Sized, json and json.__name__, xml and xml.dom.__name__, n, kind, letters


@samples((0,), (2,))
def import_of_a_global(n):
    global made_by_import
    if n:
        import string as made_by_import
    found = made_by_import
    made_by_import = None
    return found and found.digits


@samples((0,), (2,))
def walrus_everywhere(n):
    out = [a := n, (b := a + 1), *(c := [b]), {(d := "k"): (e := 1)}, f"{(f := n)}", f"{(g := n)!r:>{(h := 5)}}"]
    out[(i := 0)] = (j := 5)
    out[(k := 0) : (l := 1)] = [(m := 6)]
    if (o := n) and (p := o + 1) or (q := -1):
        out.append((o, q if not o else p))
    while (r := out.pop()) and (s := len(out)) > 3:
        if (t := s) % 2:
            continue
    for u in (v := [1, 2]):
        out.append((w := u) if (x := u) else (w := 0))
    with (y := contextlib.nullcontext(n)) as z:
        out.append(y is not None)
    assert (aa := True), (bb := "never")
    call = print((cc := 1), *(dd := [2]), sep=(ee := "-"), **(ff := {"end": "\n"}))
    attribute = (gg := sys).maxsize > 0
    item = (hh := [3])[(ii := 0)]
    unary, binary, chain = -(jj := 1), (kk := 2) ** (kk := 3), 0 < (ll := 1) < (ll := 2)
    tuples = (mm := 1), (nn := 2)
    lambdas = (lambda: (oo := n) and oo)(), (lambda pp=(qq := 3): pp)()
    comprehensions = [(rr := i) for i in range(2)], {(ss := i): (tt := i) for i in range(2)}, {(uu := 1) for _ in "a"}
    nested = [[(vv := i + j) for i in range(2)] for j in range(2)], any((ww := i) > 1 for i in range(4))
    return sorted((name, str(value)[:20]) for name, value in locals().items() if name not in ("gg", "y", "lambdas"))


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


@samples((0,), (2,))
def walrus_in_a_match(n):
    match (a := n):
        case 0 if (b := a + 1):
            c = b
        case x if (b := x) > 1 and (d := b):
            c = d
    return a, b, c


@samples((0,), (1,), (2,), (3,))
def try_with_every_part(n):
    log = []
    for i in range(3):
        try:
            if i == n:
                raise KeyError(i)
            log.append("try")
            if i == n - 1:
                continue
        except (ValueError, KeyError) as error:
            log.append(str(error))
            if n == 2:
                break
        except Exception:
            raise
        else:
            log.append("else")
        finally:
            log.append("finally")
            if n:
                log.append(n)
    else:
        log.append("loop else")
    try:
        log.append(error)
    except NameError as unbound:
        log.append(str(unbound))
    return log


@samples((0,), (1,), (2,), (3,))
def except_star_of_every_form(n):
    log = []
    errors = [[], [ValueError(1)], [ValueError(1), KeyError(2)], [OSError(3), ExceptionGroup("in", [KeyError(4)])]][n]
    try:
        for i in range(2):
            try:
                if errors:
                    raise ExceptionGroup("told", errors)
                log.append("nothing")
            except* ValueError as group:
                for error in group.exceptions:
                    if error.args[0] == 1:
                        log.append("one")
            except* (KeyError, TypeError) as group:
                log.append(group.exceptions)
                if n == 3:
                    raise IndexError("new") from None
            else:
                log.append("else")
            finally:
                log.append(i)
    except* IndexError as group:
        log.append([type(e).__name__ for e in group.exceptions])
    except* OSError:
        log.append("os")
    try:
        try:
            raise TypeError("naked")
        except* TypeError as group:
            if n:
                log.append(repr(group))
            raise
    except ExceptionGroup as group:
        log.append(group.message)
    return [str(item) for item in log]


@samples((0,), (1,))
def with_of_every_form(n):
    log = []

    @contextlib.contextmanager
    def manager(name, swallows=False):
        log.append(name)
        try:
            yield name, len(name)
        except ValueError:
            log.append("caught")
            if not swallows:
                raise
        finally:
            log.append(-1)

    class Box:
        pass

    box, items = Box(), [0]
    with manager("a"):
        pass
    with manager("b") as b, manager("c") as (name, length):
        if n:
            log.append(name * length)
    with (manager("d") as box.d, manager("e") as items[0]):
        for i in range(2):
            if i == n:
                break
    with (manager("f")):
        with manager("g", True) as (first, *rest):
            if n:
                raise ValueError
            log.append("not reached")
    for i in range(3):
        with manager("h", True), contextlib.suppress(KeyError):
            if i == 0:
                continue
            if i == n:
                raise KeyError
            if i == 2:
                return log, i, box.d, items, first, rest, b
    return log


@samples((0,), (2,))
def stars_of_every_form(n):
    first, *rest = range(3)
    *init, last = "abc"
    a, (b, *c), *d = 1, (2, 3, 4), 5, 6
    [e, *f] = g = [n, n]
    out = [*rest, *init, *(x for x in range(n))]
    for h, *i in [(1, 2, 3), "xy"]:
        if i:
            out.append(i)
    pairs = *out, last
    for j in *out, n:
        if j == n:
            break
    merged = {**{"a": 1}, "b": n, **({"c": 3} if n else {})}
    called = dict(*[[("k", 1)]], **merged, **{"z": n})
    if n:
        *out, k = out
        (*l,) = "z"
        first, out[0], *out[1:] = out
    else:
        k, l = None, None
    listed = [[*row, *row] for *row, _ in [(1, 2, 3)]]
    return first, rest, init, last, a, b, c, d, e, f, g, h, i, j, k, l, out, pairs, merged, called, listed, {*out[:0], 1}


class Grid:
    """Shows its index."""

    def __getitem__(self, index):
        return index

    def __setitem__(self, index, value):
        self.last = index, value

    def __delitem__(self, index):
        self.last = index, "deleted"


@samples((0,), (2,))
def stars_in_subscripts_and_annotations(n):
    grid, tail = Grid(), [1, 2]

    def f(*args: *tuple[int, *tuple[str, ...]]):
        return args if n else ()

    seen = [grid[*tail], grid[0, *tail, ::2], grid[*tail, *tail]]
    grid[n, *tail] = 5
    if n:
        seen.append(grid.last)
        grid[*tail] = n
    del grid[*tail, 1]
    return seen, grid.last, f(1, "a"), str(f.__annotations__), tuple[*tail]


@samples((0,), (3,))
def assignments_in_branches(n):
    class Box:
        pass

    box, items, table = Box(), [1, 2, 3, 4], {"a": 1}
    box.x = box.y = 0
    if n:
        a: int = n
        b: "no such type"
        box.x: int = 5
        items[0]: float = 6
        (c): int = 7
        box.y += n
        items[1] -= n
        items[2:] += [n]
        table["a"] *= n
        table.setdefault("b", []).append(n)
        a **= 2
        a //= 2
        a %= 7
        a <<= 2
        a >>= 1
        a |= 8
        a &= 15
        a ^= 1
        a /= 2
        a @= Matrix()
        d = e = [a]
        (f, g), [h, *i] = d * 2, "xyz"
        box.z, items[3], table[n] = 1, 2, 3
    else:
        a = c = d = e = f = g = h = i = None
    for box.loop, items[0], (j, *k) in [(1, 2, "ab")] * bool(n):
        box.y += 1
    else:
        j = k = None
    try:
        b
    except UnboundLocalError as error:
        b = str(error)
    return a, b, c, d is e, f, g, h, i, j, k, vars(box), items, table


class Matrix:
    """Takes part in `@=`."""

    def __rmatmul__(self, other):
        return "product", other


@samples((0,), (2,))
def deleted_in_branches(n):
    class Box:
        def __init__(self):
            self.x = self.y = 1
            self.inner = {"k": [1, 2, 3]}

    box, items, table = Box(), [1, 2, 3, 4, 5], {"a": 1, "b": 2}
    a = b = c = d = 1
    if n:
        del a, (b, [c])
        del items[0], items[-1:], table["a"], box.x, box.inner["k"][1]
        del (d)
    else:
        del items[::2]
        del box.y
    for i in range(n):
        del items[0]
        e = i
        del e
    while table:
        del table[next(iter(table))]
        if n:
            break
    found = []
    for read in (lambda: a, lambda: b, lambda: c, lambda: d, lambda: box.x, lambda: box.y, lambda: e, lambda: i):
        try:
            found.append(read())
        except (NameError, AttributeError) as error:
            found.append(str(error))
    try:
        del e
    except UnboundLocalError as error:
        found.append(str(error))
    try:
        if n:
            del items[99]
        del table["nothing"]
    except (IndexError, KeyError) as error:
        found.append(repr(error))
    return found, items, table, vars(box)


shared, other_shared = 0, []


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


@samples((0, 1.5), (3, -2.25))
def f_strings_of_every_form(n, x):
    name, width, table = "é", 8, {"key": n, 'it"s': 1}
    if n:
        name += f"{n}"
    return [
        f"", f"{n}", f"{n!r}{n!s}{name!a}", f"{x:.2f}", f"{x:{width}.{n or 1}f}", f"{n:>{width}}|{n:<{width}}|{n:^{width}}",
        f"{table['key']}", f'{table["key"]}', f"""{table['it"s']} and "{name}" '{name}'""", f"{{}} {{{n}}} {{n}}",
        f"{n=}", f"{n = }", f"{x=:.1f}", f"{name = !r:>10}", f"{n + 1 = }", f"{(lambda k: k if k else 9)(n)}",
        f"{'yes' if n else 'no'}", f"{n and x or name}", f"{not n}", f"{n in (1, 3)}", f"{0 < n < 5}", f"{[i for i in range(n) if i]}",
        f"{f'{n:>{width}}':*<{width + 2}}", f"{'a' 'b'}" "c" f"{n}", rf"\d{n}\n", f"{n:{'>'}{width}}", f"{x!r:{width}}",
        f"{(n, *table)}", f"{ {1: n}[1] }", f"{n:%}", f"{'%d' % n}{'{}'.format(n)}", f'''{
            n
        }''', f"\N{DIGIT ONE}\t{n}\x41",
    ]  # fmt: skip


@samples((0,), (3,))
def f_strings_ask_in_order(n):
    log = []

    class Shown:
        def __init__(self, name):
            log.append(name)
            self.name = name

        def __format__(self, spec):
            log.append((self.name, spec))
            return self.name if n else "none"

        def __str__(self):
            log.append("str")
            return self.name

        def __repr__(self):
            log.append("repr")
            return self.name

    text = f"{Shown('a')}{Shown('b'):x{Shown('c')}y}{Shown('d')!r}{Shown('e')!s:>5}"
    try:
        f"{Shown('f')}{n / 0}{Shown('g')}"
    except ZeroDivisionError:
        log.append("error")
    try:
        if n:
            text += f"{n:no such format}"
    except ValueError as error:
        log.append(str(error))
    return text, log


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
def class_cells(n):
    class A:
        def own(self):
            return __class__.__name__ if n else __class__

        def deep(self):
            def inner():
                if n:
                    return __class__
                return [__class__ for _ in "a"], (lambda: __class__)()

            return inner()

        @classmethod
        def made(cls):
            return super().__new__(cls) if n else super()

        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__()
            if kwargs:
                cls.told = kwargs

        def __set_name__(self, owner, name):
            if n:
                self.name = owner.__name__, name

    class B(A, key=n):
        attribute = A()

        def own(self):
            for _ in range(2):
                if n:
                    return super().own(), super(B, self).own(), super(__class__, self).own()
            return [super(B, self).own() for _ in "a"]

    b = B()
    return b.own() == ("A",) * 3, b.deep() == A, type(B.made()).__name__, B.told, getattr(B.attribute, "name", None)


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
def mangled_names(n):
    class _A__:
        __x = n

        def __m(self, __y=2):
            __z = __y if n else self.__x
            global __g
            __g = __z
            for __i in range(3):
                if __i == n:
                    break
            try:
                raise KeyError(n)
            except KeyError as __e:
                __w = str(__e)
            del __y
            import math as __math
            def __inner(__a, *, __b=1):
                nonlocal __z
                __z += 1
                return __a + __b + __z
            match {"k": n}:
                case {"k": __value, **__rest}:
                    pass
            return __z, __i, __w, __math.floor(1.5), __inner(1), [__q for __q in "a"], self.__dict__, __value, __rest

        def call(self):
            self.__attribute = 1
            return self.__m(3), self.__m(), hasattr(self, "_A____x"), self.__class__.__name__

    return _A__().call(), sorted(vars(_A__))[:2], globals().pop("_A____g")


class _Private:
    """Is converted method by method, out of its class."""

    __x = 5

    def __init__(self, **given):
        self.__given = given

    def keywords(self, n, **given):
        try:
            return self.__with(__y=n)
        except TypeError as error:
            return str(error), dict(__a=n), self.__with(**{"_Private__y": n})

    def __with(self, __y=2):
        return __y if __y else self.__x

    def names(self, n):
        import math as __math
        from sys import maxsize as __size

        for __i in range(3):
            if __i == n:
                break
        match self:
            case _Private(__given=__found):
                return "mangled"
            case _Private(_Private__given={"k": __k, **__rest}) if __k or n:
                return __i, __math.floor(1.5), __size > 0, __k, __rest

    def classes(self, n):
        class __Inner:
            __y = n

            def get(self):
                return self.__y if n else 0

        try:
            raise KeyError(n)
        except KeyError as __error:
            return __Inner().get(), sorted(vars(__Inner))[:1], [__z for __z in str(__error)], self.__given, __name__


@samples((0,), (3,))
def mangled_names_of_methods(n):
    p = _Private(k=n, j=1)
    return p.keywords(n), p.names(n), p.classes(n)


@samples((0,), (3,))
def comprehensions_of_every_form(n):
    rows = [[1, 2, n], [], [4]]
    x = "outer"
    return (
        [x for row in rows for x in row if x if x > 1], [[y * 2 for y in row if y] for row in rows if row],
        {x: y for x, y in enumerate("abc") if x}, {x % 2 for row in rows for x in row}, {k: [v] for k, v in {"a": n}.items()},
        list((a, b) for a in range(n) for b in range(a)), [*(x for x in "ab")], [(lambda: i)() for i in range(n)],
        [f() for f in [lambda: i for i in range(3)]], [x if x else None for [x, *_] in [(0, 1), (2,)]],
        [[z for z in (x,)] for x in range(2)], [x for x in [y for y in range(n) if y]], x, dict([(i, i) for i in range(2)]),
        sum(x for x in range(n) if x % 2), [a for a in range(3) if a and n or not a], [b := i for i in range(2)], b,
        {i: {j for j in range(i)} for i in range(3)}, [not i for i in range(2)], [i in (1,) for i in range(2)],
    )  # fmt: skip


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


@samples((0,), (2,))
def statements_of_little_content(n):
    ...
    pass; pass
    "text"
    1; None; n
    if n: pass
    else: ...
    while n: n -= 1; continue
    for _ in (): pass
    else: pass
    try: pass
    except: pass
    else: pass
    finally: pass
    with contextlib.nullcontext(): pass
    match n:
        case _: pass
    class A: pass
    def f(): ...
    lambda: ...
    return (), [], {}, f(), A.__name__


@samples((0,), (5,))
def operators_of_every_kind(n):
    a, b = n + 7, 3
    arithmetic = a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, ~a, a << b, a >> b, a & b, a | b, a ^ b
    comparisons = a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in (b,), a not in (b,)
    truth = a and b, a or b, not a, n and a or b, n or a and b, not n and not a, (n if a else b) if n else a
    return arithmetic, comparisons, truth, Matrix.__rmatmul__(None, n), n @ Matrix(), ..., 1j * n, b"x" * n, 1_000, 0xFF


@samples((0,), (1,))
def long_conditions_on_many_lines(n):
    if (
        n
        and
        n > 0
        or (
            not n
        )
    ):
        result = (
            n
            if n
            else
            -n
        )
    return result \
        + 1


@samples((0,), (2,))
def unicode_names(n):
    ﬁ = n
    if n:
        ﬁ += 1
        µ = ﬁ
    else:
        µ = 0
    for ªª in range(n):
        μ = ªª

    class Ünder:
        ﬀ = 1

        def __𝐱(self):
            return self.ﬀ if n else 0

        def call(self, *, ﬁ=n):
            return self.__x(), ﬁ

    return fi, μ, µ, Ünder().call(fi=5), Ünder.__name__, "ﬁ", sorted(name for name in locals() if len(name) < 3)


@samples((0,), (2,))
def match_of_every_pattern(n):
    class Point:
        __match_args__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

    out = []
    for value in (n, -1, 2.5, 1 + 2j, -3 - 1j, "text", b"bytes", "ab" "c", None, True, [], [n, 1], (1, 2, 3, 4), {"a": n}, {},
                  {"a": 1, "b": [2]}, Point(n, 1), Point(0, Point(1, 2)), range(3), {1}, "x", [[1], {"k": Point(1, 1)}], ...):  # fmt: skip
        match value:
            case 0 | 0.0 | -1:
                out.append("number")
            case 2.5 as half if half > n:
                out.append(half)
            case 1 + 2j | -3 - 1j as c:
                out.append(c)
            case "text" | b"bytes" | "a" "bc":
                out.append("literal")
            case None | True | False as single:
                out.append(single)
            case [] | {"no": _}:
                out.append("empty")
            case [x, 1]:
                out.append(x)
            case (first, *middle, 4):
                out.append((first, middle))
            case [[int(i)], {"k": Point(x=1, y=1 as y), **rest}]:
                out.append((i, y, rest))
            case {"a": 1, "b": [b, *_], **rest} if not rest:
                out.append((b, rest))
            case {"a": a}:
                out.append(a)
            case dict():
                out.append("dict")
            case Point(0, Point(x, y)):
                out.append((x, y))
            case Point(x=a) if a == n:
                out.append(a)
                continue
            case (range() | set()) as kind:
                out.append(kind)
            case str(text):
                out.append(text)
            case other:
                out.append(other)
                break
    return [str(item) for item in out]
