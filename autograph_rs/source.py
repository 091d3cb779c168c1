"""From a function to the tree of its source.

A file is parsed and compiled once per version of its text. The function's node is found by its
first line and name, a lambda's by the exact columns that its instructions carry. The node must
compile to the very code that the function runs: a file that has changed since is noticed.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
import threading
import types
from dataclasses import dataclass
from typing import TypeAlias

from autograph_rs.runtime.errors import ConversionError

from .depth import big_trees

OPERATORS = "ag__"

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Found:
    """A function's node, and the name of the class whose body it stands in."""

    node: FunctionNode
    class_name: str | None


class _File:
    """One version of a source text, parsed."""

    def __init__(self, text: str, filename: str):
        self.tree = parse(text, filename)
        self.functions: dict[int, list[Found]] = {}
        self._index(self.tree, None)
        code = _compiled(text, filename)
        self.codes: dict[tuple[int, str], list[types.CodeType]] = {}
        self._collect(code)

    def _index(self, node: ast.AST, class_name: str | None) -> None:
        stack = [(node, class_name)]
        while stack:
            node, class_name = stack.pop()
            inner = node.name if isinstance(node, ast.ClassDef) else class_name
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                self.functions.setdefault(line, []).append(Found(node, class_name))
            elif isinstance(node, ast.Lambda):
                self.functions.setdefault(node.lineno, []).append(Found(node, class_name))
            stack.extend((child, inner) for child in ast.iter_child_nodes(node))

    def _collect(self, code: types.CodeType) -> None:
        stack = [code]
        while stack:
            code = stack.pop()
            self.codes.setdefault((code.co_firstlineno, code.co_qualname), []).append(code)
            stack.extend(c for c in code.co_consts if isinstance(c, types.CodeType))


