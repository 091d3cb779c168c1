"""Errors of conversion, each with its place in the source that is converted."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable

from autograph_rs.runtime.errors import (
    AmbiguousSourceError,
    ConversionError,
    NestingError,
    PassError,
    ReservedNameError,
    SourceError,
    SourceSyntaxError,
    StaleSourceError,
)
from autograph_rs.runtime.places import Place, line_of, underlined


def node_place(node: ast.AST, filename: str, function: str = "<module>") -> Place:
    """Where a node stands; of a `def` or class its name."""
    line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
    column, end_column = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or 0
    source = line_of(filename, line)
    name = getattr(node, "name", None)
    if isinstance(name, str):
        end_line, end_column = line, _end_of(name, source, column)
    return Place(filename, line, end_line, column, end_column, function, function, source.strip())


def node_of(node: ast.AST, function: types.FunctionType) -> Place:
    """Where the node of a function stands."""
    return node_place(node, function.__code__.co_filename, function.__name__)


def code_place(code: types.CodeType, *, is_known: bool = True) -> Place:
    """Where a function begins; `is_known` says whether it is still the function that stands there."""
    line, name = code.co_firstlineno, code.co_name
    source = line_of(code.co_filename, line) if is_known else ""
    column = len(source) - len(source.lstrip())
    end_column = _end_of(name, source, column)
    return Place(code.co_filename, line, line, column, end_column, name, code.co_qualname, source.strip())


def _end_of(name: str, source: str, column: int) -> int:
    """The column behind a name; 0 if it is not there."""
    text, sought = source.encode(errors="replace"), f" {name}".encode()  # after `def` or `class`
    place = text.find(sought, column)
    return place + len(sought) if place >= 0 else 0


def no_text(function: types.FunctionType, why: str, remedy: str) -> SourceError:
    return SourceError(
        f"the source of {function.__qualname__!r} cannot be had",
        why=why,
        remedy=remedy,
        place=code_place(function.__code__, is_known=False),
    )


def not_one(function: types.FunctionType, count: int) -> SourceError:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    held = f"{count} functions" if count else "no function"
    return SourceError(
        f"the given source holds {held} like {function.__qualname__!r}",
        why=f"a function is known in a text by name and parameters: {function.__name__}({', '.join(names)})",
        remedy="give the text of this function alone",
        place=code_place(function.__code__, is_known=False),
    )


def changed(function: types.FunctionType) -> StaleSourceError:
    return StaleSourceError(
        f"the source file of {function.__qualname__!r} has changed since the function was compiled",
        why="what stands there now compiles to other code than what the function runs",
        remedy="reload the module, or start the program again; of code that a tool made, give the text: "
        "ag.convert(f, source=text)",
        place=code_place(function.__code__, is_known=False),
    )


def ambiguous(function: types.FunctionType, nodes: Iterable[ast.AST]) -> AmbiguousSourceError:
    code = function.__code__
    places = sorted(node_place(node, code.co_filename, code.co_name) for node in nodes)
    return AmbiguousSourceError(
        f"several functions at one place look like {function.__qualname__!r}",
        why="a function is found in its file by its line, name and parameters",
        remedy="give each a line of its own",
        sites=[("and also", place) for place in places[1:]],
        place=places[0],
    )


def syntax(error: SyntaxError, filename: str) -> ConversionError:
    """What Python's parser says of a text, whether or not that is in a file."""
    source = error.text or ""
    line, start = error.lineno or 1, max((error.offset or 1) - 1, 0)
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == line else start + 1
    column, end_column = (
        len(source[:place].encode(errors="replace")) for place in (start, max(end, start + 1))
    )
    text = line_of(filename, line).strip()
    is_there = bool(text) and text == source.strip()
    if error.msg.startswith("too many"):  # brackets, blocks, levels of indentation
        place = Place(filename, line, line, 0, 0, "<module>", "<module>", "")
        return too_deep("the code", place, error.msg)
    return SourceSyntaxError(
        f"the source is no Python: {error.msg}",
        why="only what Python can compile can be converted",
        remedy="mend it there",
        rows=() if is_there or not source.strip() else underlined(source, column, end_column),
        place=Place(
            filename, line, line, column, end_column, "<module>", "<module>", text if is_there else ""
        ),
    )


def unparsable(error: Exception, filename: str) -> ConversionError:
    """What Python's parser says of a text as a whole: it has null bytes, or is nested too deeply."""
    place = Place(filename, 1, 1, 0, 0, "<module>", "<module>", "")
    if isinstance(error, ValueError):
        return SourceSyntaxError(
            f"the source is no Python: {error}",
            why="only what Python can compile can be converted",
            remedy="give the text of a program",
            place=place,
        )
    return too_deep("the code", place, str(error))


def too_deep(what: str, place: Place, reason: str = "") -> NestingError:
    said = f": {reason}" if reason else ""
    return NestingError(
        f"{what} is nested too deeply to be converted",
        why=f"Python's parser and compiler have limits to the depth of code{said}",
        remedy="give names to parts of an expression, and move inner statements to functions of their own",
        place=place,
    )


def fault(what: str, place: Place, reason: str) -> ConversionError:
    return ConversionError(
        f"{what} cannot be converted",
        why=f"a fault of autograph_rs: Python refuses what was made of it: {reason}",
        remedy="leave the function as it is with @ag.do_not_convert, and report its source to us",
        place=place,
    )


def broken_pass(what: str, place: Place) -> PassError:
    return PassError(
        what,
        why="a pass that was given keeps what it promises, and leaves a tree that compiles",
        remedy="mend the pass: docs/embedding.md says what one may do",
        place=place,
    )


def own_name(name: str, node: ast.AST, filename: str) -> ReservedNameError:
    return ReservedNameError(
        f"converted code needs the name {name!r} for itself",
        why="it finds the operators that it calls under that name",
        remedy="use another name; what was converted ahead of time needs no conversion",
        place=node_place(node, filename),
    )
