# ruff: noqa: B008, F811, PLC3002, RET503 - the functions are what is tried
"""The function that comes out: it shares what the original has, and looks like it."""

from __future__ import annotations

import functools
import inspect
import pickle
import sys

import pytest

import autograph_rs as ag


def decorated(a: int, /, b: str = "x", *args, c, d: float = 2.0, **kwargs) -> list:
    """Its documentation."""
    return [a or b, args, c, d, kwargs]


decorated.note = "kept"


class Holder:
    """Has methods of every kind."""

    factor = 3

    def method(self, x=0):
        return x or self.factor

    @staticmethod
    def static(x):
        return x or 1

    @classmethod
    def of_class(cls, x):
        return x or cls.factor

    def __call__(self, x):
        return x or -self.factor

    @property
    def prop(self):
        return self.factor if self else 0

    if factor:

        def in_branch(self):
            return self.factor if self else 0

    class Inner:
        def method(self):
            return (lambda: self)() if self else 0


def counter():
    count = 0

    def get():
        return count or "none"

    def put(x):
        nonlocal count
        if x:
            count = x

    return get, put


def generator(n):
    for i in range(n):
        print("at", i)
        if i:
            yield i


async def coroutine(n):
    return n or 1


async def asynchronous(n):
    for i in range(n):
        if i:
            yield i


KINDS = [decorated, Holder.method, Holder.static, Holder.in_branch, Holder.Inner.method, generator, coroutine]


@pytest.mark.parametrize("f", KINDS, ids=lambda f: f.__qualname__)
def test_looks_like_the_original(f):
    made = ag.to_graph(f)
    names = "__name__ __qualname__ __doc__ __module__ __defaults__ __kwdefaults__ __annotations__".split()
    for name in names:
        assert getattr(made, name) == getattr(f, name), name
    assert made.__globals__ is f.__globals__
    assert made.__wrapped__ is f
    assert inspect.signature(made) == inspect.signature(f)
    assert inspect.getsource(made) == inspect.getsource(f)
    code = made.__code__
    assert (code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno) == (
        f.__code__.co_name,
        f.__code__.co_qualname,
        f.__code__.co_filename,
        f.__code__.co_firstlineno,
    )
    for kind in (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction):
        assert kind(made) == kind(f) == kind(ag.convert(f))


@pytest.mark.parametrize("f", KINDS, ids=lambda f: f.__qualname__)
def test_the_callable_of_convert_looks_like_it_too(f):
    made = ag.convert(f)
    for name in "__name__ __qualname__ __doc__ __module__ __annotations__".split():
        assert getattr(made, name) == getattr(f, name), name
    assert made.__wrapped__ is f
    assert inspect.signature(made) == inspect.signature(f)


def test_attributes_are_kept():
    assert ag.to_graph(decorated).note == ag.convert(decorated).note == "kept"


def test_signature_of_a_wrapper_is_that_of_what_it_wraps():
    @functools.wraps(decorated)
    def wrapper(*args, **kwargs):
        if args:
            return decorated(*args, **kwargs)

    assert inspect.signature(ag.to_graph(wrapper)) == inspect.signature(decorated)
    assert ag.to_graph(wrapper)(1, c=2) == decorated(1, c=2)


def test_explicit_signature_is_kept():
    def f(*args):
        return args or 0

    f.__signature__ = inspect.Signature([inspect.Parameter("p", inspect.Parameter.POSITIONAL_ONLY)])
    assert inspect.signature(ag.to_graph(f)) == inspect.signature(ag.convert(f)) == f.__signature__


def test_cells_are_the_very_cells():
    get, put = counter()
    made_get, made_put = ag.to_graph(get), ag.to_graph(put)
    cells = dict(zip(made_get.__code__.co_freevars, made_get.__closure__, strict=True))
    assert cells["count"] is get.__closure__[0]
    made_put(5)
    assert (get(), made_get()) == (5, 5)
    put(7)
    assert (get(), made_get()) == (7, 7)


def test_closures_of_one_code_share_their_code_and_nothing_else():
    (get, put), (other_get, other_put) = counter(), counter()
    made, other = ag.to_graph(get), ag.to_graph(other_get)
    assert made.__code__ is other.__code__
    ag.to_graph(put)(1)
    ag.to_graph(other_put)(2)
    assert (made(), other()) == (1, 2)


def test_a_cell_that_is_filled_later():
    def f(n):
        return later(n) if n else 0

    made = ag.to_graph(f)
    with pytest.raises(NameError, match="'later'"):
        made(1)

    def later(n):
        return n or 1

    assert made(3) == 3

    def later(n):
        return n + 1 if n else 1

    assert made(3) == 4


