"""Errors of staged code: values and places that cannot be staged, types that do not fit."""

from __future__ import annotations

from .base import AutographError


class StagingError(AutographError, TypeError):
    """Something is done with a staged value that cannot be staged.

    While a function is traced, its arguments are *staged values*: they stand for what the arrays will
    hold when the program runs. Most of NumPy and of Python works on them. What does not is refused where
    it stands. The classes below this one say what kind of thing it is; `except StagingError` catches them
    all.

    A random generator, for one, would be made when the function is traced, and draw on at each call:

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def noisy(x):
    ...     return x + np.random.RandomState(0).rand()
    >>> noisy(np.float64(1))
    Traceback (most recent call last):
        ...
    autograph_rs.StagingError: a RandomState is made in a traced function
      File "...", line 3, in noisy
        return x + np.random.RandomState(0).rand()
                   ^^^^^^^^^^^^^^^^^^^^^^^^
      why: it would be made once, when the function is traced, and draw on at each call
      instead: make it outside of the function, or use np.random.default_rng
      see: docs/errors/StagingError.md

    ## Why

    What such a thing means in a program that runs again and again is not what the function says: the
    generator would go on where the last call left off, and the object would be one that the program
    cannot hold.

    ## Instead

    Write what the message says. Here, a generator that is part of the program:

    >>> @ag.function
    ... def noisy(x):
    ...     return x + np.random.default_rng(0).random()
    >>> bool(1 <= noisy(np.float64(1)) < 2)
    True
    """


class ValueNeededError(StagingError):
    """A staged value stands where Python needs its value now.

    Python needs a value for `bool()`, `int()`, `float()`, `hash()` and `len()`, for an index of a list, a
    key of a dict, and for iteration. Converted code has operators for most of these. Code that is not
    converted has not: a library, a function under `do_not_convert`, a special method that Python calls.

    >>> import autograph_rs as ag, numpy as np, statistics
    >>> @ag.function
    ... def middle(x):
    ...     return statistics.median([x, x + 1, x - 1])
    >>> middle(np.float64(2))
    Traceback (most recent call last):
        ...
    autograph_rs.ValueNeededError: a staged value of type bool[] decides a branch that was not converted
      File "...", line 3, in middle
        return statistics.median([x, x + 1, x - 1])
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: its value is known only when the graph runs, and this code is left to Python, as a ...
      instead: decide by 'if' in a function that is converted, or compute with np.where
      see: docs/errors/ValueNeededError.md

    ## Why

    The value is known only when the program runs, and this code runs before, once, while the program is
    made.

    ## Instead

    Use what works on arrays:

    >>> @ag.function
    ... def middle(x):
    ...     return np.median(np.array([x, x + 1, x - 1]))
    >>> float(middle(np.float64(2)))
    2.0

    `ag.py_function` calls a Python function when the program runs, with the values that it has then. A
    value that decides a shape, an axis or how often a Python loop runs can be given as a plain Python
    number: the function is then traced for each such number.
    """


class GradientError(StagingError):
    """A gradient is asked of something that has none, or with respect to something that can have none.

    >>> import autograph_rs as ag, numpy as np
    >>> def loss(w):
    ...     return np.sum(w * w)
    >>> ag.grad(loss)(np.array([1, 2]))
    Traceback (most recent call last):
        ...
    autograph_rs.GradientError: the gradient is asked with respect to argument 0, of type int64[2]
      File "...", line 1
        ag.grad(loss)(np.array([1, 2]))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a derivative is a limit of small changes, which only floats and complex numbers can have
      instead: give floats, as in x.astype(float), or choose other arguments by argnums
      see: docs/errors/GradientError.md

    ## Why

    A gradient says how a number changes with others that change a little. Whole numbers and truth values do
    not change a little, arrays have no single gradient, and of what Python computes on its own
    (`ag.py_function`) nothing is known.

    ## Instead

    Give floats, and return one float:

    >>> ag.grad(loss)(np.array([1.0, 2.0]))
    array([2., 4.])

    `ag.vjp` is for functions of other results, and `argnums` leaves out arguments that are whole numbers.
    """


