"""Errors of staged code: what it changes, raises, repeats and keeps where a program cannot follow."""

from __future__ import annotations

from .base import AutographError
from .staging import StagingError


class AliasError(StagingError):
    """What a staged branch or loop changes has another name, which would not see the change.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def grow(n):
    ...     items = [0]
    ...     other = items
    ...     for i in range(n):
    ...         items.append(i)
    ...     return len(other)
    >>> grow(np.int64(3))
    Traceback (most recent call last):
        ...
    autograph_rs.AliasError: the list 'items' changes its length in a staged branch or loop, and ...
      File "...", line 5, in grow
        for i in range(n):
                 ^^^^^^^^
      why: a list whose length depends on staged values is another object, which the other name ...
      instead: use one name for it, or give the other name a copy: list(items)
      see: docs/errors/AliasError.md

    ## Why

    In Python several names may lead to one list or array. A program that changes it gives one variable a
    new value; the other names would still have the old one.

    ## Instead

    Use one name, or a copy where another is meant:

    >>> @ag.function
    ... def grow(n):
    ...     items = [0]
    ...     for i in range(n):
    ...         items.append(i)
    ...     return len(items)
    >>> grow(np.int64(3))
    4
    """


class RaiseInTryError(StagingError):
    """An exception is raised under a staged condition, inside a `try` that would catch it.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def checked(x):
    ...     try:
    ...         if x < 0:
    ...             raise ValueError("negative")
    ...     except ValueError:
    ...         return -1.0
    ...     return x
    >>> checked(np.float64(-2))
    Traceback (most recent call last):
        ...
    autograph_rs.RaiseInTryError: ValueError is raised under a staged condition inside a 'try' with ...
      File "...", line 5, in checked
        raise ValueError("negative")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      the 'try':
      File "...", line 3, in checked
        try:
        ^^^
      why: the 'try' of line 3 has an 'except', and has ended when the program raises
      instead: test the condition instead of catching the exception
      see: docs/errors/RaiseInTryError.md

    ## Why

    Whether it is raised is known only when the program runs, and by then the `try` has ended. An
    exception that nothing in the traced function catches is fine: the program raises it.

    ## Instead

    Test the condition:

    >>> @ag.function
    ... def checked(x):
    ...     return -1.0 if x < 0 else x
    >>> float(checked(np.float64(-2)))
    -1.0
    """


class UnrolledLoopError(StagingError):
    """A `break` on a staged value did not end a loop that Python runs.

    >>> import autograph_rs as ag, numpy as np, itertools
    >>> from autograph_rs.runtime.staging import unrolled
    >>> unrolled.MAX_UNROLLED = 20  # 10,000, if nobody changes it
    >>> @ag.function
    ... def search(x):
    ...     for i in itertools.count():
    ...         if i * i > x:
    ...             break
    ...     return i
    >>> search(np.int64(20))
    Traceback (most recent call last):
        ...
    autograph_rs.UnrolledLoopError: a 'break' on a staged value did not end a Python loop in 20 rounds
      File "...", line 3, in search
        for i in itertools.count():
                 ^^^^^^^^^^^^^^^^^
      why: a plain iterator is unrolled to its end, as whether it is left is known only when the ...
      instead: use 'while', or loop over a staged range or array
      see: docs/errors/UnrolledLoopError.md
    >>> unrolled.MAX_UNROLLED = 10_000

    ## Why

    A loop over a plain iterator is run by Python while the function is traced, each round under the
    condition that no `break` came before. An iterator without an end would be followed for ever.

    ## Instead

    Use `while`, which is a loop of the program:

    >>> @ag.function
    ... def search(x):
    ...     i = 0
    ...     while i * i <= x:
    ...         i += 1
    ...     return i
    >>> search(np.int64(20))
    5
    """


class LeakError(AutographError, RuntimeError):
    """A staged value is used outside the trace, branch or loop body that made it.

    >>> import autograph_rs as ag, numpy as np
    >>> kept = []
    >>> @ag.function
    ... def keep(x):
    ...     kept.append(x + 1)
    ...     return x
    >>> keep(np.ones(2))
    array([1., 1.])
    >>> kept[0] + 1
    Traceback (most recent call last):
        ...
    autograph_rs.LeakError: a staged value of type float64[2] is used outside the function, branch ...
      File "...", line 1
        kept[0] + 1
        ^^^^^^^^^^^
      it was made here:
      File "...", line 3, in keep
        kept.append(x + 1)
                    ^^^^^
      it leaked through a list
      why: it stands for a value that is there only while that part of the graph runs
      instead: return it, or keep it in a variable of the function, instead of storing it elsewhere
      see: docs/errors/LeakError.md

    ## Why

    A staged value stands for what a part of a program computes. Stored in a global, an attribute of
    something that outlives the call, or a list from outside, it is still there when that part is over,
    and stands for nothing.

    ## Instead

    The message shows where the value is used, where it was made, and through what it came out. Return it:

    >>> @ag.function
    ... def keep(x):
    ...     return x, x + 1
    >>> _, kept = keep(np.ones(2))
    >>> kept + 1
    array([3., 3.])

    State that is to outlive the calls is a `Variable`.
    """


class StagedRecursionError(AutographError, RecursionError):
    """A function calls itself under a staged condition, without end.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def factorial(n):
    ...     def product(n):
    ...         return 1 if n <= 1 else n * product(n - 1)
    ...     return product(n)
    >>> factorial(np.int64(5))
    Traceback (most recent call last):
        ...
    autograph_rs.StagedRecursionError: 'product' calls itself under a staged condition
      File "...", line 4, in <lambda>
        return 1 if n <= 1 else n * product(n - 1)
                                    ^^^^^^^^^^^^^^
      the condition:
      File "...", line 4, in product
        return 1 if n <= 1 else n * product(n - 1)
                    ^^^^^^
      why: how deep it goes is known only when the program runs, so the trace would not end (40 ...
      instead: write 'product' as a loop, or let a plain number decide when it ends
      see: docs/errors/StagedRecursionError.md

    ## Why

    Both branches of a staged condition are traced, so one that leads to a further call of the function
    does so each time. How deep it goes is known only when the program runs.

    ## Instead

    Write a loop:

    >>> @ag.function
    ... def factorial(n):
    ...     product = 1
    ...     while n > 1:
    ...         product = product * n
    ...         n = n - 1
    ...     return product
    >>> int(factorial(np.int64(5)))
    120

    A recursion that a plain number ends is traced to its end, so a plain argument works too:
    `factorial(5)`.
    """


class NumericsError(AutographError, FloatingPointError):
    """A program made the first NaN or Inf while `check_numerics` was on.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def root(x):
    ...     return np.sqrt(x - 1.0)
    >>> with np.errstate(invalid="ignore"), ag.check_numerics():
    ...     root(np.float64(0))
    Traceback (most recent call last):
        ...
    autograph_rs.NumericsError: numpy.sqrt made a NaN of -1.0
      File "...", line 3, in root
        return np.sqrt(x - 1.0)
               ^^^^^^^^^^^^^^^^
      why: its operands are finite, and check_numerics() is on
      instead: keep the operands where the result is finite, as by np.maximum or np.where
      see: docs/errors/NumericsError.md

    ## Why

    The operands of the operation are finite, and its result is not. What follows from that result is not
    looked at, so the message names the first operation that went wrong.

    ## Instead

    Keep the operands where the result is finite:

    >>> @ag.function
    ... def root(x):
    ...     return np.sqrt(np.maximum(x - 1.0, 0.0))
    >>> with ag.check_numerics():
    ...     float(root(np.float64(0)))
    0.0
    """
