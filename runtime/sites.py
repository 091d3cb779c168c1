"""Where in the user's code something stands, found when an error is made and not before.

What converted code keeps of its source are the positions of its instructions; the text is read again.
"""

from __future__ import annotations

import ast
import dis
import linecache
import re
import types
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

from .closures import family
from .places import Place, at, line_of

_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME", "STORE_ATTR")
_GROWING = frozenset(("append", "clear", "extend", "insert", "pop", "remove"))
_FIRST_WORD = re.compile(r"\w+")
_Tested = (ast.If, ast.While, ast.IfExp, ast.Assert)


def test_of(place: Place) -> Place:
    """The test of the statement at a place, or what it iterates; the place itself where there is none."""
    for node in _nodes(place.file):
        if isinstance(node, (*_Tested, ast.For)) and _starts_at(node, place):
            part = node.iter if isinstance(node, ast.For) else node.test
            return _at_node(place, part)
    return place


def option_of(name: str, place: Place) -> Place:
    """Where a loop at a place is given an option of this name; the place itself where it is not seen."""
    for node in _nodes(place.file):
        if isinstance(node, (ast.While, ast.For)) and _starts_at(node, place):
            calls = [s.value for s in node.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
            found = [k for call in calls for k in call.keywords if k.arg == name]
            return _at_node(place, found[-1]) if found else place
    return place


def try_around(place: Place) -> Place:
    """The innermost `try` with an `except` around a place; the place itself where there is none."""
    found = None
    for node in _nodes(place.file):
        if isinstance(node, (ast.Try, ast.TryStar)) and node.handlers:
            inside = node.lineno < place.line <= (node.body[-1].end_lineno or node.body[-1].lineno)
            if inside and (found is None or node.lineno > found.lineno):
                found = node
    if found is None:
        return place
    return place._replace(
        line=found.lineno,
        end_line=found.lineno,
        column=found.col_offset,
        end_column=found.col_offset + len("try"),
        text=line_of(place.file, found.lineno).strip(),
    )


def assigned(name: str, closures: Iterable[Callable[..., object]]) -> Place | None:
    """Where closures of one statement last give a variable or attribute a value; None where they do not."""
    found = [place for closure in closures for place in _places(closure, set(), partial(_storing, name))]
    return max(found, key=lambda p: (p.line, p.column), default=None)


def changed_by(name: str, closures: Iterable[Callable[..., object]]) -> Place | None:
    """Where closures of one statement call a method of a variable, or attribute, by which a list grows."""
    found = [place for closure in closures for place in _places(closure, set(), partial(_growing, name))]
    return min(found, key=lambda p: (p.line, p.column), default=None)


def assigned_before(name: str, frames: Iterable[types.FrameType]) -> Place | None:
    """Where a variable got the value that it has at a statement, in one of the frames of its function."""
    for frame in frames:
        code = frame.f_code
        inside = _lines_from(at(code, frame.f_lasti))
        places = [at(code, i.offset) for i in _storing(name, code) if i.offset < frame.f_lasti]
        found = [place for place in places if place.line not in inside]
        if found:
            return found[-1]
        if name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] + code.co_cellvars:
            return _defined(name, code)
    return None


def _lines_from(place: Place) -> range:
    """The lines below the first one of the statement that begins at a place."""
    for node in _nodes(place.file):
        if isinstance(node, (ast.If, ast.While, ast.For)) and _starts_at(node, place):
            return range(place.line + 1, (node.end_lineno or place.line) + 1)
    return range(0)


def _places(
    closure: object,
    seen: set[types.CodeType],
    wanted: Callable[[types.CodeType], Iterable[dis.Instruction]],
) -> Iterator[Place]:
    """The places of the instructions that are wanted, of a closure and of those of its function in it."""
    code = getattr(closure, "__code__", None)
    if code is None or code in seen:
        return
    seen.add(code)
    yield from (at(code, i.offset) for i in wanted(code))
    for cell in getattr(closure, "__closure__", None) or ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        if isinstance(held, types.FunctionType) and family(held.__code__) == family(code):
            yield from _places(held, seen, wanted)


def _growing(name: str, code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions that take a method which makes a list longer or shorter."""
    for before, instruction in pairwise(dis.get_instructions(code)):
        if instruction.argval in _GROWING and before.argval == name:
            yield instruction


def _storing(name: str, code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions that give a variable, or the attribute of an object, a value."""
    *_, attribute = name.rpartition(".")
    found = _FIRST_WORD.match(name)
    wanted = attribute if "." in name and attribute.isidentifier() else found[0] if found else name
    for instruction in dis.get_instructions(code):
        is_kind = ("." in name) == (instruction.opname == "STORE_ATTR")
        if instruction.opname in _STORES and instruction.argval == wanted and is_kind:
            yield instruction


def _defined(name: str, code: types.CodeType) -> Place | None:
    """The line of a function that has a parameter."""
    for node in _nodes(code.co_filename):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for parameter in parameters:
                if parameter.arg == name and abs(node.lineno - code.co_firstlineno) <= len(
                    getattr(node, "decorator_list", ())
                ):
                    return _at_node(at(code, 0), parameter)
    return None


def _starts_at(node: ast.If | ast.While | ast.For | ast.IfExp | ast.Assert, place: Place) -> bool:
    return (node.lineno, node.col_offset) == (place.line, place.column)


def _at_node(place: Place, node: ast.expr | ast.arg | ast.keyword) -> Place:
    return place._replace(
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        column=node.col_offset,
        end_column=node.end_col_offset or node.col_offset,
        text=line_of(place.file, node.lineno).strip(),
    )


def _nodes(file: str) -> Iterator[ast.AST]:
    try:
        return ast.walk(ast.parse("".join(linecache.getlines(file))))
    except (SyntaxError, ValueError):
        return iter(())
