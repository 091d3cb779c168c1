"""Results that have other structures on other paths, and lists that an early return hands out."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, 2.0, 9.0, 3.0])
YS = np.array([1.0, -9.0, 2.0])
ZS = np.array([1.0, 2.0])


@samples((XS,), (ZS,))
def dicts_of_other_keys(xs):
    if xs.sum() > 3:
        return {"status": "large", "xs": xs * 2}
    return {"status": "small", "n": len(xs), "items": [1, xs[0]]}


@samples((np.float64(1.0),), (np.float64(-3.0),), (np.float64(-30.0),))
def text_none_or_number(x):
    if x > 0:
        return "positive"
    if x < -10:
        return None
    return x * 2


@samples((XS,), (YS,), (ZS,))
def none_or_value_from_loop(xs):
    n = 0
    for x in xs:
        if x > 5:
            return None, n
        if x < -5:
            return x, n
        n += 1
    return xs[0], n


@samples((XS,), (YS,), (ZS,))
def history_until_found(xs):
    history = []
    for i, x in enumerate(xs):
        history.append(x)
        if x > 5:
            return {"found": i, "history": history}
        if x < -5:
            return {"failed": x}
    return history


@samples((XS,), (YS,), (ZS,))
def rounds_until_decided(xs):
    rounds = []
    for x in xs:
        if x > 5:
            return None, rounds, "large"
        if x < -5:
            return x, rounds, "small"
        rounds.append((x, x * 2))
    return xs[0], rounds, "end"


@samples((np.float64(1.0),), (np.float64(5.0),))
def arrays_of_other_ranks(x):
    filled = np.zeros(3)
    for i in range(3):
        if x > i + 3:
            return filled
        filled[i] = x
    return np.eye(2) * x


@samples((np.float64(1.0),), (np.float64(5.0),))
def passed_through(x):
    result = text_none_or_number(x - 3)
    return result, dicts_of_other_keys(np.full(2, x))


@samples((np.float64(1.0),), (np.float64(-30.0),))
def compared_with_none(x):
    return 0.0 if text_none_or_number(x) is None else 1.0
