"""Annotations are never evaluated by this package, whichever way a function enters it.

From Python 3.14 on, annotations are evaluated when they are read, and those of this file then raise. Earlier
Pythons evaluate them once, with the definition; there the tests count that nothing evaluates them again. What
Python 3.14 does to `inspect.signature` is imitated.
"""

import functools
import inspect
import pickle
import types
from pathlib import Path

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs import runtime
from autograph_rs.ahead_of_time.modules import convert_module
from autograph_rs.runtime.core import annotations
from autograph_rs.runtime.core.annotations import ARE_LAZY, copy_attributes, signature_of

evaluated = []


class Annotation:
    """What stands in the annotations below."""

    def __init__(self, name):
        evaluated.append(name)
        if ARE_LAZY:
            raise NameError(name)


def absolute(
    x: Annotation("x"), scale: Annotation("scale") = 2.0, *, shift: Annotation("s") = 0.0
) -> Annotation("result"):
    y: Annotation("local") = x
    if x < 0:
        y = -y
    return y * scale + shift


class Model:
    weight: Annotation("weight")

    def __init__(self, weight: Annotation("weight")):
        self.weight = weight

    def method(self, x: Annotation("x")) -> Annotation("result"):
        if x < 0:
            x = -x
        return x * self.weight

    @staticmethod
    def static(x: Annotation("x")) -> Annotation("result"):
        return -x if x < 0 else x

    @classmethod
    def make(cls, x: Annotation("x")) -> Annotation("result"):
        return -x if x < 0 else x

    def __call__(self, x: Annotation("x")) -> Annotation("result"):
        return self.method(x)


@functools.wraps(absolute)
def wrapper(*args, **kwargs):
    return absolute(*args, **kwargs)


def operators():
    """Custom operators, whose parameters the transpiler reads."""

    def for_stmt(
        iter_: Annotation("x"),
        extra_test: Annotation("x"),
        body: Annotation("x"),
        get_state: Annotation("x"),
        set_state: Annotation("x"),
        symbol_names: Annotation("x"),
        opts: Annotation("x"),
    ) -> Annotation("x"):
        return runtime.for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts)

    return types.SimpleNamespace(for_stmt=for_stmt)


OPERATORS = operators()
X = np.float64(-3.0)


def save_and_load(f, folder):
    traced = ag.function(f)
    traced(X)
    ag.save(traced, folder / "saved.json")
    return ag.load(folder / "saved.json")(X)


ENTRY_POINTS = {
    "convert": lambda f, _: ag.convert(f)(X),
    "convert in a trace": lambda f, _: ag.function(ag.convert(f))(X),
    "to_graph": lambda f, _: ag.to_graph(f)(X),
    "to_code": lambda f, _: ag.to_code(f),
    "do_not_convert": lambda f, _: ag.do_not_convert(types.FunctionType(f.__code__, f.__globals__)),
    "custom operators": lambda f, _: ag.Transpiler(operators=OPERATORS).convert(f)(X, 2.0, shift=0.0),
    "source map": lambda f, _: ag.Transpiler().source_map(f),
    "function": lambda f, _: ag.function(f)(X),
    "function with names": lambda f, _: ag.function(f)(x=X, scale=np.float64(1.0), shift=X),
    "text of a function": lambda f, _: repr(ag.function(f)),
    "trace": lambda f, _: repr(ag.function(f).get_concrete_function(ag.TensorSpec(()))),
    "trace with names": lambda f, _: ag.function(f).get_concrete_function(x=ag.TensorSpec(()))(x=X),
    "explain": lambda f, _: str(ag.explain(f, X)),
    "grad": lambda f, _: ag.grad(f)(X),
    "value_and_grad": lambda f, _: ag.value_and_grad(f)(X),
    "vjp": lambda f, _: ag.vjp(f, X)[1](1.0),
    "tape": lambda f, _: tape(f),
    "save": save_and_load,
    "pickle": lambda f, _: pickle.loads(pickle.dumps(ag.function(f)))(X),
    "file": lambda f, _: convert_module(Path(__file__).read_text(encoding="utf-8")),
}


def tape(f):
    with ag.GradientTape() as recorded:
        x = recorded.watch(X)
        y = ag.convert(f)(x)
    return recorded.gradient(y, x)


CALLABLES = {
    "function": lambda: absolute,
    "wrapped": lambda: wrapper,
    "method": lambda: Model(2.0).method,
    "static method": lambda: Model.static,
    "class method": lambda: Model.make,
    "callable object": lambda: Model(2.0),
    "partial": lambda: functools.partial(absolute, scale=3.0),
}


