"""Converted functions and modules under PyTorch's captures."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from support import required

torch = required("torch")
from torch import nn  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

import autograph_rs as ag  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:Dynamo does not know:UserWarning"),
]
"""torch warns of its own inner workings."""


class Calls(nn.Module):
    """A module around a function, as `torch.export` asks for."""

    def __init__(self, f: Callable[..., Any]):
        super().__init__()
        self.f = ag.convert(f)

    def forward(self, *arguments: Any) -> Any:
        return self.f(*arguments)


def exported(module: nn.Module, *arguments: Any, **options: Any) -> torch.export.ExportedProgram:
    return torch.export.export(module, arguments, strict=False, **options)


def reloaded(program: torch.export.ExportedProgram) -> nn.Module:
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file).module()


def check(f: Callable[..., Any], *inputs: Sequence[Any], **options: Any) -> None:
    """Capture with the first inputs; the program, and it saved and loaded, is right on all."""
    program = exported(Calls(f), *copied(inputs[0]), **options)
    for run in (program.module(), reloaded(program)):
        for arguments in inputs:
            given, again = copied(arguments), copied(arguments)
            same(run(*given), f(*again))
            same(given, again)


def copied(arguments: Sequence[Any]) -> list[Any]:
    return [a.clone() if isinstance(a, torch.Tensor) else copy.deepcopy(a) for a in arguments]


def same(made: Any, expected: Any) -> None:
    made, expected = (v if isinstance(v, (tuple, list)) else [v] for v in (made, expected))
    assert len(made) == len(expected)
    for a, b in zip(made, expected, strict=True):
        torch.testing.assert_close(
            torch.as_tensor(a), torch.as_tensor(b), check_dtype=isinstance(b, torch.Tensor)
        )


def operators(module: torch.fx.GraphModule) -> set[str]:
    """The names of all operators, those of inner graphs included."""
    graphs = [m for m in module.modules() if isinstance(m, torch.fx.GraphModule)]
    return {str(n.target) for g in graphs for n in g.graph.nodes if n.op == "call_function"}


XS = torch.tensor([1.0, 2.0, 3.0])
ROWS = torch.arange(18.0).reshape(6, 3) / 10 - 0.5


# Conditions and loops ---------------------------------------------------------------------------


def branches(x, y):
    if x.sum() > 0:
        z = x * 2 + y
    elif y.sum() > 0:
        z = x - 1
    else:
        z = y
    return z


def early_return(x):
    if x[0] > 0:
        return x * 2
    if x[1] > 0:
        return x - 1
    return -x


def doubled(x):
    count, scale = 0, 1.0
    while x.sum() < 50:
        x = x * 2
        count += 1
        scale = scale * 0.5
    return x, count, scale


def relu_sum(rows):
    total = 0.0
    for row in rows:
        if row.sum() > 0:
            total += row
    return total * 1.0


def until_large(rows):
    total, seen = torch.zeros(3), 0
    for row in rows:
        total = total + row
        seen += 1
        if total.sum() > 2:
            break
    return total, seen


def returns_in_loop(rows, limit):
    for row in rows:
        if row.sum() > limit:
            return row
    return rows[0] * 0


def to_n(n, x):
    for i in range(n):
        if i % 2 == 0:
            continue
        x = x + i
    return x


def nested(x):
    total = torch.zeros(())
    for i in range(x.shape[0]):
        j = 0
        while j < x[i]:
            total = total + x[i] * j
            j += 1
    return total


@pytest.mark.parametrize(
    ("f", "inputs"),
    [
        (branches, [(XS, XS), (-XS, XS), (-XS, -XS)]),
        (early_return, [(XS,), (-XS,), (XS * torch.tensor([-1.0, 1.0, 1.0]),)]),
        (doubled, [(XS,), (XS * 100,), (XS * 0.01,)]),
        (until_large, [(ROWS,), (ROWS * 10,), (-ROWS,)]),
        (returns_in_loop, [(ROWS, torch.tensor(2.0)), (ROWS, torch.tensor(20.0))]),
        (to_n, [(torch.tensor(5), XS), (torch.tensor(0), XS), (torch.tensor(-3), XS)]),
        (nested, [(XS,), (XS - 2,)]),
    ],
)
def test_export(f, inputs):
    check(f, *inputs)


def test_captured_control_flow_is_in_the_program():
    assert "cond" in operators(exported(Calls(branches), XS, XS).graph_module)
    assert "while_loop" in operators(exported(Calls(doubled), XS).graph_module)
    assert {"scan", "cond"} <= operators(exported(Calls(masked), ROWS).graph_module)


def masked(rows):
    total = torch.zeros(3)
    for row in rows:
        if row.sum() > 0:
            total = total + row
    return total


def test_short_loops_are_written_out():
    assert "scan" not in operators(exported(Calls(masked), ROWS[:3]).graph_module)


def test_a_number_that_becomes_a_tensor_of_another_shape_is_named():
    with pytest.raises(ag.MismatchError, match="total"):
        exported(Calls(relu_sum), ROWS)


def scaled(f: Callable[..., Any], inputs: Sequence[Any]) -> list[list[Any]]:
    """Inputs that take other ways through a function, and end."""
    factors = (1, 30, 0.5) if f is doubled else (1, -1, 30)
    return [[a * factor for a in inputs] for factor in factors]


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize(("f", "inputs"), [(branches, (XS, -XS)), (doubled, (XS,)), (until_large, (ROWS,))])
def test_make_fx(f, inputs, mode):
    graph = make_fx(ag.convert(f), tracing_mode=mode)(*inputs)
    assert {"cond", "while_loop"} & operators(graph)
    for arguments in scaled(f, inputs):
        same(graph(*arguments), f(*arguments))


def by_size(x):
    n = x.shape[0]
    if n > 4:
        return x * n
    return x - n


def over_rows(x):
    total = torch.zeros(2)
    for row in x:
        total = total * 0.5 + row
    for i in range(x.shape[0]):
        total = total + i
    return total


@pytest.mark.parametrize("f", [by_size, over_rows])
def test_sizes_that_vary(f):
    length = torch.export.Dim("n", min=2, max=64)
    inputs = [(torch.randn(n, 2),) for n in (5, 2, 9)]
    check(f, *inputs, dynamic_shapes={"arguments": (({0: length}),)})


# Values -----------------------------------------------------------------------------------------


def carries(x, n):
    a, b, flag, ratio = 0, 1, False, 1
    while a < n:
        a, b = b, a + b
        flag = a > 5
        ratio = ratio / 2
    return a, b, flag, ratio, x * a


def half_or_double(x, k):
    if x.sum() > 0:
        y, z, w = x.half(), 1, k
    else:
        y, z, w = x.double(), 2.5, 0.5
    return y, z, w


def test_numbers():
    check(carries, (XS, torch.tensor(40)), (XS, torch.tensor(0)), (XS, torch.tensor(3)))
    program = exported(Calls(half_or_double), XS, torch.tensor(3)).module()
    y, z, w = program(XS, torch.tensor(3))
    assert (y.dtype, z.dtype, w.dtype) == (
        torch.float64,
        torch.get_default_dtype(),
        torch.get_default_dtype(),
    )
    assert (y.tolist(), z.item(), w.item()) == ([1.0, 2.0, 3.0], 1.0, 3.0)


def aliases(x):
    y = z = x
    if x.sum() > 0:
        y = x.view(3, 1)[:, 0]
        z = y
    return y.sum() + 1, z.sum() * 2


def earlier(x):
    last = x
    while x.sum() < 50:
        last = x
        x = x + last
    return x, last


def number_and_name(x):
    n, m = 0, 0
    while x.sum() < 50:
        m = n
        n += 1
        x = x * 2
    k = n
    n += 10
    return n, m, k


def test_aliases():
    check(aliases, (XS,), (-XS,))
    check(earlier, (XS,), (XS * 100,))
    check(number_and_name, (XS,), (XS * 100,))


def written_in_branch(x, y):
    same = x
    if y.sum() > 0:
        x += 1
        x[0] = 7
    else:
        x *= 2
    return same * 1, x


def written_in_loop(x):
    out = torch.zeros(6)
    view = x
    for i in range(6):
        out[i] = x.sum() * i
        x += 1
    return out, view


def written_by_index(x, i):
    y = x.clone()
    if x[i] > 0:
        y[i] = x[i - 1] * 10
        y[i] += 1
    return y


def test_writes_in_place():
    check(written_in_branch, (XS, XS), (XS, -XS))
    check(written_in_loop, (XS,), (-XS,))
    check(written_by_index, (XS, torch.tensor(1)), (XS, torch.tensor(-1)), (-XS, torch.tensor(0)))


def test_an_index_out_of_range_is_an_error():
    program = exported(Calls(lambda x, i: x[i] * 2), XS, torch.tensor(1)).module()
    with pytest.raises(IndexError, match="out of bounds"):
        program(XS, torch.tensor(3))


def shared(x, y):
    z = x if y.sum() > 0 else y
    z += 1
    return x, z


def rebound_and_written(x):
    while x.sum() < 10:
        x += 1
        x = x * 2
    return x


def view_and_base(x):
    first = x[0]
    if x.sum() > 0:
        x += 1
        first = first + 1
    return first


@pytest.mark.parametrize("f", [shared, rebound_and_written, view_and_base])
def test_writes_that_another_name_would_not_see_are_refused(f):
    arguments = (XS, XS) if f is shared else (XS,)
    with pytest.raises(ag.AutographError, match=r"x = x \+ 1"):
        exported(Calls(f), *copied(arguments))


def appended(x):
    found = [x[0]]
    for i in range(6):
        if i % 2:
            found.append(x.sum() * i)  # noqa: PERF401
    for row in x:
        found.append(row * 2)  # noqa: PERF401
    return torch.stack(found)


def test_lists():
    check(appended, (torch.arange(6.0),), (-torch.arange(6.0),))


def numpys(x):
    if np.sum(x) > 0:
        y = np.sin(x) + np.maximum(x, 1.5)
    else:
        y = np.where(x > -2, x, 0.0)
    return y


def test_numpys_functions():
    made = exported(Calls(numpys), XS).module()
    for x in (XS, -XS):
        np.testing.assert_allclose(made(x).numpy(), numpys(x.numpy()), rtol=1e-6)


# Effects ----------------------------------------------------------------------------------------


def checked(x, limit):
    total = torch.zeros(())
    for value in x:
        if value > limit:
            raise ValueError("over the limit")
        total = total + value
    assert total < 20, f"{total} is too much"
    return total


def test_errors():
    f = torch.tensor
    check(checked, (torch.arange(6.0), f(9.0)))
    program = exported(Calls(checked), torch.arange(6.0), f(9.0))
    for run in (program.module(), reloaded(program), program.run_decompositions().module()):
        with pytest.raises(RuntimeError, match="ValueError: over the limit"):
            run(torch.arange(6.0), f(2.0))
        with pytest.raises(RuntimeError, match=r"AssertionError: 30\.0 is too much"):
            run(torch.arange(6.0) * 2, f(99.0))


def unset(x):
    if x.sum() > 0:
        y = x
    return y * 2


def test_unset_variables():
    run = exported(Calls(unset), XS).module()
    assert run(XS).tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(RuntimeError, match="UnboundLocalError: cannot access local variable 'y'"):
        run(-XS)


def prints(x):
    for i, value in enumerate(x):
        if value > 0:
            print("up", i, f"{value:.2f}")
    print("end", end="!\n")
    return x


def test_print(capsys):
    run = reloaded(exported(Calls(prints), torch.tensor([1.0, -2.0, 3.0, 4.0, 5.0])))
    assert capsys.readouterr().out == "end!\n"
    run(torch.tensor([-1.0, 2.0, -3.0, 4.5, -5.0]))
    assert capsys.readouterr().out == "up tensor(1) 2.00\nup tensor(3) 4.50\n"


def test_what_cannot_be_done():
    def by_slice(x, n):
        return x[:n].sum() if x.sum() > 0 else x.sum()

    def by_shape(x):
        return x if x.sum() > 0 else x[1:]

    def growing(x):
        found = []
        while x.sum() < 50:
            x = x * 2
            found.append(x)
        return found

    def recursive(x):
        return x if x.sum() > 50 else recursive(x * 2)

    n = torch.tensor(2)
    for f, arguments, text in [
        (by_slice, (XS, n), "known only at run time"),
        (by_shape, (XS,), "the shape"),
        (growing, (XS,), "known only at run time"),
        (recursive, (XS,), "calls itself|too deep"),
    ]:
        with pytest.raises(ag.AutographError, match=text):
            exported(Calls(f), *arguments)


# Modules and gradients --------------------------------------------------------------------------


class Block(nn.Module):
    """A module with a condition on its input."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.rand(3))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        if x.sum() > 0:
            x = self.linear(x)
        else:
            x = x * self.scale
        return x


