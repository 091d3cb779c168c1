"""The forms of Python's grammar that the other samples do not use: each is small, and there are many."""

import contextlib

from autograph_rs.testing import samples


class Matrix:
    """Takes part in `@=`."""

    def __rmatmul__(self, other):
        return "product", other

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
