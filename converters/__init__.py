"""Source-to-source conversion of gast trees.

`convert_tree` rewrites every function in a tree, the innermost first. The converters know operators by name
only; the runtime implements them.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from .analysis import can_have_pinned
from .expressions.iteration import Comprehensions
from .expressions.lists import Lists
from .expressions.nested_comprehensions import loop_nested_comprehensions
from .expressions.stored_items import StoredItems
from .expressions.subscripts import Subscripts
from .passes.base import Context, Pass
from .passes.control_flow import ControlFlow
from .passes.expressions import Rewriter
from .passes.normalise import mangle, mangle_classes
from .passes.tail_calls import loop_tail_calls
from .pipeline import FEATURES, PIPELINE, Operators, Pipeline, PipelineError
from .trees.builders import COMPREHENSIONS
from .trees.names import Namer, TreeSummary, summarize
from .trees.python_trees import python_tree

OPERATORS_VERSION = 3
"""Version of the generated code and of the operators that it calls (`docs/operators.md`)."""


class PassError(RuntimeError):
    """A pass failed or broke its contract. The code being converted is not at fault."""


def convert_tree(
    tree: gast.AST,
    *,
    passes: tuple[type[Pass], ...] = PIPELINE,
    verify: bool = False,
    after_each: Callable[[gast.AST], None] | None = None,
) -> frozenset[str]:
    """Rewrite all functions in `tree` in place, including `tree` itself. Return the names of added functions.

    `after_each` is called with each function before those around it are rewritten. With `verify`, check after
    each pass that the tree compiles and contains no node of the kinds that the pass lists in `removes`.

    Raises:
        PassError: a pass left a node of a kind in its `removes`, or produced a tree that does not compile.
    """
    summary = summarize(tree)
    if gast.ClassDef in summary.kinds:
        mangle_classes(tree)
        summary = summarize(tree)
    if _loop_comprehensions(summary, passes):
        summary = summarize(tree)
    functions = [*summary.functions, tree] if type(tree) is gast.Lambda else summary.functions
    may_pin = can_have_pinned(summary) or not all(map(_is_builtin, passes))
    added: set[str] = set()
    for function in functions:
        context = Context(Namer(summary.names), can_have_pinned=may_pin)
        for kind in passes:
            step = kind(context)
            if verify:
                _run_verified(step, function, tree)
            else:
                step.run(function)
        added |= context.functions
        if after_each is not None:
            after_each(function)
    return frozenset(added)


def _loop_comprehensions(summary: TreeSummary, passes: tuple[type[Pass], ...]) -> bool:
    """Rewrite comprehensions with several `for` as loops, if passes convert both; return whether any was."""
    rewriters = {rewriter for kind in passes for rewriter in getattr(kind, "rewriters", ())}
    converts = Comprehensions in rewriters and any(issubclass(kind, ControlFlow) for kind in passes)
    if not converts or summary.kinds.isdisjoint(COMPREHENSIONS):
        return False
    return loop_nested_comprehensions(summary.functions, Namer(summary.names))


def _is_builtin(kind: type) -> bool:
    """Return whether this package defines a pass and all its rewriters; such a pass adds no `yield`."""
    return all(part.__module__.startswith(__name__) for part in (kind, *getattr(kind, "rewriters", ())))


def _run_verified(step: Pass, function: gast.AST, tree: gast.AST) -> None:
    blame = type(step).__name__
    try:
        step.run(function)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        name = getattr(function, "name", "<lambda>")
        raise PassError(f"{blame} failed on {name}: {error!r}") from error
    for node in step.remaining_nodes(function):
        raise PassError(f"{blame} left {type(node).__name__} in place at line {getattr(node, 'lineno', '?')}")
    try:
        compile_tree(tree)
    except (SyntaxError, ValueError, TypeError) as error:
        raise PassError(f"{blame} produced a tree that does not compile: {error}") from error


def compile_tree(tree: gast.AST) -> None:
    """Compile the tree of a function or module, to raise Python's error if the tree is invalid."""
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
    "StoredItems",
    "Subscripts",
    "compile_tree",
    "convert_tree",
    "loop_tail_calls",
    "mangle",
]