class Net(nn.Module):
    """A module with modules inside."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])

    def forward(self, rows):
        total, count = torch.zeros(3), 0
        for row in rows:
            for block in self.blocks:
                row = block(row)
            if row.sum() > 0:
                count += 1
            total = total * 0.5 + row
        return total, count


def test_modules():
    torch.manual_seed(0)
    module = Net()
    plain = copy.deepcopy(module)
    assert ag.convert_module(module) is module
    assert type(module) is Net
    assert "forward" not in vars(Block()) and "forward" not in vars(module.blocks[0].linear)
    same(module(ROWS), plain(ROWS))
    program = exported(module, ROWS)
    assert len(program.graph_signature.parameters) == 6
    for run in (program.module(), reloaded(program)):
        for rows in (ROWS, -ROWS, ROWS * 5):
            same(run(rows), plain(rows))


def test_a_method():
    torch.manual_seed(0)
    block = Block()
    calls = Calls(ag.convert(block.forward))
    calls.block = block
    program = exported(calls, XS).module()
    for x in (XS, -XS):
        same(program(x), block(x))


def test_no_module():
    with pytest.raises(TypeError, match=r"torch\.nn\.Module, not list"):
        ag.convert_module([])


class Summing(nn.Module):
    """Conditions, a loop of known length, one of unknown length and one with a break, over parameters."""

    def __init__(self, kind: str):
        super().__init__()
        self.kind, self.weight = kind, nn.Parameter(torch.tensor([0.5, 1.5, -0.5]))

    def forward(self, rows):
        total, count = torch.zeros(3), 0
        if self.kind == "while":
            while (total.sum() < 5) & (count < 10):
                total = total * 1.1 + (rows[0] * self.weight).abs()
                count += 1
            return total, count
        for row in rows:
            if row.sum() > 0:
                total = total + row * self.weight
            else:
                total = total * self.weight
                count += 1
            if self.kind == "break" and total.sum() > 1:
                break
        return total, count


@pytest.mark.parametrize("kind", ["for", "break", "while"])
def test_gradients(kind):
    plain, module = Summing(kind), ag.convert_module(Summing(kind))
    run = exported(module, ROWS).module()
    for rows in (ROWS, -ROWS, ROWS * 3):
        a, b = rows.clone().requires_grad_(), rows.clone().requires_grad_()
        plain.zero_grad()
        run.zero_grad()
        (expected, count), (made, counted) = plain(a), run(b)
        torch.testing.assert_close(made, expected)
        assert counted == count
        if expected.requires_grad:
            expected.square().sum().backward()
            made.square().sum().backward()
            torch.testing.assert_close(run.weight.grad, plain.weight.grad)
            torch.testing.assert_close(b.grad, torch.zeros_like(b) if a.grad is None else a.grad)


# torch.compile ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prepare", [ag.convert, ag.to_graph])
@pytest.mark.parametrize(("f", "inputs"), [(branches, (XS, -XS)), (doubled, (XS,)), (until_large, (ROWS,))])
def test_compile(f, inputs, prepare):
    compiled = torch.compile(prepare(f), backend="eager")
    for arguments in scaled(f, inputs):
        same(compiled(*arguments), f(*arguments))
    torch.compiler.reset()


def test_compile_without_breaks():
    def plain(x, double):
        for _ in range(3):
            x = x * 2 if double else x + 1
        return x

    compiled = torch.compile(ag.convert(plain), backend="eager", fullgraph=True)
    same(compiled(XS, True), plain(XS, True))
    same(compiled(XS, False), plain(XS, False))
    torch.compiler.reset()


def test_the_exported_program_is_compiled():
    run = torch.compile(exported(Calls(until_large), ROWS).module(), backend="eager", fullgraph=True)
    for rows in (ROWS, -ROWS):
        same(run(rows), until_large(rows))
    torch.compiler.reset()
