"""Compile a converted tree, and create functions from the code.

The tree is compiled under the user's file name with the positions of the user's nodes, so tracebacks,
debuggers and coverage show the user's lines. The new function shares the globals and closure cells of the
original. The functions that passes add take the name of the user's function that contains them.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import gast

from autograph_rs.converters.passes.inlining import inline_operators
from autograph_rs.converters.trees.builders import blocks
from autograph_rs.converters.trees.python_trees import python_tree
from autograph_rs.runtime.core.annotations import copy_attributes
from autograph_rs.runtime.core.closures import cells_of
from autograph_rs.runtime.debugging.line_tables import (
    as_internal_code,
    closure_positions,
    encode_positions,
    has_no_user_code,
    hide_operator_steps,
)

from ..source.definitions import ANNOTATIONS, OPERATORS, FunctionNode, first_line
from .coverage_support import BranchMarkers, is_coverage_active

_FACTORY = "ag__factory"
_CODE_HASHES_COLLIDE = sys.version_info < (3, 12)  # code objects that differ only in instructions hash alike
_LONG_CODE = 2000  # bytes of code; beyond this, Python may be slow to compare the added functions
_ITERABLE_COROUTINE = 0x100  # set by `types.coroutine`


def standalone_function(tree: gast.AST, memo: dict[gast.AST, Any] | None = None) -> FunctionNode:
    """Return a function's Python tree without decorators, under a name that recursive calls do not use."""
    node: FunctionNode = python_tree(tree, memo=memo)
    if not isinstance(node, ast.Lambda):
        node.decorator_list = []
        node.name = f"ag__{node.name}"
        if sys.version_info >= (3, 12):
            node.type_params = []  # their variables become free variables of the function
    return node


def _wrap_in_factory(tree: FunctionNode, free: tuple[str, ...]) -> ast.Module:
    """Return a module with a factory whose parameters are the function's free variables."""
    names = [OPERATORS, *(name for name in free if name != OPERATORS)]
    parameters = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    inner = ast.Return(tree) if isinstance(tree, ast.Lambda) else tree
    factory = ast.FunctionDef(_FACTORY, parameters, [inner], [])
    if sys.version_info >= (3, 12):
        factory.type_params = []
    for node in (factory, inner, *parameters.args):
        ast.copy_location(node, tree)
    return ast.Module([factory], [])


def compile_function(
    tree: gast.AST, original: types.CodeType, generated: Set[str], *, inline: bool = False
) -> types.CodeType:
    """Compile a converted function with the original's names. `generated` names the added functions."""
    is_inlined = inline and not is_coverage_active()
    node = (
        standalone_function(inline_operators(tree, generated), {})
        if is_inlined
        else standalone_function(tree)
    )
    returning: Mapping[str, int] = {}
    if is_coverage_active() and not isinstance(node, ast.Lambda):
        markers = BranchMarkers(original, generated)
        markers.add_to(node)
        generated, returning = generated | markers.added, markers.returning
    node.lineno = first_line(tree)
    has_docstrings = _CODE_HASHES_COLLIDE and len(original.co_code) > _LONG_CODE
    has_docstrings = has_docstrings and not isinstance(node, ast.Lambda)
    if has_docstrings:
        _add_unique_docstrings(node, generated)
    factory_tree, flags = _wrap_in_factory(node, original.co_freevars), original.co_flags & ANNOTATIONS
    module = compile(factory_tree, original.co_filename, "exec", flags=flags, dont_inherit=True)
    [factory] = _nested_codes(module)
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    code = [c for c in _nested_codes(factory) if c.co_name == name][-1]
    code = code.replace(co_flags=code.co_flags | original.co_flags & _ITERABLE_COROUTINE)
    return _Renamer(code.co_qualname, original, generated, is_inlined, has_docstrings, returning)(code)


def _add_unique_docstrings(function: ast.AST, generated: Set[str]) -> None:
    """Give added functions unique docstrings, so that their code hashes differ; `_Renamer` removes these."""
    stack = [function]
    seen: set[ast.AST] = set()
    while stack:
        node = stack.pop()
        for block in blocks(node):
            stack += block
        if type(node) is ast.FunctionDef and node.name in generated and node not in seen:
            text = ast.copy_location(ast.Constant(f"{node.name} {len(seen)}"), node.body[0])
            node.body.insert(0, ast.copy_location(ast.Expr(text), text))
            seen.add(node)


def _nested_codes(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


@dataclass(frozen=True)
class _Renamer:
    """Callable that gives converted code the original's names, omitting the factory and added functions."""

    converted: str
    """The qualified name of the converted function inside its factory."""
    original: types.CodeType
    generated: Set[str]
    is_inlined: bool
    has_docstrings: bool
    returning: Mapping[str, int]
    """The first line of the user's function, by the name of each added function after which it returns."""

    def __call__(self, code: types.CodeType, *, is_internal: bool = False) -> types.CodeType:
        name, qualname = self._names(code)
        is_class = not code.co_flags & 0x2  # CO_NEWLOCALS
        first, lines = code.co_firstlineno, code.co_linetable
        if code.co_name in self.generated and not is_internal:
            is_internal = has_no_user_code(code)
            if not is_internal:
                positions, first = closure_positions(code, list(code.co_positions()))
                first = self.returning.get(code.co_name, first)
                lines = encode_positions(positions, first)
        elif self.is_inlined and not is_class:
            lines = hide_operator_steps(code)
        consts: list[object] = []
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                consts.append(self(const, is_internal=is_internal))
            elif self.has_docstrings and not consts and code.co_name in self.generated:
                consts.append(None)
            else:
                consts.append(qualname if is_class and const == code.co_qualname else const)
        if is_internal:
            return as_internal_code(
                code, self.original.co_filename, f"{name}.{code.co_name}", qualname, consts
            )
        return code.replace(
            co_name=name, co_qualname=qualname, co_consts=tuple(consts),
            co_firstlineno=first, co_linetable=lines,
        )  # fmt: skip

    def _names(self, code: types.CodeType) -> tuple[str, str]:
        full, original = code.co_qualname, self.original
        is_inside = f"{full}.".startswith(f"{self.converted}.")  # a function declared global is not
        parts: list[str] = []
        for part in full.removeprefix(self.converted if is_inside else "").split("."):
            if part in self.generated:
                parts.pop()  # <locals>
            else:
                parts.append(part)
        takes_original_name = code.co_name in self.generated or full == self.converted
        name = (parts[-1] or original.co_name) if takes_original_name else code.co_name
        return name, (original.co_qualname if is_inside else "") + ".".join(parts)


def bind(code: types.CodeType, original: types.FunctionType, operators: types.CellType) -> types.FunctionType:
    """Return a function that runs `code` with the globals, cells and defaults of `original`."""
    cells = cells_of(original)
    cells[OPERATORS] = operators
    closure = tuple(cells[name] for name in code.co_freevars)
    function = types.FunctionType(
        code, original.__globals__, original.__name__, original.__defaults__, closure
    )
    function.__kwdefaults__ = original.__kwdefaults__
    return function


def copy_metadata(original: types.FunctionType, converted: Any) -> Any:
    """Copy the attributes of a function to its replacement, and return the replacement."""
    copy_attributes(converted, original)
    # TensorFlow's AutoGraph and malt recognize converted functions by this attribute.
    converted.autograph_info__ = {}
    return converted
