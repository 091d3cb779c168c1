"""Errors in staged code: aliases, exceptions, recursion, leaked values and invalid numbers."""

from __future__ import annotations

from .base import AutographError
from .staging import StagingError


class AliasError(StagingError):
    """A staged branch or loop changes an object that is also reachable by another name.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def grow(n):
    ...     items = [0]
    ...     kept = (items, n)
    ...     for i in range(n):
    ...         items.append(i)
    ...     return len(kept[0])
    >>> grow(np.int64(3))
    Traceback (most recent call last):
        ...
    autograph_rs.AliasError: the list 'items' changes its length in a staged branch or loop, and the ...
      File "...", line 5, in grow
        for i in range(n):
                 ^^^^^^^^
      why: a list whose length depends on staged values is replaced with another object, to ...
      fix: use a variable in its place, or give it a copy: list(items)
      see: docs/errors/AliasError.md

    ## Why

    In Python, several places may refer to one list or array. A staged one takes its place in variables,
    attributes, items of lists and dicts, and closures. What cannot refer to another object would keep the old
    one: a tuple, a bound method, an iterator, an operand of an expression that is not finished, or anything
    that outlives the trace.

    ## How to fix it

    Use a variable, or make a copy:

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
    """An exception is raised under a staged condition, where the handler for it cannot be staged.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def checked(x):
    ...     try:
    ...         if x < 0:
    ...             raise ValueError("negative")
    ...         names = locals()
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
      why: the graph raises when it runs, and by then the 'try' on line 3 has ended
      fix: test the condition instead of catching the exception
      see: docs/errors/RaiseInTryError.md

    ## Why

    Whether the exception is raised is known only when the program runs. A `try` or `with` becomes part of
    the program, unless it stays in Python: because it contains `yield`, `await` or `locals()`, because its
    context manager is a generator that does something before the `try` around its `yield`, or because PyTorch
    stages the function.

    ## How to fix it

    Move the statement that stays in Python out of the `try`, or test the condition:

    >>> @ag.function
    ... def checked(x):
    ...     return -1.0 if x < 0 else x
    >>> float(checked(np.float64(-2)))
    -1.0
    """


class UnrolledLoopError(StagingError):
    """A `break` under a staged condition did not end a loop that Python unrolls.

        @ag.function
        def search(x):
            for i in itertools.count():
                if i * i > x:
                    break
            return i

        search(np.int64(20))

    raises this error after tracing 10,000 iterations:

        autograph_rs.UnrolledLoopError: a 'break' on a staged value did not end a Python loop within 10000 ...
          File "...", line 3, in search
            for i in itertools.count():
                     ^^^^^^^^^^^^^^^^^
          why: a plain iterator is unrolled to its end, because the iteration in which the ...
          fix: use 'while', or loop over a staged range or array
          see: docs/errors/UnrolledLoopError.md

    ## Why

    Python runs a loop over a plain iterator while the function is traced, and each iteration depends on
    whether an earlier one reached the `break`. With an infinite iterator, the trace would never end.

    ## How to fix it

    Use `while`, which becomes a loop of the program:

    >>> import autograph_rs as ag, numpy as np
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
    """A staged value is used outside of the trace, branch or loop body that created it.

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
    autograph_rs.LeakError: a staged value of type float64[2] is used outside the function, branch or ...
      File "...", line 1
        kept[0] + 1
        ^^^^^^^^^^^
      it was created here:
      File "...", line 3, in keep
        kept.append(x + 1)
                    ^^^^^
      it leaked through a list
      why: it stands for a value that exists only while that part of the graph runs
      fix: return it or assign it to a local variable of the function, instead of storing it elsewhere
      see: docs/errors/LeakError.md

    ## Why

    A staged value is a placeholder within a part of a program. If it is stored in a global, in an attribute
    of an object that outlives the call, or in a list from outside, it outlives that part and has no meaning.

    ## How to fix it

    The message shows where the value is used, where it was created, and how it leaked. Return it instead:

    >>> @ag.function
    ... def keep(x):
    ...     return x, x + 1
    >>> _, kept = keep(np.ones(2))
    >>> kept + 1
    array([3., 3.])

    Use a `Variable` for state that must outlive a call.
    """


class StagedRecursionError(AutographError, RecursionError):
    """A function calls itself under a staged condition, in a way that cannot be staged.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def nested_sum(x, n):
    ...     def nest(x, n):
    ...         return np.sum(x) if n == 0 else nest(x[None], n - 1)
    ...     return nest(x, n)
    >>> nested_sum(np.ones(3), np.int64(2))
    Traceback (most recent call last):
        ...
    autograph_rs.StagedRecursionError: 'nest' calls itself under a staged condition, but cannot become a graph
      File "...", line 4, in <lambda>
        return np.sum(x) if n == 0 else nest(x[None], n - 1)
                                        ^^^^^^^^^^^^^^^^^^^^
      why: an argument is float64[1, 3] in one call and float64[1, 1, 3] in another: ...
      fix: pass arguments of one type and number of dimensions
      see: docs/errors/StagedRecursionError.md

    ## Why

    The depth of the recursion is known only when the program runs. With `ag.function`, the function becomes a
    graph that calls itself, so the arguments and results of all calls need the same types and structure, and
    the function may change outside of itself only numbers and arrays.

    JAX, TensorFlow and PyTorch have no such graphs. There, a function that calls itself only in statements
    `return f(...)` becomes a loop, and any other recursion raises this error.

    ## How to fix it

    Pass and return values of the same types in all calls:

    >>> @ag.function
    ... def nested_sum(x, n):
    ...     def nest(x, n):
    ...         return np.sum(x) if n == 0 else nest(x * 1.0, n - 1)
    ...     return nest(x, n)
    >>> float(nested_sum(np.ones(3), np.int64(2)))
    3.0

    On a framework, write a loop. A recursion that depends on plain numbers only can be traced by all of them.
    """


class NumericsError(AutographError, FloatingPointError):
    """An operation produced NaN or infinity from finite operands while `check_numerics` was on.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def root(x):
    ...     return np.sqrt(x - 1.0)
    >>> with np.errstate(invalid="ignore"), ag.check_numerics():
    ...     root(np.float64(0))
    Traceback (most recent call last):
        ...
    autograph_rs.NumericsError: numpy.sqrt computed a NaN from -1.0
      File "...", line 3, in root
        return np.sqrt(x - 1.0)
               ^^^^^^^^^^^^^^^^
      why: its operands are finite, and check_numerics() is on
      fix: limit the operands to values with a finite result, for example with np.maximum or np.where
      see: docs/errors/NumericsError.md

    ## Why

    The operands of the operation are finite, but its result is not. The program stops at once, so the
    message names the first such operation.

    ## How to fix it

    Limit the operands to values with a finite result:

    >>> @ag.function
    ... def root(x):
    ...     return np.sqrt(np.maximum(x - 1.0, 0.0))
    >>> with ag.check_numerics():
    ...     float(root(np.float64(0)))
    0.0
    """
