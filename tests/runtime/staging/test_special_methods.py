"""Special methods and properties of user classes: what a trace converts, and what it leaves as it was."""

from __future__ import annotations

import dataclasses
import functools
import threading

import numpy as np
import pytest

import autograph_rs as ag


class Gauge:
    """A class with one method of each kind that a trace replaces."""

    created = 0

    def __init__(self, x):
        self.x = x
        self.sets = 0

    def __bool__(self):
        return bool(self.x > 0)

    def __eq__(self, other):
        return self.x == other

    __hash__ = None

    @property
    def level(self):
        if self.x > 10:
            return 10.0
        return self.x

    @level.setter
    def level(self, value):
        self.sets += 1
        self.x = value

    @functools.cached_property
    def double(self):
        return self.x * 2


def level_of(x):
    gauge = Gauge(x)
    return gauge.level + gauge.double if gauge else gauge.level


def test_a_class_has_its_own_methods_after_a_trace():
    before = dict(vars(Gauge))
    assert ag.function(level_of)(np.float64(20.0)) == 50
    assert dict(vars(Gauge)) == before
    assert list(vars(Gauge)) == list(before)


def test_a_class_has_its_own_methods_after_a_trace_that_fails():
    before = dict(vars(Gauge))

    def failing(x):
        if Gauge(x) != x:
            raise ValueError("never")
        return frozenset((x,))

    with pytest.raises(ag.StagingError):
        ag.function(failing)(np.float64(1.0))
    assert dict(vars(Gauge)) == before


def test_other_threads_run_the_methods_themselves():
    """During a trace, a plain call in another thread runs the user's method, which no trace converts."""
    entered, finish = threading.Event(), threading.Event()

    def pausing(x):
        gauge = Gauge(x)
        entered.set()
        assert finish.wait(60)
        return gauge.level

    results = []
    tracing = threading.Thread(target=lambda: results.append(ag.function(pausing)(np.float64(3.0))))
    tracing.start()
    assert entered.wait(60)
    try:
        gauge = Gauge(30.0)
        gauge.level = 40.0
        assert (gauge.level, bool(gauge), gauge != 40.0) == (10.0, True, False)
        assert (gauge.double, gauge.sets) == (80.0, 1)
    finally:
        finish.set()
        tracing.join()
    assert results == [3]


def test_two_traces_at_once_share_a_class():
    both = threading.Barrier(2)

    def meeting(x):
        gauge = Gauge(x)
        both.wait(60)
        return gauge.level

    results = []
    threads = [
        threading.Thread(target=lambda x=x: results.append(ag.function(meeting)(np.float64(x))))
        for x in (3.0, 30.0)
    ]
    before = dict(vars(Gauge))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [3, 10]
    assert dict(vars(Gauge)) == before


def test_a_method_that_the_user_assigns_during_a_trace_stays():
    class Patched:
        def __len__(self):
            return 1

    def patching(x):
        Patched.__len__ = lambda self: 2
        return x * len(Patched())

    assert ag.function(patching)(np.float64(3.0)) == 6
    assert len(Patched()) == 2


UNIT = Gauge(1.0)


@dataclasses.dataclass
class Holder:
    """An argument that holds an object."""

    gauge: Gauge


@pytest.mark.parametrize(
    "f",
    [
        lambda x: [UNIT].index(UNIT) + x,
        lambda x: [UNIT][0].__eq__(x) if UNIT else False,
        lambda x: {"unit": UNIT}["unit"] != x,
        lambda x, held=UNIT: held == x,
    ],
)
def test_objects_that_no_converted_code_creates(f):
    """A global, an item of a container and a default have classes that the trace meets, too."""
    for x in (1.0, 2.0):
        assert ag.function(f)(np.float64(x)) == f(x)


def test_an_object_in_an_argument():
    f = ag.function(lambda holder, x: x if holder.gauge == x else holder.gauge.level)
    assert f(Holder(Gauge(30.0)), np.float64(2.0)) == 10
    assert f(Holder(Gauge(30.0)), np.float64(30.0)) == 30


def set_twice(x):
    gauge = Gauge(x)
    if x > 0:
        gauge.level = x + 1
        gauge.level += 1
    return gauge.sets, gauge.x


def test_a_setter_runs_once_for_each_assignment():
    f = ag.function(set_twice)
    for x in (3.0, -3.0):
        assert f(np.float64(x)) == set_twice(x)


