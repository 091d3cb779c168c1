"""`ConcreteFunction.to_onnx`: a graph in a file of another engine."""

from __future__ import annotations

import os
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import MissingFrameworkError, OptionError, told

from .concrete import ConcreteFunction
from .loading import path_of
from .saving import replace

VARIABLES = ("constant", "explicit")


@public
def write_onnx(concrete: ConcreteFunction, path: str | os.PathLike[str], variables: Any) -> None:
    """What `ConcreteFunction.to_onnx` does."""
    file = path_of(path)
    if variables not in VARIABLES:
        raise OptionError(
            f"variables= is 'constant' or 'explicit', not {told(variables)}",
            why="Variables are constants of the model, or inputs and outputs of it",
            remedy='give variables="explicit" to keep them outside of the model',
        )
    try:
        from autograph_rs.runtime.exports.onnx import to_model  # noqa: PLC0415 - it imports onnx
    except ImportError as error:
        missing = MissingFrameworkError(
            "to_onnx needs onnx, which is not installed",
            why="the package onnx writes the files, and this package does not bring it",
            remedy="pip install 'autograph_rs[onnx]'",
        )
        missing.name = "onnx"
        raise missing from error
    replace(file, to_model(concrete.concrete, explicit=variables == "explicit").SerializeToString())
