"""From a converted tree to a function, in memory.

The tree is compiled under the user's own file name with the positions of the user's own nodes, so
tracebacks, debuggers and coverage speak of the user's lines. The new function shares the globals
and the very closure cells of the original. Functions that the passes added take the name of the
user's function whose code they hold.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import gast

from autograph_rs.converters.opening import opened
from autograph_rs.converters.python_trees import python_tree
from autograph_rs.converters.trees import blocks
from autograph_rs.runtime.line_tables import carrier, carries, of_closure, table, without_hidden

from .measured import Arcs, is_measured
from .source import ANNOTATIONS, OPERATORS, FunctionNode, first_line

_FACTORY = "ag__factory"
_ALIKE_COLLIDE = sys.version_info < (3, 12)  # functions that differ in their instructions have one hash
_LONG = 2000  # bytes of code of which so many functions may be made that it takes Python long to compare them
_ITERABLE_COROUTINE = 0x100  # what `types.coroutine` makes of a generator function


def detached(tree: gast.AST, known: dict[gast.AST, Any] | None = None) -> FunctionNode:
    """The function alone: no decorators, and a name that is not the name by which it calls itself."""
    node: FunctionNode = python_tree(tree, known=known)
    if not isinstance(node, ast.Lambda):
        node.decorator_list = []
        node.name = f"ag__{node.name}"
        if sys.version_info >= (3, 12):
            node.type_params = []  # their variables are free variables of the function
    return node


def to_module(tree: FunctionNode, free: tuple[str, ...]) -> ast.Module:
    """The function inside a factory that has its free variables as parameters."""
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
    tree: gast.AST, original: types.CodeType, generated: Set[str], *, opens: bool = False
) -> types.CodeType:
    """The code of a converted function, named as the original is.

    Args:
        tree: the converted function.
        original: the code of the function that was converted.
        generated: the names of the functions that the passes added.
        opens: whether what operators do on plain values stands in the place of their call.
    """
    is_opened = opens and not is_measured()
    node = detached(opened(tree, generated), known={}) if is_opened else detached(tree)
    leaving: Mapping[str, int] = {}
    if is_measured() and not isinstance(node, ast.Lambda):
        arcs = Arcs(original, generated)
        arcs.run(node)
        generated, leaving = generated | arcs.added, arcs.exits
    node.lineno = first_line(tree)
    told_apart = _ALIKE_COLLIDE and len(original.co_code) > _LONG and not isinstance(node, ast.Lambda)
    if told_apart:
        _tell_apart(node, generated)
    made, flags = to_module(node, original.co_freevars), original.co_flags & ANNOTATIONS
    module = compile(made, original.co_filename, "exec", flags=flags, dont_inherit=True)
    [factory] = _codes(module)
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    [code] = [c for c in _codes(factory) if c.co_name == name][-1:]
    code = code.replace(co_flags=code.co_flags | original.co_flags & _ITERABLE_COROUTINE)
    return _Renaming(code.co_qualname, original, generated, is_opened, told_apart, leaving)(code)


def _tell_apart(function: ast.AST, generated: Set[str]) -> None:
    """Give each added function a docstring of its own, which `_Renaming` takes away."""
    number = 0
    stack = [function]
    told: set[ast.AST] = set()
    while stack:
        node = stack.pop()
        for block in blocks(node):
            stack += block
        if type(node) is ast.FunctionDef and node.name in generated and node not in told:
            told.add(node)
            text = ast.copy_location(ast.Constant(f"{node.name} {number}"), node.body[0])
            node.body.insert(0, ast.copy_location(ast.Expr(text), text))
            number += 1


def _codes(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


@dataclass(frozen=True)
class _Renaming:
    """Names of the codes in a converted one as the original has them: no factory, no added functions."""

    made: str
    original: types.CodeType
    generated: Set[str]
    is_opened: bool
    told_apart: bool
    leaving: Mapping[str, int]
    """Of those after which the function ends, the first line of the function."""

    def __call__(self, code: types.CodeType, *, carried: bool = False) -> types.CodeType:
        name, qualname = self.names(code)
        is_class = not code.co_flags & 0x2  # CO_NEWLOCALS
        first, lines = code.co_firstlineno, code.co_linetable
        if code.co_name in self.generated and not carried:
            carried = carries(code)
            if not carried:
                positions, first = of_closure(code, list(code.co_positions()))
                first = self.leaving.get(code.co_name, first)
                lines = table(positions, first)
        elif self.is_opened and not is_class:
            lines = without_hidden(code)
        consts: list[object] = []
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                consts.append(self(const, carried=carried))
            elif self.told_apart and not consts and code.co_name in self.generated:
                consts.append(None)
            else:
                consts.append(qualname if is_class and const == code.co_qualname else const)
        if carried:
            return carrier(code, self.original.co_filename, f"{name}.{code.co_name}", qualname, consts)
        return code.replace(
            co_name=name, co_qualname=qualname, co_consts=tuple(consts),
            co_firstlineno=first, co_linetable=lines,
        )  # fmt: skip

    def names(self, code: types.CodeType) -> tuple[str, str]:
        full, original = code.co_qualname, self.original
        inside = f"{full}.".startswith(f"{self.made}.")  # else it is bound to a global
        parts: list[str] = []
        for part in full.removeprefix(self.made if inside else "").split("."):
            if part in self.generated:
                parts.pop()  # <locals>
            else:
                parts.append(part)
        is_ours = code.co_name in self.generated or full == self.made
        name = (parts[-1] or original.co_name) if is_ours else code.co_name
        return name, (original.co_qualname if inside else "") + ".".join(parts)


def bind(code: types.CodeType, original: types.FunctionType, operators: types.CellType) -> types.FunctionType:
    """A function that runs `code` with the globals, cells and defaults of `original`."""
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    cells[OPERATORS] = operators
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, original.__globals__, original.__name__, original.__defaults__, closure)
    made.__kwdefaults__ = original.__kwdefaults__
    return made


def dressed(made: types.FunctionType, original: types.FunctionType) -> types.FunctionType:
    """`made`, with everything about `original` that a person or a library may ask it for."""
    made.__dict__.update(original.__dict__)
    made.__doc__ = original.__doc__
    made.__qualname__ = original.__qualname__
    made.__module__ = original.__module__
    made.__annotations__ = original.__annotations__
    if sys.version_info >= (3, 12):
        made.__type_params__ = original.__type_params__
    made.__wrapped__ = original  # type: ignore[attr-defined]
    mark_converted(made)
    return made


def mark_converted(function: Any) -> None:
    """Let other converters of this kind leave a function as it is: that is the attribute they look for."""
    function.autograph_info__ = {}
