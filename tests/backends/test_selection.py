"""Conditions on numbers are selections, and a loop carries what a program by hand would carry."""

from __future__ import annotations

import numpy as np
import pytest
from support import required, root
from torch_support import Calls, torch

import autograph_rs as ag

jax = required("jax")
tf = required("tensorflow")


def clamped(x, low, high):
    steps = 0
    while x > high or x < low:
        x = x - 2 if x > high else x + 1
        if steps > 90:
            break
        steps += 1
    return x


GIVEN = {root: (2.0, 1e-4), clamped: (100.0, 0.0, 3.0)}


def equations(jaxpr):
    """The names of the primitives, also in what they hold."""
    for eqn in jaxpr.eqns:
        yield eqn.primitive.name
        for value in eqn.params.values():
            for part in value if isinstance(value, tuple) else (value,):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    yield from equations(inner)


@pytest.mark.parametrize("f", GIVEN)
def test_jax_selects(f):
    given = [jax.numpy.float32(x) for x in GIVEN[f]]
    jaxpr = jax.make_jaxpr(ag.convert(f))(*given)
    assert "cond" not in set(equations(jaxpr.jaxpr))
    assert np.isclose(jax.jit(ag.convert(f))(*given), f(*GIVEN[f]), rtol=1e-4)


@pytest.mark.parametrize("f", GIVEN)
def test_tensorflow_selects(f):
    given = [tf.constant(x) for x in GIVEN[f]]
    made = tf.function(ag.convert(f), autograph=False).get_concrete_function(*given)
    names = {node.op for graph in made.graph.as_graph_def().library.function for node in graph.node_def}
    assert not names & {"If", "StatelessIf"}
    assert np.isclose(made(*given), f(*GIVEN[f]), rtol=1e-4)


def exported(f, given):
    program = torch.export.export(Calls(f), tuple(given), strict=False)
    [loop] = [node for node in program.graph.nodes if node.target is torch.ops.higher_order.while_loop]
    return program.module(), loop.args[2]


@pytest.mark.parametrize(("f", "carried"), [(root, 3), (clamped, 3)])
def test_torch_selects_and_carries_no_test(f, carried):
    """The loop carries x, the flag, and the counter."""
    given = [torch.tensor(x) for x in GIVEN[f]]
    program, values = exported(f, given)
    assert len(values) == carried
    assert np.isclose(program(*given), f(*GIVEN[f]), rtol=1e-4)


def decided(n):
    """The test after a round is decided in the trace, but not that before the first."""
    count, done = n * 0, False
    while n > 0 and not done:
        count = count + 1
        done = True
    return count


def test_a_test_that_the_trace_decides_stays_in_the_body():
    assert tf.function(ag.convert(decided), autograph=False)(tf.constant(3)).numpy() == 1
    assert jax.jit(ag.convert(decided))(3) == 1
    given = torch.tensor(3)
    assert torch.export.export(Calls(decided), (given,), strict=False).module()(given) == 1


# A test that is no part of what is carried is asked of the first values too


def two_names(a, b):
    while a > 0:
        a = a - 1
        b = a
    return b


def two_names_in_another_order(z, a):
    while z > 0:
        z = z - 1
        a = z
    return a, z


def in_a_tuple(a):
    s = (a * 0, a * 0 - 97)
    while a > 0:
        a = a - 1
        s = (a, a)
    return s


def a_name_that_lags(p, q, a):
    while p < 5:
        p = a
        q = a
        a = a + 1
    return p, q, a


def widened(v, w):
    while w > 0:
        v = v - 1
        w = v - 1
    return v, w


def from_outside(x, limit, t):
    while x < limit and t < 50:
        x = x + 1
        t = limit
    return x, t


def from_outside_alone(x, limit, t):
    while x < t:
        x = x + 1
        t = limit
    return x, t


def swapped(a, b):
    while a < 20:
        a, b = b + 3, a
    return a, b


FIRST_VALUES = [
    (two_names, (3, -5)),
    (two_names_in_another_order, (3, -5)),
    (in_a_tuple, (3,)),
    (a_name_that_lags, (0, 1, 9)),
    (widened, (-3, 2.5)),
    (from_outside, (1, 4, 0)),
    (from_outside, (1, 4, 77)),
    (from_outside_alone, (1, 4, 3)),
    (from_outside_alone, (3, 7, 2)),
    (swapped, (1, 2)),
]


@pytest.mark.parametrize(("f", "given"), FIRST_VALUES)
def test_the_first_test_is_of_the_first_values(f, given):
    numbers = [np.int32(x) if isinstance(x, int) else np.float32(x) for x in given]
    tensors = tuple(map(torch.tensor, numbers))
    results = [
        jax.jit(ag.convert(f))(*numbers),
        tf.function(ag.convert(f), autograph=False)(*map(tf.constant, numbers)),
        torch.export.export(Calls(f), tensors, strict=False).module()(*tensors),
    ]
    for result in results:
        assert np.allclose(np.asarray(result), np.asarray(f(*given)))


def test_an_operation_with_the_name_of_ours():
    def f(x, k):
        while k > 0:
            if x > 0:
                y = tf.add(x, 1.0, name="autograph_negated_x")
            else:
                y = x - 1.0
            x = y
            k = k - 1
        return x

    assert tf.function(ag.convert(f), autograph=False)(tf.constant(1.0), tf.constant(3)).numpy() == 4.0


