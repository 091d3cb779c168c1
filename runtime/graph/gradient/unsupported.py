"""The errors of gradients, each with place, reason and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GradientError
from ..ir import Node


def no_rule(node: Node) -> GradientError:
    name = node.op
    if name == "iterate":
        name = f"{node.attrs['function'].__name__}() of {node.inputs[0].op}()"
    return _at(
        node,
        f"{name} has no gradient",
        why="there is no rule for its reverse",
        remedy="compute it by functions that have one, or outside of what is differentiated",
    )


def with_option(node: Node, options: Sequence[str]) -> GradientError:
    return _at(
        node,
        f"{node.op} has no gradient with {', '.join(options)}",
        why="there is no rule for its reverse with that",
        remedy="leave it out, or write it with functions that have a gradient, as np.where on the result",
    )


def made_inside(node: Node) -> GradientError:
    return _at(
        node,
        "a gradient is asked of, or with respect to, what was made in another branch or round than the tape",
        why="its block is part of one graph, and that value of another",
        remedy="put the block and what is asked of it into the same branch or loop body",
    )


def _at(node: Node, what: str, *, why: str, remedy: str) -> GradientError:
    error = GradientError(what, why=why, remedy=remedy)
    error.sites = sites(node)
    return error


def sites(node: Node) -> tuple[tuple[str, Any], ...]:
    return tuple([("it was recorded here", place) for place in node.places[-1:]])


def refusing(name: str, what: str) -> GradientError:
    """Of a call with an argument that its rule does not know."""
    return GradientError(
        f"{name} has no gradient with {what}",
        why="there is no rule for its reverse with this option",
        remedy="leave the option out, or write it with functions that have a gradient",
    )
