"""A staged function warns, at the user's line, only about effects that happen once, during the trace."""

from __future__ import annotations

import array
import collections
import datetime as dt
import importlib
import io
import itertools
import logging
import os
import random
import sys
import time
import uuid
import warnings

import numpy as np
import pytest
from warnings_support import NONE, SOME, check, describe

import autograph_rs as ag

# Calls


LOG = logging.getLogger("test_warnings")
STREAM = io.StringIO()


def logs(x):
    if x > 0:
        LOG.info("positive")
    return x


def logs_in_loop(x):
    while x < 3:
        LOG.warning("round")
        x = x + 1
    return x


def writes(x):
    if x > 0:
        STREAM.write("positive")
    return x


def writes_out(x):
    if x > 0:
        sys.stdout.write("positive")
    return x


def warns(x):
    if x > 0:
        warnings.warn("positive", stacklevel=1)
    return x


def opens(x):
    if x > 0:
        open(os.devnull).close()
    return x


def sleeps(x):
    if x > 0:
        time.sleep(0)
    return x


CALLS = [
    (logs, 'LOG.info("positive")', "Logger.info() is called"),
    (logs_in_loop, 'LOG.warning("round")', "Logger.warning() is called"),
    (writes, 'STREAM.write("positive")', "write() is called"),
    (writes_out, 'sys.stdout.write("positive")', "write() is called"),
    (opens, "open(os.devnull).close()", "open() is called"),
    (sleeps, "time.sleep(0)", "time.sleep() is called"),
]


