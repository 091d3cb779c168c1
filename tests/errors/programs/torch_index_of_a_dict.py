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
    def look_up(i):
        table = {0: 1.0, 1: 2.0}
        return table[i]  # <-- here

    return exported(look_up, torch.tensor(1))


def repaired():
    def look_up(i):
        table = torch.tensor([1.0, 2.0])
        return table[i]

    return exported(look_up, torch.tensor(1))


EXPECTED = 2.0
