"""Converted functions inside torch.compile(fullgraph=True): one graph, both branches, gradients, state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from torch_support import QUIET, ROWS, XS, copied, nested, nn, same, torch

import autograph_rs as ag

pytestmark = QUIET
BACKENDS = ["aot_eager", "inductor"]


@pytest.fixture(autouse=True)
def _compiled_code_is_forgotten():
    yield
    torch.compiler.reset()


def whole(f: Any, backend: str = "aot_eager", **options: Any) -> Any:
    return torch.compile(f, fullgraph=True, backend=backend, **options)


def check(f: Callable[..., Any], *inputs: Any, backend: str = "aot_eager", **options: Any) -> None:
    """Compiled whole, a function gives the results and gradients that Python gives, on all inputs."""
    compiled = whole(ag.convert(f), backend, **options)
    for arguments in inputs:
        pairs = []
        for run in (compiled, f):
            given = [a.requires_grad_() if is_smooth(a) else a for a in copied(arguments)]
            results = run(*given)
            tensors = [r for r in results if is_smooth(r)] if isinstance(results, tuple) else [results]
            smooth = [r.sum() for r in tensors if r.requires_grad]
            if smooth:
                sum(smooth).backward()
            pairs.append((results, [a.grad if is_smooth(a) else None for a in given]))
        (made, gradients), (expected, known) = pairs
        same(detached(made), detached(expected))
        for a, b in zip(gradients, known, strict=True):
            assert (a is None or not a.any()) if b is None else torch.allclose(a, b)


def is_smooth(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def detached(results: Any) -> Any:
    parts = results if isinstance(results, tuple) else (results,)
    return tuple(r.detach() if isinstance(r, torch.Tensor) else r for r in parts)


# Functions ----------------------------------------------------------------------------------------


def branches(x, y):
    if x.sum() > 0:
        z = x * 2 + y
    elif y.sum() > 0:
        z = x - 1
    else:
        z = y * y
    return z


def doubled(x):
    count = 0
    while x.abs().sum() < 50:
        x = x * 2
        count += 1
    return x, count


def until_large(rows):
    total = torch.zeros(3)
    for row in rows:
        total = total + row
        if total.sum() > 2:
            break
    return total


def returns_in_loop(rows, limit):
    for row in rows:
        if row.sum() > limit:
            return row * 2
    return rows[0]


PROGRAMS = [
    (branches, [(XS, XS), (-XS, XS), (-XS, -XS)]),
    (doubled, [(XS,), (XS * 100,), (XS * 0.01,)]),
    (until_large, [(ROWS,), (ROWS * 10,), (-ROWS,)]),
    (returns_in_loop, [(ROWS, torch.tensor(2.0)), (ROWS, torch.tensor(20.0))]),
    (nested, [(XS,), (XS - 2,)]),
]


def with_a_lambda(x):
    twice = lambda v: 2 * v  # noqa: E731 - the function creates one
    return twice(x) if x.sum() > 0 else x - 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_creates_a_function(backend: str) -> None:
    check(with_a_lambda, (torch.ones(3),), (-torch.ones(3),), backend=backend)


@pytest.mark.parametrize(("f", "inputs"), PROGRAMS)
def test_one_graph_gives_what_python_gives(f, inputs):
    check(f, *inputs)


def test_inductor_gives_the_results_and_gradients_of_python():
    check(branches, (XS, XS), (-XS, XS), (-XS, -XS), backend="inductor")


def test_conditions_and_loops_are_in_the_graph_of_dynamo():
    graphs = []

    def keep(graph, _):
        graphs.append(graph)
        return graph

    converted = ag.convert(doubled)
    torch.compile(lambda x: converted(x)[0] + 1, fullgraph=True, backend=keep)(XS)
    [graph] = graphs
    assert "while_loop" in {str(node.target) for node in graph.graph.nodes}


@pytest.mark.parametrize("f", [until_large, doubled])
def test_one_graph_serves_all_lengths(f):
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(ag.convert(f), fullgraph=True, backend=counter, dynamic=True)
    for length in (5, 6, 9):
        given = torch.arange(length * 3.0).reshape(length, 3) / 10 + 0.1
        same(compiled(given), f(given))
    assert counter.frame_count == 1


def test_each_converted_function_has_its_own_compiled_code():
    """Dynamo compiles the code of one function a few times at most."""

    def times(n):
        def f(x):
            if x.sum() > 0:
                x = x * n
            return x

        return ag.convert(f)

    for n in range(2 * torch._dynamo.config.recompile_limit):
        same(whole(times(n), "eager")(XS), XS * n)


def test_structures_pass_in_and_out():
    @ag.convert
    def f(pair, named, *, scale):
        a, b = pair
        c = named["x"] * scale if a.sum() > 0 else named["x"] - b
        return {"x": [c, scale], "name": "f", "given": a}, None

    def caller(a, b):
        result, nothing = f((a, b), {"x": a + 0}, scale=3)
        return result["x"][0] * result["x"][1], result["name"], nothing, result["given"] is a

    for a in (XS, -XS):
        made, *others = whole(caller)(a, XS.clone())
        same(made, (a * 3 if a.sum() > 0 else a - XS) * 3)
        assert others == ["f", None, True]


def test_a_tensor_that_is_an_argument_and_a_global():
    compiled = whole(ag.convert(scaled))
    for x in (WEIGHT, XS, WEIGHT):
        same(compiled(x), scaled(x))


# Modules and state --------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.drop = nn.Linear(4, 4), nn.Dropout(0.9)
        self.register_buffer("seen", torch.zeros(()))
        self.limit, self.last = 10.0, None

    def forward(self, x):
        self.seen += x.sum()
        y = self.drop(self.linear(x))
        if y.sum() > 0:
            y = y * 2
        else:
            y = -y
        while y.abs().sum() < self.limit:
            y = y * 1.5 + 0.1
        self.last = y.detach()
        return y


class Around(nn.Module):
    """A module that is not converted itself, and calls a converted one twice."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.head = inner, nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.inner(self.inner(x)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_module_parameters_and_buffers(backend):
    torch.manual_seed(0)
    plain = Net().eval()
    module = ag.convert_module(copy.deepcopy(plain))
    compiled = whole(module, backend)
    for x in (torch.full((2, 4), 0.1), -torch.ones(2, 4)):
        for each in (compiled, plain):
            each(x).sum().backward()
        for made, expected in zip(module.parameters(), plain.parameters(), strict=True):
            torch.testing.assert_close(made.grad, expected.grad)
        torch.testing.assert_close(module.seen, plain.seen)
        torch.testing.assert_close(module.last, plain.last)


