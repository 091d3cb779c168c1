"""Warnings of operations whose results LLVM need not compute: it may know what a comparison of them gives."""

from __future__ import annotations

import linecache
import re

import numpy as np
import pytest
from native_support import check, needs_llvm, outcome, specs

import autograph_rs as ag
from autograph_rs.runtime.graph.native.assembly.statuses import Mode
from autograph_rs.runtime.graph.native.codegen.region import compile_region
from autograph_rs.runtime.graph.native.linking import llvm

pytestmark = needs_llvm
N, F = np.int64, np.float64
VECTOR, COUNT = ((None,), "float64"), ((), "int64")
TAME = np.arange(1.0, 8.0)
WILD = [
    np.array([1.0, -5.0, 1e308, 7.0, 0.0, np.inf, 2.0]),
    np.array([1.0, 2.0, 3.0, 1e200, 1.0, 1.0, 1.0]),
    np.array([1.0, 2.0, 3.0, 4.0, -1.0, 1.0, 1.0]),
    np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1e200]),
]
SPECS = specs(VECTOR, COUNT)


def compare(f):
    calls = [(v, N(n)) for v in (TAME, *WILD) for n in (0, 5, 7)]
    check(f, *calls, input_signature=SPECS, plain=False)


OF_ARRAYS = (
    "(np.sqrt(v - i) < 0).sum()",
    "np.count_nonzero(np.sqrt(v - i) >= 0)",
    "(np.abs(v * (10.0 + i)) < 0).sum()",
    "np.count_nonzero(v * v < 0) + i",
    "np.any(np.square(v + i) < 0) + i",
    "np.isnan(v * (2.0 + i)).sum()",
    "(-(v * v) > i).sum()",
    "((v * 1e200 > 1) & (v > np.inf)).sum()",
    "((v * v < 1) & (v * v > 2)).sum() + i",
    "((v * v < 1) * 0).sum() + i",
    "np.where(v * v < 1, 1, 1).sum() + i",
    "(np.isnan(v * v) & np.isfinite(v * v)).sum() + i",
    "((v * 1e300).astype(np.float32) > np.inf).sum() + i",
    "np.logical_and(v * v, False).sum() + i",
    "(np.floor(v / 0.5) < np.ceil(v % (i - 1.0))).sum()",
    "(v * v).max() + i",
)
OF_NUMBERS = (
    "(1 if v[i] * v[i] < 0 else 2)",
    "(1 if np.sqrt(v[i]) < 0 else 2)",
    "(1 if abs(v[i] * 1e200) < 0 else 2)",
    "(1 if -(v[i] * v[i]) > 0 else 2)",
    "(1 if np.isnan(np.sqrt(v[i])) else 2)",
    "(1 if v[i] * v[i] > 2 and v[i] * v[i] < 1 else 2)",
    "(1 if v[i] * v[i] > 2 and i < 0 else 2)",
    "int(np.float32(v[i] * 1e30) < 0 and np.float32(v[i] * 1e30) > 0)",
    "min(v[i] * v[i], F(-1.0))",
)
TEXT = """
def f(v, n):
    c = 0.0
    for i in range(n):
        c = c + {}
    return c
"""


@pytest.mark.parametrize("expression", OF_ARRAYS + OF_NUMBERS)
def test_results_of_comparisons_that_llvm_may_know(expression):
    text, name = TEXT.format(expression), f"<{expression}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    namespace = {"np": np, "F": F}
    exec(compile(text, name, "exec"), namespace)
    compare(namespace["f"])


def overwritten(v, n):
    a = np.zeros(8)
    for i in range(n):
        a[i] = v[i] * v[i]
        a[i] = 0.0
    return a


def overwritten_in_a_branch(v, n):
    a = np.zeros(8)
    for i in range(n):
        a[i] = v[i] * v[i]
        if i >= 0:
            a[i] = 1.0
    return a


def overwritten_by_the_next(v, n):
    a = np.zeros(8)
    for i in range(n):
        a[i * 0] = v[i] * v[i]
        a[1] = a[1] + v[i] / 3.0
    return a


def last_value(v, n):
    x = F(0.0)
    for i in range(n):
        x = v[i] * v[i]
    return x


def value_of_an_inner_loop(v, n):
    c = 0
    for i in range(n):
        x = F(0.0)
        for _ in range(2):
            x = v[i] * v[i]
        if x < 0:
            c += 1
    return c


def carried_but_unused(v, n):
    x = y = F(1.0)
    c = 0
    for i in range(n):
        x, y = y * v[i], x * 1e20
        if i > 2:
            c += 1
    return c


