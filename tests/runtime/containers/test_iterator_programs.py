"""Random programs take the items that Python takes, or are refused.

`python tests/runtime/containers/test_iterator_programs.py FIRST COUNT` runs others.
"""

import itertools
import linecache
import sys
from collections import Counter

import numpy as np
import pytest
from breadth import some
from random_iterators import iterator_program

import autograph_rs as ag

X = np.array([1.0, 4.0, 2.0, 3.0, 5.0, 0.5])
MOST = 200
"""Items that a program may take of an endless iterator. Of one that takes more, nothing is known."""


class EndlessError(Exception):
    pass


def numbers(value):
    if isinstance(value, (list, tuple)):
        return [*map(numbers, value)]
    return None if value is None else float(value)


def function_of(source, seed):
    filename = f"<iterators {seed}>"
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    space = {"__name__": "iterators"}
    exec(compile(source, filename, "exec"), space)
    return space


def ends(space):
    """Return whether the program ends in plain Python."""

    def limited(make):
        return lambda *args: (item for k, item in enumerate(make(*args)) if k < MOST or stop())

    def stop():
        raise EndlessError

    own = space | {"count": limited(itertools.count), "cycle": limited(itertools.cycle)}
    f = type(space["f"])(space["f"].__code__, own)
    try:
        for n in (3, 0, 6):
            f(X, np.int64(n))
    except EndlessError:
        return False
    except Exception:  # which the comparison finds
        return True
    return True


def outcome(f, n):
    try:
        return numbers(f(X, np.int64(n)))
    except ag.AutographError:
        raise
    except Exception as error:
        return type(error).__name__


def verdict(seed):
    source = iterator_program(seed)
    space = function_of(source, seed)
    if not ends(space):
        return "endless"
    f = space["f"]
    staged = ag.function(f)
    for n in (3, 0, 6):
        expected = outcome(f, n)
        try:
            actual = outcome(staged, n)
        except ag.AutographError:
            return "refused"
        assert actual == expected, f"seed {seed}, n = {n}\n{source[source.index('def f(') :]}"
    return "same"


@pytest.mark.parametrize("first", range(0, some(40, 400), 40))
def test_programs(first):
    verdicts = Counter(map(verdict, range(first, first + 40)))
    assert verdicts["same"] > 10


if __name__ == "__main__":
    begin, size = map(int, sys.argv[1:])
    print(Counter(map(verdict, range(begin, begin + size))))
