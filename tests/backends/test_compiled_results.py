"""Results of converted functions inside torch.compile whose form is known when the graph has run."""

from __future__ import annotations

import pytest
from test_torch_compile import whole
from torch_support import QUIET, same, torch

import autograph_rs as ag

pytestmark = QUIET
INPUTS = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])]


@pytest.fixture(autouse=True)
def _compiled_code_is_forgotten():
    yield
    torch.compiler.reset()


@ag.convert
def largest_above_two(x):
    best = None
    for value in x:
        if value > 2 and (best is None or value > best):
            best = value
    return best


def none_or_number(x):
    return largest_above_two(x), x * 2


def none_or_pair(x):
    pair = None
    if x.sum() > 4:
        pair = (x, x.sum())
    return pair


def text(x):
    return f"the sum is {x.sum():.2f}"


@pytest.mark.parametrize("f", [none_or_number, none_or_pair, text], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_a_result_has_its_form_when_the_graph_has_run(f, backend):
    compiled = whole(ag.convert(f), backend)
    for x in INPUTS:
        assert str(compiled(x)) == str(f(x))


def test_its_parts_have_gradients():
    assert whole(ag.convert(text))(INPUTS[0].clone().requires_grad_()) == "the sum is 3.00"
    x = INPUTS[1].clone().requires_grad_()
    found, doubled = whole(ag.convert(none_or_number))(x)
    (found * 3 + doubled.sum()).backward()
    same(x.grad, torch.tensor([2.0, 5.0]))


def test_containers_may_hold_it():
    compiled = whole(lambda x: {"all": [x, largest_above_two(x)]})
    for x in INPUTS:
        assert str(compiled(x)["all"][1]) == str(largest_above_two(x))


def identity(x):
    return x * 0 if largest_above_two(x) is None else x


def equality(x):
    return x * 0 if largest_above_two(x) == None else x  # noqa: E711


def truth(x):
    return x if largest_above_two(x) else x * 0


def type_test(x):
    return x if isinstance(largest_above_two(x), torch.Tensor) else x * 0


def membership(x):
    return x * 0 if largest_above_two(x) in (None, 7) else x


@pytest.mark.parametrize("f", [identity, equality, truth, type_test, membership], ids=lambda f: f.__name__)
def test_code_that_is_not_converted_may_not_test_it(f):
    """Without `fullgraph`, the graph ends before the test, which Python makes."""
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"(?s)has no form yet.*autograph_rs\.convert"):
        whole(f)(INPUTS[0])
    torch.compiler.reset()
    compiled = torch.compile(f, backend="eager")
    for x in INPUTS:
        same(compiled(x), f(x))
    same(whole(ag.convert(identity))(INPUTS[0]), identity(INPUTS[0]))
