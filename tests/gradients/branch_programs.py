"""Functions with control flow whose gradients are compared: branches and short loops."""

from __future__ import annotations

import numpy as np
from registry import PROGRAMS, M, X, program

__all__ = ["PROGRAMS"]


@program(1.5)
def sign_of(x):
    if x > 0:
        return x * x
    return -3 * x


@program(-1.5)
def sign_of_negative(x):
    if x > 0:
        return x * x
    return -3 * x


@program(X)
def leaky(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v * v
        else:
            total += 0.1 * v
    return total


@program(X)
def elif_chain(x):
    total = 0.0
    for v in x:
        if v > 1:
            total += v**3
        elif v > 0:
            total += np.sin(v)
        elif v > -1:
            total -= v
        else:
            total += v * v
    return total


@program(1.1)
def doubling(x):
    while x < 50:
        x = x * x + 0.5
    return x


@program(2.0)
def newton(a):
    x = a
    for _ in range(6):
        x = 0.5 * (x + a / x)
    return x


@program(3.0)
def newton_until(a):
    x = a
    while np.abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


@program(X)
def breaking(x):
    total = 0.0
    for v in x:
        if v > 1.5:
            break
        total += v * v
    return total


@program(X)
def continuing(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total += np.exp(v)
    return total


@program(X)
def returning(x):
    total = 1.0
    for v in x:
        total = total * (v + 2)
        if total > 4.9:
            return total * v
    return total


@program(M, X[:3])
def rnn(w, x):
    h = np.zeros(3)
    for v in x:
        h = np.tanh(w @ h + v)
    return np.sum(h * h)


@program(M, np.outer(X, X[:3]))
def rnn_over_rows(w, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(w @ h + x)
    return np.sum(h)


@program(X)
def nested_loops(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                total += x[i] * x[j] * (i + 2 * j)
    return total


@program(X)
def triangle(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += np.sin(x[i] * x[j])
    return total


@program(1.3)
def while_in_for(x):
    total = 0.0
    for i in range(3):
        y = x + i
        while y < 10:
            y = y * y
        total += y
    return total


@program(1.3)
def for_in_while(x):
    while x < 100:
        for i in range(3):
            x = x + x * 0.3 * i
    return x


@program(0.7, 1.2)
def nested_branches(x, y):
    if x > 0:
        if y > 1:
            z = x * y
        else:
            z = x + y
    else:
        z = x - y
    return z * z


@program(X)
def conditional_expression(x):
    total = 0.0
    for v in x:
        total += v if v > 0 else v * v
    return total


@program(X)
def boolean_operators(x):
    total = 0.0
    for v in x:
        if (v > 0 and v < 1) or v < -1:
            total += 2 * v
        elif not v > 1.5:
            total += v**2
    return total


@program(X, X[::-1].copy())
def zipped(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b * b
    return total


@program(X)
def enumerated(x):
    total = 0.0
    for i, v in enumerate(x):
        total += i * v * v
    return total


@program(X)
def horner(c):
    total = 0.0
    for v in c:
        total = total * 1.7 + v
    return total


@program(0.4)
def geometric(x):
    total, term = 0.0, 1.0
    while term > 1e-6:
        total += term
        term = term * x
    return total


@program(0.9)
def taylor(x):
    total, term = 1.0, 1.0
    for n in range(1, 12):
        term = term * x / n
        total = total + term
    return total


@program(X)
def log_sum_exp(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    return m + np.log(np.sum(np.exp(x - m)))


@program(X, 0.1)
def descent(x, rate):
    for _ in range(10):
        x = x - rate * (2 * x - 1)
    return np.sum(x * x)


@program(M)
def power_iteration(m):
    v = np.ones(3)
    for _ in range(15):
        v = m @ v
        v = v / np.sqrt(np.sum(v * v))
    return np.sum(v * (m @ v))


@program(M)
def matrix_power(m):
    made = np.eye(3)
    n = 5
    while n > 0:
        if n % 2 == 1:
            made = made @ m
        m = m @ m
        n = n // 2
    return np.sum(made)


@program(X)
def running_maximum(x):
    best = x[0]
    total = 0.0
    for v in x:
        best = np.maximum(best, v)
        total += best * v
    return total


@program(X)
def prefix_sums(x):
    total, squares = 0.0, 0.0
    for v in x:
        total = total + v
        squares = squares + total * total
    return squares


@program(0.3, 0.8)
def pendulum(angle, speed):
    for _ in range(20):
        speed = speed - 0.05 * np.sin(angle)
        angle = angle + 0.05 * speed
    return angle * angle + speed


@program(0.2)
def logistic_map(x):
    for _ in range(8):
        x = 3.2 * x * (1 - x)
    return x


@program(1.5)
def continued_fraction(x):
    y = x
    for i in range(10):
        y = x + (i + 1) / y
    return y
