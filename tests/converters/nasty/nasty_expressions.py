"""Expressions in every form of the grammar."""

import contextlib
import sys

from autograph_rs.testing import samples


@samples((0,), (2,))
def walrus_everywhere(n):
    out = [a := n, (b := a + 1), *(c := [b]), {(d := "k"): (e := 1)}, f"{(f := n)}", f"{(g := n)!r:>{(h := 5)}}"]
    out[(i := 0)] = (j := 5)
    out[(k := 0) : (l := 1)] = [(m := 6)]
    if (o := n) and (p := o + 1) or (q := -1):
        out.append((o, q if not o else p))
    while (r := out.pop()) and (s := len(out)) > 3:
        if (t := s) % 2:
            continue
    for u in (v := [1, 2]):
        out.append((w := u) if (x := u) else (w := 0))
    with (y := contextlib.nullcontext(n)) as z:
        out.append(y is not None)
    assert (aa := True), (bb := "never")
    call = print((cc := 1), *(dd := [2]), sep=(ee := "-"), **(ff := {"end": "\n"}))
    attribute = (gg := sys).maxsize > 0
    item = (hh := [3])[(ii := 0)]
    unary, binary, chain = -(jj := 1), (kk := 2) ** (kk := 3), 0 < (ll := 1) < (ll := 2)
    tuples = (mm := 1), (nn := 2)
    lambdas = (lambda: (oo := n) and oo)(), (lambda pp=(qq := 3): pp)()
    comprehensions = [(rr := i) for i in range(2)], {(ss := i): (tt := i) for i in range(2)}, {(uu := 1) for _ in "a"}
    nested = [[(vv := i + j) for i in range(2)] for j in range(2)], any((ww := i) > 1 for i in range(4))
    return sorted((name, str(value)[:20]) for name, value in locals().items() if name not in ("gg", "y", "lambdas"))


@samples((0,), (2,))
def walrus_in_a_match(n):
    match (a := n):
        case 0 if (b := a + 1):
            c = b
        case x if (b := x) > 1 and (d := b):
            c = d
    return a, b, c


@samples((0,), (2,))
def stars_of_every_form(n):
    first, *rest = range(3)
    *init, last = "abc"
    a, (b, *c), *d = 1, (2, 3, 4), 5, 6
    [e, *f] = g = [n, n]
    out = [*rest, *init, *(x for x in range(n))]
    for h, *i in [(1, 2, 3), "xy"]:
        if i:
            out.append(i)
    pairs = *out, last
    for j in *out, n:
        if j == n:
            break
    merged = {**{"a": 1}, "b": n, **({"c": 3} if n else {})}
    called = dict(*[[("k", 1)]], **merged, **{"z": n})
    if n:
        *out, k = out
        (*l,) = "z"
        first, out[0], *out[1:] = out
    else:
        k, l = None, None
    listed = [[*row, *row] for *row, _ in [(1, 2, 3)]]
    return first, rest, init, last, a, b, c, d, e, f, g, h, i, j, k, l, out, pairs, merged, called, listed, {*out[:0], 1}


class Grid:
    """Shows its index."""

    def __getitem__(self, index):
        return index

    def __setitem__(self, index, value):
        self.last = index, value

    def __delitem__(self, index):
        self.last = index, "deleted"


@samples((0,), (2,))
def stars_in_subscripts_and_annotations(n):
    grid, tail = Grid(), [1, 2]

    def f(*args: *tuple[int, *tuple[str, ...]]):
        return args if n else ()

    seen = [grid[*tail], grid[0, *tail, ::2], grid[*tail, *tail]]
    grid[n, *tail] = 5
    if n:
        seen.append(grid.last)
        grid[*tail] = n
    del grid[*tail, 1]
    return seen, grid.last, f(1, "a"), str(f.__annotations__), tuple[*tail]


class Matrix:
    """Takes part in `@=`."""

    def __rmatmul__(self, other):
        return "product", other


