"""Which generators become part of the loop that consumes them, and what keeps others in Python."""

# ruff: noqa: B007 - programs as users write them

from __future__ import annotations

import contextlib
import inspect
import types

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([3.0, -1.0, 4.0, -1.0, 5.0])


def positive(xs):
    for x in xs:
        if x > 0:
            yield x


def doubled(items):
    for x in items:
        if x < 4.5:
            yield 2 * x


def both(f, *args):
    """The results of a function on plain values and in a graph, which must be equal."""
    plain, staged = f(*args), ag.function(f)(*args)
    np.testing.assert_equal(staged, plain)
    return staged


def refused(f, message="cannot be staged", *args):
    with pytest.raises(ag.StagingError, match=message) as caught:
        ag.function(f)(*(args or (XS,)))
    return caught.value


# Generators that code continues with -----------------------------------------------------------------


def test_a_generator_with_a_name_is_consumed_whole():
    def f(xs):
        items, again = positive(xs), positive(xs)
        total = 0.0
        for x in items:
            total += x
        return total, sum(items), sum(doubled(again)), list(again)

    assert both(f, XS)[1] == 0


def test_a_generator_that_may_be_continued_is_refused():
    def f(xs):
        items = positive(xs)
        total = 0.0
        for x in items:
            if x > 3.5:
                break
            total += x
        return total + sum(items)

    error = refused(f)
    assert (error.place.file, error.place.line) == (__file__, positive.__code__.co_firstlineno + 2)


def test_a_loop_whose_body_takes_items_of_its_generator_is_refused():
    def f(xs):
        items = positive(xs)
        total = 0.0
        for x in items:
            total += x * next(items, 1.0)
        return total

    refused(f)


def test_a_generator_created_outside_a_branch_is_not_consumed_in_it():
    """The branch is captured more than once, and code after it may find the generator unconsumed."""

    def f(xs):
        items = positive(xs)
        total = 0.0
        if xs[0] > 10:
            for x in items:
                total += x
        return total + sum(items)

    refused(f)


def test_an_argument_created_outside_a_loop_is_not_consumed_in_it():
    def repeated(items, n):
        while n > 0:
            yield from items
            yield 100.0
            n -= 1

    refused(lambda xs: sum(repeated(positive(xs), xs[0])))


def test_an_argument_cannot_be_continued_after_an_early_exit():
    def split(items):
        for x in items:
            if x > 3.5:
                break
            yield x
        yield from items

    refused(lambda xs: sum(split(positive(xs))), "cannot be continued after a staged loop")


def test_plain_generators_are_continued():
    def f(x):
        items = (i for i in range(6))
        first = []
        for i in items:
            if i > 2:
                break
            first.append(i)
        return first, list(items), x > 0

    both(f, np.float64(1.0))


def test_collections_of_plain_generators_are_plain():
    """Only a staged statement around the items stages a collection of them."""

    def squares(n):
        for i in range(n):
            if i != 1:
                yield i * i

    kinds = []

    @ag.do_not_convert
    def types_of(parts):
        return [type(part) for part in parts]

    def f(x):
        made = [
            list(squares(4)), tuple(squares(4)), sorted(-i for i in squares(4)), set(squares(4)),
            dict(enumerate(squares(4))), sum(i for i in squares(4)), max(squares(4)),
            ",".join(str(i) for i in squares(4)), [i + 1 for i in squares(4)], list(map(str, squares(4))),
        ]  # fmt: skip
        kinds.extend(types_of(made))
        return {(0, 4, 9): x}[tuple(squares(4))]

    ag.function(f)(np.float64(1.0))
    assert kinds == [list, tuple, list, set, dict, int, int, str, list, list]


def test_any_and_all_stop_at_the_item_that_decides(capsys):
    def f(a, b, c):
        def noted(x):
            print("tested", x)
            return x > 2

        return any(noted(x) for x in (a, b, c)), all(noted(x) for x in (a, b, c))

    args = np.int64(1), np.int64(3), np.int64(0)
    plain, printed = f(*args), capsys.readouterr().out
    assert ag.function(f)(*args) == plain
    assert capsys.readouterr().out == printed


# Generators that stay in Python ----------------------------------------------------------------------


def in_with(xs):
    with contextlib.nullcontext():
        for x in xs:
            if x > 0:
                yield x


