"""Errors about state outside of a graph: variables, globals and closures."""

from __future__ import annotations

from .base import AutographError


class StateError(AutographError, ValueError):
    """State outside of a graph is created or changed in a way that the graph cannot represent.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def count(x):
    ...     return ag.Variable(0).assign_add(x)
    >>> count(np.int64(1))
    Traceback (most recent call last):
        ...
    autograph_rs.StateError: a later call to count creates the Variable 'variable' again
      File "...", line 3, in count
        return ag.Variable(0).assign_add(x)
               ^^^^^^^^^^^^^^
      why: only a function's first call may create variables: each later trace would create more
      fix: create it once (if self.v is None: self.v = ag.Variable(0)), or outside the function
      see: docs/errors/StateError.md

    ## Why

    A function is traced once, and its graph runs at every call. All calls would share a `Variable` that the
    trace creates, but plain Python creates a new one at each call.

    ## How to fix it

    Create the variable once, outside of the function or in the first call only:

    >>> total = ag.Variable(0)
    >>> @ag.function
    ... def count(x):
    ...     return total.assign_add(x)
    >>> int(count(np.int64(1))), int(count(np.int64(2)))
    (1, 3)
    """


class StaleValueError(StateError):
    """A global or closure variable has changed since the function was traced.

    >>> import autograph_rs as ag, numpy as np
    >>> rate = 0.5
    >>> @ag.function(check_globals=True)
    ... def step(x):
    ...     return x * rate
    >>> float(step(np.float64(4)))
    2.0
    >>> rate = 0.25
    >>> step(np.float64(4))
    Traceback (most recent call last):
        ...
    autograph_rs.StaleValueError: the global 'rate' was 0.5 when step was traced, but is now 0.25
      File "...", line 1
        step(np.float64(4))
        ^^^^^^^^^^^^^^^^^^^
      why: the graph contains the old value as a constant
      fix: pass the value as an argument, or make it a Variable
      see: docs/errors/StaleValueError.md

    ## Why

    A graph captures the numbers, strings and arrays that the function reads from globals and closures when
    it is traced. Without `check_globals=True`, it continues to use the old values.

    ## How to fix it

    Pass the value as an argument, or make it a `Variable`, which is read when the graph runs:

    >>> rate = ag.Variable(0.5)
    >>> @ag.function(check_globals=True)
    ... def step(x):
    ...     return x * rate
    >>> float(step(np.float64(4)))
    2.0
    >>> rate.assign(0.25)
    Variable('variable', 0.25, dtype=float64)
    >>> float(step(np.float64(4)))
    1.0
    """


class AssignmentError(StateError, TypeError):
    """The dtype or shape of a value does not match the `Variable` that it is assigned to.

    >>> import autograph_rs as ag
    >>> weights = ag.Variable([1.0, 2.0], name="weights")
    >>> weights.assign([1.0, 2.0, 3.0])
    Traceback (most recent call last):
        ...
    autograph_rs.AssignmentError: assign of the Variable 'weights': expected shape (2,), got (3,)
      File "...", line 1
        weights.assign([1.0, 2.0, 3.0])
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the shape of a Variable never changes
      fix: assign a value of the expected shape, or create another Variable
      see: docs/errors/AssignmentError.md

    ## Why

    The dtype and shape of a `Variable` never change, because graphs that read it depend on them.

    ## How to fix it

    Assign a value of the same shape, whose dtype NumPy can cast with `casting="same_kind"`, or create another
    `Variable`:

    >>> weights.assign([3, 4])
    Variable('weights', [3. 4.], dtype=float64)
    >>> weights = ag.Variable([1.0, 2.0, 3.0], name="weights")
    """
