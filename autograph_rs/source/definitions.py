"""From a function to the tree of its source.

A text is parsed and compiled once per version. The function's node is found by its first line and
name, a lambda's by the exact columns that its instructions carry. The node must compile to the very
code that the function runs: a file that has changed since is noticed, and the text of another
function never taken. A function that stands on another line by now is found there.
"""

from __future__ import annotations
import __future__

import ast
import textwrap
import threading
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeAlias

from autograph_rs.runtime.errors import ConversionError

from . import refusals
from .depth import big_trees
from .hooks import as_imported
from .shapes import shape
from .texts import forget, is_kept, reason, texts_of

OPERATORS = "ag__"
ANNOTATIONS = __future__.annotations.compiler_flag
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # cells of notebooks may await

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Found:
    """A function's node, and the name of the class whose body it stands in."""

    node: FunctionNode
    class_name: str | None


class _File:
    """One version of a source text, parsed."""

    def __init__(self, text: str, filename: str, flags: int):
        self.text, self.filename, self.flags = text, filename, flags
        self.tree = parse(text, filename)
        self.functions: dict[int, list[Found]] = {}
        self._index()
        self.codes = _codes(_compiled(text, filename, flags))
        self._alone: dict[int, Codes] = {}
        self._imported: Codes | None = None
        self.used = 0  # the number of the latest conversion

    def _index(self) -> None:
        """Find the functions of the text, in the classes that they stand in."""
        classes: list[tuple[ast.AST, str | None]] = [(self.tree, None)]
        while classes:
            node, class_name = classes.pop()
            stack = _below(node)
            while stack:
                node = stack.pop()
                if isinstance(node, ast.ClassDef):
                    classes.append((node, node.name))
                    continue
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                    self.functions.setdefault(first_line(node), []).append(Found(node, class_name))
                stack += _below(node)

    def at_line(self, code: types.CodeType) -> list[Found]:
        """What may be the function of some code, by its line, name and parameters."""
        found = [f for f in self.functions.get(code.co_firstlineno, ()) if _fits(f.node, code)]
        if len(found) > 1:
            found = _around_instructions([f for f in found if isinstance(f.node, ast.Lambda)], code) or found
        return found

    def is_source(self, node: FunctionNode, function: types.FunctionType) -> bool:
        """Whether a node compiles to the code of a function, however that was compiled."""
        key, wanted = (first_line(node), function.__code__.co_name), shape(function.__code__)
        return any(
            any(shape(code) == wanted for code in codes.get(key, ()))
            for codes in self._compilations(node, function)
        )

    def _compilations(self, node: FunctionNode, function: types.FunctionType) -> Iterator[Codes]:
        yield self.codes
        first = next(s for s in self.tree.body if node.lineno <= (s.end_lineno or 0))
        if first.lineno not in self._alone:  # IPython and the prompt compile each statement alone
            with big_trees():
                alone = ast.Module([s for s in self.tree.body if s.lineno == first.lineno], [])
                code = compile(alone, self.filename, "exec", self.flags, dont_inherit=True)
            self._alone[first.lineno] = _codes(code)
        yield self._alone[first.lineno]
        if self._imported is None:
            self._imported = _codes(as_imported(self.text, function))
        yield self._imported

    def elsewhere(self, function: types.FunctionType) -> list[Found]:
        """Where the very function stands by now, or one like it."""
        every = (f for line in self.functions.values() for f in line if not isinstance(f.node, ast.Lambda))
        fitting = (f for f in every if _fits(f.node, function.__code__))
        return list(islice((f for f in fitting if self.is_source(f.node, function)), 1))