def test_do_not_convert_holds_for_special_methods():
    def unconverted(x):
        with ag.do_not_convert():
            return Gauge(x).level

    with pytest.raises(ag.ValueNeededError, match="decides a branch that was not converted"):
        ag.function(unconverted)(np.float64(1.0))


class Wrong:
    """Special methods that return numbers of other kinds than Python wants."""

    def __init__(self, x):
        self.x = x

    def __bool__(self):
        return self.x

    def __len__(self):
        return self.x


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: 1 if Wrong(x) else 2, "__bool__ should return bool, returned float64"),
        (lambda x: len(Wrong(x)), "__len__ should return int, returned float64"),
    ],
)
def test_results_of_other_kinds_raise_as_in_python(f, message):
    with pytest.raises(TypeError, match=message):
        ag.function(f)(np.float64(1.0))
    with pytest.raises(TypeError, match=r"should return bool|cannot be interpreted as an integer"):
        f(1.0)


class Plain:
    """Special methods with plain results, also wrong ones, and an effect."""

    calls = 0

    def __init__(self, result):
        self.result = result

    def __bool__(self):
        Plain.calls += 1
        return self.result


@pytest.mark.parametrize("result", [True, False, 3, None])
def test_a_plain_result_is_checked_by_python(result):
    def tested(x):
        return x if Plain(result) else -x

    Plain.calls = 0
    if isinstance(result, bool):
        assert ag.function(tested)(np.float64(2.0)) == tested(2.0)
    else:
        with pytest.raises(TypeError) as expected:
            tested(2.0)
        with pytest.raises(TypeError) as raised:
            ag.function(tested)(np.float64(2.0))
        assert str(raised.value) == str(expected.value)
    assert Plain.calls == 2


class Countdown:
    """An iterator that ends when its attribute says so."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Squares:
    """A sequence whose length is known only to its `__getitem__`."""

    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError("out of range")
        return i * i


def total_of(items):
    total = 0
    for item in items:
        total += item
    return total


@pytest.mark.parametrize(
    ("kind", "consume"),
    [(Squares, total_of), (Squares, list), (Squares, sum), (Countdown, lambda items: max(*items))],
)
def test_an_iteration_by_python_cannot_end_by_a_staged_condition(kind, consume):
    with pytest.raises(ag.UnsupportedPlaceError, match="which ends an iteration"):
        ag.function(lambda n: consume(kind(n)))(np.int64(3))


@pytest.mark.parametrize("kind", [Countdown, Squares])
def test_an_iteration_that_a_plain_condition_ends_is_unrolled(kind):
    f = ag.function(lambda x: total_of(kind(3)) * x)
    assert f(np.float64(2.0)) == total_of(kind(3)) * 2


def test_an_item_of_a_sequence_may_raise():
    f = ag.function(lambda n, i: Squares(n)[i])
    assert f(np.int64(3), np.int64(2)) == 4
    with pytest.raises(IndexError, match="out of range"):
        f(np.int64(3), np.int64(3))


class Items(list):
    """A list whose items are computed."""

    def __getitem__(self, i):
        return -super().__getitem__(i)


def test_a_list_with_its_own_items_is_not_read_past_them():
    with pytest.raises(ag.ValueNeededError):
        ag.function(lambda i: Items([1, 2, 3])[i])(np.int64(1))


def test_an_error_in_a_special_method_is_at_the_line_of_the_user():
    class Checked:
        def __init__(self, x):
            self.x = x

        def __add__(self, other):
            if self.x < 0:
                raise ValueError("negative")
            return self.x + other

    f = ag.function(lambda x: Checked(x) + 1)
    assert f(np.float64(1.0)) == 2
    with pytest.raises(ValueError, match=r"^negative$") as raised:
        f(np.float64(-1.0))
    entry = raised.traceback[-1]
    assert (entry.name, str(entry.statement).strip()) == ("__add__", 'raise ValueError("negative")')


@dataclasses.dataclass
class Labelled:
    name: str
    size: float
    secret: int = dataclasses.field(default=0, repr=False)


def texts_of_fields(xs):
    found = [Labelled("a", x) for x in xs]
    return repr(found[0]), f"{found[1]} {found[0]!r}", str(Labelled("b", 1.5))


def test_the_text_of_a_dataclass_has_the_values_of_its_fields():
    xs = np.array([1.5, -2.0])
    assert ag.function(texts_of_fields)(xs) == texts_of_fields(xs)
