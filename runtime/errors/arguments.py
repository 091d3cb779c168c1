"""Errors of what a function of ours, or a traced one, is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import AutographError
from .naming import told


class ArgumentError(AutographError, TypeError):
    """A function of this package was given something of the wrong kind.

    >>> import autograph_rs as ag
    >>> ag.to_code(len)
    Traceback (most recent call last):
        ...
    autograph_rs.ArgumentError: the builtin len is no Python function, method, partial or object with a ...
      File "...", line 1
        ag.to_code(len)
        ^^^^^^^^^^^^^^^
      why: conversion begins with the Python source of a function
      instead: give a function of your own that calls it: what is no Python needs no conversion
      see: docs/errors/ArgumentError.md

    ## Why

    Each function says in its documentation what it takes: `help(ag.to_code)`. To go on with something
    else would fail later, at a place that says less.

    ## Instead

    Give what the message asks for:

    >>> def length(xs):
    ...     return len(xs)
    >>> print(ag.to_code(length))
    def ag__length(xs):
        return ag__.callee(len)(xs)
    """


def checked_truth(name: str, value: Any) -> bool:
    """An option that is True or False.

    Raises:
        ArgumentError: it is neither.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(
        f"{name}= is True or False, not {told(value)}",
        why="any other value would be taken for one of them by its truth, as 'no' would be for True",
        remedy=f"give {name}=True or {name}=False",
    )


class OptionError(AutographError, ValueError):
    """An option is not known, or was given a value that it does not know, or where it says nothing.

    >>> import autograph_rs as ag
    >>> ag.function(lambda x: x, optimise=["fold", "everything"])
    Traceback (most recent call last):
        ...
    autograph_rs.OptionError: there is no optimisation 'everything'
      File "...", line 1
        ag.function(lambda x: x, optimise=["fold", "everything"])
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: optimise= is True, False, or the names of some optimisations
      instead: give some of fold, branches, identities, cse, hoist, dead
      see: docs/errors/OptionError.md

    ## Why

    A word that is not known may be a slip of the pen; to ignore it would do something else than what was
    asked. So would an option of a loop outside of a loop.

    ## Instead

    Give one of the values that the message lists:

    >>> ag.function(lambda x: x, optimise=["fold", "cse"])(2)
    2
    """


class MissingFrameworkError(AutographError, ImportError):
    """A framework was asked for that is not installed.

        ag.function(f, backend="jax")

    raises this where JAX is not there. Its `name` is that of the module.

    ## Why

    This package works with JAX, TensorFlow and PyTorch, and brings none of them.

    ## Instead

    Install it with the extra of its name, or leave `backend=` out:

        pip install 'autograph_rs[jax]'
    """


class SpecError(AutographError, TypeError):
    """What Python gives to a graph that runs does not fit the spec that was declared for it.

    >>> import autograph_rs as ag, numpy as np
    >>> spec = ag.TensorSpec((2,), "float64")
    >>> ends = ag.function(lambda x: ag.py_function(lambda v: v[:1], [x], spec))
    >>> ends(np.arange(3.0))
    Traceback (most recent call last):
        ...
    autograph_rs.SpecError: the py_function <lambda> returned float64[1], but its spec is float64[2]
      File "...", line 1, in <lambda>
        ends = ag.function(lambda x: ag.py_function(lambda v: v[:1], [x], spec))
                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the graph was made for what the spec says
      instead: give the spec of what comes, with None for lengths that differ
      see: docs/errors/SpecError.md

    ## Why

    A graph cannot look into Python code that it calls, nor at elements of a dataset that come later. It is
    made for what their specs say.

    ## Instead

    Declare what comes. None is a length that is known only at run time:

    >>> spec = ag.TensorSpec((None,), "float64")
    >>> ends = ag.function(lambda x: ag.py_function(lambda v: v[:1], [x], spec))
    >>> ends(np.arange(3.0))
    array([0.])
    """


class SignatureError(AutographError, TypeError):
    """The arguments of a call do not fit the signature that the function was traced, saved or declared for.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function(input_signature=[ag.TensorSpec((None,))])
    ... def double(x):
    ...     return x * 2
    >>> double(np.ones((2, 2)))
    Traceback (most recent call last):
        ...
    autograph_rs.SignatureError: double was called with (float64[2, 2]), but its input_signature is ...
      File "...", line 1
        double(np.ones((2, 2)))
        ^^^^^^^^^^^^^^^^^^^^^^^
      why: one graph, made for the input signature, serves all calls
      instead: give arguments of these dtypes and shapes, or leave input_signature out
      see: docs/errors/SignatureError.md

    ## Why

    A graph is made for the dtypes and shapes of its arguments. `input_signature` says them for all calls;
    a concrete function has those of its trace, a loaded function those of the traces that were saved.

    ## Instead

    Give what fits, or declare what is given. None is a length that is known only at run time:

    >>> @ag.function(input_signature=[ag.TensorSpec((None, None))])
    ... def double(x):
    ...     return x * 2
    >>> double(np.ones((1, 2)))
    array([[2., 2.]])
    """
