"""Converted modules of PyTorch, and gradients."""

from __future__ import annotations

import copy

import pytest
from torch_support import QUIET, ROWS, XS, Calls, exported, nn, reloaded, same, torch

import autograph_rs as ag

pytestmark = QUIET


# Modules and gradients --------------------------------------------------------------------------


class Block(nn.Module):
    """A module with a condition on its input."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.rand(3))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        if x.sum() > 0:
            x = self.linear(x)
        else:
            x = x * self.scale
        return x


class Net(nn.Module):
    """A module with modules inside."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])

    def forward(self, rows):
        total, count = torch.zeros(3), 0
        for row in rows:
            for block in self.blocks:
                row = block(row)
            if row.sum() > 0:
                count += 1
            total = total * 0.5 + row
        return total, count


def test_modules():
    torch.manual_seed(0)
    module = Net()
    plain = copy.deepcopy(module)
    assert ag.convert_module(module) is module
    assert type(module) is Net
    assert "forward" not in vars(Block()) and "forward" not in vars(module.blocks[0].linear)
    same(module(ROWS), plain(ROWS))
    program = exported(module, ROWS)
    assert len(program.graph_signature.parameters) == 6
    for run in (program.module(), reloaded(program)):
        for rows in (ROWS, -ROWS, ROWS * 5):
            same(run(rows), plain(rows))


def test_a_method():
    torch.manual_seed(0)
    block = Block()
    calls = Calls(ag.convert(block.forward))
    calls.block = block
    program = exported(calls, XS).module()
    for x in (XS, -XS):
        same(program(x), block(x))


def test_no_module():
    with pytest.raises(TypeError, match=r"expects a torch\.nn\.Module, not \[\]"):
        ag.convert_module([])


class Summing(nn.Module):
    """Conditions, a loop of known length, one of unknown length and one with a break, over parameters."""

    def __init__(self, kind: str):
        super().__init__()
        self.kind, self.weight = kind, nn.Parameter(torch.tensor([0.5, 1.5, -0.5]))

    def forward(self, rows):
        total, count = torch.zeros(3), 0
        if self.kind == "while":
            while (total.sum() < 5) & (count < 10):
                total = total * 1.1 + (rows[0] * self.weight).abs()
                count += 1
            return total, count
        for row in rows:
            if row.sum() > 0:
                total = total + row * self.weight
            else:
                total = total * self.weight
                count += 1
            if self.kind == "break" and total.sum() > 1:
                break
        return total, count


@pytest.mark.parametrize("kind", ["for", "break", "while"])
def test_gradients(kind):
    plain, module = Summing(kind), ag.convert_module(Summing(kind))
    run = exported(module, ROWS).module()
    for rows in (ROWS, -ROWS, ROWS * 3):
        a, b = rows.clone().requires_grad_(), rows.clone().requires_grad_()
        plain.zero_grad()
        run.zero_grad()
        (expected, count), (made, counted) = plain(a), run(b)
        torch.testing.assert_close(made, expected)
        assert counted == count
        if expected.requires_grad:
            expected.square().sum().backward()
            made.square().sum().backward()
            torch.testing.assert_close(run.weight.grad, plain.weight.grad)
            torch.testing.assert_close(b.grad, torch.zeros_like(b) if a.grad is None else a.grad)
