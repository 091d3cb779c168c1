"""Blocks in which converted code calls functions as they are written."""

import contextvars
import gc
import sys
import threading

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.operators import opt_out


def is_converted_here():
    return "ag__" in sys._getframe(1).f_code.co_freevars


def helper():
    return is_converted_here()


class Model:
    def step(self):
        return is_converted_here()

    def other(self):
        return is_converted_here()


def calls():
    return helper(), Model().step(), Model().other()


def both():
    first = helper()
    with ag.do_not_convert():
        second = helper()
        with ag.do_not_convert():
            third = helper()
        fourth = helper()
    return first, second, third, fourth, helper()


def test_a_block_that_converts_nothing():
    assert ag.to_graph(both)() == (True, False, False, False, True)
    assert ag.Transpiler().to_graph(both)() == (True, False, False, False, True)


def test_a_block_counts_for_its_thread_only():
    inside, done = threading.Event(), threading.Event()

    def waits():
        with ag.do_not_convert():
            inside.set()
            assert done.wait(300)

    thread = threading.Thread(target=waits)
    thread.start()
    made = ag.Transpiler()
    try:
        assert inside.wait(300)
        assert ag.to_graph(calls)() == made.to_graph(calls)() == (True, True, True)
    finally:
        done.set()
        thread.join()
    assert ag.to_graph(calls)() == (True, True, True)


def in_a_block():
    with ag.do_not_convert():
        yield 1
        yield 2


def test_generators_that_stop_in_blocks():
    first, second = in_a_block(), in_a_block()
    next(first)
    next(second)
    first.close()
    assert opt_out.is_opted_out()
    second.close()
    assert not opt_out.is_opted_out()
    assert ag.to_graph(calls)() == (True, True, True)


def test_a_block_that_is_left_in_another_context():
    generator = in_a_block()
    contextvars.copy_context().run(next, generator)
    generator.close()
    assert ag.to_graph(calls)() == (True, True, True)
    with ag.do_not_convert():
        assert ag.to_graph(calls)() == (False, False, False)


def test_a_block_that_threads_share():
    block = ag.do_not_convert()
    with block:
        thread = threading.Thread(target=lambda: block.__enter__() and block.__exit__())
        thread.start()
        thread.join()
        assert opt_out.is_opted_out()
    assert not opt_out.is_opted_out()
    assert ag.to_graph(calls)() == (True, True, True)


@pytest.mark.slow
def test_a_block_that_a_collection_ends():
    class Holder:
        pass

    holder = Holder()
    holder.own, holder.generator = holder, in_a_block()
    next(holder.generator)
    del holder
    with opt_out._lock:
        gc.collect()
    assert ag.to_graph(calls)() == (True, True, True)


def test_a_block_ends_with_an_exception():
    def raises():
        with ag.do_not_convert():
            raise ValueError(helper())

    with pytest.raises(ValueError, match="False"):
        ag.to_graph(raises)()
    assert ag.to_graph(calls)() == (True, True, True)


def test_what_convert_made_runs_as_it_is_in_a_block():
    @ag.convert
    def thin(x):
        return is_converted_here()

    def f(x):
        with ag.do_not_convert():
            inner = thin(x)
        return inner, thin(x)

    staged = ag.function(f)
    assert staged(np.float64(2.0)) == (False, True)


def test_builtins_stay_staged_in_a_block():
    def f(xs):
        with ag.do_not_convert():
            return len(xs), max(xs[0], xs[1])

    assert ag.function(f)(np.array([1.0, 2.0])) == (2, 2.0)
