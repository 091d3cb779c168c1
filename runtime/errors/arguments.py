"""Errors about the arguments of public functions and of traced functions."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .base import AutographError, describe

_EXTRAS = {"onnxruntime": "onnx", "llvmlite": "native"}
"""The extra that installs a framework, if their names differ."""


class ArgumentError(AutographError, TypeError):
    """A public function of this package received an argument of the wrong type.

    >>> import autograph_rs as ag
    >>> ag.to_code(len)
    Traceback (most recent call last):
        ...
    autograph_rs.ArgumentError: the builtin len is not a Python function, method, partial or object ...
      File "...", line 1
        ag.to_code(len)
        ^^^^^^^^^^^^^^^
      why: conversion starts from the Python source of a function
      fix: pass a Python function that calls it; code without Python source needs no conversion
      see: docs/errors/ArgumentError.md

    ## Why

    Each function documents its arguments, as in `help(ag.to_code)`. It checks them at once, because a later
    error would be harder to understand.

    ## How to fix it

    Pass what the message asks for:

    >>> def length(xs):
    ...     return len(xs)
    >>> print(ag.to_code(length))
    def ag__length(xs):
        return ag__.callee(len)(xs)
    """


def check_bool(name: str, value: Any) -> bool:
    """Return a boolean option as a `bool`.

    Raises:
        ArgumentError: `value` is not a boolean.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(
        f"{name}= must be True or False, not {describe(value)}",
        why="the truth of other values can mislead: the string 'no' counts as True",
        remedy=f"pass {name}=True or {name}=False",
    )


class OptionError(AutographError, ValueError):
    """An option is unknown, has an unknown value, or is used where it has no effect.

    >>> import autograph_rs as ag
    >>> ag.function(lambda x: x, optimise=["fold", "everything"])
    Traceback (most recent call last):
        ...
    autograph_rs.OptionError: there is no optimization 'everything'
      File "...", line 1
        ag.function(lambda x: x, optimise=["fold", "everything"])
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: optimise= must be True, False, or a list of optimization names
      fix: choose from fold, branches, identities, cse, hoist, dead
      see: docs/errors/OptionError.md

    ## Why

    An unknown name is probably misspelled. Ignoring it, or ignoring a loop option outside of a loop,
    would silently do something other than what you asked for.

    ## How to fix it

    Use one of the values that the message lists:

    >>> ag.function(lambda x: x, optimise=["fold", "cse"])(2)
    2
    """


class MissingFrameworkError(AutographError, ImportError):
    """A requested framework is not installed.

        ag.function(f, backend="jax")

    raises this error if JAX is not installed. `error.name` is the name of the module.

    ## Why

    JAX, TensorFlow and PyTorch are optional dependencies of this package.

    ## How to fix it

    Install the framework with the extra of the same name, or remove `backend=`:

        pip install 'autograph_rs[jax]'
    """


def import_framework(framework: str, feature: str) -> Any:
    """Import the framework that a feature needs, or raise `MissingFrameworkError`."""
    try:
        return importlib.import_module(framework)
    except ImportError as error:
        missing = MissingFrameworkError(
            f"{feature} needs {framework}, which is not installed",
            why="frameworks are optional dependencies of this package",
            remedy=f"pip install 'autograph_rs[{_EXTRAS.get(framework, framework)}]'",
        )
        missing.name = framework
        raise missing from error


class SpecError(AutographError, TypeError):
    """A value that Python code passes to a running graph does not match its declared spec.

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
      why: the graph was built for the dtype and shape of the spec
      fix: change the spec to this dtype and shape, with None for lengths that vary
      see: docs/errors/SpecError.md

    ## Why

    While a graph is built, the results of `py_function` and the later elements of a dataset are not known.
    The graph relies on their specs instead.

    ## How to fix it

    Declare the spec of the actual values. None is a length that is known only at run time:

    >>> spec = ag.TensorSpec((None,), "float64")
    >>> ends = ag.function(lambda x: ag.py_function(lambda v: v[:1], [x], spec))
    >>> ends(np.arange(3.0))
    array([0.])
    """


class SignatureError(AutographError, TypeError):
    """The arguments of a call do not match the signature that was traced, saved or declared.

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
      why: one graph, traced for the input signature, serves all calls
      fix: pass arguments with these dtypes and shapes, or remove input_signature
      see: docs/errors/SignatureError.md

    ## Why

    A graph is built for the dtypes and shapes of its arguments. `input_signature` fixes them for all calls. A
    concrete function accepts those of its trace, and a loaded function those of its saved traces.

    ## How to fix it

    Pass matching arguments, or declare what you pass. None is a length that is known only at run time:

    >>> @ag.function(input_signature=[ag.TensorSpec((None, None))])
    ... def double(x):
    ...     return x * 2
    >>> double(np.ones((1, 2)))
    array([[2., 2.]])
    """
