"""Build the errors of conversion, each with its position in the source."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable

from autograph_rs.runtime.debugging.positions import CodePosition, source_line, underline
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


def node_position(node: ast.AST, filename: str, function: str = "<module>") -> CodePosition:
    """Return the position of a node; for a function or class, that of its name."""
    line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
    column, end_column = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or 0
    source = source_line(filename, line)
    name = getattr(node, "name", None)
    if isinstance(name, str):
        end_line, end_column = line, _end_of_name(name, source, column)
    return CodePosition(filename, line, end_line, column, end_column, function, function, source.strip())


def function_position(node: ast.AST, function: types.FunctionType) -> CodePosition:
    """Return the position of a function's node."""
    return node_position(node, function.__code__.co_filename, function.__name__)


def code_position(code: types.CodeType, *, is_current: bool = True) -> CodePosition:
    """Return the position of a function's first line, without its text unless the file `is_current`."""
    line, name = code.co_firstlineno, code.co_name
    source = source_line(code.co_filename, line) if is_current else ""
    column = len(source) - len(source.lstrip())
    end_column = _end_of_name(name, source, column)
    return CodePosition(
        code.co_filename, line, line, column, end_column, name, code.co_qualname, source.strip()
    )


def _end_of_name(name: str, source: str, column: int) -> int:
    """Return the end column of the name after `def` or `class`, or 0 if it is not on this line."""
    text, target = source.encode(errors="replace"), f" {name}".encode()
    start = text.find(target, column)
    return start + len(target) if start >= 0 else 0


def _text_position(
    filename: str, line: int = 1, start: int = 0, end: int = 0, text: str = ""
) -> CodePosition:
    return CodePosition(filename, line, line, start, end, "<module>", "<module>", text)


def missing_source(function: types.FunctionType, why: str, remedy: str) -> SourceError:
    return SourceError(
        f"the source of {function.__qualname__!r} is not available",
        why=why,
        remedy=remedy,
        place=code_position(function.__code__, is_current=False),
    )


def no_single_match(function: types.FunctionType, count: int) -> SourceError:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    matches = f"{count} functions" if count else "no function"
    return SourceError(
        f"the text passed as source= contains {matches} like {function.__qualname__!r}",
        why=f"a function is identified by its name and parameters: {function.__name__}({', '.join(names)})",
        remedy="pass the text of this function alone",
        place=code_position(function.__code__, is_current=False),
    )


def stale_source(function: types.FunctionType) -> StaleSourceError:
    return StaleSourceError(
        f"the source file of {function.__qualname__!r} has changed since the function was compiled",
        why="the text that is there now compiles to different code",
        remedy="reload the module or restart the program; for generated code, pass its text: "
        "ag.convert(f, source=text)",
        place=code_position(function.__code__, is_current=False),
    )


def ambiguous_source(function: types.FunctionType, nodes: Iterable[ast.AST]) -> AmbiguousSourceError:
    code = function.__code__
    positions = sorted(node_position(node, code.co_filename, code.co_name) for node in nodes)
    return AmbiguousSourceError(
        f"several functions on the same line look like {function.__qualname__!r}",
        why="a function is located in its file by line, name and parameters",
        remedy="put each function on a line of its own",
        sites=[("and also", position) for position in positions[1:]],
        place=positions[0],
    )


def syntax_error(error: SyntaxError, filename: str) -> ConversionError:
    """Translate a syntax error of Python's parser."""
    source = error.text or ""
    line, start = error.lineno or 1, max((error.offset or 1) - 1, 0)
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == line else start + 1
    column, end_column = (
        len(source[:offset].encode(errors="replace")) for offset in (start, max(end, start + 1))
    )
    text = source_line(filename, line).strip()
    is_in_file = bool(text) and text == source.strip()
    if error.msg.startswith("too many"):  # brackets, blocks, levels of indentation
        return nesting_error("the code", _text_position(filename, line), error.msg)
    return SourceSyntaxError(
        f"the source is not valid Python: {error.msg}",
        why="only code that Python can compile can be converted",
        remedy="correct the syntax there",
        rows=() if is_in_file or not source.strip() else underline(source, column, end_column),
        place=_text_position(filename, line, column, end_column, text if is_in_file else ""),
    )


def parse_error(error: Exception, filename: str) -> ConversionError:
    """Translate a parser error about the whole text, which has null bytes or is nested too deeply."""
    if isinstance(error, ValueError):
        return SourceSyntaxError(
            f"the source is not valid Python: {error}",
            why="only code that Python can compile can be converted",
            remedy="pass the text of a program",
            place=_text_position(filename),
        )
    return nesting_error("the code", _text_position(filename), str(error))


def nesting_error(what: str, position: CodePosition, reason: str = "") -> NestingError:
    detail = f": {reason}" if reason else ""
    return NestingError(
        f"{what} is nested too deeply to be converted",
        why=f"Python's parser and compiler limit how deeply code can nest{detail}",
        remedy="assign parts of an expression to names, and move inner statements to separate functions",
        place=position,
    )


def internal_error(what: str, position: CodePosition, reason: str) -> ConversionError:
    return ConversionError(
        f"{what} cannot be converted",
        why=f"this is a bug in autograph_rs: Python rejects the generated code: {reason}",
        remedy="leave the function unconverted with @ag.do_not_convert, and report its source to us",
        place=position,
    )


def pass_error(what: str, position: CodePosition) -> PassError:
    return PassError(
        what,
        why="a custom pass must keep the guarantees that it declares, and return a tree that compiles",
        remedy="correct the pass; docs/embedding.md lists the rules",
        place=position,
    )


def reserved_name(name: str, node: ast.AST, filename: str) -> ReservedNameError:
    return ReservedNameError(
        f"the name {name!r} is reserved for converted code",
        why="converted code looks up its operators under that name",
        remedy="rename it; if this file was already converted ahead of time, do not convert it again",
        place=node_position(node, filename),
    )
