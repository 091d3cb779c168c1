"""Helpers for tests of warnings."""

from __future__ import annotations

import linecache
import warnings

import numpy as np
import pytest

import autograph_rs as ag

SOME = np.float64(1.0)
NONE = np.float64(-1.0)


def describe(run, *arguments):
    """Run a function, and return the source line and the message of each warning."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run(*arguments)
    assert {w.category for w in found} <= {ag.SideEffectWarning}
    return [(linecache.getline(w.filename, w.lineno).strip(), str(w.message)) for w in found]


def check(f, *arguments, line, says, left=lambda: None):
    """Check that staging a function warns once, at `line`, and raises if warnings are errors.

    `left` returns the side effects of the function, and undoes them.
    """
    [(text, message)] = describe(ag.function(f), *arguments)
    assert text == line
    assert says in message
    assert "filterwarnings('ignore', category=ag.SideEffectWarning)" in message
    found = left()
    with warnings.catch_warnings(action="error"), pytest.raises(ag.SideEffectWarning):
        ag.function(f)(*arguments)
    left()
    assert describe(ag.to_graph(f), 1.0) == []
    return found
