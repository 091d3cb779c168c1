"""Several frameworks in one process: each stages its own values."""

from __future__ import annotations

from support import required

jax = required("jax")
tf = required("tensorflow")
torch = required("torch")

import numpy as np  # noqa: E402

import autograph_rs as ag  # noqa: E402


def summed(n, limit):
    total = n * 0
    for i in range(n):
        if i > limit:
            last = i
            total += last
    return total


class Program(torch.nn.Module):
    def forward(self, n, limit):
        return ag.convert(summed)(n, limit)


def test_each_system_has_its_own():
    expected = summed(10, 6)
    for _ in range(2):
        assert int(jax.jit(ag.convert(summed))(10, 6)) == expected
        numbers = tf.constant(10), tf.constant(6)
        assert int(tf.function(ag.convert(summed), autograph=False)(*numbers)) == expected
        numbers = torch.tensor(10), torch.tensor(6)
        assert int(torch.export.export(Program(), numbers, strict=False).module()(*numbers)) == expected
        assert ag.function(summed)(np.int64(10), np.int64(6)) == expected
        assert summed(10, 6) == ag.convert(summed)(10, 6) == expected
