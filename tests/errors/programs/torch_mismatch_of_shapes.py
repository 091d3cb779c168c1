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
    def choose(x):
        if x.sum() > 0:  # <-- here
            y = x[:2]
        else:
            y = x
        return y * 1.0

    return exported(choose, torch.ones(3))


def repaired():
    def choose(x):
        if x.sum() > 0:
            y = torch.where(torch.arange(3) < 2, x, 0.0)
        else:
            y = x
        return y * 1.0

    return exported(choose, torch.ones(3))


EXPECTED = [1.0, 1.0, 0.0]
