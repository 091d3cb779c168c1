"""Errors of staging: unsupported operations, functions and constructs, and mismatched types."""

from __future__ import annotations

from .base import AutographError


class StagingError(AutographError, TypeError):
    """An operation on a staged value cannot be part of the program.

    While a function is traced, its arguments are *staged values*: placeholders for the arrays of the running
    program. Most of NumPy and Python works on them; anything else raises an error. Subclasses name the kind
    of problem.

    For example, a random generator created while the function is traced would continue its sequence at each
    call:

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def noisy(x):
    ...     return x + np.random.RandomState(0).rand()
    >>> noisy(np.float64(1))
    Traceback (most recent call last):
        ...
    autograph_rs.StagingError: a RandomState is created in a traced function
      File "...", line 3, in noisy
        return x + np.random.RandomState(0).rand()
                   ^^^^^^^^^^^^^^^^^^^^^^^^
      why: it would be created only once, during the trace, so later calls would continue its sequence
      fix: create it outside the function, or use np.random.default_rng
      see: docs/errors/StagingError.md

    ## Why

    The program would not do what the function says. The function creates a new generator at each call, but
    the program would reuse the one from the trace.

    ## How to fix it

    Follow the message. Here, create the generator so that it becomes part of the program:

    >>> @ag.function
    ... def noisy(x):
    ...     return x + np.random.default_rng(0).random()
    >>> bool(1 <= noisy(np.float64(1)) < 2)
    True
    """


class ValueNeededError(StagingError):
    """Python needs the value of a staged value while the function is traced.

    Python needs values for `bool()`, `int()`, `float()`, `hash()` and `len()`, for list indices and dict
    keys, and for iteration. Converted code has operators for most of these. Unconverted code does not:
    libraries, functions under `do_not_convert`, and special methods that Python calls.

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
      why: its value is known only when the graph runs, and 'median' was called unconverted: ...
      fix: call it through ag.py_function, or pass it values that are not staged
      see: docs/errors/ValueNeededError.md

    ## Why

    The value is known only when the program runs. This code runs once, before that, while the program is
    built.

    ## How to fix it

    Use a function that works on arrays:

    >>> @ag.function
    ... def middle(x):
    ...     return np.median(np.array([x, x + 1, x - 1]))
    >>> float(middle(np.float64(2)))
    2.0

    `ag.py_function` calls a Python function while the program runs, with the actual values. Pass a plain
    Python number for a value that determines a shape, an axis or the number of iterations of a Python loop.
    The function is then traced once for each number.
    """


class GradientError(StagingError):
    """A function has no gradient, or none with respect to one of its arguments.

    >>> import autograph_rs as ag, numpy as np
    >>> def loss(w):
    ...     return np.sum(w * w)
    >>> ag.grad(loss)(np.array([1, 2]))
    Traceback (most recent call last):
        ...
    autograph_rs.GradientError: cannot differentiate with respect to argument 0, of type int64[2]
      File "...", line 1
        ag.grad(loss)(np.array([1, 2]))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: derivatives exist only with respect to floats and complex numbers
      fix: pass floats, as in x.astype(float), or select other arguments with argnums
      see: docs/errors/GradientError.md

    ## Why

    A gradient describes how one number changes when others change slightly. Integers and booleans cannot
    change slightly, a result that is an array has no single gradient, and Python code (`ag.py_function`)
    cannot be differentiated.

    ## How to fix it

    Pass floats, and return one float:

    >>> ag.grad(loss)(np.array([1.0, 2.0]))
    array([2., 4.])

    Use `ag.vjp` for functions with other results, and `argnums` to exclude integer arguments.
    """


class UnsupportedPlaceError(StagingError):
    """A construct depends on a staged value, but cannot be staged.

    To be staged, a branch or loop body becomes a separate function. This is impossible if it contains
    `yield` or `await` (only the function itself can be suspended), reads its frame with `locals()`, or jumps
    out of a `finally`. A subject of `match` that is staged as a whole has no structure to match, and an
    iterator cannot end by a staged condition. On plain values these constructs work as in Python.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def first_two_below(x):
    ...     def items():
    ...         for i in range(4):
    ...             if i < x:
    ...                 yield i
    ...     found = items()
    ...     return next(found), next(found)
    >>> first_two_below(np.int64(3))
    Traceback (most recent call last):
        ...
    autograph_rs.UnsupportedPlaceError: 'if' depends on a staged value, but cannot be staged
      File "...", line 5, in items
        if i < x:
           ^^^^^
      why: it contains 'yield', and only the function itself can be suspended (AG001)
      fix: loop directly over the call of a generator function, or move the condition to a separate function
      see: docs/errors/UnsupportedPlaceError.md

    ## Why

    The reason ends with the code of a rule. `autograph-rs check` reports such constructs with these codes
    before anything runs; `docs/command-line.md` lists them.

    ## How to fix it

    Move the condition to code that can be staged. A generator becomes part of the loop, or of the builtin,
    that consumes it, if no later code continues it:

    >>> @ag.function
    ... def first_two_below(x):
    ...     def items():
    ...         for i in range(4):
    ...             if i < x:
    ...                 yield i
    ...     return [i for count, i in enumerate(items()) if count < 2]
    >>> print(first_two_below(np.int64(3)))
    [0, 1]
    """


