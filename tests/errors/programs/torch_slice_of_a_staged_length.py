# needs: torch
import torch

import autograph_rs as ag


class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.run = ag.convert(f)

    def forward(self, *args):
        return self.run(*args)


def exported(f, *args):
    return torch.export.export(Model(f), args, strict=False).module()(*args)


def wrong():
    def head(x, n):
        return x[:n].sum()  # <-- here

    return exported(head, torch.ones(3), torch.tensor(2))


def repaired():
    def head(x, n):
        i = torch.arange(len(x))
        return torch.where(i < n, x, 0.0).sum()

    return exported(head, torch.ones(3), torch.tensor(2))


EXPECTED = 2.0
