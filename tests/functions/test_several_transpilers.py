"""Several transpilers in one process, and in several threads."""

# ruff: noqa: SIM103 - functions as users write them

from __future__ import annotations

import gc
import sys
import threading
import types
import weakref

import autograph_rs as ag


def is_positive(x):
    if x > 0:
        return True
    return False


def test_transpilers_know_nothing_of_each_other():
    logs = {}

    def made(name):
        log = logs[name] = []

        def if_stmt(cond, body, orelse, get_state, set_state, names, nouts):
            log.append(cond)
            (body if cond else orelse)()

        return ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt), name=name)

    first, second = made("first"), made("second")
    threads = [
        threading.Thread(target=lambda t=t: [t.to_graph(is_positive)(i - 50) for i in range(100)])
        for t in (first, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert logs["first"] == logs["second"] == [i > 50 for i in range(100)]


def test_transpilers_are_made_while_others_convert():
    failed, done = [], threading.Event()

    def makes():
        for _ in range(100_000):
            if done.is_set():
                break
            ag.Transpiler()

    def asks():
        try:
            for _ in range(300):
                assert used.original(made) is is_positive
        except RuntimeError as error:
            failed.append(error)
        finally:
            done.set()

    used, interval = ag.Transpiler(), sys.getswitchinterval()
    made = used.to_graph(is_positive)
    kept = [ag.Transpiler() for _ in range(50)]
    threads = [threading.Thread(target=target) for target in (makes, makes, asks)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(kept) == 50
    assert failed == []


def test_a_transpiler_is_forgotten():
    mine = ag.Transpiler()
    mine.to_graph(is_positive)(1)
    gone = weakref.ref(mine)
    del mine
    gc.collect()
    assert gone() is None
