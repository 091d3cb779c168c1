"""Build conversion errors that show a position in the source."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from autograph_rs.runtime.debugging.positions import CodePosition, source_line, underline
from autograph_rs.runtime.errors import ConversionError, NestingError, SourceSyntaxError


def node_position(node: ast.AST, filename: str, function: str = "<module>") -> CodePosition:
    """Return the position of a node, or the position of its name if it is a function or class."""
    line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
    column, end_column = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or 0
    source = source_line(filename, line)
    name = getattr(node, "name", None)
    if isinstance(name, str):  # after `def` or `class`, perhaps on a later line
        target = f" {name}".encode()
        start = source.encode(errors="replace").find(target, column)
        end_line, end_column = line, start + len(target) if start >= 0 else 0
    return CodePosition(filename, line, end_line, column, end_column, function, function, source.strip())


def code_position(code: types.CodeType) -> CodePosition:
    """Return the position of a function's first line, without the line's text, which may have changed."""
    return CodePosition(
        code.co_filename, code.co_firstlineno, code.co_firstlineno, 0, 0, code.co_name, code.co_qualname, ""
    )


def _text_position(
    filename: str, line: int = 1, start: int = 0, end: int = 0, text: str = ""
) -> CodePosition:
    return CodePosition(filename, line, line, start, end, "<module>", "<module>", text)


def syntax_error(error: SyntaxError, filename: str) -> ConversionError:
    """Translate a syntax error of Python's parser."""
    source = error.text or ""
    line, start = error.lineno or 1, max((error.offset or 1) - 1, 0)
    if error.msg.startswith("too many"):  # brackets, blocks, levels of indentation
        return nesting_error("the code", _text_position(filename, line), error.msg)
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == line else start + 1
    column, end_column = (
        len(source[:offset].encode(errors="replace")) for offset in (start, max(end, start + 1))
    )
    text = source_line(filename, line).strip()
    is_in_file = bool(text) and text == source.strip()
    rows = () if is_in_file or not source.strip() else underline(source, column, end_column)
    place = _text_position(filename, line, column, end_column, text if is_in_file else "")
    return _invalid_source(error.msg, "correct the syntax error", place, rows)


def parse_error(error: Exception, filename: str) -> ConversionError:
    """Translate a parser error about a text that contains null bytes or is nested too deeply."""
    if isinstance(error, ValueError):
        return _invalid_source(str(error), "pass the text of a Python program", _text_position(filename))
    return nesting_error("the code", _text_position(filename), str(error))


def _invalid_source(
    reason: str, remedy: str, place: CodePosition, rows: Sequence[str] = ()
) -> SourceSyntaxError:
    return SourceSyntaxError(
        f"the source is not valid Python: {reason}",
        why="only code that Python can compile can be converted",
        remedy=remedy,
        rows=rows,
        place=place,
    )


def nesting_error(what: str, position: CodePosition, reason: str = "") -> NestingError:
    detail = f": {reason}" if reason else ""
    return NestingError(
        f"{what} is nested too deeply to be converted",
        why=f"Python's parser and compiler limit how deeply code can nest{detail}",
        remedy="assign parts of an expression to names, and move inner statements to separate functions",
        place=position,
    )
