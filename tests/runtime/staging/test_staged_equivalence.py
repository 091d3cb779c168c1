# ruff: noqa: E501, FURB136, PERF401, PLR1730, RUF005 - written as users write
"""Functions as users write them: `ag.function(f)` does on NumPy arguments what `f` does.

Every function is one `ag.function`, called in turn on inputs that take different paths. Value, error, what is
printed and what becomes of the arguments are compared with plain Python.
"""

from __future__ import annotations

import collections
import importlib.util
from typing import Any

import numpy as np
import pytest
from cases_support import check_staged

import autograph_rs as ag
from autograph_rs.testing.harness import run

A, F, N = np.array, np.float64, np.int64
XS, SIGN, COUNT = A([3, -1, 2, 5]), [(F(2),), (F(-2),)], [(N(3),), (N(0),)]
FUNCTIONS: list[Any] = []


def same(*calls: tuple):
    def attach(function):
        FUNCTIONS.append(pytest.param(function, calls, id=function.__name__))
        return function

    return attach


# Arrays that are written while something else sees them


@same((A([5, 3, 4, 1, 2]),))
def loop_over_an_array_written_ahead(xs):
    seen = []
    for i, x in enumerate(xs):
        seen.append(x)
        if i + 1 < len(xs):
            xs[i + 1] += x
    return seen, xs


@same((A([[1, 2], [3, 4]]),))
def rows_written_in_a_loop(m):
    for row in m:
        row[0] = 9
    return m


@same((XS, N(3)), (XS, N(0)))
def view_made_in_a_loop(xs, n):
    ys = xs
    for _ in range(n):
        ys = xs[1:]
    xs[2] = 50
    return ys.sum()


@same((XS, N(3)), (XS, N(0)))
def view_written_in_its_branch(xs, n):
    if n > 0:
        ys = xs[1:]
        ys[0] -= 1
    return ys if n > 0 else xs[:0]


@same((XS, N(3)), (XS, N(0)))
def alias_made_in_a_branch(xs, n):
    ys = xs.copy()
    if n > 0:
        ys = xs
    ys[0] = 50
    return xs, ys


@same((XS, N(2)), (XS, N(0)))
def alias_lost_in_a_loop(x, n):
    y = x
    for _ in range(n):
        y = y + 1
    y[0] = 100
    return x, y


@same((A([[1, 2], [3, 4]]),))
def written_through_reshape(m):
    t = m.reshape(-1)
    t[1] = 77
    m.T[0, 1] = 78
    return m


@same((np.array(3.0),))
def array_of_no_dimensions_in_place(x):
    x += 1
    return x


# Plain objects that a staged branch or loop changes


@same(*SIGN)
def plain_array_changed_in_a_branch(x):
    a = np.array([3.0, 1, 2])
    if x > 0:
        a += 1
    return a


@same(*SIGN)
def plain_array_changed_by_methods(x):
    a, b, c = np.array([3, 1, 2]), np.zeros(3), np.array([4.0, 9])
    if x > 0:
        a.sort()
        b.fill(4)
        np.sqrt(c, out=c)
    return a, b, c


@same(*SIGN)
def set_and_deque_changed_in_a_branch(x):
    s, d = {1}, collections.deque([1])
    if x > 0:
        s.add(2)
        d.append(2)
    return len(s), len(d)


@same(*SIGN)
def list_changed_by_a_bound_method(x):
    box = [0]
    push = box.append
    if x > 0:
        push(2)
    return len(box)


# Lists


@same((A([3, 1, 2]),), (A([1]),))
def two_names_of_one_list(xs):
    a = b = []
    for x in xs:
        if x > 1:
            a.append(x)
    b.append(0)
    return a, b


@same((A([3, 1, 2]),))
def one_of_two_lists(xs):
    a, b = [], []
    for x in xs:
        (a if x > 1 else b).append(x)
    return a, b


@same(*SIGN)
def list_chosen_in_a_branch(x):
    a, b = [1], [2]
    chosen = a if x > 0 else b
    chosen[0] = 7
    return a, b


@same((N(4),))
def loop_over_a_list_that_grows(n):
    queue, total = [n], 0
    for v in queue:
        total += v
        if v > 0:
            queue.append(v - 1)
    return total


@same((A([1, -1, 2, 3, -1]),))
def stack(xs):
    s, total = [], 0
    for x in xs:
        if x > 0:
            s.append(x)
        else:
            total += s.pop()
    return total, s