class UnsupportedPlaceError(StagingError):
    """A staged value decides at a place that is left to Python.

    A branch or loop is put into a function of its own, so that it can be staged. Some cannot be: one that
    holds `yield` or `await` (only the function itself can be suspended), one that reads the frame with
    `locals()`, a jump out of a `finally`, a pattern that matches a structure. On plain values they work
    as ever.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def below(x):
    ...     def items():
    ...         for i in range(4):
    ...             if x > i:
    ...                 yield i
    ...     return sum(items())
    >>> below(np.int64(3))
    Traceback (most recent call last):
        ...
    autograph_rs.UnsupportedPlaceError: 'if' depends on a staged value, but cannot be staged
      File "...", line 5, in items
        if x > i:
           ^^^^^
      why: it holds 'yield', and only the function itself can be suspended (AG001)
      instead: collect in a list what it yields, and return that; or decide in a function of its own
      see: docs/errors/UnsupportedPlaceError.md

    ## Why

    The message ends its reason with the code of a rule. `autograph-rs check` finds such places under
    these codes before anything runs; `docs/command-line.md` lists them.

    ## Instead

    Decide where it can be staged; here, in a function that is not suspended:

    >>> @ag.function
    ... def below(x):
    ...     def kept(i):
    ...         return i if x > i else 0
    ...     def items():
    ...         for i in range(4):
    ...             yield kept(i)
    ...     return sum(items())
    >>> below(np.int64(3))
    3
    """


class UnsupportedFunctionError(StagingError):
    """A function was called on a staged value that the backend has no operation for.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def by_size(x):
    ...     return sorted(x, key=lambda v: -v)
    >>> by_size(np.array([1.0, 3.0, 2.0]))
    Traceback (most recent call last):
        ...
    autograph_rs.UnsupportedFunctionError: sorted() with a key cannot be staged
      File "...", line 3, in by_size
        return sorted(x, key=lambda v: -v)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the graph has no operation that calls a function for each item and sorts by it
      instead: index by np.argsort of the keys: x[np.argsort(-x)]
      see: docs/errors/UnsupportedFunctionError.md

    ## Why

    A program holds operations, each with a rule for the type of its result. There is none for this
    function, or not with these arguments.

    ## Instead

    Write it with operations that there are:

    >>> @ag.function
    ... def by_size(x):
    ...     return x[np.argsort(-x)]
    >>> by_size(np.array([1.0, 3.0, 2.0]))
    array([3., 2., 1.])

    Or call it by `ag.py_function`, which runs any Python function when the program runs.
    """


class MismatchError(StagingError):
    """Two paths leave a variable with types that cannot be one.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def describe(x):
    ...     if np.sum(x) > 0:
    ...         y = np.zeros(3)
    ...     else:
    ...         y = "none"
    ...     return y
    >>> describe(np.ones(2))
    Traceback (most recent call last):
        ...
    autograph_rs.MismatchError: an 'if' on a staged value gives two types to 'y'
      File "...", line 3, in describe
        if np.sum(x) > 0:
           ^^^^^^^^^^^^^
      y: float64[3] if true | str if false (one is text)
        if true, line 4: y = np.zeros(3)
        if false, line 6: y = "none"
      why: one of them is chosen when the program runs, and what comes after needs one type for both
      instead: give 'y' the type float64[3] in both branches, or the type str
      see: docs/errors/MismatchError.md

    ## Why

    Which branch of a staged `if` runs is known only when the program runs, so what comes after it needs
    one type for both. A round of a staged loop gets what the round before it left, so a variable has one
    type before the loop and after each round. Numbers become arrays, ints become floats and lengths may
    differ by themselves; a structure, the number of dimensions, and text do not.

    ## Instead

    There is a row for each variable, with its two types and the lines that gave them. Give it one type on
    both paths:

    >>> @ag.function
    ... def describe(x):
    ...     if np.sum(x) > 0:
    ...         y = np.zeros(3)
    ...     else:
    ...         y = np.full(3, np.nan)
    ...     return y
    >>> describe(np.ones(2))
    array([0., 0., 0.])
    """


class MissingValueError(MismatchError, NameError):
    """A variable, attribute or key has a value on one path only, or is None on the other.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def root(x):
    ...     if x >= 0:
    ...         return np.sqrt(x)
    >>> root(np.float64(9))
    Traceback (most recent call last):
        ...
    autograph_rs.MissingValueError: an 'if' on a staged value leaves the result of the function ...
      File "...", line 3, in root
        if x >= 0:
           ^^^^^^
      the result of the function: float64[] if true | None if false (None is no such value)
        if true, line 4: return np.sqrt(x)
      why: one of them is chosen when the program runs, and what comes after needs one type for both
      instead: return a value of the type float64[] on each path
      see: docs/errors/MissingValueError.md

    ## Why

    A program cannot leave a value out: what comes after the `if` is computed with it, whichever branch
    has run. A variable that a branch leaves unbound, and that is read later, is an `UnboundLocalError`
    when the program runs and has taken that branch, as in Python; this error is for what no program can
    check.

    ## Instead

    Give a value on each path, such as NaN:

    >>> @ag.function
    ... def root(x):
    ...     if x >= 0:
    ...         return np.sqrt(x)
    ...     return np.nan
    >>> float(root(np.float64(9)))
    3.0
    """