def _compiled(text: str, filename: str) -> types.CodeType:
    """The code of a text; Python compiles deeper nests from text than from a tree."""
    try:
        with big_trees():
            return compile(text, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConversionError(f"{filename}: the source cannot be compiled: {error}") from error


MAX_FILES = 64
_files: dict[tuple[str, int], _File] = {}
_lock = threading.Lock()


def parse(text: str, filename: str) -> ast.Module:
    """Parse a module's text.

    Raises:
        ConversionError: the text is no Python, or nested too deeply for Python's own parser.
    """
    try:
        return ast.parse(text, filename)
    except SyntaxError as error:
        place = f"{filename}:{error.lineno}:{error.offset}"
        raise ConversionError(f"{place}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConversionError(f"{filename}: the source cannot be parsed: {error}") from error


def find(function: types.FunctionType, source: str | None = None, *, trusted: bool = False) -> Found:
    """The node of a function in its source.

    Args:
        function: a Python function or lambda.
        source: the text to read in place of the function's file, for functions made where no
            source can be had.
        trusted: whether the function may run other code than its source has now: it is part of a
            converted one.

    Raises:
        ConversionError: the source cannot be had, or is not what the function was compiled from.
    """
    code = function.__code__
    if source is not None:
        return _find_in_text(function, textwrap.dedent(source))
    filename = code.co_filename
    text = _text(function)
    if not text:
        raise ConversionError(
            f"the source of {describe(function)} cannot be had: there is no text for {filename!r}. "
            "Define the function in a file, or pass its text: to_graph(f, source=...)"
        )
    key = (filename, hash(text))
    with _lock:
        file = _files.get(key)
        if file is None:
            for old in [k for k in _files if k[0] == filename] or list(_files)[: len(_files) - MAX_FILES]:
                del _files[old]
            file = _files[key] = _File(text, filename)
    candidates = [f for f in file.functions.get(code.co_firstlineno, ()) if _fits(f.node, code)]
    if len(candidates) > 1:
        candidates = (
            _around_instructions([f for f in candidates if isinstance(f.node, ast.Lambda)], code)
            or candidates
        )
    if len(candidates) != 1:
        raise _changed(function) if not candidates else _ambiguous(function)
    if not trusted and not _same_code(file, candidates[0].node, code):
        raise _changed(function)
    return candidates[0]


def _find_in_text(function: types.FunctionType, text: str) -> Found:
    tree = parse(text, function.__code__.co_filename)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    found = [n for n in ast.walk(tree) if isinstance(n, kinds) and _fits(n, function.__code__)]
    if len(found) != 1:
        raise ConversionError(
            f"the given source holds {len(found)} functions like {describe(function)}, not one"
        )
    class_name = next(
        (c.name for c in ast.walk(tree) if isinstance(c, ast.ClassDef) and found[0] in c.body), None
    )
    scope = function.__qualname__.split(".")[:-1]
    if class_name is None and scope and scope[-1] != "<locals>":
        class_name = scope[-1]
    decorators = getattr(found[0], "decorator_list", [])
    first = min([found[0].lineno, *(d.lineno for d in decorators)])
    ast.increment_lineno(found[0], function.__code__.co_firstlineno - first)
    return Found(found[0], class_name)


def _fits(node: FunctionNode, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    own = code.co_varnames[: len(names)]
    private = any(n.startswith("__") and not n.endswith("__") for n in names)
    return code.co_name.endswith(name) and (private or own == tuple(names))


def _around_instructions(candidates: list[Found], code: types.CodeType) -> list[Found]:
    """Of some lambdas, the innermost whose body holds every instruction of `code`."""
    starts, ends = set(), set()
    for line, end_line, column, end_column in code.co_positions():
        if None not in (line, end_line, column, end_column) and end_column:
            starts.add((line, column))
            ends.add((end_line, end_column))
    if not starts:
        # A lambda that returns a constant has it last among its constants, and no place of its own.
        shown = repr(code.co_consts[-1])
        return [f for f in candidates if ast.unparse(f.node.body) == shown][:1]  # type: ignore[arg-type]

    def body_start(found: Found) -> tuple[int, int]:
        body = found.node.body
        return body.lineno, body.col_offset  # type: ignore[union-attr]

    def holds(found: Found) -> bool:
        body = found.node.body
        end = body.end_lineno, body.end_col_offset  # type: ignore[union-attr]
        return body_start(found) <= min(starts) and max(ends) <= end

    return sorted(filter(holds, candidates), key=body_start)[-1:]


def _same_code(file: _File, node: FunctionNode, code: types.CodeType) -> bool:
    same_place = file.codes.get((code.co_firstlineno, code.co_qualname), ())
    if any(other.co_code == code.co_code and _data(other) == _data(code) for other in same_place):
        return True
    # Test runners rewrite the assertions of a function when they import it.
    return any(isinstance(n, ast.Assert) for n in ast.walk(node))


def _data(code: types.CodeType) -> tuple[object, ...]:
    """The names and the constants of some code, each with its type."""
    constants = [(type(c), c) for c in code.co_consts if not isinstance(c, types.CodeType)]
    return code.co_names, tuple(constants)


def describe(function: types.FunctionType) -> str:
    code = function.__code__
    return f"{function.__qualname__!r} ({code.co_filename}:{code.co_firstlineno})"


def _changed(function: types.FunctionType) -> ConversionError:
    return ConversionError(
        f"the source file of {describe(function)} has changed since the function was compiled: "
        "reload the module, or start the program again"
    )


def _ambiguous(function: types.FunctionType) -> ConversionError:
    return ConversionError(
        f"several functions at one place look like {describe(function)}: give each a line of its own"
    )


def has_text(function: types.FunctionType) -> bool:
    """Whether there is any text for a function's file."""
    return bool(_text(function))


def _text(function: types.FunctionType) -> str:
    """The text of a function's file as it is now; none where it cannot be read."""
    filename = function.__code__.co_filename
    try:
        linecache.checkcache(filename)
        return "".join(linecache.getlines(filename, function.__globals__))
    except ValueError:  # no file can have such a name
        return ""


def refuse_own_name(tree: ast.AST, filename: str) -> None:
    """Converted code finds its operators under one name, which the code must not use itself.

    Raises:
        ConversionError: it does.
    """
    for node in ast.walk(tree):
        if OPERATORS in _names_of(node):
            place = f"{filename}:{getattr(node, 'lineno', 1)}"
            raise ConversionError(
                f"{place}: converted code needs the name {OPERATORS!r} for itself: use another, "
                "unless this was converted ahead of time and needs no conversion"
            )


def _names_of(node: ast.AST) -> list[str]:
    """The variables that a node itself reads, binds or declares."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return [name]
        case ast.alias(name=name, asname=bound):
            return [bound or name.partition(".")[0]]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.MatchMapping(rest=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return [name or ""]
        case ast.ExceptHandler(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name or ""]
    return [getattr(node, "name", "")]  # a class; the parameter of a generic