def test_recursion_through_a_cell():
    def fact(n):
        return n * fact(n - 1) if n > 1 else 1

    assert ag.to_graph(fact)(10) == 3628800


def test_defaults_are_the_very_objects():
    box = []

    def f(x, into=box, *, also=box):
        if x:
            into.append(x)
        return also

    assert ag.to_graph(f)(1) is box
    assert box == [1]


def test_pickled_by_reference(monkeypatch: pytest.MonkeyPatch):
    for made in (ag.to_graph(decorated), ag.convert(decorated)):
        monkeypatch.setattr(sys.modules[__name__], "decorated", made)
        assert pickle.loads(pickle.dumps(made)) is made
        monkeypatch.undo()


@pytest.mark.parametrize("make", [ag.to_graph, ag.convert])
def test_methods_of_every_kind(make):
    holder = Holder()
    assert make(holder.method)() == 3
    assert make(holder.method).__self__ is holder
    assert make(Holder.method)(holder, 2) == 2
    assert make(Holder.static)(0) == 1
    assert make(Holder.of_class)(0) == 3
    assert make(Holder.of_class).__self__ is Holder
    assert make(holder)(0) == -3
    assert make(functools.partial(Holder.method, holder))() == 3
    assert isinstance(make(Holder.__dict__["static"]), staticmethod)
    assert isinstance(make(Holder.__dict__["of_class"]), classmethod)

    class Converted(Holder):
        method = make(Holder.method)
        static = make(Holder.__dict__["static"])
        of_class = make(Holder.__dict__["of_class"])
        factor = 4

    made = Converted()
    assert (made.method(), made.static(0), made.of_class(0), Converted.of_class(0)) == (4, 1, 4, 4)


@pytest.mark.parametrize("make", [ag.to_graph, ag.convert])
def test_as_a_decorator(make):
    class A(Holder):
        @make
        def method(self, x=0):
            return super().method(x) if x < 1 else __class__

        @staticmethod
        @make
        def static(x):
            return x or 9

        @classmethod
        @make
        def of_class(cls, x):
            return super().of_class(x) if x < 1 else cls

    assert (A().method(), A().method(1), A.static(0), A.of_class(0), A.of_class(1)) == (3, A, 9, 3, A)


def test_decorators_are_not_applied_again():
    applied = []

    def note(f):
        applied.append(f)
        return f

    @note
    def f(x):
        return x or 1

    assert ag.to_graph(f)(0) == 1
    assert "@" not in ag.to_code(f)
    assert applied == [f]


def test_defaults_are_not_evaluated_again():
    evaluated = []

    def f(x=evaluated.append(1), *, y: evaluated.append(2) = evaluated.append(3)):
        return x or y

    ag.to_graph(f)()
    assert evaluated.count(1) == evaluated.count(3) == 1


def test_generators_are_lazy(capsys: pytest.CaptureFixture):
    for made in (ag.to_graph(generator), ag.convert(generator)):
        items = made(3)
        assert capsys.readouterr().out == ""
        assert next(items) == 1
        assert capsys.readouterr().out == "at 0\nat 1\n"
        assert list(items) == [2]
        capsys.readouterr()


def test_generator_protocol():
    def f():
        got = []
        while len(got) < 3:
            try:
                got.append((yield len(got)))
            except KeyError as e:
                got.append(e)
            finally:
                got.append("finally")
        return got

    items = ag.to_graph(f)()
    assert next(items) == 0
    items.throw(KeyError("k"))
    with pytest.raises(StopIteration) as stopped:
        items.send("sent")
    assert [str(g) for g in stopped.value.value] == ["'k'", "finally", "sent", "finally"]


def test_python_312_generics(module):
    if sys.version_info < (3, 12):
        pytest.skip("syntax of Python 3.12")
    made = module("""
def f[T](x: T, y: T | None = None) -> T:
    return x if x else y
def g[T](x: T):
    type Pair[K] = tuple[K, T]
    def inner[S](y: S) -> S:
        return y if y else (x, T.__name__)
    return inner(0), Pair.__name__
class A[T]:
    def m[S](self, x: S) -> T:
        return x if x else T.__name__
""")
    assert ag.to_graph(made.f)(0, 5) == 5
    assert ag.to_graph(made.f).__type_params__ == made.f.__type_params__
    assert ag.to_graph(made.g)(1) == made.g(1)
    assert ag.to_graph(made.A().m)(0) == made.A().m(0)
