"""`is` between tuples and frozen objects, which a staged condition selects part by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import autograph_rs as ag


@dataclass(frozen=True)
class Policy:
    rate: float


class Pair(NamedTuple):
    low: float
    high: float


OPEN, CLOSED = Policy(1.0), Policy(0.5)
WIDE, NARROW = Pair(0.0, 9.0), Pair(1.0, 2.0)
LEFT, RIGHT = (-1, 0), (1, 0)


def frozen_object(x):
    policy = OPEN if x > 0 else CLOSED
    return 1 if policy is OPEN else 2


def named_tuple(x):
    chosen = WIDE
    if x > 0:
        chosen = NARROW
    return int(chosen is not WIDE)


def toggled(x):
    step = LEFT
    for _ in range(3):
        if x > 0:
            step = RIGHT if step is LEFT else LEFT
    return step


@pytest.mark.parametrize("f", [frozen_object, named_tuple, toggled])
def test_the_identity_of_what_a_condition_selects_is_refused(f):
    with pytest.raises(ag.AliasError, match=r"the identity of a (Policy|Pair|tuple) is tested"):
        ag.function(f)(np.float64(1.0))


def known_identities(x):
    pair = (x, 1)
    same, other = pair, (x, 1, 2)
    if x > 0:
        other = (x, 2, 3)
    policy = OPEN if x > 0 else CLOSED
    return same is pair, pair is None, pair is other, policy == OPEN, policy is None, policy is not pair


def test_other_identities_are_known():
    for x in (np.float64(1.0), np.float64(-1.0)):
        assert ag.function(known_identities)(x) == known_identities(x)