def elements_added(v, n):
    a, b = np.zeros(8), np.ones(8)
    for i in range(n):
        for j in range(i, n):
            a[i] -= v[i] * b[j]
            a[j] += v[j] * v[i]
            b[j] = b[j] * 1e100
    return a


def while_inside(v, n):
    c = 0
    for i in range(n):
        x, k = v[i], 0
        while k < n and x * x <= 4.0:
            x = x * x + v[i]
            k += 1
        c += k
    return c


PROGRAMS = (
    overwritten, overwritten_in_a_branch, overwritten_by_the_next, last_value, value_of_an_inner_loop,
    carried_but_unused, elements_added, while_inside,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_results_that_nobody_reads(f):
    compare(f)


@pytest.mark.parametrize("f", [lambda x: (x * x) < 0, lambda x: np.isnan(x * 2) & (x > np.inf)])
def test_chains_of_large_arrays(f):
    numpy, native = (ag.function(f, engine=engine) for engine in ("numpy", "native"))
    for x in np.ones(5000), np.linspace(-8e307, 8e307, 5000) * 2.0:
        assert outcome(native, (x,)) == outcome(numpy, (x,))


def test_an_errstate_that_raises():
    def f(v, n):
        c = 0
        for i in range(n):
            if v[i] * v[i] < 0.0:
                c += 1
        return c

    native = ag.function(f, engine="native", input_signature=SPECS)
    assert native(TAME, N(7)) == 0
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        native(WILD[1], N(7))


def test_loops_over_such_comparisons_are_vectorized():
    """A sum of bits is a reduction, which LLVM vectorizes; the use of a float in each iteration is not."""

    def f(v, n):
        c = 0
        for i in range(n):
            if v[i] * v[i] < v[i]:
                c += 1
        return c

    native = ag.function(f, engine="native", input_signature=SPECS)
    native(TAME, N(7))
    [trace] = {id(t): t for t in native._traces.values()}.values()
    text, _ = compile_region(trace.engine.regions[0].graph, Mode.FLAGS)
    assert "fake.use" not in text
    binding, machine = llvm._binding(), llvm._machine()
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=3)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    assert re.search(r"fmul <\d+ x double>", str(module))


def zeros_like_quotients(a, b, n):
    for _ in range(n):
        quotients = b // a
        a = np.zeros_like(quotients)
    return a


def test_a_division_of_integers_whose_result_only_gives_a_shape_warns():
    b = np.array([1, 2, 100])
    check(zeros_like_quotients, (np.array([2, 0, -1]), b, N(1)), (np.array([2, 1, -1]), b, N(3)))


def divided_by_a_remainder(x, n):
    u = x * 0
    for _ in range(n):
        u = (x * u) % 1000003
        u = np.int8(3) / u
    return u


def divided_by_a_quotient(x, n):
    u = x * 0
    for _ in range(n):
        u = abs(x * u) // 7
        u = np.int8(3) / u
    return u


@pytest.mark.parametrize("f", [divided_by_a_remainder, divided_by_a_quotient])
def test_a_division_by_the_zero_of_a_division_warns(f):
    """LLVM divides a constant by the constants among which it selects."""
    check(f, (F(1.0), N(1)), (F(-1.0), N(1)), (F(2.0), N(0)))


def divided_in_a_branch_after_a_loop(x, n):
    total = 0
    for i in range(n):
        total = total + i
    if total % 2 == 0:
        x = 0.5 / x
    return x, total


def test_a_division_in_a_branch_after_a_loop_warns():
    """LLVM would divide behind the test of the flags."""
    check(divided_in_a_branch_after_a_loop, *[(F(x), N(n)) for x in (0.0, -0.0, 2.0) for n in (0, 2, 4)])


def divided_before_an_index_error(a, b, m):
    w = np.ones(len(a), np.float32)
    x = a.mean()
    half = x * 0.5
    for _ in b:
        m = m // 2
        x = (0.0 / a[0]) - x
        for i in range(len(a)):
            w[i + 1] += half
    return x, m, w


def test_a_division_before_an_index_error_warns():
    """LLVM would divide behind the test of the flags where machine code gives up."""
    a = np.array([-0.0, 1.0, -1e200])
    check(divided_before_an_index_error, (a, np.ones(3, np.float32), N(5)), plain=False)


def divided_once(x, n):
    for _ in range(n, 0, -1):
        x = x / 0
        break
    return x, n


def divided_where_bound(x, n):
    for _ in range(n):
        y = 1.0 / x
        break
    return y, n


@pytest.mark.parametrize("f", [divided_once, divided_where_bound])
def test_a_division_in_a_loop_of_one_iteration_warns(f):
    check(f, (F(0.0), N(8)), (np.float32(0.0), N(1)))
