"""Compile time: trees in, trees out.

`convert_tree` takes the gast tree of a function, or of anything that holds functions, and rewrites
every function in it, the innermost first. It knows operators by name only; what they do is the
runtime's business.
"""

from __future__ import annotations

import gast

from .analysis import may_anchor
from .names import Namer, survey
from .passes import FEATURES, PIPELINE, Context, Lists, Operators, Pass, Rewriter, mangle
from .pipeline import Pipeline, PipelineError
from .python_trees import python_tree

OPERATORS_VERSION = 2
"""The version of the generated form and of the operators that it calls: that of `docs/operators.md`."""


class PassError(RuntimeError):
    """A pass broke its promise: a fault of this package, not of the code that it converts."""


def convert_tree(
    tree: gast.AST, *, passes: tuple[type[Pass], ...] = PIPELINE, verify: bool = False
) -> frozenset[str]:
    """Rewrite, in place, every function in `tree`, `tree` itself included; the names of added functions.

    With `verify`, each pass is checked right after it ran: what it removes must be gone, and the
    tree must still compile.

    Raises:
        PassError: a pass left what it promised to remove, or made a tree that does not compile.
    """
    found = survey(tree)
    functions = [*found.functions, tree] if type(tree) is gast.Lambda else found.functions
    anchors = may_anchor(found) or not all(map(_is_ours, passes))
    added: set[str] = set()
    for function in functions:
        context = Context(Namer(found.names), may_anchor=anchors)
        for kind in passes:
            step = kind(context)
            _run(step, function, verify=verify)
            if verify:
                _verify(step, function, tree)
        added |= context.functions
    return frozenset(added)


def _is_ours(kind: type) -> bool:
    """Whether a pass, and the rewriters that it has, are those of this package: they add no `yield`."""
    return all(part.__module__.startswith(__name__) for part in (kind, *getattr(kind, "rewriters", ())))


def _run(step: Pass, function: gast.AST, *, verify: bool) -> None:
    if not verify:
        step.run(function)
        return
    try:
        step.run(function)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        name = getattr(function, "name", "<lambda>")
        raise PassError(f"{type(step).__name__} failed on {name}: {error!r}") from error


def _verify(step: Pass, function: gast.AST, tree: gast.AST) -> None:
    blame = type(step).__name__
    for node in step.leftovers(function):
        raise PassError(f"{blame} left {type(node).__name__} at line {getattr(node, 'lineno', '?')}")
    try:
        compile_tree(tree)
    except (SyntaxError, ValueError, TypeError) as error:
        raise PassError(f"{blame} made a tree that does not compile: {error}") from error


def compile_tree(tree: gast.AST) -> None:
    """Compile a function's tree, to see that it can be."""
    body = gast.Expr(tree) if isinstance(tree, gast.Lambda) else tree
    module = tree if isinstance(tree, gast.Module) else gast.Module([body], [])
    compile(python_tree(module), "<converted>", "exec", dont_inherit=True)


__all__ = [
    "FEATURES",
    "OPERATORS_VERSION",
    "PIPELINE",
    "Context",
    "Lists",
    "Operators",
    "Pass",
    "PassError",
    "Pipeline",
    "PipelineError",
    "Rewriter",
    "compile_tree",
    "convert_tree",
    "mangle",
]