@samples((0, 1.5), (3, -2.25))
def f_strings_of_every_form(n, x):
    name, width, table = "é", 8, {"key": n, 'it"s': 1}
    if n:
        name += f"{n}"
    return [
        f"", f"{n}", f"{n!r}{n!s}{name!a}", f"{x:.2f}", f"{x:{width}.{n or 1}f}", f"{n:>{width}}|{n:<{width}}|{n:^{width}}",
        f"{table['key']}", f'{table["key"]}', f"""{table['it"s']} and "{name}" '{name}'""", f"{{}} {{{n}}} {{n}}",
        f"{n=}", f"{n = }", f"{x=:.1f}", f"{name = !r:>10}", f"{n + 1 = }", f"{(lambda k: k if k else 9)(n)}",
        f"{'yes' if n else 'no'}", f"{n and x or name}", f"{not n}", f"{n in (1, 3)}", f"{0 < n < 5}", f"{[i for i in range(n) if i]}",
        f"{f'{n:>{width}}':*<{width + 2}}", f"{'a' 'b'}" "c" f"{n}", rf"\d{n}\n", f"{n:{'>'}{width}}", f"{x!r:{width}}",
        f"{(n, *table)}", f"{ {1: n}[1] }", f"{n:%}", f"{'%d' % n}{'{}'.format(n)}", f'''{
            n
        }''', f"\N{DIGIT ONE}\t{n}\x41",
    ]  # fmt: skip


@samples((0,), (3,))
def f_strings_ask_in_order(n):
    log = []

    class Shown:
        def __init__(self, name):
            log.append(name)
            self.name = name

        def __format__(self, spec):
            log.append((self.name, spec))
            return self.name if n else "none"

        def __str__(self):
            log.append("str")
            return self.name

        def __repr__(self):
            log.append("repr")
            return self.name

    text = f"{Shown('a')}{Shown('b'):x{Shown('c')}y}{Shown('d')!r}{Shown('e')!s:>5}"
    try:
        f"{Shown('f')}{n / 0}{Shown('g')}"
    except ZeroDivisionError:
        log.append("error")
    try:
        if n:
            text += f"{n:no such format}"
    except ValueError as error:
        log.append(str(error))
    return text, log


@samples((0,), (3,))
def comprehensions_of_every_form(n):
    rows = [[1, 2, n], [], [4]]
    x = "outer"
    return (
        [x for row in rows for x in row if x if x > 1], [[y * 2 for y in row if y] for row in rows if row],
        {x: y for x, y in enumerate("abc") if x}, {x % 2 for row in rows for x in row}, {k: [v] for k, v in {"a": n}.items()},
        list((a, b) for a in range(n) for b in range(a)), [*(x for x in "ab")], [(lambda: i)() for i in range(n)],
        [f() for f in [lambda: i for i in range(3)]], [x if x else None for [x, *_] in [(0, 1), (2,)]],
        [[z for z in (x,)] for x in range(2)], [x for x in [y for y in range(n) if y]], x, dict([(i, i) for i in range(2)]),
        sum(x for x in range(n) if x % 2), [a for a in range(3) if a and n or not a], [b := i for i in range(2)], b,
        {i: {j for j in range(i)} for i in range(3)}, [not i for i in range(2)], [i in (1,) for i in range(2)],
    )  # fmt: skip


@samples((0,), (5,))
def operators_of_every_kind(n):
    a, b = n + 7, 3
    arithmetic = a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, ~a, a << b, a >> b, a & b, a | b, a ^ b
    comparisons = a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in (b,), a not in (b,)
    truth = a and b, a or b, not a, n and a or b, n or a and b, not n and not a, (n if a else b) if n else a
    return arithmetic, comparisons, truth, Matrix.__rmatmul__(None, n), n @ Matrix(), ..., 1j * n, b"x" * n, 1_000, 0xFF


@samples((0,), (1,))
def long_conditions_on_many_lines(n):
    if (
        n
        and
        n > 0
        or (
            not n
        )
    ):
        result = (
            n
            if n
            else
            -n
        )
    return result \
        + 1
