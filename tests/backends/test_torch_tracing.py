"""`make_fx` in each of its modes, with and without gradients."""

from __future__ import annotations

import pytest
from torch_support import make_fx, torch

import autograph_rs as ag


def relu_sum(xs):
    total = xs.new_zeros(())
    for x in xs:
        if x > 0:
            total = total + x
    return total


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def halved(x):
    for _ in range(20):
        x = x * 0.5
        if x.sum() < 1:
            return x
    return x - 1


def sides(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


def written(x):
    if x.sum() > 0:
        x[0] = 5.0
    x += 1
    return x


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
@pytest.mark.parametrize(
    ("f", "traced", "other"),
    [
        (relu_sum, [1.0, -2.0, 3.0, 4.0, 5.0, 6.0], [-1.0, -2.0, 3.0, -4.0, 5.0, 6.0]),
        (collatz, 6, 27),
        (halved, [1.0, 1.0, 1.0], [1000.0, 1000.0, 1000.0]),
        (sides, [1.0, 1.0], [-1.0, -1.0]),
        (written, [1.0, 1.0], [-1.0, -1.0]),
    ],
)
def test_what_was_traced_runs_on_other_values(f, traced, other, mode, gradients):
    with torch.set_grad_enabled(gradients):
        program = make_fx(ag.convert(f), tracing_mode=mode)(torch.tensor(traced))
        for value in (traced, other):
            torch.testing.assert_close(
                program(torch.tensor(value)), torch.as_tensor(f(torch.tensor(value))), check_dtype=False
            )


def test_what_an_except_would_have_to_catch_is_refused():
    def f(x):
        try:
            if x.sum() > 0:
                raise ValueError("positive")
        except ValueError:
            return x - 1
        return x + 1

    with pytest.raises(ag.StagingError, match="inside a 'try' with an 'except'"):
        make_fx(ag.convert(f))(torch.ones(3))


def squares(xs):
    total = torch.zeros(())
    for x in xs:
        if x < 0:
            break
        total = total + x * x
    return total


class Squares(torch.nn.Module):
    def forward(self, xs):
        return ag.convert(squares)(xs)


def test_gradients_by_inputs_that_had_none_when_it_was_captured():
    without, having = torch.ones(3), torch.ones(3, requires_grad=True)
    for program in (
        torch.export.export(Squares(), (without,), strict=False).module(),
        torch.export.export(Squares(), (having,), strict=False).module(),
        make_fx(ag.convert(squares))(without),
    ):
        xs = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
        program(xs).backward()
        assert xs.grad.tolist() == [2.0, 4.0, 0.0]
