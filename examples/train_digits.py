"""Train a two-layer network on handwritten digits: minibatches from a dataset, one graph per epoch.

python examples/train_digits.py [loss.png]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_digits

import autograph_rs as ag

mpl.use("agg")
from matplotlib import pyplot as plt

EPOCHS, BATCH, PATIENCE = 40, 32, 3

rng = np.random.default_rng(0)
WEIGHTS = [
    ag.Variable(rng.normal(scale=0.1, size=(64, 48)), name="w1"),
    ag.Variable(np.zeros(48), name="b1"),
    ag.Variable(rng.normal(scale=0.1, size=(48, 10)), name="w2"),
    ag.Variable(np.zeros(10), name="b2"),
]
MEANS = [ag.Variable(np.zeros(w.shape), name=f"mean_{w.label}") for w in WEIGHTS]
SQUARES = [ag.Variable(np.zeros(w.shape), name=f"square_{w.label}") for w in WEIGHTS]
STEP = ag.Variable(0.0, name="step")


def scores(x):
    w1, b1, w2, b2 = WEIGHTS
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2


def cross_entropy(x, labels):
    z = scores(x)
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[np.arange(len(labels)), labels])


def learning_rate(step):
    """Warm up, hold, then decay."""
    if step < 50:
        return 0.003 * step / 50
    if step < 600:
        return 0.003
    return 0.003 * 600 / step


def adam(gradients, rate, step):
    for weight, mean, square, gradient in zip(WEIGHTS, MEANS, SQUARES, gradients, strict=True):
        mean.assign(0.9 * mean + 0.1 * gradient)
        square.assign(0.999 * square + 0.001 * gradient**2)
        corrected = mean / (1 - 0.9**step), square / (1 - 0.999**step)
        weight.assign_sub(rate * corrected[0] / (np.sqrt(corrected[1]) + 1e-8))


@ag.function
def epoch(batches):
    """Run one step per batch, and return the mean loss."""
    total, count = 0.0, 0
    for x, labels in batches:
        with ag.GradientTape() as tape:
            loss = cross_entropy(x, labels)
        gradients = tape.gradient(loss, WEIGHTS)
        length = np.sqrt(sum(np.sum(g * g) for g in gradients))
        if length > 5:
            gradients = [5 * g / length for g in gradients]
        STEP.assign_add(1)
        adam(gradients, learning_rate(STEP.value), STEP.value)
        total += loss
        count += 1
    return total / count


def main() -> None:
    data = load_digits()
    x, labels = data.data / 16, data.target
    order = rng.permutation(len(x))
    fit, stop, held = order[:1200], order[1200:1450], order[1450:]

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows in a new order at each epoch."""
        shuffled = rng.permutation(fit)
        for start in range(0, len(shuffled) - BATCH + 1, BATCH):
            rows = shuffled[start : start + BATCH]
            yield x[rows], labels[rows]

    dataset = ag.data.from_iterable(batches)
    loss_of = ag.function(cross_entropy)
    losses, best, since = [], np.inf, 0
    for number in range(1, EPOCHS + 1):
        losses.append((float(epoch(dataset)), float(loss_of(x[stop], labels[stop]))))
        print(f"epoch {number}: loss {losses[-1][0]:.4f}, validation loss {losses[-1][1]:.4f}")
        since = 0 if losses[-1][1] < best else since + 1
        best = min(best, losses[-1][1])
        if since == PATIENCE:
            break
    right = np.mean(np.argmax(scores(x[held]), axis=1) == labels[held])
    print(f"Accuracy on {len(held)} held-out digits: {right:.1%}")
    plt.plot(losses, label=["training", "validation"])
    plt.xlabel("epoch")
    plt.ylabel("cross entropy")
    plt.legend()
    target = sys.argv[1] if len(sys.argv) > 1 else "train_digits.png"
    plt.savefig(target)
    print(f"Saved a plot of the losses to {target}.")


if __name__ == "__main__":
    main()
