"""Members of enumerations, chosen by staged conditions."""

import enum

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])


class Mode(enum.Enum):
    UP = 1
    DOWN = 2
    OFF = 3


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 5


@samples((XS,), (-XS,))
def state_machine(xs):
    mode, changes = Mode.OFF, 0
    for x in xs:
        if mode is Mode.OFF:
            if x > 2:
                mode = Mode.UP
        elif mode is not Mode.UP:
            changes += 1
            if x > 0:
                mode = Mode.UP
        elif x < 0:
            mode = Mode.DOWN
    return mode, changes


@samples((1.0,), (-1.0,))
def comparisons_of_members(x):
    mode = Mode.UP if x > 0 else Mode.DOWN
    same = mode is Mode.UP, mode is not Mode.DOWN, mode is Mode.OFF
    return same, mode == Mode.UP, mode != Mode.UP, mode in (Mode.UP, Mode.OFF)


@samples((1.0,), (-1.0,), (0.0,))
def match_of_members(x):
    mode = Mode.UP if x > 0 else Mode.DOWN if x < 0 else Mode.OFF
    match mode:
        case Mode.UP:
            return 1.5
        case Mode.DOWN | Mode.OFF:
            return -x


@samples((1.0,), (-1.0,))
def members_as_keys(x):
    mode = Mode.UP if x > 0 else Mode.DOWN
    counts = {Mode.UP: 0, Mode.DOWN: 10}
    counts[mode] += 1
    return counts[Mode.UP], counts[Mode.DOWN], mode.value, mode.name


@samples((XS,), (-XS,))
def members_in_lists(xs):
    modes = []
    for x in xs:
        modes.append(Mode.UP if x > 0 else Mode.OFF)
    return modes, modes.count(Mode.UP), len([m for m in modes if m is Mode.OFF])


@samples((1.0,), (-1.0,))
def member_or_none(x):
    mode = Mode.UP
    if x > 0:
        mode = None
    return mode is None, mode is Mode.UP, f"{mode}"


@samples((1.0, Mode.DOWN), (-1.0, Mode.DOWN))
def member_as_argument(x, mode):
    if x > 0:
        mode = Mode.UP
    return mode, mode is Mode.DOWN


@samples((1.0,), (-1.0,))
def members_that_are_numbers(x):
    level = Level.HIGH if x > 0 else Level.LOW
    return level + 1, level == Level.HIGH, level > 2


class Door:
    def __init__(self):
        self.mode, self.log = Mode.OFF, []

    def step(self, x):
        if self.mode is Mode.OFF and x > 2:
            self.mode = Mode.UP
        elif self.mode is Mode.UP and x < 0:
            self.mode = Mode.DOWN
            self.log.append(x)
        return self.mode


@samples((XS,), (-XS,))
def member_in_an_object(xs):
    door = Door()
    for x in xs:
        door.step(x)
    return door.mode, door.log
