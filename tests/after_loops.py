"""A loop that may run no iterations, for tests of what it leaves."""


def doubled(x, n):
    found = None
    for _ in range(n):
        found = x * 2
    return found