@pytest.fixture
def lazy(monkeypatch):
    """`inspect.signature` as of Python 3.14 where annotations name what is not there."""
    if ARE_LAZY:
        return
    real = inspect.signature

    def signature(function, **options):
        found = real(function, **options)
        if any(isinstance(p.annotation, Annotation) for p in found.parameters.values()):
            raise NameError("Annotation")
        return found

    monkeypatch.setattr(annotations.inspect, "signature", signature)


@pytest.mark.parametrize("entry", ENTRY_POINTS)
@pytest.mark.usefixtures("lazy")
def test_entry_points(entry, tmp_path):
    """No way into the package evaluates the annotations of a function."""
    before = len(evaluated)
    ENTRY_POINTS[entry](absolute, tmp_path)
    assert evaluated[before:] == []


@pytest.mark.parametrize("kind", CALLABLES)
@pytest.mark.usefixtures("lazy")
def test_callables(kind):
    """Nor do other callables, converted and traced."""
    f = CALLABLES[kind]()
    before = len(evaluated)
    expected = f(X)
    assert ag.convert(f)(X) == ag.to_graph(f)(X) == ag.function(f)(X) == ag.function(f)(x=X) == expected
    assert evaluated[before:] == []


@pytest.mark.usefixtures("lazy")
def test_methods_of_traced_functions():
    before = len(evaluated)

    class Traced(Model):
        traced = ag.function(Model.method)

    model = Traced(2.0)
    assert model.traced(X) == model.traced(x=X) == 6.0
    assert [*inspect.signature(model.traced).parameters] == ["x"]
    assert evaluated[before:] == []


def test_nested_definitions():
    """A definition inside a function evaluates its annotations where Python does."""

    def outer(x):
        def inner(y: 1 + x) -> x:
            return y if y > 0 else -y

        return inner(x), inner

    plain, converted = outer(3), ag.to_graph(outer)(3)
    assert converted[0] == plain[0] == 3
    assert converted[1].__annotations__ == plain[1].__annotations__ == {"y": 4, "return": 3}


class Opaque:
    """A callable object whose attributes raise what annotations may raise."""

    def __call__(self, x):
        return -x if x < 0 else x

    @property
    def __annotations__(self):
        raise NameError("annotations")

    @property
    def __signature__(self):
        raise NameError("signature")


def test_an_object_whose_annotations_raise():
    opaque = Opaque()
    assert ag.convert(opaque)(X) == ag.to_graph(opaque)(X) == ag.function(opaque)(X) == ag.grad(opaque)(X) + 4
    assert repr(ag.function(opaque)) == "<Function Opaque(...): not traced yet>"
    assert signature_of(opaque) is None


@pytest.mark.usefixtures("lazy")
def test_parameters_without_annotations():
    """Where a signature raises, it has the parameters and defaults, and no annotations."""
    if not ARE_LAZY:
        assert str(signature_of(absolute)) == "(x, scale=2.0, *, shift=0.0)"
        assert str(signature_of(Model(1.0).method)) == "(x)"
    assert [*signature_of(absolute).parameters] == ["x", "scale", "shift"]
    assert [*signature_of(wrapper).parameters] == ["x", "scale", "shift"]
    assert [*signature_of(Model(1.0).method).parameters] == ["x"]
    assert signature_of(3) is None


def test_attributes_are_copied():
    """The result has the annotations of the original, as the original keeps them."""
    converted = ag.to_graph(absolute)
    if ARE_LAZY:
        assert converted.__annotate__ is absolute.__annotate__
    else:
        assert converted.__annotations__ is absolute.__annotations__
    assert (converted.__name__, converted.__wrapped__) == ("absolute", absolute)

    def target():
        pass

    copy_attributes(target, Opaque())
    assert target.__annotations__ == {}


def test_who_reads_signatures():
    """`inspect.signature` is called on functions of this package and of NumPy, or by `signature_of`."""
    folders = [Path(ag.__file__).parent, Path(runtime.__file__).parent]
    callers = {
        path.name
        for folder in folders
        for path in folder.rglob("*.py")
        if "inspect.signature(" in path.read_text(encoding="utf-8")
    }
    assert callers == {
        "annotations.py", "emitter.py", "numpy_calls.py", "probing.py", "recursive_arguments.py",
        "reverse.py",
    }  # fmt: skip
