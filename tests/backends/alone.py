"""A program for a process that has one framework only."""

from __future__ import annotations


def summed(n, limit):
    total = n * 0
    for i in range(n):
        if i > limit:
            last = i
            total += last
    return total


def exported(torch, f, *numbers):
    class Program(torch.nn.Module):
        def forward(self, *arguments):
            return f(*arguments)

    given = tuple(map(torch.tensor, numbers))
    return torch.export.export(Program(), given, strict=False).module()(*given)
