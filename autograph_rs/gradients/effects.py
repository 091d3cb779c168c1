"""What cannot be done twice, where a gradient computes a function again."""

from __future__ import annotations

from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph.concrete import ConcreteGraph

HARMLESS = frozenset(("check_bound", "raise"))


def refuse_effects(concrete: ConcreteGraph, name: str, asked: str) -> None:
    """Raise `GradientError` where a function has effects; `asked` is what asks for its gradient."""
    for node in concrete.graph.walk():
        if node.effect and node.op not in HARMLESS and not any(node.graphs()):
            raise computed_again(name, asked, f"it has effects: {node.op}")


def computed_again(name: str, asked: str, what: str) -> GradientError:
    return GradientError(
        f"the gradient of {name} is asked by {asked}, but {what}",
        why="the function is computed again for its gradient, and that would be done again",
        remedy="ask for the gradient in a function (@ag.function), where everything is computed once",
    )
