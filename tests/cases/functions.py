"""Functions within functions, what they capture, how they are called."""

import asyncio
import functools

import numpy as np

from autograph_rs.testing import samples


def twice(function):
    """A decorator that keeps the name of what it wraps."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(function(*args, **kwargs), **kwargs)

    return wrapper


def step(x):
    if x > 10:
        return x - 10
    return x + 7


@twice
def climb(x, by=3):
    if x < 10:
        x = x + by
    return x


def outer_helper(x):
    if x > 0:
        return inner_helper(x) + 1
    return inner_helper(-x)


def inner_helper(x):
    while x > 5:
        x = x - 5
    return x


@samples((3,), (20,), (-3,))
def helper_in_branch(x):
    if step(x) > 9:
        x = step(x) * 2
    return step(x)


@samples((13,), (-13,), (3,))
def helper_calls_helper(x):
    return outer_helper(x)


@samples((1,), (8,), (20,))
def decorated_helper(x):
    return climb(x), climb(x, by=5), climb.__name__


@samples((3,), (-3,))
def nested_function(x):
    def relu(y):
        if y > 0:
            return y
        return 0

    return relu(x) - relu(-x)


@samples((3,), (-3,))
def defined_in_branches(x):
    if x > 0:

        def change(y):
            return y + 1

        y = change(x)
    else:

        def change(y):
            return y - 1

        y = change(x) * 10
    return y


@samples((5,), (-5,))
def chosen_by_staged_condition(x):
    def double(y):
        return y * 2

    def negate(y):
        return -y

    return double(x) if x > 0 else negate(x)


@samples((3,), (-3,))
def lambda_with_conditional(x):
    relu = lambda y: y if y > 0 else 0  # noqa: E731
    return relu(x) + relu(x * 2)


@samples((3, 4), (-3, 4))
def two_lambdas_on_a_line(x, y):
    f, g = lambda a: a + 1 if a > 0 else a, lambda a: a * 10 if a > 0 else -a
    return f(x), g(x), (lambda a: a)(y)


@samples((2,), (-2,))
def late_binding(x):
    functions = [lambda: x * i for i in range(3)]
    bound = [lambda i=i: x * i for i in range(3)]
    return [f() for f in functions], [f() for f in bound]


@samples((2,), (-2,))
def late_binding_in_loop(x):
    functions = []
    for i in [1, 2, 3]:
        functions.append(lambda y: y * i if y > 0 else i)
    return [f(x) for f in functions]


@samples((2,), (20,))
def default_arguments(x):
    def scaled(y, factor=2, *, offset=1):
        if y > 10:
            return y * factor
        return y * factor + offset

    return scaled(x), scaled(x, 3), scaled(x, offset=5), scaled(y=x, factor=0)


@samples((2,), (-2,))
def default_is_shared(x):
    def remember(y, memory=[]):  # noqa: B006
        memory.append(1)
        if y > 0:
            return len(memory) * y
        return len(memory)

    return remember(x), remember(x), remember(x, [])


@samples((1, 2), (-1, 2))
def star_arguments(a, b):
    def total(*args, **kwargs):
        result = 0
        for arg in args:
            if arg > 0:
                result += arg
        for name, value in kwargs.items():
            result += len(name) * value
        return result

    return total(), total(a, b), total(*[a, b], b), total(a, key=b, **{"k": a})


@samples((3, 2), (-3, 2))
def keyword_and_positional_only(a, b):
    def power(x, /, *, n):
        if x > 0:
            return x**n
        return -((-x) ** n)

    return power(a, n=b)


@samples((3,), staged=())
def wrong_call(x):
    """Plain only: a mistake of the call itself, found while tracing."""

    def one(y):
        return y

    return one(x, x)


@samples((0,), (5,), (20,), staged=())
def factorial(n):
    """Plain only: recursion that ends on a staged condition cannot be traced."""
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@samples((0,), (1,), (10,), staged=())
def fibonacci(n):
    """Plain only: recursion that ends on a staged condition cannot be traced."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@samples((2, 5), (3, 0), staged=[(np.int64(2), 5), (np.int64(-3), 5), (np.int64(3), 0)])
def power(x, n):
    """`n` is a Python number: the recursion is unrolled while tracing."""
    if n == 0:
        return 1
    half = power(x, n // 2)
    if x < 0:
        half = half + 0
    return half * half * (x if n % 2 else 1)


@samples((5,), (4,), staged=())
def mutual_recursion(n):
    """Plain only: recursion that ends on a staged condition cannot be traced."""

    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    return even(n), odd(n)


@samples((3, 10), (-3, 10))
def partial(x, y):
    def clip(low, value, *, high):
        if value < low:
            return low
        return high if value > high else value

    positive = functools.partial(clip, 0, high=2)
    return positive(x), functools.partial(positive, high=y)(x)


@samples((3,), (-3,))
def reduce_with_lambda(x):
    return functools.reduce(lambda a, b: a + b if a > 0 else b - a, [x, 2, 3, x])


@samples((3,), (-3,))
def function_as_argument(x):
    def apply(function, times, value):
        for _ in range(times):
            value = function(value)
        return value

    return apply(step, 3, x), apply(lambda v: v * 2 if v < 20 else v, 4, x)


@samples((3,), (-3,))
def returned_closure(x):
    def adder(n):
        def add(y):
            if y > 0:
                return y + n
            return y - n

        return add

    return adder(1)(x), adder(x)(2)


@samples((4,), (0,))
def counter_closure(n):
    def make():
        count = 0

        def increment(by):
            nonlocal count
            count += by
            return count

        return increment

    first, second = make(), make()
    for i in range(n):
        first(i)
    second(5)
    return first(0), second(0)


@samples((3,), (-3,), staged=())
def coroutine(x):
    """Plain only: a coroutine is left as it is."""

    async def half(y):
        await asyncio.sleep(0)
        if y > 0:
            return y / 2
        return 0

    async def main():
        return [await half(x), await half(-x)]

    return asyncio.run(main())


@samples((3,), (-3,), staged=())
def cached_helper(x):
    """Plain only: the keys of the cache would be staged."""
    calls = []

    @functools.lru_cache
    def slow(y):
        calls.append(y)
        return y * 2 if y > 0 else 0

    return slow(x) + slow(x), calls


@samples((3,), (-3,))
def annotations_and_docstring(x: int) -> int:
    """One line,

    and another with 'quotes', a \\ and a brace {x}.
    """
    y: int = x
    z: int
    if x > 0:
        z = y + 1
    else:
        z: int = 0
    return z


@samples((3,), (-3,))
def call_in_call(x):
    def f(y):
        return y + 1 if y > 0 else y - 1

    return f(f(f(x))) + f(max(f(x), f(-x)))


@samples((3,), (-3,))
def unused_parameters_of_lambda(x):
    pick = lambda *args, last, **kwargs: args[0] if args[0] > last else kwargs["k"]  # noqa: E731
    return pick(x, 1, last=2, k=10)
