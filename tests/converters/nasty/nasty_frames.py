"""Functions that look at names, frames and the code that runs them."""

import inspect
import linecache
import sys
import traceback
import warnings

from autograph_rs.testing import samples

LEVEL = "global"


@samples((0,), (2,))
def names_of_every_kind(n):
    a = 1
    if n:
        b = 2
    else:
        c = 3

    def g():
        return a

    for i in range(n):
        if i:
            d = i
    return sorted(locals()), sorted(vars()), dir(), g()


@samples((0,), (2,))
def names_in_branches(n):
    if n:
        x = sorted(locals())
        y = dir()
    else:
        x, y = sorted(vars()), 0
    while n:
        n -= 1
        y = len(locals())
    return x, y


@samples((0,), (2,))
def names_that_only_code_uses_which_never_runs(n):
    around, found = n, []

    def inner(x):
        found.append(sorted(locals()))
        while x:
            break
            around, never = around, x
        return found

    def reader(x):
        found.append(dir())
        for _ in range(x):
            return found
            around
        return found

    return inner(n), reader(n)


@samples((0,), (2,))
def names_in_inner_scopes(n):
    found = []

    def inner(a, *, b=n):
        found.append(sorted(locals()))
        if a:
            c = b
            found.append(dir())
        return found

    class Body:
        x = 1
        found.append([name for name in locals() if not name.startswith("__")])
        if n:
            y = x
        found.append(sorted(name for name in dir() if name[0] != "_"))
        locals()["z"] = 5
        vars()["w"] = 6

    inner(n)
    return found, Body.z, Body.w, (lambda q: sorted(locals()))(1)


@samples((0,), (2,))
def vars_and_dir_of_objects(n):
    class Box:
        a = 1

        def __init__(self):
            if n:
                self.b = 2

        def __dir__(self):
            return ["z", "y"] if n else ["x"]

    box = Box()
    vars(box)["c"] = n
    if n:
        vars(box).update(d=4)
    return vars(box), dir(box), [name for name in vars(Box) if name == "a"]


@samples((0,), (2,))
def evaluated(n):
    x, y = 1, 2
    if n:
        x = eval("x + y + n")
    total = 0
    for i in range(n):
        total += eval("i * x")
        exec("total = 99")
    names = {"x": 7}
    exec("z = x if x > 5 else 0\nfor i in range(3):\n    z += i", names)
    compiled = compile("x * y", "<given>", "eval")
    return x, total, names["z"], eval(compiled), eval("LEVEL"), eval("[k for k in 'ab']"), eval("x", {"x": 0}, {"x": n})


@samples((0,), (2,))
def definitions_by_exec(n):
    namespace = {"n": n}
    exec("def f(k):\n    if k:\n        return n\n    return -1\nclass A:\n    x = 3 if n else 4", namespace)
    if n:
        exec("def g(): return f(1)", namespace)
    return namespace["f"](n), namespace["A"].x, namespace["g"]() if n else None


@samples((0,), (2,))
def globals_read_and_written(n):
    globals()["made_here"] = n
    if n:
        globals()["made_here"] += 1
    found = made_here  # noqa: F821
    del globals()["made_here"]
    return found, "made_here" in globals(), globals()["LEVEL"], globals() is sys._getframe().f_globals


@samples((0,), (2,))
def own_frame(n):
    frame = sys._getframe()
    names = [frame.f_code.co_name, inspect.currentframe().f_code.co_qualname]
    if n:
        names.append(inspect.currentframe().f_code.co_name)
    for _ in range(n):
        names.append(sys._getframe().f_code.co_name)
    line = inspect.currentframe().f_lineno
    return names, linecache.getline(frame.f_code.co_filename, line), frame.f_globals["LEVEL"]


def caller(depth=1):
    return sys._getframe(depth).f_code.co_name, sys._getframe(depth).f_lineno


@samples((0,), (2,))
def frame_of_the_caller(n):
    def inner(k):
        return caller(2) if k else caller()

    first = caller()
    return first, inner(0), inner(1), [caller()[1] for _ in range(n)]


@samples((2,))
def frame_of_the_caller_in_a_branch(n):
    if n:
        return caller(2)[0]


def warned(level):
    warnings.warn("told", stacklevel=level)


@samples((1,), (2,), (3,))
def warnings_of_every_level(n):
    def inner():
        warned(n)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inner()
        warned(n)
        warnings.warn("own", DeprecationWarning)
    return [(str(w.message), linecache.getline(w.filename, w.lineno).strip()) for w in caught[:2]]


class Count(int):
    """A number that is none of Python's own, of which any method may be another."""


@samples((2,))
def tracebacks_of_errors(n):
    return plain_tracebacks(Count(n))


@samples((2,))
def plain_tracebacks(n):
    def fails(k):
        if k:
            for i in range(k):
                if i == k - 1:
                    raise KeyError(i)
        return 1 / k

    try:
        fails(n)
    except (KeyError, ZeroDivisionError) as error:
        rows = traceback.extract_tb(error.__traceback__)
        return [(row.name, row.line) for row in rows]


@samples((0,), (2,))
def introspected(n):
    def f(a, /, b: int = 2, *args: str, c=n, **kwargs) -> float:
        """What f does."""
        if a:
            return b
        return n

    class A:
        """What A is."""

        __slots__ = ("x",)

        def m(self):
            "What m does."
            return __class__ if n else self.__class__

    return (
        str(inspect.signature(f)), f.__doc__, f.__annotations__, f.__defaults__, f.__kwdefaults__,
        f.__name__, f.__qualname__, f.__module__, A.__doc__, A.m.__doc__, A.__qualname__, A.m.__qualname__,
        A().m() is A, f.__code__.co_varnames[:5], f.__code__.co_argcount, f.__code__.co_posonlyargcount,
    )  # fmt: skip


@samples((2,))
def annotations_of_nested_functions(n):
    def f(x: "list[int]", y: n = 1) -> [n]:
        if x:
            z: no_such_name = y  # noqa: F821
            w: no_such_name
            return z

    return f.__annotations__, f(1)


@samples((2,))
def same_locals_dict(n):
    first = locals()
    m = n
    return locals() is first, m


@samples((2,))
def locals_are_kept_up_to_date(n):
    first = locals()
    if n:
        m = 3
    locals()
    return first.get("m")


@samples((2,))
def locals_of_the_caller(n):
    def names():
        return sorted(sys._getframe(1).f_locals)

    m = n
    return names(), m


@samples((2,))
def locals_of_the_caller_with_a_branch(n):
    def names():
        return sorted(sys._getframe(1).f_locals)

    m = n
    if m:
        k = m + 1
    return names(), k


@samples((2,))
def renamed_locals(n):
    see, name = locals, eval
    m = n
    if m:
        m += 1
    return sorted(see()), name("m")
