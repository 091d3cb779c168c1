"""Static checks for unsupported constructs, based on the text of a function alone."""

from __future__ import annotations

from collections.abc import Iterator

import gast

from ..trees.builders import walk_scope
from .unsupported import Span, UnsupportedConstruct, python_tests

UNCONVERTED_SPECIAL = frozenset(
    f"__{name}__" for name in "new del hash getattribute set_name init_subclass class_getitem".split()
)


def find_unsupported(function: gast.AST, caller: str) -> list[UnsupportedConstruct]:
    """Return the unsupported constructs of a function. `caller` is the result of `called_by_python`."""
    if caller:
        first = next(python_tests(function.body), None)
        return [] if first is None else [UnsupportedConstruct(Span.of(first[1]), "AG008", first[0], caller)]
    return [*_in_class_bodies(function.body)]


def called_by_python(function: gast.AST) -> str:
    """Describe a special method that Python calls without conversion; return "" for other functions."""
    return f"'{function.name}'" if function.name in UNCONVERTED_SPECIAL else ""


def decorators(function: gast.AST) -> set[str]:
    """Return the names of a function's decorators, without their modules."""
    return {getattr(d, "attr", getattr(d, "id", "")) for d in function.decorator_list}


def _in_class_bodies(body: list[gast.AST]) -> Iterator[UnsupportedConstruct]:
    for node in walk_scope(body):
        if isinstance(node, gast.ClassDef):
            for construct, test in python_tests(node.body):
                yield UnsupportedConstruct(Span.of(test), "AG007", construct)
            yield from _in_class_bodies(node.body)
