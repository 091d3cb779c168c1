"""The functions of `native.py`, as users write them in plain Python, with their arguments."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from quickstart import IRIS, kmeans

RNG = np.random.default_rng(0)


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def mandelbrot(height, width, rounds):
    """Return for each point of a grid the number of rounds in which it stays bounded."""
    counts = np.zeros((height, width), np.int64)
    for i in range(height):
        for j in range(width):
            real, imaginary = -2.0 + 3.0 * j / width, -1.5 + 3.0 * i / height
            x, y, n = 0.0, 0.0, 0
            while n < rounds and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                n += 1
            counts[i, j] = n
    return counts


def levenshtein(a, b):
    previous = np.arange(len(b) + 1)
    for i in range(len(a)):
        current = np.zeros_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous[len(b)]


def sieve(n):
    """Return the number of primes up to n."""
    prime = np.ones(n + 1, np.bool_)
    prime[0] = False
    prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            j = i * i
            while j <= n:
                prime[j] = False
                j += i
        i += 1
    count = 0
    for k in range(n + 1):
        if prime[k]:
            count += 1
    return count


def life(board, steps):
    """Run Conway's Game of Life on a torus."""
    rows, columns = board.shape
    for _ in range(steps):
        new = np.zeros_like(board)
        for i in range(rows):
            for j in range(columns):
                n = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            n += board[(i + di) % rows, (j + dj) % columns]
                if n == 3 or (n == 2 and board[i, j] == 1):
                    new[i, j] = 1
        board = new
    return board


def nbody(position, velocity, mass, steps, dt):
    """Return the positions of bodies that attract each other."""
    position, velocity = position.copy(), velocity.copy()
    n = position.shape[0]
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx = position[i, 0] - position[j, 0]
                dy = position[i, 1] - position[j, 1]
                dz = position[i, 2] - position[j, 2]
                squared = dx * dx + dy * dy + dz * dz
                strength = dt / (squared * math.sqrt(squared))
                velocity[i, 0] -= dx * mass[j] * strength
                velocity[i, 1] -= dy * mass[j] * strength
                velocity[i, 2] -= dz * mass[j] * strength
                velocity[j, 0] += dx * mass[i] * strength
                velocity[j, 1] += dy * mass[i] * strength
                velocity[j, 2] += dz * mass[i] * strength
        for i in range(n):
            for axis in range(3):
                position[i, axis] += dt * velocity[i, axis]
    return position


def rk45(y, end, tolerance):
    """Solve dy/dt = y cos t by the method of Runge, Kutta and Fehlberg, with adaptive steps."""
    t, h, count = 0.0, 0.1, 0
    while t < end:
        if t + h > end:
            h = end - t
        k1 = y * math.cos(t)
        k2 = (y + h * k1 / 4) * math.cos(t + h / 4)
        k3 = (y + h * (3 * k1 + 9 * k2) / 32) * math.cos(t + 3 * h / 8)
        k4 = (y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197) * math.cos(t + 12 * h / 13)
        k5 = (y + h * (439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104)) * math.cos(t + h)
        k6 = y + h * (-8 * k1 / 27 + 2 * k2 - 3544 * k3 / 2565 + 1859 * k4 / 4104 - 11 * k5 / 40)
        k6 = k6 * math.cos(t + h / 2)
        y4 = y + h * (25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5)
        y5 = 16 * k1 / 135 + 6656 * k3 / 12825 + 28561 * k4 / 56430 - 9 * k5 / 50 + 2 * k6 / 55
        y5 = y + h * y5
        error = abs(y5 - y4)
        if error <= tolerance:
            t, y, count = t + h, y5, count + 1
        if error > 0:
            h = h * min(5.0, max(0.2, 0.9 * (tolerance / error) ** 0.2))
        else:
            h = h * 5.0
    return y, count


def viterbi(initial, transition, emission, observations):
    """Return the most probable states of a hidden Markov model, from logarithms of probabilities."""
    states, length = initial.shape[0], observations.shape[0]
    score = np.zeros((length, states))
    back = np.zeros((length, states), np.int64)
    for s in range(states):
        score[0, s] = initial[s] + emission[s, observations[0]]
    for t in range(1, length):
        for s in range(states):
            best, origin = -np.inf, 0
            for p in range(states):
                value = score[t - 1, p] + transition[p, s]
                if value > best:
                    best, origin = value, p
            score[t, s] = best + emission[s, observations[t]]
            back[t, s] = origin
    path = np.zeros(length, np.int64)
    path[length - 1] = np.argmax(score[length - 1])
    for t in range(length - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


def bubble(values):
    values = values.copy()
    n = len(values)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if values[j] > values[j + 1]:
                larger = values[j]
                values[j] = values[j + 1]
                values[j + 1] = larger
                swapped = True
        if not swapped:
            break
    return values


def chain(x, slope, offset, leak):
    y = slope * x + offset
    return np.where(y > 0, y, leak * y)


def rnn(inputs, w, u, bias):
    steps = inputs.shape[0]
    state = np.zeros(u.shape[0])
    states = np.zeros((steps, u.shape[0]))
    for t in range(steps):
        state = np.tanh(inputs[t] @ w + state @ u + bias)
        states[t] = state
    return states


def logs(*shape: int) -> np.ndarray:
    """Return logarithms of random probabilities that add up to 1 along the last axis."""
    return np.log(RNG.dirichlet(np.ones(shape[-1]), shape[:-1]))


POINTS = np.loadtxt(IRIS, delimiter=",", skiprows=1, usecols=range(4))
STEP, UNIT = np.float64(0.001), np.float64(1.0)
STATIC = {"k-means", "chain over 1e6"}  # the programs that are traced with known dimensions
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "Collatz(27)": (collatz, (np.int64(27),)),
    "Mandelbrot 200x200": (mandelbrot, (np.int64(200), np.int64(200), np.int64(100))),
    "Levenshtein 60x60": (levenshtein, (RNG.integers(0, 4, 60), RNG.integers(0, 4, 60))),
    "sieve up to 1e5": (sieve, (np.int64(100_000),)),
    "Life 64x64, 10 steps": (life, ((RNG.random((64, 64)) < 0.4).astype(np.int64), np.int64(10))),
    "N-body, 1000 steps": (
        nbody,
        (RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.random(5), np.int64(1000), STEP),
    ),
    "RK45": (rk45, (UNIT, np.float64(10.0), np.float64(1e-8))),
    "Viterbi 50x20": (viterbi, (logs(20), logs(20, 20), logs(20, 8), RNG.integers(0, 8, 50))),
    "bubble sort 200": (bubble, (RNG.random(200),)),
    "k-means": (kmeans, (POINTS, RNG.choice(POINTS, 3, replace=False))),
    "chain over 1e6": (chain, (RNG.normal(size=10**6), np.float64(2.0), UNIT, np.float64(0.1))),
    "RNN, 200 steps": (
        rnn,
        (
            RNG.normal(size=(200, 16)),
            RNG.normal(size=(16, 32)),
            0.1 * RNG.normal(size=(32, 32)),
            RNG.normal(size=32),
        ),
    ),
}