def test_module_inside_a_larger_model():
    torch.manual_seed(0)
    plain = Around(Net().eval())
    larger = copy.deepcopy(plain)
    ag.convert_module(larger.inner)
    x = torch.randn(2, 4)
    for each in (whole(larger), plain):
        each(x).sum().backward()
    torch.testing.assert_close(larger.inner.linear.weight.grad, plain.inner.linear.weight.grad)
    torch.testing.assert_close(larger.inner.seen, plain.inner.seen)


def test_settings_of_modules_are_guarded():
    module = ag.convert_module(Net().eval())
    plain = copy.deepcopy(module)
    compiled, x = whole(module), torch.ones(2, 4)
    same(compiled(x), plain(x))
    module.limit = plain.limit = 100.0
    same(compiled(x), plain(x))
    module.train()
    torch.manual_seed(0)
    assert (
        len(set(compiled(x).flatten().tolist())) < x.numel()
    )  # most items of the layer's result are dropped
    module.eval()
    same(compiled(x), plain(x))


class Decoder:
    """An object of the user's, which is no module."""

    def __init__(self):
        self.layer, self.factor = nn.Linear(3, 3), 2

    @ag.convert
    def grown(self, x):
        while x.sum() < 100:
            x = x * self.factor + self.layer(x).abs()
        return x


def test_methods_of_objects_read_the_attributes_of_the_day():
    decoder = Decoder()
    compiled = whole(decoder.grown)
    for change in (
        lambda: None,
        lambda: setattr(decoder, "factor", 3),
        lambda: setattr(decoder, "layer", nn.Linear(3, 3)),
        lambda: decoder.layer.weight.data.mul_(2),
    ):
        change()
        same(compiled(XS), decoder.grown(XS))


FACTOR, WEIGHT = 5, torch.ones(3, requires_grad=True)


def scaled(x):
    if x.sum() > 0:
        return (x * WEIGHT * FACTOR).sum()
    return WEIGHT.sum()


def test_globals_are_guarded_and_have_gradients(monkeypatch):
    compiled = whole(ag.convert(scaled))
    for values in ({}, {"FACTOR": 7}, {"WEIGHT": torch.full((3,), 2.0, requires_grad=True)}):
        for name, value in values.items():
            monkeypatch.setitem(globals(), name, value)
        WEIGHT.grad = None
        compiled(XS).backward()
        same(compiled(XS), scaled(XS))
        torch.testing.assert_close(WEIGHT.grad, XS * FACTOR)
        WEIGHT.grad = None


def test_writes_to_arguments():
    def f(x):
        if x.sum() > 0:
            x += 1
        else:
            x[0] = 5.0
        return x * 2

    compiled = whole(ag.convert(f))
    for x in (XS, -XS):
        given, again = x.clone(), x.clone()
        same(compiled(given), f(again))
        same(given, again)


# Effects and errors -------------------------------------------------------------------------------


def test_errors_and_output_of_the_program(capfd):
    @ag.convert
    def f(x):
        if x.sum() > 0:
            print("positive", x[0])
        else:
            raise ValueError(f"the sum is {x.sum()}")

    compiled = whole(f)
    compiled(XS)
    assert capfd.readouterr().out == "positive tensor(1.)\n"
    with pytest.raises(RuntimeError, match=r"ValueError: the sum is -6\.0"):
        compiled(-XS)


COUNTS = [0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda x, items: items.append(x), "changes a list or dict"),
        (lambda x, items: COUNTS.append(1), "assigns 'a list'"),
    ],
)
def test_changes_that_a_program_cannot_make_are_refused(change, text):
    @ag.convert
    def f(x, items):
        change(x, items)
        return x

    with pytest.raises(torch._dynamo.exc.Unsupported, match=text):
        whole(f)(XS, [])
    assert COUNTS == [0]


def test_what_cannot_be_captured_runs_outside_the_graph():
    """The error gives place, reason and remedy; without `fullgraph`, Python runs the function."""

    @ag.convert
    def f(x):
        if x.sum() > 0:
            return x
        return x[:1]

    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"(?s)MismatchError|shape.*fix"):
        whole(f)(XS)
    same(torch.compile(f, backend="eager")(-XS), -XS[:1])


class Flattened(nn.Module):
    """An attribute is a converted function, which leads to all that this package keeps of a trace."""

    def __init__(self):
        super().__init__()
        self.flattened = ag.convert(lambda rows: [x + 1 for row in rows for x in row])

    def forward(self, rows):
        return torch.stack(self.flattened(rows))


def test_a_list_in_a_module_that_holds_a_converted_function():
    same(whole(Flattened())(ROWS), ROWS.reshape(-1) + 1)
