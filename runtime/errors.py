"""Every error of ours: what happened, where, why, and what to write instead.

All derive from `AutographError` and from the builtin exception that fits, so that
`except TypeError` means what its author expects.
"""

from __future__ import annotations

import linecache


class AutographError(Exception):
    """The base of every error that autograph_rs raises on its own account.

    >>> [kind.__name__ for kind in (ConversionError, StagingError, LeakError, SignatureError)
    ...  if issubclass(kind, AutographError)]
    ['ConversionError', 'StagingError', 'LeakError', 'SignatureError']
    """


class ConversionError(AutographError, ValueError):
    """A function could not be converted: its source cannot be had, read or understood.

    >>> import autograph_rs as ag
    >>> namespace = {}
    >>> exec("def f(x): return x", namespace)
    >>> ag.to_graph(namespace["f"])
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.ConversionError: the source of 'f' (<string>:1) cannot be had: ...
    """


class StagingError(AutographError, TypeError):
    """A staged value stands at a place that cannot be staged.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def first(x, table):
    ...     return table[np.sum(x) > 0]
    >>> first(np.ones(2), {True: 1})
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.StagingError: a dict cannot be indexed by a staged value. ...
    """


class MismatchError(StagingError):
    """Branches, or iterations, leave a variable with types that cannot be one.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def f(x):
    ...     y = np.zeros(3) if np.sum(x) > 0 else "none"
    ...     return y
    >>> f(np.ones(2))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.MismatchError: ...
    """


class UnsupportedFunctionError(StagingError):
    """A function was called on a staged value for which the backend has no rule.

    >>> import autograph_rs as ag, numpy as np
    >>> ag.function(lambda x: np.apply_along_axis(sorted, 0, x))(np.ones((2, 2)))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.UnsupportedFunctionError: numpy.apply_along_axis was called on a ...
    """


class LeakError(AutographError, RuntimeError):
    """A staged value was used outside the trace, branch or loop body that made it.

    >>> import autograph_rs as ag, numpy as np
    >>> kept = []
    >>> keep = ag.function(lambda x: kept.append(x + 1))
    >>> keep(np.ones(2))
    >>> kept[0] + 1
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.LeakError: ...
    """


class StagedRecursionError(AutographError, RecursionError):
    """A function calls itself under a staged condition, without end.

    >>> import autograph_rs as ag, numpy as np
    >>> def fact(n):
    ...     return 1 if n <= 1 else n * fact(n - 1)
    >>> ag.function(fact)(np.int64(5))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.StagedRecursionError: ...
    """


class StateError(AutographError, ValueError):
    """State outside a graph is made or changed where the graph could not see it.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def count(x):
    ...     return ag.Variable(0).assign_add(x)
    >>> count(np.int64(1))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.StateError: the Variable 'variable' is made again at a later ...
    """


class NumericsError(AutographError, FloatingPointError):
    """A graph made the first NaN or Inf while `check_numerics` was on.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: np.sqrt(x - 1.0))
    >>> with np.errstate(invalid="ignore"), ag.check_numerics():
    ...     f(np.float64(0.0))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.NumericsError: numpy.sqrt made a NaN of -1.0
    """


class SignatureError(AutographError, TypeError):
    """The arguments of a call do not fit the signature that the function was given.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: x, input_signature=[ag.TensorSpec((None,))])
    >>> f(np.ones((2, 2)))
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.SignatureError: ...
    """


class SaveError(AutographError, TypeError):
    """A graph, or a function, holds what cannot be written to a file.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: (x, {1, 2}))
    >>> ag.save(f.get_concrete_function(np.ones(2)), "f.json")
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.SaveError: <lambda> cannot be saved: its result[1] is part of it, ...
    """


class FormatError(AutographError, ValueError):
    """A file or text that should hold a graph does not: it is damaged, foreign, or of a later version.

    Nothing of it was run.

    >>> import autograph_rs as ag
    >>> ag.Graph.from_json('{"format": "something else"}')
    Traceback (most recent call last):
        ...
    autograph_rs.runtime.errors.FormatError: format: 'something else', not 'autograph_rs graph'
    """


def located(message: str, filename: str | None, lineno: int | None) -> str:
    """`message` below its place, with the source line where that can be read."""
    if filename is None or lineno is None:
        return message
    line = linecache.getline(filename, lineno).strip()
    shown = f"\n    {line}\n    {'^' * len(line)}" if line else ""
    return f"{filename}:{lineno}: {message}{shown}"
