"""Numbers, aliases, writes in place, errors and prints under PyTorch's captures."""

from __future__ import annotations

import numpy as np
import pytest
from torch_support import QUIET, XS, Calls, check, copied, exported, reloaded, torch

import autograph_rs as ag

pytestmark = QUIET


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


PADDINGS = [
    ("constant", 1, {}), ("constant", ((0, 2), (1, 0)), {"constant_values": 3}), ("edge", (1, 2), {}),
    ("reflect", 4, {}), ("symmetric", ((5, 0), (1, 7)), {}), ("wrap", ((2,), (3,)), {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "widths", "options"), PADDINGS, ids=lambda p: p if isinstance(p, str) else ""
)
@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool, torch.complex128])
def test_padding(dtype, mode, widths, options):
    def padded(x):
        return np.pad(x, widths, mode, **options)

    x = torch.arange(6).reshape(2, 3).to(dtype)
    expected = padded(x.numpy())
    program = exported(Calls(padded), x)
    (result,) = (node.meta["val"] for node in program.graph.output_node().args[0])
    assert tuple(result.shape) == expected.shape  # numbers that the compiler knows
    np.testing.assert_array_equal(program.module()(x).numpy(), expected, strict=True)


def test_padding_along_an_axis_of_any_length():
    def padded(x):
        return np.pad(x, ((2, 1), (0, 0)), "reflect")

    length = torch.export.Dim("length", min=2, max=50)
    program = exported(Calls(padded), torch.ones(4, 2), dynamic_shapes=(({0: length},),)).module()
    for n in (2, 3, 7):
        x = torch.arange(2.0 * n).reshape(n, 2)
        np.testing.assert_array_equal(program(x).numpy(), padded(x.numpy()))


@pytest.mark.parametrize("widths", [-1, ((1, 1), (1, 1)), (1, 2, 3)], ids=str)
def test_widths_that_no_padding_has(widths):
    with pytest.raises(ValueError, match="pad_width"):
        exported(Calls(lambda x: np.pad(x, widths)), torch.ones(3))


def test_modes_of_padding_that_torch_does_not_have():
    with pytest.raises(ag.UnsupportedFunctionError, match="constant, edge, reflect"):
        exported(Calls(lambda x: np.pad(x, 1, "mean")), torch.ones(3))


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
        return x if x.sum() > 50 else recursive(x * 2) + 1

    n = torch.tensor(2)
    for f, arguments, text in [
        (by_slice, (XS, n), "known only when the graph runs"),
        (by_shape, (XS,), "the shape"),
        (growing, (XS,), "known only at run time"),
        (recursive, (XS,), "calls itself|too deep"),
    ]:
        with pytest.raises(ag.AutographError, match=text):
            exported(Calls(f), *arguments)
