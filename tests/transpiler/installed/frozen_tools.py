"""A module that is installed without its source."""


def sign(x):
    if x > 0:
        return x * 0 + 1
    return x * 0 - 1
