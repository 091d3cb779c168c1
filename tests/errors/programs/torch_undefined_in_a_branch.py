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
    def label(x):
        if x.sum() > 0:  # <-- here
            sign = "plus"
        return sign

    return exported(label, torch.ones(3))


def repaired():
    def label(x):
        sign = torch.zeros(())
        if x.sum() > 0:
            sign = torch.ones(())
        return sign

    return exported(label, torch.ones(3))


EXPECTED = 1.0
