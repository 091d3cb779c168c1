"""Converted functions under PyTorch's captures: conditionals, loops, torch.compile, conformance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from conformance import results
from torch_support import QUIET, ROWS, XS, Calls, check, exported, make_fx, nested, operators, same, torch

import autograph_rs as ag

pytestmark = QUIET


# Conditionals and loops ---------------------------------------------------------------------------


def branches(x, y):
    if x.sum() > 0:
        z = x * 2 + y
    elif y.sum() > 0:
        z = x - 1
    else:
        z = y
    return z


def early_return(x):
    if x[0] > 0:
        return x * 2
    if x[1] > 0:
        return x - 1
    return -x


def doubled(x):
    count, scale = 0, 1.0
    while x.sum() < 50:
        x = x * 2
        count += 1
        scale = scale * 0.5
    return x, count, scale


def relu_sum(rows):
    total = 0.0
    for row in rows:
        if row.sum() > 0:
            total += row
    return total * 1.0


def until_large(rows):
    total, seen = torch.zeros(3), 0
    for row in rows:
        total = total + row
        seen += 1
        if total.sum() > 2:
            break
    return total, seen


def returns_in_loop(rows, limit):
    for row in rows:
        if row.sum() > limit:
            return row
    return rows[0] * 0


def to_n(n, x):
    for i in range(n):
        if i % 2 == 0:
            continue
        x = x + i
    return x


@pytest.mark.parametrize(
    ("f", "inputs"),
    [
        (branches, [(XS, XS), (-XS, XS), (-XS, -XS)]),
        (early_return, [(XS,), (-XS,), (XS * torch.tensor([-1.0, 1.0, 1.0]),)]),
        (doubled, [(XS,), (XS * 100,), (XS * 0.01,)]),
        (until_large, [(ROWS,), (ROWS * 10,), (-ROWS,)]),
        (returns_in_loop, [(ROWS, torch.tensor(2.0)), (ROWS, torch.tensor(20.0))]),
        (to_n, [(torch.tensor(5), XS), (torch.tensor(0), XS), (torch.tensor(-3), XS)]),
        (nested, [(XS,), (XS - 2,)]),
    ],
)
def test_export(f, inputs):
    check(f, *inputs)


def test_captured_control_flow_is_in_the_program():
    assert "cond" in operators(exported(Calls(branches), XS, XS).graph_module)
    assert "while_loop" in operators(exported(Calls(doubled), XS).graph_module)
    assert "scan" in operators(exported(Calls(masked), ROWS).graph_module)


def until_all(xs, rounds):
    count, done = 0, xs > 1
    while count < rounds and not torch.all(done):
        xs = xs * 2
        count, done = count + 1, xs > 1
    return xs, count


def test_a_test_of_all_items_needs_no_operator_on_graphs():
    given = XS.abs() + 0.01, torch.tensor(9)
    assert "cond" not in operators(exported(Calls(until_all), *given).graph_module)
    check(until_all, given, (given[0], torch.tensor(2)), (given[0] * 0.001, torch.tensor(2)))


def masked(rows):
    total = torch.zeros(3)
    for row in rows:
        if row.sum() > 0:
            total = total + row
    return total


def test_short_loops_are_written_out():
    assert "scan" not in operators(exported(Calls(masked), ROWS[:3]).graph_module)


def test_a_number_that_becomes_a_tensor_of_another_shape_is_named():
    with pytest.raises(ag.MismatchError, match="total"):
        exported(Calls(relu_sum), ROWS)


def first_above(x, limit):
    seen = []
    for k in range(5):
        total = x.sum() * k
        seen.append(total)
        if total > limit:
            break
    return len(seen)


def test_a_list_of_unknown_length_has_a_remedy():
    with pytest.raises(ag.MismatchError, match="fix: use an array and a count"):
        exported(Calls(first_above), torch.ones(2), torch.tensor(3.0))


def scaled(f: Callable[..., Any], inputs: Sequence[Any]) -> list[list[Any]]:
    """Inputs that take other ways through a function, and end."""
    factors = (1, 30, 0.5) if f is doubled else (1, -1, 30)
    return [[a * factor for a in inputs] for factor in factors]


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize(("f", "inputs"), [(branches, (XS, -XS)), (doubled, (XS,)), (until_large, (ROWS,))])
def test_make_fx(f, inputs, mode):
    graph = make_fx(ag.convert(f), tracing_mode=mode)(*inputs)
    assert {"cond", "while_loop"} & operators(graph)
    for arguments in scaled(f, inputs):
        same(graph(*arguments), f(*arguments))


def by_size(x):
    n = x.shape[0]
    if n > 4:
        return x * n
    return x - n


def over_rows(x):
    total = torch.zeros(2)
    for row in x:
        total = total * 0.5 + row
    for i in range(x.shape[0]):
        total = total + i
    return total


@pytest.mark.parametrize("f", [by_size, over_rows])
def test_sizes_that_vary(f):
    length = torch.export.Dim("n", min=2, max=64)
    inputs = [(torch.randn(n, 2),) for n in (5, 2, 9)]
    check(f, *inputs, dynamic_shapes={"arguments": (({0: length}),)})


# torch.compile ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prepare", [ag.convert, ag.to_graph])
@pytest.mark.parametrize(("f", "inputs"), [(branches, (XS, -XS)), (doubled, (XS,)), (until_large, (ROWS,))])
def test_compile(f, inputs, prepare):
    compiled = torch.compile(prepare(f), backend="eager")
    for arguments in scaled(f, inputs):
        same(compiled(*arguments), f(*arguments))
    torch.compiler.reset()


def test_compile_without_breaks():
    def plain(x, double):
        for _ in range(3):
            x = x * 2 if double else x + 1
        return x

    compiled = torch.compile(ag.convert(plain), backend="eager", fullgraph=True)
    same(compiled(XS, True), plain(XS, True))
    same(compiled(XS, False), plain(XS, False))
    torch.compiler.reset()


def test_the_exported_program_is_compiled():
    run = torch.compile(exported(Calls(until_large), ROWS).module(), backend="eager", fullgraph=True)
    for rows in (ROWS, -ROWS):
        same(run(rows), until_large(rows))
    torch.compiler.reset()


# Conformance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", ["promotion.py", "for_range.py", "assert_raise.py", "attributes.py"])
def test_samples(topic):
    """Of the table in docs/conformance.md, the part that says the most of this backend."""
    kinds = {sample.id: verdict.kind for sample, verdict in results("torch", topic)}
    assert kinds
    assert not {"wrong", "foreign"} & {*kinds.values()}, kinds
