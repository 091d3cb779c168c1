"""The workloads in PyTorch: its functions, and control flow written by hand.

PyTorch's loop bodies take and return tensors only, and must not return an input. Programs are captured with
`make_fx`, because `torch.export` loses what `torch.func.grad` computes.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch._higher_order_ops import scan, while_loop  # the variants that tracers support
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves, tree_map

import autograph_rs as ag

from . import beam_search, lbfgs, maml, rnn, seq2seq, sgd, treelstm

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.backends.cudnn.allow_tf32 = False
zeros, ones, arange = (functools.partial(f, device=DEVICE) for f in (torch.zeros, torch.ones, torch.arange))


def put(rows: Any, i: Any, row: Any) -> Any:
    return rows.index_copy(0, torch.as_tensor(i, device=DEVICE).reshape(1), row[None])


def value_and_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    slope_and_value = torch.func.grad_and_value(f)
    return lambda *given: slope_and_value(*given)[::-1]


xp = SimpleNamespace(
    abs=torch.abs,
    all=torch.all,
    argmax=lambda x: torch.argmax(x, dim=1),
    concatenate=lambda parts: torch.cat(parts, dim=-1),
    dot=torch.dot,
    grad=lambda f, count=0: torch.func.grad(f, tuple(range(count)) if count else 0),
    log_softmax=lambda x: torch.log_softmax(x, dim=-1),
    matvec=torch.mv,
    max=torch.amax,
    mean=torch.mean,
    pick=lambda rows, places: torch.gather(rows, 1, places[:, None])[:, 0],
    push=lambda rows, row: torch.cat([row[None], rows[:-1]]),
    put=put,
    relu=torch.relu,
    reshape=torch.reshape,
    sigmoid=torch.sigmoid,
    softmax=lambda x: torch.softmax(x, dim=0),
    softplus=torch.nn.functional.softplus,
    split=lambda x, count: torch.chunk(x, count, dim=-1),
    stack=torch.stack,
    sum=torch.sum,
    take=lambda rows, places: torch.index_select(rows, 0, places),
    tanh=torch.tanh,
    top_k=torch.topk,
    value_and_grad=value_and_gradient,
    vecmat=torch.matmul,
    where=torch.where,
)


def dynamic_rnn(inputs, lengths, state, w, u, b):
    def body(state, given):
        i, x = given
        return rnn.step(xp, x, state, (i < lengths)[:, None], w, u, b)

    state, outputs = scan(body, state, (arange(inputs.shape[0]), inputs))
    return outputs, state


def torch_rnn(inputs, lengths, state, w, u, b):
    layer = torch.nn.RNN(*w.shape, device=DEVICE)
    names = "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"
    layer.load_state_dict(dict(zip(names, (w.T, u.T, b, torch.zeros_like(b)), strict=True)))
    packed = torch.nn.utils.rnn.pack_padded_sequence(inputs, lengths.cpu(), enforce_sorted=False)
    outputs, state = layer(packed, state[None])
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(outputs, total_length=inputs.shape[0])
    return padded, state[0]


def train(w, b, images, labels, rate, steps):
    descend = sgd.step(xp)

    def body(i, w, b):
        batch = (i % images.shape[0]).reshape(1)
        image, label = (torch.index_select(a, 0, batch)[0] for a in (images, labels))
        return i + 1, *descend(w, b, image, label, rate)

    start = zeros((), dtype=torch.int64), w.clone(), b.clone()
    return while_loop(lambda i, *_: i < steps, body, start)[1:]


def search(sequences, tokens, scores, state, embeddings, w, u, out, positions, only_end):
    def goes_on(length, _sequences, _tokens, ended, *_):
        return (length < positions.shape[0]) & ~torch.all(ended)

    def body(length, *beams):
        return length + 1, *beam_search.extend(
            xp, length, beams, (embeddings, w, u, out), positions, only_end
        )

    beams = sequences.clone(), tokens.clone(), tokens == beam_search.END, scores.clone(), state.clone()
    start = zeros((), dtype=torch.int64), *beams
    length, sequences, _, _, scores, _ = while_loop(goes_on, body, start)
    return sequences, scores, length


def minimise(x, features, labels, history, curvatures, limit):
    value_and_slope = value_and_gradient(lbfgs.loss(xp))

    def goes_on(count, _x, _value, slope, *_):
        return (count < limit) & (torch.amax(torch.abs(slope)) > lbfgs.TOLERANCE)

    def body(count, x, value, slope, steps, changes, curvatures, scale):
        towards = lbfgs.direction(xp, slope, steps, changes, curvatures, scale)
        descent = torch.dot(slope, towards)

        def too_high(length, new_value, _):
            return new_value > value + 1e-4 * length * descent

        def shorter(length, *_):
            length = length * 0.5
            return length, *value_and_slope(x + length * towards, features, labels)

        tried = ones(()), *value_and_slope(x + towards, features, labels)
        length, new_value, new_slope = while_loop(too_high, shorter, tried)
        step, change = length * towards, new_slope - slope
        product = torch.dot(step, change)
        history = xp.push(steps, step), xp.push(changes, change), xp.push(curvatures, 1.0 / product)
        return count + 1, x + step, new_value, new_slope, *history, product / torch.dot(change, change)

    count = zeros((), dtype=torch.int64)
    pairs = history.clone(), history.clone(), curvatures.clone()
    start = count, x.clone(), *value_and_slope(x, features, labels), *pairs, ones(())
    count, x, value, *_ = while_loop(goes_on, body, start)
    return x, value, count


def meta_train(weights, x, y, new_x, new_y, rate, meta_rate):
    task_loss = maml.loss(xp)
    task_slope = torch.func.grad(task_loss)

    def meta_loss(weights, *tasks):
        def adapted_loss(x, y, new_x, new_y):
            slopes = task_slope(weights, x, y)
            adapted = [w - rate * slope for w, slope in zip(weights, slopes, strict=True)]
            return task_loss(adapted, new_x, new_y)

        return sum(map(adapted_loss, *tasks)) / len(tasks[0])

    def body(weights, tasks):
        value, slopes = value_and_gradient(meta_loss)(weights, *tasks)
        return [w - meta_rate * slope for w, slope in zip(weights, slopes, strict=True)], value

    return scan(body, list(weights), (x, y, new_x, new_y))


def translate(sources, targets, forced, state, token, embeddings, encoder, decoder, attend, out):
    def encode(state, source):
        state = seq2seq.cell(xp, xp.take(embeddings, source), state, encoder)
        return state, state.clone()

    def decode(carry, given):
        (token, state, total), (target, force) = carry, given
        state, scores, loss = seq2seq.decode(
            xp, token, target, state, memory, embeddings, decoder, attend, out
        )
        best = xp.argmax(scores)
        return (torch.where(force, target, best), state, total + loss), best

    state, memory = scan(encode, state, sources)
    (_, _, total), predicted = scan(decode, (token, state, zeros(())), (targets, forced))
    return total, predicted


def encode_tree(words, lefts, rights, rows, embeddings, w, u):
    def row_of(values, i):
        return torch.index_select(values, 0, i.reshape(1))[0]

    def leaf(word, *_):
        return treelstm.leaf(xp, row_of(embeddings, word), w)

    def merge(_, left, right, rows):
        return treelstm.merge(xp, row_of(rows, left), row_of(rows, right), u)

    def body(i, rows):
        word, left, right = (row_of(values, i) for values in (words, lefts, rights))
        row = torch.cond(left == treelstm.NO_CHILD, leaf, merge, (word, left, right, rows))
        return i + 1, put(rows, i, row)

    start = zeros((), dtype=torch.int64), rows.clone()
    return while_loop(lambda i, _: i < words.shape[0], body, start)[1][-1]


BY_HAND = {
    "rnn": dynamic_rnn,
    "sgd": train,
    "beam_search": search,
    "lbfgs": minimise,
    "maml": meta_train,
    "seq2seq": translate,
    "treelstm": encode_tree,
}

OWN = {"rnn": torch_rnn}
OWN_IS_EAGER = True


def arrays(given: Any) -> Any:
    """Return tensors, with 64-bit integers like PyTorch's indices."""

    def tensor(array: Any) -> torch.Tensor:
        return torch.tensor(array, dtype=torch.int64 if array.dtype.kind == "i" else None, device=DEVICE)

    return tree_map(tensor, given)


def finished(results: Any) -> Any:
    """Wait until a GPU has computed the results."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return results


def eager(f: Callable[..., Any]) -> Callable[..., Any]:
    return torch.no_grad()(lambda *given: finished(f(*given)))


def converted(f: Callable[..., Any]) -> Callable[..., Any]:
    return by_hand(ag.convert(f))


def by_hand(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that captures the program at its first call, and runs it then and afterwards."""
    programs: list[Any] = []

    @torch.no_grad()
    def call(*given: Any) -> Any:
        if not programs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                programs.append(make_fx(f, tracing_mode="fake")(*given))
        return finished(programs[0](*given))

    return call


def leaves(results: Any) -> list[Any]:
    return [leaf.cpu().numpy() if isinstance(leaf, torch.Tensor) else leaf for leaf in tree_leaves(results)]
