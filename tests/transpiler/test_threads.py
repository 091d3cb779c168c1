"""Tables that threads share, in the order of steps that would break them, with and without the GIL."""

import importlib
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.backends import registry
from autograph_rs.runtime.backends.functional import staged_text
from autograph_rs.runtime.graph.backend.backend import GraphBackend
from autograph_rs.runtime.operators.calls import ConversionCache, make_callee

THREADS = 8
WAIT = 60  # seconds, at most


def at_once(function, count=THREADS):
    """The results of a function that so many threads call at the same moment."""
    barrier = threading.Barrier(count)

    def call(number):
        barrier.wait(WAIT)
        return function(number)

    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(call, range(count))]


@pytest.fixture(autouse=True)
def _frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


class Entry:
    """A cache entry whose shared function is evicted after it was read once."""

    def __init__(self, function):
        self.globals = function.__globals__
        self.reads = iter([function])

    @property
    def shared(self):
        return next(self.reads, None)

    def bind(self, function):
        raise AssertionError("the shared function is used")


def converted():
    pass


def called():
    pass


def test_a_shared_function_is_evicted_while_it_is_looked_up():
    for resolve in (None, lambda function: Entry(converted)):
        cache = ConversionCache()
        if resolve is None:
            cache.add(called.__code__, Entry(converted))
        assert make_callee(cache, resolve)(called) is converted


def test_the_fast_path_does_not_outlive_its_entry():
    """Between the lookup of an entry and its use, another thread opts the function out."""
    cache, entry = ConversionCache(), Entry(converted)
    cache.add(called.__code__, entry)
    cache.add(called.__code__, None)
    assert cache.add_to_fast_path(called, converted, entry) is converted
    assert cache.fast_path == {}


@pytest.fixture
def backends(monkeypatch):
    """The registry, restored after the test."""
    for name in ("_backends", "STAGING_CHECKS"):
        monkeypatch.setattr(registry, name, getattr(registry, name).copy())
    yield monkeypatch
    registry.BACKENDS.clear()


class Value:
    pass


class Owner(GraphBackend):
    announces = True

    def owns(self, kind):
        return kind is Value


class Slow(GraphBackend):
    """A backend during whose answer another one is registered."""

    announces = True

    def owns(self, kind):
        if kind is Value and not any(type(b) is Owner for b in registry._backends):
            ag.register_backend(Owner())
        return False


@pytest.mark.usefixtures("backends")
def test_a_backend_registers_while_an_owner_is_looked_up():
    ag.register_backend(Slow())
    assert type(registry.BACKENDS[Value]) is Owner
    assert type(registry.BACKENDS.get(Value)) is Owner


def test_threads_wait_for_a_backend(backends):
    """A thread that meets a framework whose backend another thread is loading waits for it."""
    started, go_on, registered = threading.Event(), threading.Event(), []

    def register():
        started.set()
        assert go_on.wait(WAIT)
        registry.load_backends()  # as a lookup during registration does
        registered.append("jax")

    def import_module(name):
        assert name in ("jax", f"{registry.__package__}.jax")
        return types.SimpleNamespace(register=register)

    backends.setitem(sys.modules, "jax", types.ModuleType("jax"))
    backends.setattr(registry, "_UNLOADED", {"jax": True})
    backends.setattr(registry, "check_version", lambda _: None)
    backends.setattr(registry, "importlib", types.SimpleNamespace(import_module=import_module))

    def load(number):
        if number:
            assert started.wait(WAIT)
            threading.Timer(0.05, go_on.set).start()
        registry.load_backends()
        return [*registered]

    assert at_once(load, 2) == [["jax"], ["jax"]]


def test_a_framework_that_is_imported_during_a_search(backends):
    """The modules are counted before the search, so that the next one finds it."""
    loaded = []
    late = {"torch": types.ModuleType("torch")}

    def register():
        loaded.append(1)
        sys.modules.update(late)

    backends.setitem(sys.modules, "jax", types.ModuleType("jax"))
    backends.delitem(sys.modules, "torch", raising=False)
    backends.setattr(registry, "_UNLOADED", {"jax": True, "torch": True})
    backends.setattr(registry, "check_version", lambda _: None)
    backends.setattr(
        registry,
        "importlib",
        types.SimpleNamespace(import_module=lambda name: types.SimpleNamespace(register=register)),
    )
    backends.setattr(registry, "COMPILERS", [])
    try:
        registry.load_backends()
        registry.is_staging()
    finally:
        sys.modules.pop("torch", None)
    assert loaded == [1, 1]


def test_markers_of_staged_text_differ():
    field = staged_text.StagedField(np.float64(1.0), "")
    texts = [t for several in at_once(lambda _: [format(field) for _ in range(500)]) for t in several]
    for text in texts:
        staged_text.split_markers(text)
    assert len(set(texts)) == THREADS * 500


def halve(x):
    n = 0
    while x > 1:
        x, n = x / 2, n + 1
    return n


def outer(x):
    return halve(x) if x > 0 else -1


def test_functions_are_converted_once():
    """However many threads ask at once, they get the code of one conversion."""
    transpiler = ag.Transpiler()
    functions = at_once(lambda _: transpiler.to_graph(outer))
    assert {f(100) for f in functions} == {7}
    assert len({f.__code__ for f in functions}) == 1
    called_functions = at_once(lambda _: transpiler.callee(halve))
    assert len({f.__code__ for f in called_functions}) == 1


def test_functions_are_traced_once():
    f = ag.function(outer)
    assert at_once(lambda _: int(f(np.float64(100)))) == [7] * THREADS
    assert len(f.traces()) == 1


def test_an_opted_out_function_stays_so():
    """`do_not_convert` has the last word, whichever thread converts the function meanwhile."""
    for _ in range(20):
        namespace = {}
        exec("def helper(x):\n    return x", namespace)
        helper, transpiler = namespace["helper"], ag.Transpiler()

        def act(number, helper=helper, transpiler=transpiler):
            return ag.do_not_convert(helper) if number == 0 else transpiler.callee(helper)

        at_once(act, 4)
        assert transpiler.callee(helper) is helper


def test_lazy_names_load_in_threads():
    """The first use of a public name may happen in several threads."""
    for name in ("function", "Graph"):
        vars(ag).pop(name, None)
        assert len({id(found) for found in at_once(lambda _, name=name: getattr(ag, name))}) == 1
    assert importlib.import_module("autograph_rs").function is ag.function


def test_a_finalizer_that_calls_converted_code():
    """Garbage collection may run one while the cache of calls is locked."""
    called = []

    class Finalized:
        def __del__(self):
            called.append(converted(1))

    def inner(x):
        return x if x > 0 else -x

    converted = ag.to_graph(lambda x: inner(x))  # noqa: PLW0108
    entries = ag.Transpiler()._entries
    with entries._lock:
        item = Finalized()
        del item
        entries.add(inner.__code__, None)
    assert called == [1]
