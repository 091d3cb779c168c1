"""Positions of conditions, options and assignments in the user's source, for error messages.

Converted code keeps only the positions of its instructions, so the source is parsed when an error is created.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import re
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ..core.closures import function_key, parameter_names
from .positions import CodePosition, position_at, source_line

_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME", "STORE_ATTR")
_RESIZING = frozenset(("append", "clear", "extend", "insert", "pop", "remove"))
_EFFECTS = (ast.Call, ast.Attribute, ast.Subscript, ast.Return, ast.Raise, ast.Break, ast.Continue)
_FIRST_WORD = re.compile(r"\w+")

Instructions = Callable[[types.CodeType], Iterable[dis.Instruction]]


def condition_position(statement: CodePosition) -> CodePosition:
    """Return the position of a statement's test or iterable, or `statement` if it has none."""
    for node in _nodes_at(statement, ast.If, ast.While, ast.IfExp, ast.Assert, ast.For):
        return _position_of(node.iter if isinstance(node, ast.For) else node.test, statement)
    return statement


def option_position(name: str, loop: CodePosition) -> CodePosition:
    """Return the position of a loop option in the body of a loop, or `loop` if it is not set there."""
    for node in _nodes_at(loop, ast.While, ast.For):
        calls = [s.value for s in node.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
        options = [k for call in calls for k in call.keywords if k.arg == name]
        return _position_of(options[-1], loop) if options else loop
    return loop


def enclosing_try(position: CodePosition) -> CodePosition:
    """Return the innermost `try` with an `except` that encloses `position`, or `position` if none does."""
    tried = [node for node in _tries(position) if node.handlers and _encloses(node.body, position.line)]
    if not tried:
        return position
    innermost = max(tried, key=lambda node: node.lineno)
    line, column = innermost.lineno, innermost.col_offset
    return _moved(position, line, line, column, column + len("try"))


def note_skipped_finally(error: BaseException, places: Sequence[CodePosition]) -> None:
    """Say in an operation's error which `finally` has not run, because no handler names the error."""
    for line in filter(None, map(_skipped_finally, reversed(places))):
        handler = f"except {type(error).__name__}: raise"
        error.add_note(f"the 'finally' of the 'try' on line {line} has not run: add '{handler}' to it")
        return


def _skipped_finally(position: CodePosition) -> int | None:
    """Return the line of the innermost `try` whose `finally` has effects and runs if `position` raises."""
    lines = [
        node.lineno
        for node in _nodes(position.file)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _encloses([node], position.line)
    ]
    function = max(lines, default=0)
    found = [
        node.lineno
        for node in _tries(position)
        if node.lineno > function
        and any(isinstance(inner, _EFFECTS) for part in node.finalbody for inner in ast.walk(part))
        and _encloses([*node.body, *node.handlers, *node.orelse], position.line)
    ]
    return max(found, default=None)


def _tries(position: CodePosition) -> list[ast.Try | ast.TryStar]:
    return [node for node in _nodes(position.file) if isinstance(node, (ast.Try, ast.TryStar))]


def _encloses(nodes: list[Any], line: int) -> bool:
    return nodes[0].lineno <= line <= nodes[-1].end_lineno


def last_assignment(name: str, closures: Iterable[Callable[..., object]]) -> CodePosition | None:
    """Return where the closures of a statement last assign a variable or attribute."""
    positions = _positions_in(closures, partial(_stores, name))
    return max(positions, key=lambda p: (p.line, p.column), default=None)


def first_length_change(name: str, closures: Iterable[Callable[..., object]]) -> CodePosition | None:
    """Return where the closures of a statement first call a method that changes the length of a list."""
    positions = _positions_in(closures, partial(_length_changes, name))
    return min(positions, key=lambda p: (p.line, p.column), default=None)


def previous_assignment(name: str, frames: Iterable[types.FrameType]) -> CodePosition | None:
    """Return where a variable was last assigned before the statement that a function's `frames` execute."""
    for frame in frames:
        code = frame.f_code
        body = _body_lines(position_at(code, frame.f_lasti))
        stores = [position_at(code, i.offset) for i in _stores(name, code) if i.offset < frame.f_lasti]
        before = [position for position in stores if position.line not in body]
        if before:
            return before[-1]
        if name in parameter_names(code) + code.co_cellvars:
            return _parameter_position(name, code)
    return None


def _body_lines(statement: CodePosition) -> range:
    for node in _nodes_at(statement, ast.If, ast.While, ast.For):
        return range(statement.line + 1, (node.end_lineno or statement.line) + 1)
    return range(0)


def _positions_in(closures: Iterable[object], select: Instructions) -> list[CodePosition]:
    return [position for closure in closures for position in _selected(closure, set(), select)]


def _selected(closure: object, visited: set[types.CodeType], select: Instructions) -> Iterator[CodePosition]:
    """Yield the positions of the instructions that `select` picks in a closure and in those nested in it."""
    code = getattr(closure, "__code__", None)
    if code is None or code in visited:
        return
    visited.add(code)
    yield from (position_at(code, i.offset) for i in select(code))
    for cell in getattr(closure, "__closure__", None) or ():
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, types.FunctionType) and function_key(value.__code__) == function_key(code):
            yield from _selected(value, visited, select)


def _length_changes(name: str, code: types.CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions that load a method that changes the length of a list."""
    for previous, instruction in pairwise(dis.get_instructions(code)):
        if instruction.argval in _RESIZING and previous.argval == name:
            yield instruction


def _stores(name: str, code: types.CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions that assign the variable or attribute `name`."""
    is_attribute = "." in name
    *_, last = name.rpartition(".")
    word = _FIRST_WORD.match(name)
    target = last if is_attribute and last.isidentifier() else word[0] if word else name
    for instruction in dis.get_instructions(code):
        is_same_kind = is_attribute == (instruction.opname == "STORE_ATTR")
        if instruction.opname in _STORES and instruction.argval == target and is_same_kind:
            yield instruction


def _parameter_position(name: str, code: types.CodeType) -> CodePosition | None:
    for node in _nodes(code.co_filename):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = len(getattr(node, "decorator_list", ()))
            for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if parameter.arg == name and abs(node.lineno - code.co_firstlineno) <= decorators:
                    return _position_of(parameter, position_at(code, 0))
    return None


def _position_of(node: ast.expr | ast.arg | ast.keyword, statement: CodePosition) -> CodePosition:
    line, column = node.lineno, node.col_offset
    return _moved(statement, line, node.end_lineno or line, column, node.end_col_offset or column)


def _moved(position: CodePosition, line: int, end_line: int, column: int, end: int) -> CodePosition:
    text = source_line(position.file, line).strip()
    return position._replace(line=line, end_line=end_line, column=column, end_column=end, text=text)


def _nodes_at(position: CodePosition, *kinds: Any) -> Iterator[Any]:
    for node in _nodes(position.file):
        if isinstance(node, kinds) and (node.lineno, node.col_offset) == (position.line, position.column):
            yield node


def _nodes(file: str) -> tuple[ast.AST, ...]:
    return _nodes_of("".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=2)
def _nodes_of(source: str) -> tuple[ast.AST, ...]:
    try:
        return (*ast.walk(ast.parse(source)),)
    except (SyntaxError, ValueError):
        return ()
