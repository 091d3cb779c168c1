"""`ConcreteFunction.to_onnx`: a graph in a file of another engine."""

from __future__ import annotations

import os
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import OptionError, told

from .concrete import ConcreteFunction
from .frameworks import imported
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
    imported("onnx", "to_onnx")
    from autograph_rs.runtime.exports.onnx import to_model  # noqa: PLC0415 - it imports onnx

    replace(file, to_model(concrete.concrete, explicit=variables == "explicit").SerializeToString())
