"""The workloads in NumPy, which the embedded graph stages: its functions, and programs written by hand.

Plain NumPy has no gradients: HIPS autograd provides those of the plain function, and the programs written by
hand contain their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import autograph_rs as ag

from . import beam_search, lbfgs, rnn, seq2seq, treelstm

try:
    import autograd
    import autograd.numpy
except ImportError:
    autograd = None


def namespace(numpy: Any, grad: Callable[..., Any], value_and_grad: Callable[..., Any]) -> SimpleNamespace:
    """Return the functions that the workloads call, from NumPy or a module that replaces it."""

    def top_k(x, count):
        places = numpy.argsort(-x)[:count]
        return x[places], places

    def put(rows, i, row):
        rows[i] = row
        return rows

    def log_softmax(x):
        x = x - numpy.max(x, axis=-1, keepdims=True)
        return x - numpy.log(numpy.sum(numpy.exp(x), axis=-1, keepdims=True))

    def softmax(x):
        x = numpy.exp(x - numpy.max(x, axis=0))
        return x / numpy.sum(x, axis=0)

    return SimpleNamespace(
        abs=numpy.abs,
        all=numpy.all,
        argmax=lambda x: numpy.argmax(x, axis=1),
        concatenate=lambda parts: numpy.concatenate(parts, axis=-1),
        dot=lambda a, b: a @ b,
        grad=lambda f, count=0: grad(f, tuple(range(count)) if count else 0),
        log_softmax=log_softmax,
        matvec=lambda a, x: a @ x,
        max=numpy.max,
        mean=numpy.mean,
        pick=lambda rows, places: rows[numpy.arange(len(places)), places],
        push=lambda rows, row: numpy.concatenate([row[None], rows[:-1]]),
        put=put,
        relu=lambda x: numpy.maximum(x, 0.0),
        reshape=numpy.reshape,
        sigmoid=lambda x: 1.0 / (1.0 + numpy.exp(-x)),
        softmax=softmax,
        softplus=lambda x: numpy.logaddexp(x, 0.0),
        split=lambda x, count: numpy.split(x, count, axis=-1),
        stack=numpy.stack,
        sum=numpy.sum,
        take=lambda rows, places: rows[places],
        tanh=numpy.tanh,
        top_k=top_k,
        value_and_grad=value_and_grad,
        vecmat=lambda x, w: x @ w,
        where=numpy.where,
    )


xp = namespace(np, ag.grad, ag.value_and_grad)
eager_xp = None if autograd is None else namespace(autograd.numpy, autograd.grad, autograd.value_and_grad)


def dynamic_rnn(inputs, lengths, state, w, u, b):
    outputs = np.empty_like(inputs)
    running = np.arange(len(inputs))[:, None, None] < lengths[:, None]
    for i, x in enumerate(inputs):
        state, outputs[i] = rnn.step(xp, x, state, running[i], w, u, b)
    return outputs, state


def train(w, b, images, labels, rate, steps):
    for i in range(steps):
        batch = i % len(images)
        x, y = images[batch], labels[batch]
        error = (np.exp(xp.log_softmax(x @ w + b)) - y) / len(x)
        w, b = w - rate * (x.T @ error), b - rate * np.sum(error, axis=0)
    return w, b


def search(sequences, tokens, scores, state, embeddings, w, u, out, positions, only_end):
    ended = tokens == beam_search.END
    length = 0
    while length < len(positions) and not ended.all():
        state = np.tanh(embeddings[tokens] @ w + state @ u)
        steps = xp.log_softmax(state @ out)
        steps[ended] = only_end
        paths = (scores[:, None] + steps).ravel()
        places = np.argsort(-paths)[: len(scores)]
        scores = paths[places]
        parents, tokens = np.divmod(places, out.shape[1])
        sequences, state = sequences[parents], state[parents]
        sequences[:, length] = tokens
        ended = ended[parents] | (tokens == beam_search.END)
        length += 1
    return sequences, scores, length


def minimise(x, features, labels, history, curvatures, limit):
    def value_and_slope(x):
        margins = labels * (features @ x)
        value = np.mean(np.logaddexp(-margins, 0.0)) + lbfgs.PENALTY * (x @ x)
        weights = labels / (1.0 + np.exp(margins)) / len(labels)
        return value, 2 * lbfgs.PENALTY * x - weights @ features

    def product(slope):
        """Return minus the approximate inverse Hessian times the slope."""
        q, factors = slope, []
        for step, change, curvature in pairs:
            factors.append(curvature * (step @ q))
            q = q - factors[-1] * change
        q = scale * q
        for step, change, curvature in reversed(pairs):
            q = q + (factors.pop() - curvature * (change @ q)) * step
        return -q

    pairs = list(zip(history, history, curvatures, strict=True))  # the latest first
    scale, count = 1.0, 0
    value, slope = value_and_slope(x)
    while count < limit and np.max(np.abs(slope)) > lbfgs.TOLERANCE:
        towards = product(slope)
        descent = slope @ towards
        length = 1.0
        new_value, new_slope = value_and_slope(x + towards)
        while new_value > value + 1e-4 * length * descent:
            length *= 0.5
            new_value, new_slope = value_and_slope(x + length * towards)
        step, change = length * towards, new_slope - slope
        curvature = step @ change
        scale = curvature / (change @ change)
        pairs = [(step, change, 1.0 / curvature), *pairs[: lbfgs.HISTORY - 1]]
        x, value, slope = x + step, new_value, new_slope
        count += 1
    return x, value, count


def meta_train(weights, x, y, new_x, new_y, rate, meta_rate):
    losses = []
    for tasks in zip(x, y, new_x, new_y, strict=True):
        total, slopes = 0.0, [np.zeros_like(w) for w in weights]
        for x_, y_, new_x_, new_y_ in zip(*tasks, strict=True):
            network = Network(weights, x_, y_)
            adapted = [w - rate * slope for w, slope in zip(weights, network.slopes, strict=True)]
            after = Network(adapted, new_x_, new_y_)
            total += after.loss
            products = network.hessian_product(after.slopes)
            for slope, first, second in zip(slopes, after.slopes, products, strict=True):
                slope += first - rate * second
        factor = meta_rate / len(tasks[0])
        weights = [w - factor * slope for w, slope in zip(weights, slopes, strict=True)]
        losses.append(total / len(tasks[0]))
    return weights, np.array(losses)


class Network:
    """The squared error of a network of two hidden layers, its derivatives, and products with its Hessian."""

    def __init__(self, weights: list[Any], x: Any, y: Any):
        w1, b1, w2, b2, w3, b3 = self.weights = weights
        z1 = x @ w1 + b1
        h1 = np.maximum(z1, 0.0)
        z2 = h1 @ w2 + b2
        h2 = np.maximum(z2, 0.0)
        error = h2 @ w3 + b3 - y
        self.loss = np.mean(error * error)
        error = 2.0 * error / error.size
        d2 = (error @ w3.T) * (z2 > 0)
        d1 = (d2 @ w2.T) * (z1 > 0)
        self.slopes = [x.T @ d1, d1.sum(0), h1.T @ d2, d2.sum(0), h2.T @ error, error.sum(0)]
        self.parts = x, z1 > 0, h1, z2 > 0, h2, error, d2

    def hessian_product(self, vectors: list[Any]) -> list[Any]:
        """Differentiate the derivatives along the vectors."""
        _, _, w2, _, w3, _ = self.weights
        v1, c1, v2, c2, v3, c3 = vectors
        x, on1, h1, on2, h2, error, d2 = self.parts
        r1 = (x @ v1 + c1) * on1
        r2 = (r1 @ w2 + h1 @ v2 + c2) * on2
        changed = 2.0 * (r2 @ w3 + h2 @ v3 + c3) / error.size
        s2 = (changed @ w3.T + error @ v3.T) * on2
        s1 = (s2 @ w2.T + d2 @ v2.T) * on1
        second = r1.T @ d2 + h1.T @ s2
        return [x.T @ s1, s1.sum(0), second, s2.sum(0), r2.T @ error + h2.T @ changed, changed.sum(0)]


def translate(sources, targets, forced, state, token, embeddings, encoder, decoder, attend, out):
    memory = np.empty((len(sources), *state.shape), state.dtype)
    for i, source in enumerate(sources):
        memory[i] = state = seq2seq.cell(xp, embeddings[source], state, encoder)
    predicted = np.empty_like(targets)
    total = 0.0
    for i, target in enumerate(targets):
        state, scores, loss = seq2seq.decode(
            xp, token, target, state, memory, embeddings, decoder, attend, out
        )
        predicted[i] = np.argmax(scores, axis=1)
        token = target if forced[i] else predicted[i]
        total += loss
    return total, predicted


def encode_tree(words, lefts, rights, rows, embeddings, w, u):
    rows = rows.copy()
    for i, (word, left, right) in enumerate(zip(words, lefts, rights, strict=True)):
        if left == treelstm.NO_CHILD:
            rows[i] = treelstm.leaf(xp, embeddings[word], w)
        else:
            rows[i] = treelstm.merge(xp, rows[left], rows[right], u)
    return rows[-1]


BY_HAND = {
    "rnn": dynamic_rnn,
    "sgd": train,
    "beam_search": search,
    "lbfgs": minimise,
    "maml": meta_train,
    "seq2seq": translate,
    "treelstm": encode_tree,
}


def arrays(given: Any) -> Any:
    return given


def eager(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def converted(f: Callable[..., Any]) -> Callable[..., Any]:
    return ag.function(f)


def by_hand(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def leaves(results: Any) -> list[Any]:
    if isinstance(results, (tuple, list)):
        return [leaf for part in results for leaf in leaves(part)]
    return [np.asarray(results)]
