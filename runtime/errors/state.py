"""Errors of state outside a graph."""

from __future__ import annotations

from .base import AutographError


class StateError(AutographError, ValueError):
    """State outside a graph is made or changed where the graph could not see it.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def count(x):
    ...     return ag.Variable(0).assign_add(x)
    >>> count(np.int64(1))
    Traceback (most recent call last):
        ...
    autograph_rs.StateError: the Variable 'variable' is made again at a later call of count
      File "...", line 3, in count
        return ag.Variable(0).assign_add(x)
               ^^^^^^^^^^^^^^
      why: a function may make its variables at its first call only, as each trace would make another
      instead: make it once ('if self.v is None: self.v = ag.Variable(0)'), or outside of the function
      see: docs/errors/StateError.md

    ## Why

    A function is traced once, and its graph runs at every call. A `Variable` that is made in the trace
    would be one that all calls share, where plain Python makes a new one at each call.

    ## Instead

    Make it once, outside of the function or at the first call alone:

    >>> total = ag.Variable(0)
    >>> @ag.function
    ... def count(x):
    ...     return total.assign_add(x)
    >>> int(count(np.int64(1))), int(count(np.int64(2)))
    (1, 3)
    """


class StaleValueError(StateError):
    """A global or closed-over value has changed since the function was traced with it.

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
    autograph_rs.StaleValueError: the global 'rate' was 0.5 when step was traced, and is 0.25 now
      File "...", line 1
        step(np.float64(4))
        ^^^^^^^^^^^^^^^^^^^
      why: the graph keeps the old value
      instead: pass it as an argument, or make it a Variable
      see: docs/errors/StaleValueError.md

    ## Why

    A graph holds the numbers, texts and arrays that the function read from outside as they were when it
    was traced. Without `check_globals=True` it goes on with the old ones.

    ## Instead

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
    """A value cannot be assigned to a `Variable`: its dtype or shape is another.

    >>> import autograph_rs as ag
    >>> weights = ag.Variable([1.0, 2.0], name="weights")
    >>> weights.assign([1.0, 2.0, 3.0])
    Traceback (most recent call last):
        ...
    autograph_rs.AssignmentError: assign of the Variable 'weights': its shape is (2,), not (3,)
      File "...", line 1
        weights.assign([1.0, 2.0, 3.0])
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the shape of a Variable never changes
      instead: give a value of its shape, or make a Variable of that shape
      see: docs/errors/AssignmentError.md

    ## Why

    The dtype and shape of a `Variable` never change: graphs that read it are made for them.

    ## Instead

    Assign what has its shape and a dtype that NumPy casts to its own within a kind, or make another
    `Variable`:

    >>> weights.assign([3, 4])
    Variable('weights', [3. 4.], dtype=float64)
    >>> weights = ag.Variable([1.0, 2.0, 3.0], name="weights")
    """
