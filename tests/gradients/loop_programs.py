"""Functions with control flow whose gradients are compared: recurrences, lists, rows."""

from __future__ import annotations

import numpy as np
from registry import PROGRAMS, M, X, program

__all__ = ["PROGRAMS"]


@program(2.5)
def bisection(a):
    low, high = 0.0 * a, a
    for _ in range(20):
        middle = 0.5 * (low + high)
        if middle * middle > a:
            high = middle
        else:
            low = middle
    return low + high


@program(0.3, X)
def momentum(rate, x):
    v = np.zeros(4)
    for _ in range(5):
        v = 0.9 * v - rate * (x - 1) ** 3
        x = x + v
    return np.sum(x)


@program(X)
def clipped(x):
    total = 0.0
    for v in x:
        total += np.minimum(np.maximum(v, -1.0), 1.0) * v
    return total


@program(0.5)
def early_exit_in_while(x):
    steps = 0
    while True:
        x = x * 1.5 + 0.1
        steps += 1
        if x > 3:
            return x * steps
        if steps > 10:
            return x


@program(X)
def helper_calls(x):
    def soft(v):
        if v > 0:
            return v
        return np.exp(v) - 1

    total = 0.0
    for v in x:
        total += soft(v) * soft(-v)
    return total


@program(X)
def unused_branch(x):
    if np.sum(x) > 100:
        y = np.prod(x)
    else:
        y = np.sum(x)
    return y * y


@program(X, 2.0)
def one_side_uses_another(x, y):
    if np.sum(x) > 0:
        z = np.sum(x)
    else:
        z = y
    return z * 2.0


@program(1.0)
def constant_result(x):
    if x > 5:
        return x
    return 0.0 * x + 3.0


@program(X)
def weights_by_index(x):
    total = 0.0
    i = 0
    while i < len(x):
        total += x[i] * (i + 1)
        i += 2
    return total


@program(M)
def row_norms(m):
    total = 0.0
    for row in m:
        n = np.sqrt(np.sum(row * row))
        if n > 0.8:
            total += n
        else:
            total += 2 * n
    return total


@program(M, X[:3])
def layers(w, x):
    for i in range(4):
        if i % 2 == 0:
            x = np.tanh(w @ x)
        else:
            x = x * x + x
    return np.sum(x)


@program(X)
def attention(x):
    scores = np.outer(x, x)
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
    y = weights @ x
    if np.max(y) > 1:
        y = y / np.max(y)
    return np.sum(y * x)


@program(0.6)
def fixed_point(x):
    y = x
    k = 0
    while k < 30:
        y = np.cos(y) * x
        k += 1
    return y


@program(X)
def moving_average(x):
    m = 0.0
    loss = 0.0
    for v in x:
        loss += (v - m) ** 2
        m = 0.7 * m + 0.3 * v
    return loss


@program(X)
def last_positive(x):
    found = 0.0
    for v in x:
        if v > 0:
            found = v * v
    return found


@program(X, 0.3)
def thresholded(x, t):
    total = 0.0
    for v in x:
        d = v - t
        if d > 0:
            total += d * d
    return total


@program(1.2, 0.4)
def lotka_volterra(a, b):
    x, y = 1.0, 0.5
    for _ in range(25):
        dx = a * x - b * x * y
        dy = b * x * y - y
        x = x + 0.02 * dx
        y = y + 0.02 * dy
    return x * y


@program(X)
def selected(x):
    best = -100.0
    for v in x:
        score = np.sin(3 * v)
        best = max(best, score)
    return best


@program(X)
def accumulate_products(x):
    p = 1.0
    total = 0.0
    for v in x:
        p = p * v
        total += p
    return total


@program(2.0)
def collatz_like(x):
    n = 7
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = x * 0.9
        else:
            n = 3 * n + 1
            x = x + 0.1 * x * x
    return x


@program(X)
def reversed_rows(x):
    total = 0.0
    for v in reversed(x):
        total = total * 0.5 + v
    return total


@program(X)
def squared_chain(x):
    y = x
    for _ in range(3):
        y = np.where(y > 0, y * 0.9, y * y)
    return np.sum(y)


@program(1.7)
def until_small(x):
    n = 0
    while x > 0.01:
        x = np.tanh(x) * 0.5
        n += 1
    return x * n


@program(X)
def softplus_sum(x):
    total = 0.0
    for v in x:
        if v > 20:
            total += v
        else:
            total += np.log1p(np.exp(v))
    return total


@program(M)
def gauss_elimination(m):
    d = 1.0
    for i in range(3):
        p = m[i, i]
        d = d * p
        for j in range(i + 1, 3):
            m = m - np.outer(np.arange(3) == j, m[i]) * (m[j, i] / p)
    return d


@program(X, X * 0.5)
def distance_with_gap(a, b):
    total = 0.0
    for x, y in zip(a, b):
        gap = np.abs(x - y)
        if gap < 0.5:
            total += 0.5 * gap * gap
        else:
            total += gap - 0.125
    return total


@program(0.4)
def nested_function_state(x):
    state = {"sum": 0.0}
    for i in range(4):
        state["sum"] = state["sum"] + x ** (i + 1)
    return state["sum"]


@program(X)
def two_loops(x):
    total = 0.0
    for v in x:
        total += v
    mean = total / len(x)
    spread = 0.0
    for v in x:
        spread += (v - mean) ** 2
    return np.sqrt(spread)


@program(X)
def one_array_zipped_with_itself(x):
    total = 0.0
    for a, b in zip(x, x):
        total += a * b * b
    return total


@program(X)
def one_array_iterated_and_captured(x):
    total = 0.0
    for v in x:
        total += v * x[0] * np.sum(x)
    return total


@program(X)
def one_array_twice_in_a_condition(x):
    y = x
    if np.sum(x) > 0:
        z = x * y
    else:
        z = x + y
    return np.sum(z) * x[1]


@program(X)
def items_of_a_list(x):
    items = []
    for v in x:
        items.append(v * v)
    total = 0.0
    for item in items:
        total += item * x[0]
    return total


@program(X)
def list_in_a_loop(x):
    items = [x[0], x[1]]
    total = 0.0
    for v in x:
        if v > 0:
            items[0] = items[0] * v
        else:
            items[1] = items[1] + v
        total += items[0] * items[1]
    return total


@program(X)
def written_rows(x):
    y = np.zeros(4)
    for i in range(4):
        if i > 0:
            y[i] = y[i - 1] * x[i] + x[0]
        else:
            y[i] = x[i]
    return np.sum(y * y)
