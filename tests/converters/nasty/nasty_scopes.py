"""Names: where they are bound, unbound, shared and seen."""

from __future__ import annotations

import functools

from autograph_rs.testing import samples

COUNTER = 0


@samples((1,), (0,))
def del_in_branch(n):
    x = 1
    if n > 0:
        del x
    try:
        return x
    except UnboundLocalError as e:
        print(e)
    del x


@samples((2,), (0,))
def del_in_loop(n):
    for i in range(n):
        y = i
        if i == 1:
            del y
    try:
        print(y)
    except NameError as e:
        print(e)
    del i
    return [i for i in range(n)] + [i]


@samples((3,), (0,))
def handler_names_reused(n):
    e = "outer"
    for i in range(n):
        try:
            if i == 1:
                raise ValueError(i)
        except ValueError as e:
            if n:
                print(e)
        try:
            if i == 2:
                print(e)
        except NameError as x:
            print(type(x), x)
    return e


@samples((3,))
def augmented_unbound(n):
    if n > 5:
        t = 0
    for i in range(n):
        t += i
    return t


@samples((3,))
def loop_variable_unbound(n):
    for i in []:
        if i:
            pass
    return i


@samples((1,), (0,))
def conditional_unbound(n):
    if n:
        y = 1
    return y if n == 0 else 1


@samples((1,))
def unbound_in_default(n):
    if n > 1:
        y = 1
    if n > 0:

        def g(x=y):
            return x

        return g()


@samples((1,))
def unbound_in_decorator(n):
    if n > 1:
        y = staticmethod
    if n > 0:

        @y
        def g():
            pass

        return g()


@samples((1,))
def unbound_in_lambda_default(n):
    if n > 1:
        y = 1
    if n > 0:
        return (lambda x=y: x)()


@samples((1,))
def unbound_in_set_comprehension(n):
    if n > 1:
        y = [1]
    if n > 0:
        return {i for i in y}


@samples((1,))
def unbound_in_comprehension_element(n):
    if n > 1:
        y = 1
    return [y for i in (1, 2)]


@samples((1,))
def unbound_class_base(n):
    if n > 1:
        y = int
    if n > 0:

        class A(y):
            pass

        return A


@samples((4,))
def walrus_in_comprehension_condition(n):
    z = [y for x in range(n) if (y := x * 2) > 2 and (w := y)]
    if any((k := v) > 2 for v in z):
        print(k)
    while (m := n) and (q := m - 1):
        n -= 1
    return z, y, w, k, m, q


@samples((1,), (0,))
def walrus_of_a_global(n):
    global COUNTER
    COUNTER = 0
    if n > 0 and (COUNTER := 5):
        return COUNTER
    return COUNTER, (COUNTER := 7) if n == 0 else 0


@samples((1,), (0,))
def walrus_of_a_nonlocal(n):
    seen = 0

    def g():
        nonlocal seen
        return n > 0 and (seen := 5)

    return g(), seen


@samples((0,), (1,))
def walrus_in_assert_message(n):
    try:
        assert n, (message := "said")
    except AssertionError as e:
        return message, str(e)


@samples((3,), (0,))
def class_body_with_control_flow(n):
    class A:
        for i in range(n):
            if i == 1:
                continue
            locals()[f"m{i}"] = i
        else:
            q = [j for j in range(n)]
        if n > 2:

            def f(self):
                return self.q if self.q else None

        x = n if n > 1 else 0
        try:
            y = zzz  # noqa: F821
        except NameError:
            y = "no"

    return A().f(), A.m0, A.m2, A.i, A.x, A.y


@samples((2,))
def decorators_with_control_flow(n):
    def repeated(k):
        if k > 1:

            def decorate(f):
                @functools.wraps(f)
                def wrapped(*a):
                    for _ in range(k):
                        r = f(*a)
                    return r

                return wrapped

            return decorate
        return lambda f: f

    @repeated(n)
    @repeated(1)
    def g(x):
        print(x)
        return x if x else -1

    return g(0), g.__name__


@samples((1,), (-1,))
def global_in_nested_function(n):
    def g():
        global COUNTER
        if n > 0:
            COUNTER = 5
        else:
            COUNTER = 6
        return COUNTER

    return g(), COUNTER


@samples((1,))
def nonlocal_in_branch(n):
    c = 0

    def inc(k):
        if k > 0:
            nonlocal c
            c += k
        while c < 5:
            c += 1
            if c == 3:
                return "three"
        return c

    return inc(n), c, inc(n), c


@samples((1,))
def names_of_definitions(n):
    global COUNTER

    def COUNTER():
        return lambda: 0

    if n > 0:

        class K:
            def m(self):
                return lambda: 0

            class L:
                def m(self):
                    pass

        def h():
            return lambda: 0

    found = [COUNTER, COUNTER(), K, K.m, K().m(), K.L, K.L.m, h, h()]
    COUNTER = 0
    return [(f.__name__, f.__qualname__) for f in found]


class Private:
    """Whose names are mangled."""

    __shared = 3

    def definitions(self, n):
        def __helper(__z=0):
            return __z + self.__shared if self.__shared else 0

        class __Inner:
            pass

        if n > 0:
            __helper.__own = n
        return __helper(1), __helper.__name__, __helper.__qualname__, __Inner.__name__


@samples((1,))
def private_names(n):
    return Private().definitions(n)


@samples((1,))
def postponed_annotations(n):
    def inner(x: Undefined = 1) -> Also:  # noqa: F821
        return x if x else n

    return inner(0), inner.__annotations__


@samples((0,))
def annotated_names(n):
    x: int = 5
    y: nowhere  # noqa: F821
    (z): nowhere = 3  # noqa: F821
    inner = lambda: 0
    inner.a: nowhere = 4  # noqa: F821
    try:
        print(y)
    except UnboundLocalError as e:
        print(e)
    return x, z, inner.a


@samples((4,))
def names_that_we_use(n):
    broken = returned = if_body = get_state = value = item = "user"
    for item in range(n):
        if item == 2:
            break
        value = item

    def loop_body():
        return value

    return broken, returned, if_body, get_state, loop_body(), item
