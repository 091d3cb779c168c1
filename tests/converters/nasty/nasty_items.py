"""Targets of every kind, and the order in which Python evaluates them."""

import weakref

from autograph_rs.testing import samples


def said(value):
    """`value`, printed."""
    print(value)
    return value


class Bag:
    """Something that has attributes."""


@samples((0,))
def base_rebound_by_the_key(n):
    x = [0]

    def swap():
        nonlocal x
        x = [1]
        return n

    x[swap()] = 5
    return x


@samples((0,))
def value_before_the_key(n):
    y, d = 1, {}

    def bump():
        nonlocal y
        y += 1
        return "k"

    d[bump()] = y
    d[(y := 7)] = y
    return d, y


@samples((0,))
def unbound_value_before_the_key(n):
    d = {}
    if n:
        y = 1
    d[said("k")] = y


@samples((0,))
def base_rebound_by_the_augmented_value(n):
    x = old = [0]

    def swap():
        nonlocal x
        x = [100]
        return 1

    x[n] += swap()
    return x, old


@samples((0,))
def key_rebound_by_the_augmented_value(n):
    x = [0, 0, 0]
    x[n] += (n := 2)
    return x, n


@samples((0,))
def order_of_targets(n):
    d = {}
    d[said("k")] = said("v")
    d[said("a")], d[said("b")] = said(1), said(2)
    x = y = d[said("q")] = said("z")
    d[said("k")] += said("w")
    d.setdefault(said("l"), []).append(said(3))
    return d, x, y


@samples(([1, 2, 3],), ([1],))
def loop_targets(xs):
    o, d = Bag(), {}
    for a, *b in [xs, xs[:1]]:
        if b:
            print(a, b)
    for o.x in xs:
        if o.x == 2:
            break
    for d["k"] in xs:
        if d["k"] == 2:
            continue
    for d[len(d)], o.y in [(1, 2), (3, 4)]:
        if o.y:
            pass
    for [a, (b, *c)] in [(1, "bcd")]:
        if a:
            d[a] = b, c
    return o.x, o.y, d


@samples((0,), (1,), (2,), (3,))
def unpacking_errors(n):
    if n == 0:
        for a, b in [(1, 2), (1,)]:
            if a:
                print(a, b)
    if n == 1:
        for a, b in [5]:
            if a:
                pass
    if n == 2:
        a, *b, c = [1]
    for a, b in [(1, 2, 3)]:
        pass


@samples((5,), (None,))
def loop_over_nothing_iterable(n):
    for i in n:
        if i:
            print(i)


@samples((0,))
def augmented_targets(n):
    o, d = Bag(), {"a": [1, 2, 3]}
    o.x = [1]
    o.x += [2]
    d["a"][1:] += [9]
    d["a"][-1] *= 2
    d["a"][n], n = n, 5
    a = b = d["z"] = o.q = []
    a.append(1)
    t = ([],)
    try:
        t[0] += [1]
    except TypeError as e:
        print(e)
    return o.x, d, n, b, o.q, t


@samples(([1, 2, 3, 4], 1))
def slices(x, i):
    x[i:] = x[:i] + [0] * i
    del x[i - 1]
    x[i : i + 1] += [7]
    return x, x[::-1], x[-i], x[i:][0]


@samples((0,))
def temporaries_are_dropped(n):
    d = {}
    d["a"] = Bag()
    alive = weakref.ref(d["a"])
    del d["a"]
    return alive() is None


@samples((0,))
def loop_items_are_dropped(n):
    x = Bag()
    alive = weakref.ref(x)
    for x in [x]:
        if n == 0:
            n += 1
    del x
    return alive() is None


@samples((0,))
def calls_of_every_form(n):
    def f(*a, **k):
        return a, k

    def p(a, /, b=2, *args, c, d=4, **kw):
        if a:
            return a, b, args, c, d, kw

    for bad in (lambda: p(a=1, c=2), lambda: p(1), lambda: f(**{"a": 1}, **{"a": 2}), lambda: n(said(1))):
        try:
            bad()
        except TypeError as e:
            print(str(e).replace("calls_of_every_form.<locals>.", ""))
    print(p(said(1), *[said(5)], c=said(2), **{"z": said(3)}, y=said(4)))
    return f(*range(3), *[4], **{"a": 1}, b=2, **{"c": 3}), [*range(2), *"ab"], {**{"a": 1}, "b": 2}


@samples((0,))
def missing_function_after_nothing(n):
    return undefined_function(said(n))  # noqa: F821


@samples((3,), (1,))
def formatted(n):
    w, d = 8, {"a": 'it"s'}
    shown = f"{n if n > 2 else 'no'!r:>{w}}|{'a' if n and 'b' else 'c'}|{n=}|{[i for i in range(n) if i]!s:^20}"
    return shown, f"{d['a']!r:>10} {n:{n}d} {{}} {n and 'z'!s}" "tail" f'{d["a"] in "abc"}'


class Truth:
    """Says when it is asked for its truth."""

    def __init__(self, value):
        self.value = value

    def __bool__(self):
        print("asked", self.value)
        return self.value

    def __lt__(self, other):
        return Truth(self.value and not other.value)


@samples((True, False), (False, True), (True, True), (False, False))
def truth_is_asked_once(a, b):
    a, b = Truth(a), Truth(b)
    if a and b:
        print("both")
    if a or b:
        print("some")
    while not (a and b):
        break
    if a < b < a:
        print("between")
    assert a or b or True
    return "x" if a and b else "y"


@samples((1, 2, 3), (3, 2, 1))
def comparison_chains(a, b, c):
    first = said(a) < said(b) < said(c), 1 < a > 2 in (a, b)
    return first, not said(a) == 1 != 2, a is not None is not True, a < b == c
