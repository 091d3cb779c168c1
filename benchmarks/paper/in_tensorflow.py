"""The workloads in TensorFlow: its functions, and control flow written by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow import keras

import autograph_rs as ag

from . import beam_search, lbfgs, maml, rnn, seq2seq, sgd, treelstm


def value_and_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes the value, and the derivatives with respect to the first argument."""

    def value_and_slopes(x, *others):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = f(x, *others)
        return value, tape.gradient(value, x)

    return value_and_slopes


def gradient(f: Callable[..., Any], count: int = 0) -> Callable[..., Any]:
    """Return the derivatives with respect to the first argument, or the first `count`."""

    def slopes(*given):
        sources = given[:count] if count else given[0]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = f(*given)
        return tape.gradient(value, sources)

    return slopes


xp = SimpleNamespace(
    abs=tf.abs,
    all=tf.reduce_all,
    argmax=lambda x: tf.argmax(x, axis=1, output_type=tf.int32),
    concatenate=lambda parts: tf.concat(parts, axis=-1),
    dot=lambda a, b: tf.reduce_sum(a * b),
    grad=gradient,
    log_softmax=tf.nn.log_softmax,
    matvec=tf.linalg.matvec,
    max=tf.reduce_max,
    mean=tf.reduce_mean,
    pick=lambda rows, places: tf.gather(rows, places, axis=1, batch_dims=1),
    push=lambda rows, row: tf.concat([row[None], rows[:-1]], axis=0),
    put=lambda rows, i, row: tf.tensor_scatter_nd_update(rows, [[i]], row[None]),
    relu=tf.nn.relu,
    reshape=tf.reshape,
    sigmoid=tf.sigmoid,
    softmax=lambda x: tf.nn.softmax(x, axis=0),
    softplus=tf.math.softplus,
    split=lambda x, count: tf.split(x, count, axis=-1),
    stack=tf.stack,
    sum=tf.reduce_sum,
    take=tf.gather,
    tanh=tf.tanh,
    top_k=tf.math.top_k,
    value_and_grad=value_and_gradient,
    vecmat=lambda x, w: tf.linalg.matvec(w, x, transpose_a=True),
    where=tf.where,
)


def dynamic_rnn(inputs, lengths, state, w, u, b):
    steps = inputs.shape[0]

    def body(i, state, outputs):
        state, output = rnn.step(xp, inputs[i], state, (i < lengths)[:, None], w, u, b)
        return i + 1, state, outputs.write(i, output)

    outputs = tf.TensorArray(tf.float32, steps, element_shape=state.shape)
    start = tf.constant(0), state, outputs
    _, state, outputs = tf.while_loop(lambda i, *_: i < steps, body, start, maximum_iterations=steps)
    return outputs.stack(), state


class Cell(keras.layers.Layer):
    """The cell of `rnn.step`, with given weights."""

    def __init__(self, w: Any, u: Any, b: Any):
        super().__init__()
        self.state_size = self.output_size = w.shape[1]
        self.given = w, u, b

    def call(self, x: Any, states: Any) -> tuple[Any, list[Any]]:
        w, u, b = self.given
        new = tf.tanh(x @ w + states[0] @ u + b)
        return new, [new]


def keras_rnn(inputs, lengths, state, w, u, b):
    options = {"return_sequences": True, "return_state": True, "zero_output_for_mask": True}
    layer = keras.layers.RNN(Cell(w, u, b), **options)
    by_batch = tf.transpose(inputs, (1, 0, 2))
    outputs, state = layer(by_batch, mask=tf.sequence_mask(lengths, inputs.shape[0]), initial_state=[state])
    return tf.transpose(outputs, (1, 0, 2)), state


def train(w, b, images, labels, rate, steps):
    descend = sgd.step(xp)

    def body(i, *weights):
        batch = i % images.shape[0]
        return i + 1, *descend(*weights, images[batch], labels[batch], rate)

    return tf.while_loop(lambda i, *_: i < steps, body, (tf.constant(0), w, b))[1:]


def search(sequences, tokens, scores, state, embeddings, w, u, out, positions, only_end):
    def goes_on(length, _sequences, _tokens, ended, *_):
        return (length < positions.shape[0]) & ~tf.reduce_all(ended)

    def body(length, *beams):
        return length + 1, *beam_search.extend(
            xp, length, beams, (embeddings, w, u, out), positions, only_end
        )

    start = tf.constant(0), sequences, tokens, tokens == beam_search.END, scores, state
    length, sequences, _, _, scores, _ = tf.while_loop(goes_on, body, start)
    return sequences, scores, length


