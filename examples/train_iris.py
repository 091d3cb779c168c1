"""Train a two-layer network on Fisher's iris measurements, with the whole training in one graph.

python examples/train_iris.py [loss.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import autograph_rs as ag

mpl.use("agg")
from matplotlib import pyplot as plt

IRIS = Path(__file__).with_name("iris.csv")
SPECIES = ["setosa", "versicolor", "virginica"]

rng = np.random.default_rng(0)
WEIGHTS = [
    ag.Variable(rng.normal(scale=0.5, size=(4, 12)), name="w1"),
    ag.Variable(np.zeros(12), name="b1"),
    ag.Variable(rng.normal(scale=0.3, size=(12, 3)), name="w2"),
    ag.Variable(np.zeros(3), name="b2"),
]
VELOCITIES = [ag.Variable(np.zeros(w.shape), name=f"velocity_{w.label}") for w in WEIGHTS]


def scores(x):
    w1, b1, w2, b2 = WEIGHTS
    return np.tanh(x @ w1 + b1) @ w2 + b2


def cross_entropy(x, labels):
    z = scores(x)
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[np.arange(len(labels)), labels])


def momentum(gradients, rate):
    """Apply a momentum step, with the gradients clipped to a total length of 1."""
    length = np.sqrt(sum(np.sum(g * g) for g in gradients))
    if length > 1:
        gradients = [g / length for g in gradients]
    for weight, velocity, gradient in zip(WEIGHTS, VELOCITIES, gradients, strict=True):
        velocity.assign(0.9 * velocity - rate * gradient)
        weight.assign_add(velocity)


@ag.function
def train(x, labels, others, other_labels, most, patience):
    """Train until the loss on `others` has not fallen for `patience` steps; return all training losses."""
    losses, best, since = [], np.inf, 0
    for step in range(most):
        with ag.GradientTape() as tape:
            loss = cross_entropy(x, labels)
        rate = 0.1 if step < 200 else 0.02
        momentum(tape.gradient(loss, WEIGHTS), rate)
        losses.append(loss)
        other = cross_entropy(others, other_labels)
        if other < best - 1e-4:
            best, since = other, 0
        else:
            since += 1
        if since == patience:
            break
    return losses


def main() -> None:
    rows = [line.split(",") for line in IRIS.read_text("utf-8").split()[1:]]
    x = np.array([row[:4] for row in rows], float)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    labels = np.array([SPECIES.index(row[4]) for row in rows])
    order = rng.permutation(len(x))
    fit, stop, held = order[:80], order[80:110], order[110:]
    losses = train(x[fit], labels[fit], x[stop], labels[stop], np.int64(2000), np.int64(50))
    right = np.mean(np.argmax(scores(x[held]), axis=1) == labels[held])
    print(f"Stopped after {len(losses)} steps, with a loss of {losses[-1]:.3f}.")
    print(f"Accuracy on {len(held)} held-out rows: {right:.1%}")
    plt.plot(losses)
    plt.xlabel("step")
    plt.ylabel("cross entropy")
    plt.yscale("log")
    target = sys.argv[1] if len(sys.argv) > 1 else "train_iris.png"
    plt.savefig(target)
    print(f"Saved a plot of the losses to {target}.")


if __name__ == "__main__":
    main()