def in_try(xs):
    try:
        for x in xs:
            if x > 0:
                yield x
    except ValueError:
        yield 0.0


def in_an_expression(xs):
    for x in xs:
        if x > 0:
            print((yield x))


def with_locals(xs):
    for x in xs:
        if x > 0:
            yield locals()["x"]


def with_a_result(xs):
    result = yield from positive(xs)
    yield result


@pytest.mark.parametrize("generator", [in_with, in_try, in_an_expression, with_locals, with_a_result])
def test_generators_without_a_push_form_are_refused(generator):
    refused(lambda xs: sum(generator(xs)))


def test_conditions_of_nested_comprehensions_are_refused():
    refused(lambda xs: sum(x * y for x in xs for y in (1.0, 2.0) if x > y))


@ag.do_not_convert
def unconverted(xs):
    for x in xs:
        if x > 0:
            yield x


def test_an_unconverted_generator_is_refused():
    refused(lambda xs: sum(unconverted(xs)), "was not converted")


def test_generators_in_a_trace_are_pythons():
    seen = []

    @ag.function
    def f(x):
        items = positive([1.0, -2.0])
        seen.append((type(items), inspect.getgeneratorstate(items), next(items), items.__name__))
        return x

    f(np.float64(0.0))
    assert seen == [(types.GeneratorType, "GEN_CREATED", 1.0, "positive")]


# Order, effects and errors ---------------------------------------------------------------------------


def test_effects_keep_their_order(capsys):
    def noisy(xs):
        try:
            for i in range(3):
                print("before", i)
                yield xs[i]
                print("after", i)
        finally:
            print("closed")

    def f(xs):
        for x, y in zip(noisy(xs), (1, 2), strict=False):
            used = x, print("use", y)
        for x in noisy(xs):
            break
        return any(x > 0 for x in (0, 1) for _ in noisy(xs)), used[0]

    f(XS)
    plain = capsys.readouterr().out
    ag.function(f)(XS)
    assert capsys.readouterr().out == plain


def test_an_error_of_the_consumer_passes_the_finally_of_the_generator(capsys):
    def guarded(xs):
        try:
            yield from positive(xs)
        finally:
            print("closed")

    def f(xs):
        for _ in guarded(xs):
            raise KeyError("consumer")

    with pytest.raises(KeyError, match="consumer"):
        ag.function(f)(XS)
    assert capsys.readouterr().out == "closed\n"


def test_a_raise_under_a_staged_condition():
    @ag.function
    def f(xs, limit):
        total = 0.0
        for x in positive(xs):
            if x > limit:
                raise ValueError("too large")
            total += x
        return total

    assert f(XS, np.float64(9.0)) == 12
    with pytest.raises(ValueError, match="too large"):
        f(XS, np.float64(4.0))


def test_one_name_in_generator_and_consumer():
    """The state of both has variables of the same name."""

    def sums(xs):
        total = 0.0
        for x in xs:
            total += x
            if total > 2.5:
                yield total

    def f(xs):
        total, found = 1.0, []
        for x in sums(xs):
            total = total * 2 + x
            found.append(total)
        return total, found

    both(f, XS)


def test_a_list_of_the_consumer_that_the_generator_knows():
    def noting(xs, found):
        for x in xs:
            if x > 0:
                yield x
        yield float(len(found))

    def f(xs):
        found = []
        for x in noting(xs, found):
            found.append(x)
            found.append(-x)
        return found

    both(f, XS)


def test_arguments_of_every_kind():
    def values(a, /, b, *rest, c=2.0, **more):
        for x in XS:
            if x > a:
                yield x * b + sum(rest) + c + more.get("d", 0.0)

    both(lambda a: (sum(values(a, 2.0, 1.0, 1.5, d=4.0)), sum(values(a, b=a, c=0.0))), np.float64(0.5))


class Base:
    def items(self, xs):
        for x in xs:
            if x > 0:
                yield x


class Derived(Base):
    def items(self, xs):
        for x in super().items(xs):
            if x > 3:
                yield self.__doubled(x)

    def __doubled(self, x):
        return 2 * x


def test_methods_with_super_and_private_names():
    both(lambda xs: sum(Derived().items(xs)), XS)


def test_gradients_pass_through_generators():
    gradient = ag.grad(lambda xs: sum(x * x for x in positive(xs)))(XS)
    np.testing.assert_array_equal(gradient, np.where(XS > 0, 2 * XS, 0))