def minimise(x, features, labels, history, curvatures, limit):
    value_and_slope = value_and_gradient(lbfgs.loss(xp))

    def goes_on(count, _x, _value, slope, *_):
        return (count < limit) & (tf.reduce_max(tf.abs(slope)) > lbfgs.TOLERANCE)

    def body(count, x, value, slope, steps, changes, curvatures, scale):
        towards = lbfgs.direction(xp, slope, steps, changes, curvatures, scale)
        descent = tf.reduce_sum(slope * towards)

        def too_high(length, new_value, _):
            return new_value > value + 1e-4 * length * descent

        def shorter(length, *_):
            length = length * 0.5
            return length, *value_and_slope(x + length * towards, features, labels)

        start = tf.constant(1.0), *value_and_slope(x + towards, features, labels)
        length, new_value, new_slope = tf.while_loop(too_high, shorter, start)
        step, change = length * towards, new_slope - slope
        product = tf.reduce_sum(step * change)
        history = xp.push(steps, step), xp.push(changes, change), xp.push(curvatures, 1.0 / product)
        return count + 1, x + step, new_value, new_slope, *history, product / tf.reduce_sum(change * change)

    value, slope = value_and_slope(x, features, labels)
    start = tf.constant(0), x, value, slope, history, history, curvatures, tf.constant(1.0)
    count, x, value, *_ = tf.while_loop(goes_on, body, start)
    return x, value, count


def meta_train(weights, x, y, new_x, new_y, rate, meta_rate):
    task_loss = maml.loss(xp)
    task_slope = gradient(task_loss)
    steps, tasks = x.shape[:2]

    def meta_loss(weights, step):
        def add(i, total):
            slopes = task_slope(weights, x[step, i], y[step, i])
            adapted = [w - rate * slope for w, slope in zip(weights, slopes, strict=True)]
            return i + 1, total + task_loss(adapted, new_x[step, i], new_y[step, i])

        start = tf.constant(0), tf.constant(0.0)
        return tf.while_loop(lambda i, _: i < tasks, add, start, maximum_iterations=tasks)[1] / tasks

    def body(step, weights, losses):
        value, slopes = value_and_gradient(meta_loss)(weights, step)
        weights = [w - meta_rate * slope for w, slope in zip(weights, slopes, strict=True)]
        return step + 1, weights, losses.write(step, value)

    start = tf.constant(0), list(weights), tf.TensorArray(tf.float32, steps, element_shape=())
    _, weights, losses = tf.while_loop(lambda step, *_: step < steps, body, start)
    return weights, losses.stack()


def translate(sources, targets, forced, state, token, embeddings, encoder, decoder, attend, out):
    def encode(i, state, memory):
        state = seq2seq.cell(xp, tf.gather(embeddings, sources[i]), state, encoder)
        return i + 1, state, memory.write(i, state)

    def decode(i, token, state, total, predicted):
        state, scores, loss = seq2seq.decode(
            xp, token, targets[i], state, memory, embeddings, decoder, attend, out
        )
        best = xp.argmax(scores)
        token = tf.where(forced[i], targets[i], best)
        return i + 1, token, state, total + loss, predicted.write(i, best)

    length = sources.shape[0]
    start = tf.constant(0), state, tf.TensorArray(tf.float32, length, element_shape=state.shape)
    _, state, states = tf.while_loop(lambda i, *_: i < length, encode, start)
    memory = states.stack()
    length = targets.shape[0]
    predicted = tf.TensorArray(tf.int32, length, element_shape=token.shape)
    start = tf.constant(0), token, state, tf.constant(0.0), predicted
    _, _, _, total, predicted = tf.while_loop(lambda i, *_: i < length, decode, start)
    return total, predicted.stack()


def encode_tree(words, lefts, rights, rows, embeddings, w, u):
    def body(i, rows):
        row = tf.cond(
            lefts[i] == treelstm.NO_CHILD,
            lambda: treelstm.leaf(xp, embeddings[words[i]], w),
            lambda: treelstm.merge(xp, rows[lefts[i]], rows[rights[i]], u),
        )
        return i + 1, xp.put(rows, i, row)

    length = words.shape[0]
    return tf.while_loop(lambda i, _: i < length, body, (tf.constant(0), rows))[1][-1]


BY_HAND = {
    "rnn": dynamic_rnn,
    "sgd": train,
    "beam_search": search,
    "lbfgs": minimise,
    "maml": meta_train,
    "seq2seq": translate,
    "treelstm": encode_tree,
}


OWN = {"rnn": keras_rnn}
OWN_IS_EAGER = False


def arrays(given: Any) -> Any:
    """Return tensors, with integers of 32 bits, like those of the functions above."""

    def tensor(array: Any) -> tf.Tensor:
        return tf.constant(array, tf.int32 if array.dtype.kind == "i" else None)

    return tf.nest.map_structure(tensor, given)


def eager(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def converted(f: Callable[..., Any]) -> Callable[..., Any]:
    return by_hand(ag.convert(f))


def by_hand(f: Callable[..., Any]) -> Callable[..., Any]:
    return tf.function(f, autograph=False)  # type: ignore[no-any-return]


def leaves(results: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in tf.nest.flatten(results)]
