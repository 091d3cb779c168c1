import functools


def helper(x):
    if x > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@logged
def decorated(x):
    while x < 10:
        x = x + 4
    return x


def unset(x):
    if x > 0:
        y = x
    return y


def power(x, exponent):
    total = x
    for _ in range(exponent):
        if total < 100:
            total = total * x
    return total
