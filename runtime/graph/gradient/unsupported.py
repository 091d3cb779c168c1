"""Errors for operations without a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GradientError
from ..ir.graph import Node


def no_rule(node: Node) -> GradientError:
    name = node.op
    if name == "iterate":
        name = f"{node.attrs['function'].__name__}() of {node.inputs[0].op}()"
    return GradientError(
        f"{name} has no gradient",
        why="autograph_rs has no gradient rule for it",
        remedy="use functions that have a gradient, or move the call out of the differentiated function",
        sites=sites(node),
    )


def unsupported_options(node: Node, options: Sequence[str]) -> GradientError:
    return unsupported_argument(node.op, ", ".join(options), sites=sites(node))


def unsupported_argument(name: str, what: str, **place: Any) -> GradientError:
    """Return the error for an argument that the gradient of a function does not support."""
    return GradientError(
        f"the gradient of {name} does not support {what}",
        why="the gradient rule does not cover this use",
        remedy="change the call, or express it with functions that have a gradient, such as np.where",
        **place,
    )


def sites(node: Node) -> tuple[tuple[str, Any], ...]:
    """Return the code position of a node, for the `sites` of an error."""
    return tuple([("it was recorded here", place) for place in node.places[-1:]])