def _below(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, but for those that hold none."""
    found: list[Any] = []
    for field in node._fields:  # tools hang other attributes on nodes, such as what holds them
        value = getattr(node, field, None)
        if type(value) is list:
            found += [item for item in value if type(item) not in _LEAVES]
        elif type(value) not in _LEAVES:
            found.append(value)
    return [item for item in found if isinstance(item, ast.AST)]


_LEAVES = frozenset((ast.Name, ast.Constant, ast.Load, ast.Store, str, int, type(None)))


Codes: TypeAlias = dict[tuple[int, str], list[types.CodeType]]


def _codes(code: types.CodeType | None) -> Codes:
    """The codes in a code, by first line and name."""
    found: Codes = {}
    stack = [] if code is None else [code]
    while stack:
        code = stack.pop()
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        stack.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
    return found


def first_line(node: ast.AST) -> int:
    """Where a function begins, with its decorators."""
    lines: list[int] = [n.lineno for n in (node, *getattr(node, "decorator_list", ()))]
    return min(lines)


def _compiled(text: str, filename: str, flags: int) -> types.CodeType:
    """The code of a text; Python compiles deeper nests from text than from a tree."""
    try:
        with big_trees():
            made: types.CodeType = compile(text, filename, "exec", flags, dont_inherit=True)
            return made
    except SyntaxError as error:
        raise refusals.syntax(error, filename) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise refusals.unparsable(error, filename) from error


MAX_FILES, MAX_IDLE = 32, 256
"""How many files are kept, and for how many conversions after the last one in a file."""
_uses = count()
_files: dict[tuple[str, int, int], _File] = {}
_lock = threading.Lock()


def parse(text: str, filename: str) -> ast.Module:
    """Parse a module's text.

    Raises:
        ConversionError: the text is no Python, or nested too deeply for Python's own parser.
    """
    try:
        return ast.parse(text, filename)
    except SyntaxError as error:
        raise refusals.syntax(error, filename) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise refusals.unparsable(error, filename) from error


def find(
    function: types.FunctionType, source: str | None = None, *, trusted: bool = False, read: str = ""
) -> tuple[Found, str]:
    """The node of a function in its source, and the text that it stands in.

    Args:
        function: a Python function or lambda.
        source: the text to read in place of the function's file, for functions made where no
            source can be had.
        trusted: whether the function may run other code than its source has now: it is part of a
            converted one.
        read: the text that it was found in before.

    Raises:
        ConversionError: the source cannot be had, or is not what the function was compiled from.
    """
    if source is not None:
        return _find_in_text(function, textwrap.dedent(source)), source
    return _search(function, trusted, [read] if read else texts_of(function))


def text_of(function: types.FunctionType) -> str | None:
    """The text of a function alone, such as `find` takes; none where there is no such text."""
    try:
        found, text = find(function)
        node = found.node
        if isinstance(node, ast.Lambda):
            own = f"({ast.get_source_segment(text, node)})"
        else:
            own = "\n".join(text.split("\n")[first_line(node) - 1 : node.end_lineno])
        own = own if own[:1].strip() else f"if True:\n{own}"
        _find_in_text(function, own)
    except ConversionError:
        return None
    return own


def _search(function: types.FunctionType, trusted: bool, texts: Iterable[str]) -> tuple[Found, str]:
    """The node of a function in one of some texts, and that text."""
    read = False
    for text in texts:
        file = _file(text, function.__code__)
        found = _find(file, function, trusted)
        if found is not None:
            return found, file.text  # which all functions of the file share
        read = True
    if read and is_kept(function):
        raise refusals.changed(function)
    raise refusals.no_text(function, *reason(function))


def _file(text: str, code: types.CodeType) -> _File:
    filename, flags = code.co_filename, _FLAGS | code.co_flags & ANNOTATIONS
    key = (filename, hash(text), flags)
    with _lock:
        uses = next(_uses)
        file = _files.pop(key, None)
        if file is None:
            surplus = list(_files)[: max(0, len(_files) - MAX_FILES + 1)]
            idle = [k for k, f in _files.items() if k[0] == filename or uses - f.used > MAX_IDLE]
            for old in idle or surplus:
                del _files[old]
                if old[0] != filename:
                    forget(old[0])
            file = _File(text, filename, flags)
        file.used = uses
        _files[key] = file
    return file


def _find(file: _File, function: types.FunctionType, trusted: bool) -> Found | None:
    candidates = file.at_line(function.__code__)
    if not trusted:
        candidates = [f for f in candidates if file.is_source(f.node, function)] or file.elsewhere(function)
    if len(candidates) > 1:
        raise refusals.ambiguous(function, [f.node for f in candidates])
    return candidates[0] if candidates else None


def _find_in_text(function: types.FunctionType, text: str) -> Found:
    tree = parse(text, f"<source given for {function.__qualname__}>")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    found = [n for n in ast.walk(tree) if isinstance(n, kinds) and _fits(n, function.__code__)]
    if len(found) != 1:
        raise refusals.not_one(function, len(found))
    class_name = next(
        (c.name for c in ast.walk(tree) if isinstance(c, ast.ClassDef) and found[0] in c.body), None
    )
    scope = function.__qualname__.split(".")[:-1]
    if class_name is None and scope and scope[-1] != "<locals>":
        class_name = scope[-1]
    ast.increment_lineno(found[0], function.__code__.co_firstlineno - first_line(found[0]))
    return Found(found[0], class_name)


def _fits(node: FunctionNode, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    own = code.co_varnames[: len(names)]
    private = any(n.startswith("__") and not n.endswith("__") for n in names)
    return code.co_name == name and (private or own == tuple(names))


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


def is_known(function: types.FunctionType) -> bool:
    """Whether there is a text that a function was compiled from, or a file that it once was in."""
    try:
        find(function, trusted=False)
    except ConversionError:
        return is_kept(function) and any(texts_of(function))
    return True


def refuse_own_name(tree: ast.AST, filename: str) -> None:
    """Converted code finds its operators under one name, which the code must not use itself.

    Raises:
        ConversionError: it does.
    """
    for node in ast.walk(tree):
        if OPERATORS in _names_of(node):
            raise refusals.own_name(OPERATORS, node, filename)


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