@same(*COUNT)
def item_of_a_list_that_may_be_empty(n):
    q = []
    if n > 0:
        if q:
            q[-1] = -4
        if n > 2:
            q.extend([n, n])
    return q


@same((A([3, 1, 2]),))
def operators_of_lists(xs):
    q = []
    for x in xs:
        if x > 0:
            q.append(x)
    return q == [3, 1, 2], q != [1], [0] + q, q * 2


@same((N(6),), (N(0),))
def pascal(n):
    row = [1]
    for _ in range(n):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return row


@same((N(100),), (N(1),))
def work_on_a_stack(n):
    waiting, total = [n], 0
    while waiting:
        k = waiting.pop()
        total += k
        if k > 1:
            waiting.append(k // 2)
            waiting.append(k - k // 2 - 1)
    return total


@same((N(255),), (N(0),))
def digits(n):
    if n == 0:
        return [0]
    ds = []
    while n:
        ds.append(int(n % 2))
        n //= 2
    return ds[::-1]


@same((A([3, 1, 2]),))
def list_of_a_helper_and_of_a_dict(xs):
    out, table = [], {"small": []}
    for x in xs:
        if x > 1:
            out.append(x)
        else:
            put(table["small"], x)
    return out, table


def put(items, x):
    items.append(x)


@same((A([3, 1, 2]),), (A([7]),))
def joined_texts(xs):
    parts = []
    for x in xs:
        parts.append(f"<{x}>")
    return ", ".join(parts)


# Names, promotion, errors


@same((N(4),), (N(0),))
def printed_in_nested_loops(n):
    for i in range(n):
        line, total = "", 0
        for j in range(i):
            line += "*"
            total += j
        print(line, total)


@same((N(-1), N(1)), (N(0), N(1)))
def membership_of_constants(n, m):
    return m if -1 in (-1, 2, n) else n


@same((A([3, 7, 2], np.uint8),), (A([], np.uint8),))
def extremes_from_numbers_out_of_range(xs):
    best, least = -1, 10**6
    for x in xs:
        best = x if x > best else best
        if x < least:
            least = x
    return best, least


@same((np.float32(2),))
def zeros_of_two_signs(x):
    return 1 / (x * np.float32(0.0)), 1 / (x * np.float32(-0.0))


@same((N(0),), (N(5),))
def plain_error_on_the_path_not_taken(n):
    q = []
    if n > 0:
        return q.pop() + 1
    return {"a": n}["a"]


def unchanged(x):
    return (np.zeros(2) if x > 0 else np.ones(2)), np.zeros_like(x[None]), np.zeros_like(x[None])


def test_results_are_the_callers_own():
    """A caller's write to a result changes no other result, of this call or a later one."""
    staged = ag.function(unchanged)
    for _ in range(2):
        for i, result in enumerate(staged(F(1))):
            assert not result.any()
            result[...] = i + 1


def test_all_that_a_branch_changes_is_seen():
    """However many objects the branch can reach."""

    def f(x):
        boxes = [[i] for i in range(20_100)]
        if x > 0:
            boxes[0][0] = boxes[-1][0] = -1
        return boxes[0][0], boxes[-1][0]

    staged = ag.function(f)
    assert (staged(F(1)), staged(F(-1))) == (f(1), f(-1))


RAISES = frozenset(
    (
        "loop_over_an_array_written_ahead",
        "rows_written_in_a_loop",
        "view_made_in_a_loop",
        "view_written_in_its_branch",
        "alias_made_in_a_branch",
        "alias_lost_in_a_loop",
        "written_through_reshape",
        "plain_array_changed_in_a_branch",
        "plain_array_changed_by_methods",
        "set_and_deque_changed_in_a_branch",
        "list_changed_by_a_bound_method",
        "two_names_of_one_list",
        "one_of_two_lists",
        "list_chosen_in_a_branch",
        "loop_over_a_list_that_grows",
        "stack",
        "operators_of_lists",
        "pascal",
        "digits",
        "list_of_a_helper_and_of_a_dict",
        "joined_texts",
        "extremes_from_numbers_out_of_range",
        "plain_error_on_the_path_not_taken",
        "floats: x.conj()",
        "floats: x.view(np.int64)",
        "ints: [0]*x[0]",
        "ints: 'ab'*x[0]",
        "ints: hex(x[0])",
        "ints: 'abc'[x[0]%3]",
        "ints: pow(int(x[0]),2,5)",
        "ints: int(x[0]).bit_length()",
        "ints: chr(65+abs(x[0]))",
        "ints: '%d items' % x[0]",
        "ints: '{:>5}'.format(x[0])",
        "matrices: np.max(x,axis=0,out=np.zeros(3))",
        "matrices: sum(1 for r in x if r[0]>4)",
        "matrices: {i: r.sum() for i, r in enumerate(x)}",
        "empty: min(x,default=0)",
        "complex: x[0].conjugate()",
    )
)
"""What cannot be staged yet, or cannot at all: it raises, or is right, and is never wrong."""


def check(staged: Any, function: Any, arguments: tuple, name: str) -> None:
    actual, expected = run(staged, arguments), run(function, arguments)
    if name in RAISES and actual.error is not None:
        return
    check_staged(actual, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "calls"), FUNCTIONS)
def test_function(function, calls):
    """One trace, or one for each signature, serves all inputs."""
    staged = ag.function(function)
    for arguments in calls:
        check(staged, function, arguments, function.__name__)


EXPRESSIONS = {
    "floats": ([A([3.0, -1, 2, 5]), A([0.0, 1, 0, -4])], """
        x[x>0].sum() | x[::-2] | x[5:] | np.where(x>0) | np.percentile(x,[25,50]) | np.add.reduceat(x,[0,2])
        np.sum(x,where=x>0,initial=1.) | np.pad(x,(1,2),mode='edge') | np.frexp(x) | x%2,x//2,-x%3 | [*x] | x//0
        x[0] if x[0] else 5 | 2 in x | x[0] in [3,4] | 1<x[0]<4 | f'{x[0]:8.2f} {x}' | x.tolist() | x.conj()
        np.array([[x[0],x[1]],[1,2]]) | isinstance(x,np.ndarray),isinstance(x[0],float) | x.view(np.int64)"""),
    "ints": ([A([3, -1, 2, 5]), A([2, 1, 0, -4])], """
        x//0 | divmod(x[0],3) | int(x[0])//-2,int(x[0])%-2 | list(range(x[0],-2,-1)) | [0]*x[0] | 'ab'*x[0] | hex(x[0])
        'abc'[x[0]%3] | pow(int(x[0]),2,5) | int(x[0])*10**20 | int(x[0]).bit_length() | math.factorial(x[0])
        x.astype(np.int8)*100 | [1,2,3][x[0]%3] | chr(65+abs(x[0])) | '%d items' % x[0] | '{:>5}'.format(x[0])"""),
    "matrices": ([A([[3.0, -1, 2], [5, 0, 1]])], """
        x[:,x[0]>=0] | x-x.mean(axis=0) | list(zip(*x)) | [[v*2 for v in r] for r in x] | np.max(x,axis=0,out=np.zeros(3))
        sum(1 for r in x if r[0]>4) | any(v>4 for v in x[1]) | {i: r.sum() for i, r in enumerate(x)}"""),
    "bytes": ([A([250, 3, 7], np.uint8)], """
        x-x[::-1] | -x | x+300 | x>-1 | np.where(x>5,300,x) | sum(x) | x[1]-x[0] | x[0]+np.int64(1) | x+1.5"""),
    "truths": ([A([True, False]), A([True, True])], """
        x**2,x[0]**2,np.array(x[0])**2 | x**3,x[0]**3 | x.astype(int)**int(x.sum()) | np.power(x,int(x.sum()))
        x[0]**int(x.sum()) | x**True | x**2.0"""),
    "empty": ([np.zeros(0)], "x.max() | max(x) | min(x,default=0) | x[0] | np.argmax(x) | sorted(x) | any(x),all(x)"),
    "complex": ([A([1 + 2j, -3j])], "abs(x) | x[0].conjugate() | x[0]>x[1] | float(x[0]) | x@x | x.real"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        pytest.param(inputs, part.strip(), id=f"{kind}: {part.strip()}")
        for kind, (inputs, texts) in EXPRESSIONS.items()
        for part in texts.replace("\n", " | ").split("|")
        if part.strip()
    ],
)
def test_expression(inputs, text, tmp_path, request):
    """An expression of a staged `x`."""
    file = tmp_path / "expression.py"
    file.write_text(f"import math\nimport numpy as np\ndef f(x):\n    return {text}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("expression", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    staged = ag.function(module.f)
    for x in inputs:
        check(staged, module.f, (x,), request.node.callspec.id)