class UnsupportedFunctionError(StagingError):
    """A function was called on a staged value, and the backend has no operation for it.

    >>> import autograph_rs as ag, math, numpy as np
    >>> @ag.function
    ... def total(x):
    ...     return math.prod([x, 2 * x])
    >>> total(np.float64(17))
    Traceback (most recent call last):
        ...
    autograph_rs.UnsupportedFunctionError: math.prod of a list or tuple of staged values cannot be staged
      File "...", line 3, in total
        return math.prod([x, 2 * x])
               ^^^^^^^^^^^^^^^^^^^^^
      why: the graph has no operation for it
      fix: use a NumPy function, such as np.sum, np.prod or np.linalg.norm of an array
      see: docs/errors/UnsupportedFunctionError.md

    ## Why

    A program consists of operations with type rules. This function has no such rule, or none for these
    arguments.

    ## How to fix it

    Use operations that the backend supports:

    >>> @ag.function
    ... def largest(x):
    ...     return max(x) if len(x) > 0 else 0.0
    >>> print(largest(np.array([1.0, 3.0, 2.0])))
    3.0

    Or call the function through `ag.py_function`, which runs any Python function while the program runs.
    """


class MismatchError(StagingError):
    """A variable has different types on two paths, and they cannot be merged.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def last(xs):
    ...     y = 0.0
    ...     for x in xs:
    ...         if x > 0:
    ...             y = x
    ...         else:
    ...             y = "none"
    ...     return y
    >>> last(np.ones(2))
    Traceback (most recent call last):
        ...
    autograph_rs.MismatchError: an 'if' on a staged value gives two types to 'y'
      File "...", line 5, in last
        if x > 0:
           ^^^^^
      y: float64[] if true | str if false (strings have no common type with other values)
        if true, line 6: y = x
        if false, line 8: y = "none"
      why: the graph selects one of them at run time, and later code needs one type for both
      fix: assign one type to 'y' in both branches: float64[] or str
      see: docs/errors/MismatchError.md

    ## Why

    In a staged loop, a variable needs one type before the loop and after every iteration. After a staged
    `if`, most backends need one type for both branches. `ag.function` captures what follows the `if` once for
    each of them, unless a loop carries the variable, or more than five such conditions follow each other.
    Numbers are converted to arrays, integers are promoted to floats, and lengths may differ. Structures and
    numbers of dimensions must match, and text cannot be merged with numbers.

    ## How to fix it

    The message has a row for each variable, with its two types and the lines that assign them. Assign the
    same type on both paths:

    >>> @ag.function
    ... def last(xs):
    ...     y = 0.0
    ...     for x in xs:
    ...         if x > 0:
    ...             y = x
    ...         else:
    ...             y = np.nan
    ...     return y
    >>> print(last(np.ones(2)))
    1.0
    """


class MissingValueError(MismatchError, NameError):
    """A variable, attribute or key has a value on one path, but is missing or None on the other.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def roots(xs):
    ...     found = {"of": "x"}
    ...     for x in xs:
    ...         if x >= 0:
    ...             found["root"] = np.sqrt(x)
    ...     return found
    >>> roots(np.array([9.0]))
    Traceback (most recent call last):
        ...
    autograph_rs.MissingValueError: an 'if' on a staged value leaves 'found['root']' without a value ...
      File "...", line 5, in roots
        if x >= 0:
           ^^^^^^
      found['root']: float64[] if true | no value if false (a dict needs all its keys on each path)
        if true, line 6: found["root"] = np.sqrt(x)
        if false, line 3: found = {"of": "x"}
      why: the graph selects one of them at run time, and later code needs one type for both
      fix: assign a value of type float64[] to 'found['root']' in both branches
      see: docs/errors/MissingValueError.md

    ## Why

    The program needs a value of one type after the `if` or in the next iteration. This error is raised
    where the program cannot check for a missing value. Elsewhere, reading a variable that the branch left
    unbound raises `UnboundLocalError` when the program runs, as in Python. A number, an array, a tuple or a
    frozen dataclass may be None on one path.

    ## How to fix it

    Assign or return a value on each path, such as NaN or None:

    >>> @ag.function
    ... def roots(xs):
    ...     found = {"root": None}
    ...     for x in xs:
    ...         if x >= 0:
    ...             found["root"] = np.sqrt(x)
    ...     return found
    >>> roots(np.array([-9.0]))
    {'root': None}
    """
