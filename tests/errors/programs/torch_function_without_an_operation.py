# needs: torch
import numpy as np
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
    def error(x):
        return np.apply_along_axis(sorted, 0, x)  # <-- here

    return exported(error, torch.ones(2))


def repaired():
    def error(x):
        return torch.sort(x, dim=0).values

    return exported(error, torch.ones(2))


EXPECTED = [1.0, 1.0]
