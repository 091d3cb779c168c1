"""Functions compiled whole by inductor: results and gradients."""

from __future__ import annotations

import compiled_samples
import pytest
from test_torch_compile import check
from test_torch_plain_arrays import fill
from torch_support import QUIET, torch

import autograph_rs as ag

pytestmark = QUIET


@pytest.fixture(autouse=True)
def _compiled_code_is_forgotten():
    yield
    torch.compiler.reset()


def two_loops(x):
    total = x.sum()
    while total < 50:
        total = total * 2
    while total < 500:
        total = total * 3
    return total


def rows(x):
    total = x.new_zeros(())
    for row in x:
        if row > 0:
            total += torch.sin(row)
        else:
            total += row * 3.0
    return total


def beginning_with_a_row(x):
    total = x[0]
    for _ in range(2):
        if total > 1:
            total = total * x[1]
        else:
            total = total * 3 * x[0]
    return total


def writing_at_two_places(x):
    y = torch.zeros_like(x)
    fill(y, x.sum())
    total = y.sum()
    fill(y, x.sum() - 1)
    return total + (y * x).sum()


GRADIENTS = [two_loops, rows, beginning_with_a_row, writing_at_two_places]


@pytest.mark.parametrize("f", GRADIENTS, ids=lambda f: f.__name__)
def test_gradients_by_inductor(f):
    """Several loops or conditionals get one value, a value that is written to, or views of one tensor."""
    check(f, (torch.tensor([3.0, -1.0, 8.0]),), (torch.tensor([600.0, -2.0]),), backend="inductor")


def writing_to_what_a_branch_has_used(x):
    if x[0] > 0:
        y = x * 3
    else:
        y = x * 2
    x[1] = 7.0
    return x, y


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # torch reads it
def test_gradients_through_an_argument_that_is_written_to():
    """Autograd keeps a copy of what the branch used, which inductor may not drop."""

    def gradient(f):
        x = torch.tensor([3.0, -1.0], requires_grad=True)
        sum((y * y).sum() for y in f(x.clone())).backward()
        return x.grad

    compiled = torch.compile(ag.convert(writing_to_what_a_branch_has_used), fullgraph=True)
    assert torch.equal(gradient(compiled), gradient(writing_to_what_a_branch_has_used))


def rounds_up_to(limit):
    total = 0.0
    for i in range(10):
        for _ in range(10):
            total = total + 1.0
            if total > limit:
                return total, i
    return total, -1


@pytest.mark.slow
def test_gradients_of_nested_loops_that_pass_one_on():
    """The gradient of `limit` goes through both loops unchanged, in the memory of that of `total`."""
    limit = torch.tensor(7.0005, requires_grad=True)
    total, row = torch.compile(ag.convert(rounds_up_to), fullgraph=True)(limit)
    assert (total.item(), row.item()) == (8.0, 0)
    (total * total + total).backward()
    assert limit.grad is not None
    assert float(limit.grad) == 0


def some_integer(x, k):
    total = x.sum()
    if total > 10:
        found = -1, k
    elif total > 5:
        found = -(2**63), k * 2
    else:
        found = 2**62 + 1, -k
    return total * 2, *found


def test_integers_beside_floats_by_inductor():
    """A float64 with the bits of -1 would be a NaN, of which inductor knows only one."""
    check(
        some_integer, *[(torch.tensor([s, 1.0]), torch.tensor(k)) for s in (9.5, 5, 1) for k in (-7, 2**62)]
    )
    for s in (9.5, 5.0, 1.0):
        compiled = torch.compile(ag.convert(some_integer), fullgraph=True)
        arguments = torch.tensor([s, 1.0]), torch.tensor(-3)
        assert [int(y) for y in compiled(*arguments)[1:]] == [int(y) for y in some_integer(*arguments)[1:]]


def test_samples_that_export_stages_are_compiled_whole():
    """A few of the samples; `python tests/backends/compiled_samples.py` runs them all."""
    some = [*compiled_samples.results(every=173), *compiled_samples.results("numpy_.py::matrix_in_loop")]
    assert {result.kind for _, result in some} == {"staged"}, some
    assert sum(result.derivatives for _, result in some)
