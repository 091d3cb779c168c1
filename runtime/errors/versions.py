"""The error for versions that this package does not support."""

from __future__ import annotations

from .base import AutographError


class VersionError(AutographError, ValueError):
    """A file or an imported framework has a version that this package does not support.

    >>> import autograph_rs as ag, numpy as np
    >>> text = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph.to_json()
    >>> ag.Graph.from_json(text.replace('"version": 1', '"version": 2'))
    Traceback (most recent call last):
        ...
    autograph_rs.VersionError: version: 2 is later than 1, the latest that this autograph_rs reads
      File "...", line 1
        ag.Graph.from_json(text.replace('"version": 1', '"version": 2'))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a later version may give the same keys a different meaning
      fix: upgrade autograph_rs, or save the function again with the installed version
      see: docs/errors/VersionError.md

    ## Why

    A later version of [the format](../graph-format.md) may give the same keys a different meaning.

    A framework is unsupported if it is older than the
    [supported versions](../backends.md#supported-versions), or if it lacks an interface that staging needs,
    as a future version may. Converted code still runs on plain values. It raises this error when it meets a
    staged value of the framework:

        autograph_rs.VersionError: converted code cannot stage values of JAX 0.4.35
          found: JAX 0.4.35
          needed: JAX 0.6 or later, tested up to 0.10
          why: versions before 0.6 lack interfaces that staging needs
          fix: pip install 'jax>=0.6'

    ## How to fix it

    Upgrade the framework, or this package if the framework is the newer one. For a file, upgrade this package
    where you load it, or save the function again with the older version:

    >>> ag.Graph.from_json(text).count("add")
    1
    """