def logarithms(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total = total + jax.numpy.log(x)
        else:
            total = total - x
    return total


def test_a_branch_whose_gradient_may_be_infinite_is_no_selection():
    gradient = jax.grad(ag.convert(logarithms))(jax.numpy.array([2.0, 0.0, -1.0]))
    assert gradient.tolist() == [0.5, -1.0, -1.0]


def test_an_integer_step_in_a_branch_is_a_selection_with_a_gradient():
    def f(x):
        for _ in range(3):
            ag.set_loop_options(maximum_iterations=3)
            if x > 1.0:
                x = x - 1.0
            else:
                x = x + x
        return x

    assert jax.grad(ag.convert(f))(jax.numpy.float32(1.5)).item() == 4.0
    assert "cond" not in set(equations(jax.make_jaxpr(ag.convert(f))(1.5).jaxpr))


def chosen(c, x, y):
    if c > 0:
        z = x
    else:
        z = y
    return z + 1


def conditions_of_torch(f, *given):
    program = torch.export.export(Calls(f), given, strict=False)
    return [node for node in program.graph.nodes if node.target is torch.ops.higher_order.cond]


@pytest.mark.parametrize(("size", "is_selected"), [(16, True), (1024, True), (1025, False)])
def test_small_arrays_that_exist_are_selected(size, is_selected):
    """Of larger arrays, a conditional copies one, while a selection would read both."""
    x, y = np.zeros(size, np.float32), np.ones(size, np.float32)
    jaxpr = jax.make_jaxpr(ag.convert(chosen))(1.0, x, y).jaxpr
    assert ("cond" not in set(equations(jaxpr))) == is_selected
    made = tf.function(ag.convert(chosen), autograph=False)
    graph = made.get_concrete_function(tf.constant(1.0), tf.constant(x), tf.constant(y)).graph
    assert ({"If", "StatelessIf"}.isdisjoint(op.type for op in graph.get_operations())) == is_selected
    given = [torch.tensor(1.0), torch.tensor(x), torch.tensor(y)]
    assert (not conditions_of_torch(chosen, *given)) == is_selected


def test_arrays_of_unlike_shapes_are_not_selected():
    def of_unlike_shapes(c):
        if c > 0:
            z = tf.constant([1, 2])
        else:
            z = tf.constant([[1, 2, 3]])
        return z + 1

    made = tf.function(ag.convert(of_unlike_shapes), autograph=False)
    assert made(tf.constant(1)).numpy().tolist() == [2, 3]
    assert made(tf.constant(-1)).numpy().tolist() == [[2, 3, 4]]


def paired(xs, ys):
    total = xs[0] * 0
    for i, (x, y) in enumerate(zip(xs, ys, strict=False), 1):
        total = total + x * y * i
    return total


def reversed_rows(xs, ys):
    total = xs[0] * 0
    for x, y in zip(reversed(xs), ys, strict=False):
        total = total * 0.5 + x * y
    return total


@pytest.mark.parametrize("f", [paired, reversed_rows])
@pytest.mark.parametrize("rows", [12, 9])
def test_scans_read_rows(f, rows):
    """Where all arrays have as many rows as there are iterations; else an item is read by its index."""
    xs, ys = np.arange(24, dtype=np.float32).reshape(12, 2), np.linspace(0, 1, 2 * rows, dtype=np.float32)
    ys = ys.reshape(rows, 2)
    expected = f(xs, ys)
    jaxpr = jax.make_jaxpr(ag.convert(f))(xs, ys)
    [scan] = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "scan"]
    names = set(equations(scan.params["jaxpr"].jaxpr))
    assert bool(names & {"dynamic_slice", "gather"}) == (f is reversed_rows or rows == 9)
    assert np.allclose(jax.jit(ag.convert(f))(xs, ys), expected, rtol=1e-5)
    given = torch.tensor(xs), torch.tensor(ys)
    program = torch.export.export(Calls(f), given, strict=False).module()
    assert np.allclose(program(*given), expected, rtol=1e-5)
    slopes = jax.grad(lambda xs: ag.convert(f)(xs, ys).sum())(xs)
    small = jax.grad(lambda xs: f(jnp_rows(xs), ys).sum())(xs)
    assert np.allclose(slopes, small, rtol=1e-5)


def jnp_rows(xs):
    """The rows as a list, with which Python iterates."""
    return [xs[i] for i in range(len(xs))]


def row_of(table, i):
    return table[i] * 2


@pytest.mark.parametrize("width", [3, 2**14])
def test_a_row_of_a_tensor(width):
    """A large row is copied as a whole, at negative indices too; indices out of range raise torch's error."""
    table = torch.arange(4.0 * width).reshape(4, width).requires_grad_()
    program = torch.export.export(Calls(row_of), (table, torch.tensor(1)), strict=False).module()
    for i in (0, 3, -1, -4):
        assert torch.equal(program(table, torch.tensor(i)), table[i] * 2)
        [slope] = torch.autograd.grad(program(table, torch.tensor(i)).sum(), table)
        assert slope[i].eq(2).all() and slope.sum() == 2 * width
    with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 0 with size 4"):
        program(table, torch.tensor(4))
