"""The workloads in JAX: its functions, and control flow written by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph_rs as ag

from . import beam_search, lbfgs, maml, rnn, seq2seq, sgd, treelstm


def gradient(f: Callable[..., Any], count: int = 0) -> Callable[..., Any]:
    """Return the derivatives with respect to the first argument, or the first `count`."""
    return jax.grad(f, tuple(range(count)) if count else 0)


xp = SimpleNamespace(
    abs=jnp.abs,
    all=jnp.all,
    argmax=lambda x: jnp.argmax(x, axis=1),
    concatenate=lambda parts: jnp.concatenate(parts, axis=-1),
    dot=jnp.dot,
    grad=gradient,
    log_softmax=jax.nn.log_softmax,
    matvec=jnp.matmul,
    max=jnp.max,
    mean=jnp.mean,
    pick=lambda rows, places: jnp.take_along_axis(rows, places[:, None], axis=1)[:, 0],
    push=lambda rows, row: jnp.concatenate([row[None], rows[:-1]]),
    put=lambda rows, i, row: rows.at[i].set(row),
    relu=jax.nn.relu,
    reshape=jnp.reshape,
    sigmoid=jax.nn.sigmoid,
    softmax=lambda x: jax.nn.softmax(x, axis=0),
    softplus=jax.nn.softplus,
    split=lambda x, count: jnp.split(x, count, axis=-1),
    stack=jnp.stack,
    sum=jnp.sum,
    take=lambda rows, places: rows[places],
    tanh=jnp.tanh,
    top_k=lax.top_k,
    value_and_grad=jax.value_and_grad,
    vecmat=jnp.matmul,
    where=jnp.where,
)


def dynamic_rnn(inputs, lengths, state, w, u, b):
    def body(state, given):
        i, x = given
        return rnn.step(xp, x, state, (i < lengths)[:, None], w, u, b)

    state, outputs = lax.scan(body, state, (jnp.arange(inputs.shape[0]), inputs))
    return outputs, state


def train(w, b, images, labels, rate, steps):
    descend = sgd.step(xp)

    def body(i, weights):
        batch = i % images.shape[0]
        return descend(*weights, images[batch], labels[batch], rate)

    return lax.fori_loop(0, steps, body, (w, b))


def search(sequences, tokens, scores, state, embeddings, w, u, out, positions, only_end):
    def goes_on(carry):
        length, beams = carry
        return (length < positions.shape[0]) & ~jnp.all(beams[2])

    def body(carry):
        length, beams = carry
        return length + 1, beam_search.extend(xp, length, beams, (embeddings, w, u, out), positions, only_end)

    beams = sequences, tokens, tokens == beam_search.END, scores, state
    length, beams = lax.while_loop(goes_on, body, (0, beams))
    return beams[0], beams[3], length


def minimise(x, features, labels, history, curvatures, limit):
    value_and_slope = jax.value_and_grad(lbfgs.loss(xp))

    def goes_on(carry):
        return (carry[0] < limit) & (jnp.max(jnp.abs(carry[3])) > lbfgs.TOLERANCE)

    def body(carry):
        count, x, value, slope, steps, changes, curvatures, scale = carry
        towards = lbfgs.direction(xp, slope, steps, changes, curvatures, scale)
        descent = slope @ towards

        def shorter(tried):
            length = tried[0] * 0.5
            return length, *value_and_slope(x + length * towards, features, labels)

        tried = jnp.ones_like(value), *value_and_slope(x + towards, features, labels)
        length, new_value, new_slope = lax.while_loop(
            lambda tried: tried[1] > value + 1e-4 * tried[0] * descent, shorter, tried
        )
        step, change = length * towards, new_slope - slope
        product = step @ change
        history = xp.push(steps, step), xp.push(changes, change), xp.push(curvatures, 1.0 / product)
        return count + 1, x + step, new_value, new_slope, *history, product / (change @ change)

    value, slope = value_and_slope(x, features, labels)
    start = 0, x, value, slope, history, history, curvatures, jnp.ones_like(value)
    count, x, value, *_ = lax.while_loop(goes_on, body, start)
    return x, value, count


def meta_train(weights, x, y, new_x, new_y, rate, meta_rate):
    task_loss = maml.loss(xp)
    task_slope = jax.grad(task_loss)

    def meta_loss(weights, tasks):
        def add(total, task):
            slopes = task_slope(weights, *task[:2])
            adapted = [w - rate * slope for w, slope in zip(weights, slopes, strict=True)]
            return total + task_loss(adapted, *task[2:]), None

        return lax.scan(add, jnp.zeros_like(rate), tasks)[0] / len(tasks[0])

    def body(weights, tasks):
        value, slopes = jax.value_and_grad(meta_loss)(weights, tasks)
        return [w - meta_rate * slope for w, slope in zip(weights, slopes, strict=True)], value

    return lax.scan(body, weights, (x, y, new_x, new_y))


def translate(sources, targets, forced, state, token, embeddings, encoder, decoder, attend, out):
    def encode(state, source):
        state = seq2seq.cell(xp, embeddings[source], state, encoder)
        return state, state

    def decode(carry, given):
        (token, state, total), (target, force) = carry, given
        state, scores, loss = seq2seq.decode(
            xp, token, target, state, memory, embeddings, decoder, attend, out
        )
        best = xp.argmax(scores)
        return (jnp.where(force, target, best), state, total + loss), best

    state, memory = lax.scan(encode, state, sources)
    start = token, state, jnp.zeros((), state.dtype)
    (_, _, total), predicted = lax.scan(decode, start, (targets, forced))
    return total, predicted


def encode_tree(words, lefts, rights, rows, embeddings, w, u):
    def body(rows, given):
        i, word, left, right = given
        row = lax.cond(
            left == treelstm.NO_CHILD,
            lambda: treelstm.leaf(xp, embeddings[word], w),
            lambda: treelstm.merge(xp, rows[left], rows[right], u),
        )
        return rows.at[i].set(row), None

    return lax.scan(body, rows, (jnp.arange(len(words)), words, lefts, rights))[0][-1]


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
    return jax.tree.map(jnp.asarray, given)


def eager(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: jax.block_until_ready(f(*given))


def converted(f: Callable[..., Any]) -> Callable[..., Any]:
    return by_hand(ag.convert(f))


def by_hand(f: Callable[..., Any]) -> Callable[..., Any]:
    return eager(jax.jit(f))


def leaves(results: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]
