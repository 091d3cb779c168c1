"""Handlers of staged `try` statements: which errors arrive, and which values of variables they see."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

PRICES = {1: 2.0, 5: 3.0}


def value_of_key(xs):
    try:
        return PRICES[int(xs[0])]
    except KeyError:
        return -1.0


def missing_key(xs):
    try:
        return str(PRICES[int(xs[0])])
    except KeyError as error:
        return f"no {error}"


def unbound(xs):
    if xs[0] > 2:
        found = xs[0]
    try:
        return found + 1
    except NameError as error:
        return str(error)


def deleted(xs):
    total = 0.0
    for x in xs:
        try:
            if x > 0:
                scale = 1 / x
            total += scale
            if x > 4:
                del scale
        except UnboundLocalError:
            total -= 1.0
        else:
            total += 0.5
    return total


def count(xs):
    found = {}
    for x in xs:
        try:
            found[x] += 1
        except KeyError:
            found[x] = 1
    return found


def large(xs):
    return [x for x in xs if x > 2]


def largest(xs):
    try:
        return max(large(xs))
    except ValueError:
        return -1.0


def mean(xs):
    found = large(xs)
    try:
        return sum(found) / len(found)
    except ZeroDivisionError:
        return 0.0


def place(xs):
    try:
        return large(xs).index(3.0)
    except ValueError:
        return -1


def without(xs):
    found = large(xs)
    try:
        found.remove(3.0)
    except ValueError:
        found.append(0.0)
    return found


def any_member(xs):
    members = set()
    for x in xs:
        if x > 2:
            members.add(x)
    try:
        return members.pop() if len(members) < 2 else 9.0
    except KeyError as error:
        return len(str(error)) * 1.0


def emptied_deque(xs):
    queue, total = deque(large(xs)), 0.0
    try:
        while True:
            total = total * 2 + queue.popleft()
    except IndexError:
        pass
    return total


def emptied_heap(xs):
    heap, total = [], 0.0
    for x in xs:
        if x > 0:
            heappush(heap, x)
    try:
        while True:
            total = total * 2 + heappop(heap)
    except IndexError:
        return total


def last_large(xs):
    last = None
    for i, x in enumerate(xs):
        if x > 2:
            last = i
    return last


def converted(xs):
    try:
        return float(last_large(xs))
    except TypeError:
        return -1.0


def rounded(xs):
    try:
        return round(last_large(xs), 1)
    except TypeError:
        return -1


def bounded(xs):
    try:
        return max(last_large(xs), 1)
    except TypeError:
        return -1


def formatted(xs):
    try:
        return f"{last_large(xs):03d}"
    except TypeError:
        return "none"


def triangle(xs):
    total = 0
    try:
        for i in range(last_large(xs)):
            total += i + 1
    except TypeError:
        total = -1
    return total


def of_tuple(xs):
    try:
        return (1, 2, 3)[last_large(xs)]
    except TypeError:
        return -1


def quotient(xs):
    try:
        return divmod(7, last_large(xs) if xs[0] > 0 else 2)
    except (TypeError, ZeroDivisionError) as error:
        return len(str(error)), 0


def first_place(xs):
    try:
        return int(np.argmax(xs[xs > 2]))
    except ValueError:
        return -1


def folded(xs):
    try:
        return xs[xs > 2].reshape(2, -1)
    except ValueError:
        return xs


def shifted(xs):
    try:
        return xs[xs > 2] + np.ones(2)
    except ValueError:
        return np.zeros(2)


def stepped(xs):
    total = 0
    try:
        for i in range(0, 10, int(xs[0])):
            total += i
    except ValueError:
        total = -1
    return total


def stage_at_failure(xs):
    stage = "start"
    try:
        if xs[0] > 2:
            raise ValueError
        stage = "middle"
        if xs[1] > 2:
            raise ValueError
        stage = "end"
        if xs[-1] > 2:
            raise ValueError
    except ValueError:
        return f"failed at {stage}"
    return "done"


def total_at_failure(xs):
    total = 0.0
    try:
        if xs[0] > 2:
            raise ValueError
        total += xs[1]
        if total > 2:
            raise ValueError
        total = 5.0
    except ValueError:
        return total
    return -1.0


def steps_before_failure(xs):
    total, steps = 0.0, 0
    try:
        if xs[0] > 2:
            raise ValueError
        for x in xs:
            total += x
            if total > 4:
                raise ValueError
            steps += 1
    except ValueError:
        return total, steps
    return -total, 0


def counted_in_finally(xs):
    log, steps = [], 0
    try:
        for x in xs:
            if x > 3:
                raise ValueError("large")
            steps += 1
    finally:
        log.append(steps)
    return log


def items_until_the_end(xs):
    total, i = 0.0, 0
    try:
        while True:
            total += xs[i]
            i += 1
    except IndexError:
        return total


def counted_by_a_closure(xs):
    count = 0

    def bump():
        nonlocal count
        count += 1

    try:
        bump()
        if xs[0] > 2:
            raise ValueError
        bump()
        if xs[0] < 1:
            raise ValueError
        for _ in xs:
            bump()
    except ValueError:
        return 10 * count
    return count


def bound_in_an_operand(xs):
    last = 1
    try:
        if xs[0] > 2:
            raise ValueError
        for _ in xs:
            pass
    except ValueError:
        if last < 1:
            return 0
        while last < xs[1] and (last := last + 1) < 3:
            pass
    return last


FUNCTIONS = [
    value_of_key, missing_key, unbound, deleted, count, largest, mean, place, without, any_member,
    emptied_deque, emptied_heap, converted, rounded, bounded, formatted, triangle, of_tuple, quotient,
    first_place, folded, shifted, stepped, stage_at_failure, total_at_failure, steps_before_failure,
    counted_in_finally, items_until_the_end, counted_by_a_closure, bound_in_an_operand,
]  # fmt: skip
ARRAYS = [
    np.array(a) for a in ([1.0, 0.5], [3.0, 4.0, 1.0], [3.0, 0.0], [0.0, 3.0, 2.0], [5.0, 3.0, 7.0, 9.0])
]


def outcome(function: Any, xs: np.ndarray) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(xs.copy())
    except Exception as error:
        return type(error), str(error)


def check_as_in_python(function: Any, engine: str) -> None:
    if engine == "native":
        pytest.importorskip("numba")
    staged = ag.function(function, engine=engine)
    for xs in ARRAYS:
        np.testing.assert_equal(outcome(staged, xs), outcome(function, xs))


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(function: Any, engine: str):
    check_as_in_python(function, engine)


def returned_in_a_handler_of_an_inner_try(xs):
    found, scale = [1.0, 2.0], 1.0
    try:
        if xs[0] <= 4:
            try:
                found.index(xs[0] * scale)
            except ValueError:
                if xs[0] > 2:
                    return scale
            scale = xs[1] * 2
    except IndexError:
        pass
    return None


@pytest.mark.parametrize("xs", ARRAYS, ids=str)
def test_a_dead_variable_of_an_inner_try(xs: np.ndarray):
    staged = ag.function(returned_in_a_handler_of_an_inner_try)
    assert staged(xs) == returned_in_a_handler_of_an_inner_try(xs)


def test_an_index_within_static_bounds_is_not_checked():
    @ag.function
    def f(xs):
        try:
            return xs[0] + xs[-2, 1:]
        except IndexError:
            return xs[0, 1:]

    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones((3, 3)))
    assert f(np.ones((2, 2))).tolist() == [2.0, 2.0]
    assert "attempt" not in str(f.get_concrete_function(np.ones((2, 2))).graph)
