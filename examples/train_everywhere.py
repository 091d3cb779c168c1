"""One training loop with branches, run on every installed tensor system.

    python examples/train_everywhere.py

Gradient descent trains a classifier of Fisher's irises. It halves the learning rate when the loss rises, and
ends when the loss stops falling: an `if` and a `break` on values that are known only when the compiled loop
runs.
"""

from __future__ import annotations

import csv
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import autograph_rs as ag


def train(xs, labels, weights, rate, rounds):
    """Fit a softmax regression; return the weights, the final loss, and the number of rounds."""
    loss = 1e9
    taken = 0
    for _ in range(rounds):
        scores = np.matmul(xs, weights)
        scores = scores - np.max(scores, axis=1, keepdims=True)
        scores = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
        now = -np.mean(np.sum(labels * scores, axis=1))
        if now > loss:
            rate = rate * 0.5
        elif loss - now < 2e-5:
            break
        loss = now
        weights = weights - rate * np.matmul(np.transpose(xs), np.exp(scores) - labels)
        taken += 1
    return weights, loss, taken


def irises() -> tuple[np.ndarray, np.ndarray]:
    """Return the measurements with a column of ones, and the species as one-hot rows."""
    with (Path(__file__).parent / "iris.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row and row[0][0].isdigit()]
    measured = np.array([[float(cell) for cell in row[:4]] for row in rows], np.float32)
    kinds = np.unique([row[4] for row in rows], return_inverse=True)[1]
    xs = (measured - measured.mean(axis=0)) / measured.std(axis=0)
    return np.hstack([xs, np.ones_like(xs[:, :1])]), np.eye(3, dtype=np.float32)[kinds]


def on_jax(f: Callable[..., Any]) -> Callable[..., Any]:
    import jax  # noqa: PLC0415 - it may not be installed

    return jax.jit(ag.convert(f))


def on_tensorflow(f: Callable[..., Any]) -> Callable[..., Any]:
    import tensorflow as tf  # noqa: PLC0415 - it may not be installed

    compiled = tf.function(ag.convert(f), autograph=False)
    return lambda *arguments: compiled(*map(tf.constant, arguments))


def on_torch(f: Callable[..., Any]) -> Callable[..., Any]:
    import torch  # noqa: PLC0415 - it may not be installed

    class Program(torch.nn.Module):
        def forward(self, *arguments: Any) -> Any:
            return converted(*arguments)

    converted = ag.convert(f)

    def call(*arguments: Any) -> Any:
        tensors = tuple(map(torch.as_tensor, arguments))
        return torch.export.export(Program(), tensors, strict=False).module()(*tensors)

    return call


SYSTEMS: dict[str, tuple[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
    "plain Python": ("numpy", lambda f: f),
    "embedded graph": ("numpy", ag.function),
    "JAX": ("jax", on_jax),
    "TensorFlow": ("tensorflow", on_tensorflow),
    "PyTorch": ("torch", on_torch),
}


def main() -> None:
    xs, labels = irises()
    start = np.zeros((xs.shape[1], 3), np.float32)
    arguments = xs, labels, start, np.float32(0.2), np.int32(1000)
    expected: Any = None
    all_agree = True
    print(f"{'system':16} {'loss':>8} {'rounds':>7} {'correct':>7} {'seconds':>8}")
    for name, (framework, compile_for) in SYSTEMS.items():
        if importlib.util.find_spec(framework) is None:
            print(f"{name:16} is not installed")
            continue
        began = time.perf_counter()
        weights, loss, taken = (np.asarray(part) for part in compile_for(train)(*arguments))
        seconds = time.perf_counter() - began
        expected = weights if expected is None else expected
        right = np.mean(np.argmax(xs @ weights, axis=1) == np.argmax(labels, axis=1))
        all_agree = all_agree and np.allclose(weights, expected, atol=1e-3)
        print(f"{name:16} {loss:8.5f} {taken:7} {right:7.1%} {seconds:8.2f}")
    print("The weights agree." if all_agree else "The weights DIFFER.")


if __name__ == "__main__":
    main()
