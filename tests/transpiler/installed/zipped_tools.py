"""A module that is imported from a zip file."""


def even(x):
    if x % 2 == 0:
        return x * 0 + 1
    return x * 0
