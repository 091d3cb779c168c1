"""The workloads of `staged.py` as TensorFlow users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import tensorflow as tf
except ImportError:
    tf = None


def tiny(x, y):
    return x * y + x


def products(a, b):
    total = tf.zeros_like(a)
    for _ in range(100):
        total = total + a @ b
    return total


def chain(x):
    y = x
    for _ in range(10):
        y = (y @ x) * 1e-3
    return y


def collatz(n):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


def fizzbuzz(n):
    total = tf.constant(0, tf.int64)
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            total += 15
        elif i % 3 == 0:
            total += 3
        elif i % 5 == 0:
            total += 5
        else:
            total += i
    return total


def shrink(x):
    while tf.reduce_sum(x) > 1:
        x = tf.tanh(x)
    return x


def rnn(inputs, weights, state):
    states = tf.TensorArray(tf.float64, size=inputs.shape[0], element_shape=(8, 16))
    for i in tf.range(inputs.shape[0]):
        state = tf.tanh(inputs[i] @ weights + state)
        states = states.write(i, state)
    return states.stack()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tiny": tiny,
    "100 products": products,
    "chain": chain,
    "Collatz(27)": collatz,
    "FizzBuzz(1000)": fizzbuzz,
    "tanh until small": shrink,
    "RNN": rnn,
}


def graph(name: str) -> Callable[..., Any] | None:
    return None if tf is None or name not in FUNCTIONS else tf.function(FUNCTIONS[name])


def xla(name: str) -> Callable[..., Any] | None:
    if tf is None or name not in FUNCTIONS:
        return None
    return tf.function(FUNCTIONS[name], jit_compile=True)


def tensors(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(tf.constant, args))
