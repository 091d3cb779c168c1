"""Syntax of Python 3.12: generics (PEP 695), `type` statements, f-strings of any form (PEP 701)."""

import sys
import typing

from autograph_rs.testing import samples

type Pair[T] = tuple[T, T]


class Stack[T: (int, str)]:
    """A generic class, whose methods are converted one by one."""

    __limit = 2

    def __init__(self, *items: T) -> None:
        self.items: list[T] = list(items)

    def push[U](self, item: T, seen: U = None) -> U:
        if len(self.items) < self.__limit:
            self.items.append(item)
        return seen if seen else T.__name__

    def types(self):
        return (T.__name__, T.__constraints__) if self.items else None


def largest[T, *Ts, **P](items: list[T], *rest: *Ts) -> T:
    """A generic function."""
    best = None
    for item in items:
        if best is None or item > best:
            best = item
    return best, [p.__name__ for p in (T, Ts, P)]


@samples((0,), (3,))
def generics_of_a_module(n):
    stack = Stack(*range(n))
    return largest([1, n, 2]), stack.push(1, "seen"), stack.push(2), stack.types(), stack.items, Pair[int].__value__


@samples((0,), (3,))
def generic_functions(n):
    def first[T](items: list[T], default: T | None = n) -> T:
        for item in items:
            if item:
                return item
        return default, T.__name__

    def bound[T: int, S: (str, bytes), *Ts, **P](x: T, *args: *Ts):
        if x:
            return T.__bound__, S.__constraints__, [p.__name__ for p in (Ts, P)]

    async def coroutine[T](x: T):
        if x:
            return x
        return T.__name__

    def generator[T](x: T):
        for _ in range(2):
            if x:
                yield T.__name__
            else:
                yield (lambda: T.__name__)()

    made = coroutine(n)
    try:
        made.send(None)
    except StopIteration as stop:
        result = stop.value
    return (
        first([0, 0]), first([0, 5]), bound(n), result, list(generator(n)),
        [p.__name__ for p in bound.__type_params__], first.__annotations__.keys(), first.__defaults__, first.__qualname__,
    )  # fmt: skip


@samples((0,), (3,))
def generic_classes(n):
    class Base[T]:
        x: T
        default = n

        def get(self, k: T = n) -> T:
            if k:
                return self.default if n else T.__name__
            return k

        def own(self):
            return __class__.__name__ if n else T.__name__

    class Derived[T, *Ts](Base[T]):
        if n:
            kind = "some"
        else:
            kind = "none"

        def get(self, k=1):
            for _ in range(2):
                if k:
                    return super().get(k), Ts.__name__

    return Derived[int, str]().get(), Derived().own(), Derived.kind, [p.__name__ for p in Derived.__type_params__]


@samples((0,), (3,))
def aliases(n):
    type Simple = int
    type Late = list[not_yet]
    type Own[T, *Ts, **P] = dict[T, tuple[*Ts]] | Own[T] | (lambda: T)()
    if n:
        type Branch[T: int] = list[T] if n else None
    else:
        type Branch = n
    seen = []
    for i in range(n):
        type Loop = (i, n)
        seen.append(Loop)

    class Body:
        x = n
        type Inner[T] = list[T] | Body if n else None

        def of_method(self):
            type Method = __class__
            return Method.__value__ is Body

    try:
        Late.__value__
    except NameError as error:
        missing = str(error)
    not_yet = str
    return (
        Simple.__value__, missing, Late.__value__, len(Own.__type_params__), str(Own.__type_params__), str(Branch.__value__),
        [a.__value__ for a in seen], str(Body.Inner.__name__), Body().of_method(), isinstance(Simple, typing.TypeAliasType),
    )  # fmt: skip


@samples((0,), (3,))
def names_in_annotation_scopes(n):
    x = 1

    def f[x](y: x = x, *, z=[x for _ in "a"]):
        nonlocal_x = x.__name__
        if n:
            y += 1
        return nonlocal_x, y, z

    def counts():
        def g[T](step: T):
            nonlocal x
            if n:
                x += step

        g(5)
        return x

    @(lambda h: h if n else h)
    def decorated[T](k: T = x if n else 2):
        return k if k else T

    class A[x]:
        y = x.__name__
        z = [x.__name__ for _ in "a"]

    return f(), counts(), x, decorated(), A.y, A.z


@samples((0,), (3,))
def f_strings_of_any_form(n):
    table = {"key": n}
    if n:
        table["key"] += 1
    return [
        f"{table["key"]}", f"{"yes" if n else "no"}", f"{f"{f"{n}"}"}", f"{
            n  # a comment
            + 1
        }", f"{"\n".join(["a", "b"])}", f"{'\\'}{n!r:>{"5"}}", f"{[x for x in "ab" if x]}", f"{n =  !r}",
        f"""{
            n if n
            else "none"
        }""", f'{(lambda: f"{n:{"3"}}")()}',
    ]  # fmt: skip


@samples((0,), (3,))
def comprehensions_are_part_of_the_function(n):
    x = 1
    if n:
        y = 2
    return [sorted(locals()) for _ in "a"], [k for k in locals() if k != "x"], sys._getframe().f_code.co_name


@samples((0,), (3,))
def class_comprehensions(n):
    class A:
        x = n
        y = [x for x in range(x)]
        z = [i for i in range(3) if i]
        w = {i: x for i, x in enumerate("ab")}

    return A.y, A.z, A.w


class _Hidden[__T]:
    def get[__U](self, x):
        return (__T.__name__, __U.__name__) if x else None


@samples((0,), (3,))
def mangled_type_parameters(n):
    return _Hidden().get(n)