@pytest.mark.parametrize(("f", "line", "says"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_calls_in_branches(f, line, says, caplog, capsys):
    caplog.set_level(logging.INFO)
    check(f, NONE, line=line, says=says)


def test_a_call_happens_once(caplog):
    """Whatever the condition is, and at no later call."""
    caplog.set_level(logging.INFO)
    f = ag.function(logs)
    assert len(describe(f, NONE)) == 1
    assert [r.getMessage() for r in caplog.records if r.name == LOG.name] == ["positive"]
    caplog.clear()
    assert describe(f, SOME) == []
    logs(-1.0)
    assert caplog.records == []


def test_warning_of_the_user():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ag.function(warns)(NONE)
    assert [w.category for w in found] == [ag.SideEffectWarning, UserWarning]
    assert len({(w.filename, w.lineno) for w in found}) == 1


def quiet_calls(x):
    if x > 0:
        LOG.debug("not logged at this level")
        print("staged")
        print("staged too", x)
        made = io.StringIO()
        made.write("within the branch")
        os.path.join("a", "b")
        x = x + len(made.getvalue())
    return x


def test_calls_that_are_fine(capsys):
    LOG.setLevel(logging.INFO)
    f = ag.function(quiet_calls)
    assert describe(f, NONE) == []
    assert describe(f, SOME) == []
    assert capsys.readouterr().out == "staged\nstaged too 1.0\n"
    LOG.setLevel(logging.NOTSET)


# Answers that a trace freezes


def asks_time(x):
    return x + time.time()


def asks_counter(x):
    return x + time.perf_counter()


def asks_date(x):
    return x + dt.datetime.now().timestamp()  # noqa: DTZ005


def asks_system(x):
    return x + os.urandom(1)[0]


def asks_name(x):
    return x + len(str(uuid.uuid4()))


ANSWERS = [
    (asks_time, "return x + time.time()", "time.time()"),
    (asks_counter, "return x + time.perf_counter()", "time.perf_counter()"),
    (asks_date, "return x + dt.datetime.now().timestamp()  # noqa: DTZ005", "now()"),
    (asks_system, "return x + os.urandom(1)[0]", "os.urandom()"),
    (asks_name, "return x + len(str(uuid.uuid4()))", "uuid.uuid4()"),
]


@pytest.mark.parametrize(("f", "line", "says"), ANSWERS, ids=lambda v: getattr(v, "__name__", ""))
def test_frozen_answers(f, line, says):
    check(f, SOME, line=line, says=f"{says} is called while the function is traced")


def test_an_answer_is_the_same_at_each_call(monkeypatch):
    times = itertools.count(100)
    monkeypatch.setattr(time, "time", time.time)
    f = ag.function(lambda x: x * time.monotonic_ns())
    with warnings.catch_warnings(action="ignore"):
        assert f(SOME) == f(SOME)
    g = ag.function(lambda x: x + ag.py_function(lambda: next(times), [], ag.TensorSpec((), "int64")))
    assert describe(g, SOME) == []
    assert g(SOME) != g(SOME)


def draws(x):
    return x + random.random() + np.random.rand()  # noqa: NPY002


def test_random_numbers_of_a_graph():
    """They are drawn when the graph runs."""
    f = ag.function(draws)
    assert describe(f, SOME) == []
    assert f(SOME) != f(SOME)


# Iterators


NUMBERED = itertools.count()


def takes_next(x):
    n = 0
    if x > 0:
        n = next(NUMBERED)
    return x + n


def takes_in_loop(x):
    items = iter({1: "a", 2: "b", 3: "c"})
    first = 0
    if x > 0:
        for item in items:
            first = item
            break
    return x + first * 10 + next(items)


def takes_zipped(x):
    items = zip([1, 2, 3], [4, 5, 6], strict=True)
    first = (0, 0)
    if x > 0:
        first = next(items)
    return x + first[0] * 10 + next(items)[0]


def takes_generated(x):
    items = (n for n in [1, 2, 3])
    first = 0
    if x > 0:
        first = next(items)
    return x + first * 10 + next(items)


ITERATORS = [
    (takes_next, "the count 'NUMBERED' comes from outside"),
    (takes_in_loop, "the dict_keyiterator 'items' comes from outside"),
    (takes_zipped, "the zip 'items' comes from outside"),
    (takes_generated, "the generator 'items' comes from outside"),
]


@pytest.mark.parametrize(("f", "says"), ITERATORS, ids=lambda v: getattr(v, "__name__", ""))
def test_iterators(f, says):
    check(f, SOME, line="if x > 0:", says=says)


def test_an_iterator_is_advanced_whether_or_not_the_branch_runs():
    with warnings.catch_warnings(action="ignore"):
        assert ag.function(takes_in_loop)(NONE) == 1.0
    assert takes_in_loop(-1.0) == 0.0


def iterators_of_its_own(x):
    outer = iter([1, 2])
    first = next(outer)
    if x > 0:
        inner = iter([1, 2])
        first = next(inner)
        for n, item in enumerate([3.0, 4.0]):
            x = x + n * item
    return x + first + next(outer)


def test_iterators_of_a_branch():
    assert describe(ag.function(iterators_of_its_own), SOME) == []
    assert ag.function(iterators_of_its_own)(SOME) == iterators_of_its_own(1.0)


# What was silent, and is refused as what is like it


class Shared:
    items = []
    cache = {}

    def note(self):
        self.items.append(1)


SHARED = Shared()
COMPACT = array.array("i")


def grows_class_list(x):
    if x > 0:
        Shared.items.append(1)
    return x


def grows_through_instance(x):
    if x > 0:
        SHARED.note()
    return x


def fills_class_dict(x):
    if x > 0:
        Shared.cache["k"] = 1
    return x


def grows_array(x):
    if x > 0:
        COMPACT.append(1)
    return x


def grows_default(x, made=[]):  # noqa: B006
    if x > 0:
        made.append(1)
    return x + len(made)


@pytest.mark.parametrize(
    "f", [grows_class_list, grows_through_instance, fills_class_dict, grows_array, grows_default]
)
def test_refused(f):
    """A list of a class grew once, at the trace; a list that is a default did not keep what it got."""
    with pytest.raises(ag.StagingError):
        ag.function(f)(NONE)
    assert (Shared.items, Shared.cache, len(COMPACT)) == ([], {}, 0)


def test_logger_that_was_not_used_before():
    """It keeps a cache of its own, which is no part of the state."""
    LOGGERS[0] = logging.getLogger("test_warnings.new")
    with warnings.catch_warnings(action="ignore"):
        assert ag.function(uses_logger)(SOME) == 1.0


LOGGERS = [None]


def uses_logger(x):
    if x > 0:
        LOGGERS[0].info("positive")
    return x


# How a warning comes


def test_once_for_each_place(caplog):
    """A loop's body is traced several times until its types settle."""
    caplog.set_level(logging.INFO)

    def widening(x):
        n = 0
        while x < 3:
            LOG.info("round")
            for _ in range(2):
                LOG.info("unrolled")
            n = n + x
            x = x + 1
        return n

    assert [line for line, _ in describe(ag.function(widening), SOME)] == [
        'LOG.info("round")',
        'LOG.info("unrolled")',
    ]


def test_filters_know_the_module(caplog):
    caplog.set_level(logging.INFO)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=ag.SideEffectWarning, module=__name__.replace(".", r"\."))
        ag.function(logs)(SOME)
    assert found == []


@pytest.mark.parametrize("is_installed", [False, True])
def test_none_of_packages(is_installed, tmp_path, monkeypatch):
    """Installed packages that are converted cause no warnings."""
    name = f"packaged_{is_installed}"
    (tmp_path / f"{name}.py").write_text("import time\ndef now(x):\n    return x + time.time()\n")
    if is_installed:
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
        (tmp_path / f"{name}-1.0.dist-info/RECORD").write_text(f"{name}.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    now = importlib.import_module(name).now
    assert len(describe(ag.function(now), SOME)) == (0 if is_installed else 1)


def test_deque_is_refused_as_before():
    made = collections.deque()

    def grows(x):
        if x > 0:
            made.append(1)
        return x

    with pytest.raises(ag.StagingError):
        ag.function(grows)(SOME)
