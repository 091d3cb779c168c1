"""Find the tree of a function in its source.

Each version of a text is parsed and compiled once. A function is located by its first line and name, a lambda
by the exact columns of its instructions. The node must compile to the code that the function runs, which
rules out changed files and the text of other functions. A function that has moved to other lines of its file
is still found.
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

from autograph_rs.runtime.errors import (
    AmbiguousSourceError,
    ConversionError,
    ReservedNameError,
    SourceError,
    StaleSourceError,
)

from .code_objects import walk_code
from .conversion_errors import code_position, node_position, parse_error, syntax_error
from .recursion_limit import deep_recursion
from .retrieval import candidate_texts, evict, has_source_file, missing_source_reason
from .verification import code_fingerprint, compile_as_imported

OPERATORS = "ag__"
ANNOTATIONS = __future__.annotations.compiler_flag
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # notebook cells may use await

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
CodeIndex: TypeAlias = dict[tuple[int, str], list[types.CodeType]]
"""Code objects by first line and name."""


@dataclass(frozen=True)
class Definition:
    """A function's node, and the name of the class whose body contains it."""

    node: FunctionNode
    class_name: str | None


class _SourceFile:
    """One version of a source text, parsed and compiled."""

    def __init__(self, text: str, filename: str, flags: int):
        self.text, self.filename, self.flags = text, filename, flags
        self.tree: ast.Module = parse(text, filename)
        self.functions: dict[int, list[Definition]] = {}
        for definition in _definitions(self.tree):
            self.functions.setdefault(first_line(definition.node), []).append(definition)
        with deep_recursion():
            self.codes = _index_code(parse(text, filename, flags))
        self._statement_codes: dict[int, CodeIndex] = {}
        self._imported_codes: CodeIndex | None = None
        self.last_used = 0  # the number of the latest conversion

    def at_line(self, code: types.CodeType) -> list[Definition]:
        """Return the functions that match the line, name and parameters of `code`."""
        matches = [d for d in self.functions.get(code.co_firstlineno, ()) if _has_signature(d.node, code)]
        if len(matches) > 1:
            lambdas = [d for d in matches if isinstance(d.node, ast.Lambda)]
            matches = _enclosing_lambda(lambdas, code) or matches
        return matches

    def is_source(self, node: FunctionNode, function: types.FunctionType) -> bool:
        """Return whether a node compiles to a function's code in any of the ways Python may compile it."""
        key = first_line(node), function.__code__.co_name
        fingerprint = code_fingerprint(function.__code__)
        return any(
            code_fingerprint(code) == fingerprint
            for codes in self._compilations(node, function)
            for code in codes.get(key, ())
        )

    def _compilations(self, node: FunctionNode, function: types.FunctionType) -> Iterator[CodeIndex]:
        yield self.codes
        first = next(s for s in self.tree.body if node.lineno <= (s.end_lineno or 0))
        if first.lineno not in self._statement_codes:  # IPython and the prompt compile each statement alone
            with deep_recursion():
                alone = ast.Module([s for s in self.tree.body if s.lineno == first.lineno], [])
                code = compile(alone, self.filename, "exec", self.flags, dont_inherit=True)
            self._statement_codes[first.lineno] = _index_code(code)
        yield self._statement_codes[first.lineno]
        if self._imported_codes is None:
            self._imported_codes = _index_code(compile_as_imported(self.text, function))
        yield self._imported_codes

    def find_moved(self, function: types.FunctionType) -> list[Definition]:
        """Return the definition of a function that moved to another line, as a list of at most one item."""
        definitions = (
            d for line in self.functions.values() for d in line if not isinstance(d.node, ast.Lambda)
        )
        matches = (d for d in definitions if _has_signature(d.node, function.__code__))
        return list(islice((d for d in matches if self.is_source(d.node, function)), 1))


def _definitions(tree: ast.Module) -> Iterator[Definition]:
    classes: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while classes:
        node, class_name = classes.pop()
        stack = _child_nodes(node)
        while stack:
            node = stack.pop()
            if isinstance(node, ast.ClassDef):
                classes.append((node, node.name))
                continue
            if isinstance(node, _FUNCTIONS):
                yield Definition(node, class_name)
            stack += _child_nodes(node)


def _child_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the direct children of a node that may contain functions."""
    children: list[Any] = []
    for field in node._fields:  # tools may set other attributes, such as a link to the parent
        value = getattr(node, field, None)
        if type(value) is list:
            children += [item for item in value if type(item) not in _LEAVES]
        elif type(value) not in _LEAVES:
            children.append(value)
    return [child for child in children if isinstance(child, ast.AST)]


_LEAVES = frozenset((ast.Name, ast.Constant, ast.Load, ast.Store, str, int, type(None)))


def _index_code(module: types.CodeType | None) -> CodeIndex:
    index: CodeIndex = {}
    for code in walk_code(module) if module is not None else ():
        index.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return index


def first_line(node: ast.AST) -> int:
    """Return the first line of a function, including its decorators."""
    lines: list[int] = [n.lineno for n in (node, *getattr(node, "decorator_list", ()))]
    return min(lines)


def parse(text: str, filename: str, flags: int = ast.PyCF_ONLY_AST) -> Any:
    """Parse or compile the text of a module, and translate Python's errors.

    Code is compiled from its text, because Python allows deeper nesting there than in a tree.
    """
    try:
        return compile(text, filename, "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        raise syntax_error(error, filename) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise parse_error(error, filename) from error


MAX_FILES, MAX_IDLE = 32, 256
"""The maximum number of cached files, and the number of conversions after which an unused file is evicted."""
_conversions = count()
_files: dict[tuple[str, int, int], _SourceFile] = {}
_lock = threading.Lock()


def find(
    function: types.FunctionType, source: str | None = None, *, verify: bool = True, known_text: str = ""
) -> tuple[Definition, str]:
    """Find a function's definition in `source`, or else in its file; return it and the text that contains it.

    With `verify`, the definition must compile to the function's code. Pass `verify=False` for a
    function that converted code created. `known_text` is the text in which the function was found before.
    """
    if source is not None:
        return _find_in_source(function, textwrap.dedent(source)), source
    return _search(function, [known_text] if known_text else candidate_texts(function), verify=verify)


def own_source(function: types.FunctionType) -> str | None:
    """Return the text of only this function, valid as `source` for `find`, or None if it is unavailable."""
    try:
        definition, text = find(function)
        node = definition.node
        if isinstance(node, ast.Lambda):
            own = f"({ast.get_source_segment(text, node)})"
        else:
            own = "\n".join(text.split("\n")[first_line(node) - 1 : node.end_lineno])
        own = own if own[:1].strip() else f"if True:\n{own}"
        _find_in_source(function, own)
    except ConversionError:
        return None
    return own


def _search(function: types.FunctionType, texts: Iterable[str], *, verify: bool) -> tuple[Definition, str]:
    has_text = False
    for text in texts:
        file = _source_file(text, function.__code__)
        definition = _find_in_file(file, function, verify=verify)
        if definition is not None:
            return definition, file.text  # one string for all functions of the file
        has_text = True
    if has_text and has_source_file(function):
        raise StaleSourceError(
            f"the source file of {function.__qualname__!r} has changed since the function was compiled",
            why="the current text compiles to different code",
            remedy="reload the module or restart the program; for generated code, pass its text: "
            "convert(f, source=text)",
            place=code_position(function.__code__),
        )
    why, remedy = missing_source_reason(function)
    raise SourceError(
        f"the source of {function.__qualname__!r} is not available",
        why=why,
        remedy=remedy,
        place=code_position(function.__code__),
    )


def _source_file(text: str, code: types.CodeType) -> _SourceFile:
    filename, flags = code.co_filename, _FLAGS | code.co_flags & ANNOTATIONS
    key = (filename, hash(text), flags)
    with _lock:
        now = next(_conversions)
        file = _files.pop(key, None)
        if file is None:
            surplus = list(_files)[: max(0, len(_files) - MAX_FILES + 1)]
            idle = [k for k, f in _files.items() if k[0] == filename or now - f.last_used > MAX_IDLE]
            for old in idle or surplus:
                del _files[old]
                if old[0] != filename:
                    evict(old[0])
            file = _SourceFile(text, filename, flags)
        file.last_used = now
        _files[key] = file
    return file


def _find_in_file(file: _SourceFile, function: types.FunctionType, *, verify: bool) -> Definition | None:
    candidates = file.at_line(function.__code__)
    if verify:
        candidates = [d for d in candidates if file.is_source(d.node, function)] or file.find_moved(function)
    if len(candidates) > 1:
        code = function.__code__
        positions = sorted(node_position(d.node, code.co_filename, code.co_name) for d in candidates)
        raise AmbiguousSourceError(
            f"several functions on the same line look like {function.__qualname__!r}",
            why="a function is located in its file by line, name and parameters",
            remedy="put each function on a line of its own",
            sites=[("and also", position) for position in positions[1:]],
            place=positions[0],
        )
    return candidates[0] if candidates else None


def _find_in_source(function: types.FunctionType, source: str) -> Definition:
    """Find a function in the text that the user passed as `source`."""
    tree = parse(source, f"<source given for {function.__qualname__}>")
    matches = [d for d in _definitions(tree) if _has_signature(d.node, function.__code__)]
    if len(matches) != 1:
        names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
        number = f"{len(matches)} functions" if matches else "no function"
        raise SourceError(
            f"the text passed as source= contains {number} matching {function.__qualname__!r}",
            why=f"a function is identified by its name and parameters: {function.__name__}({names})",
            remedy="pass the text of this function alone",
            place=code_position(function.__code__),
        )
    node, class_name = matches[0].node, matches[0].class_name
    scope = function.__qualname__.split(".")[:-1]
    if class_name is None and scope and scope[-1] != "<locals>":
        class_name = scope[-1]
    ast.increment_lineno(node, function.__code__.co_firstlineno - first_line(node))
    return Definition(node, class_name)


def _has_signature(node: FunctionNode, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    is_mangled = any(n.startswith("__") and not n.endswith("__") for n in names)
    return code.co_name == name and (is_mangled or code.co_varnames[: len(names)] == tuple(names))


def _enclosing_lambda(candidates: list[Definition], code: types.CodeType) -> list[Definition]:
    """Return the innermost lambda whose body contains all of `code`, as a list of at most one item."""
    starts, ends = set(), set()
    for line, end_line, column, end_column in code.co_positions():
        if None not in (line, end_line, column, end_column) and end_column:
            starts.add((line, column))
            ends.add((end_line, end_column))
    if not starts:
        # The instructions of a lambda that returns a constant have no positions; the constant is the last.
        constant = repr(code.co_consts[-1])
        return [d for d in candidates if ast.unparse(d.node.body) == constant][:1]  # type: ignore[arg-type]

    def body_start(definition: Definition) -> tuple[int, int]:
        body = definition.node.body
        return body.lineno, body.col_offset  # type: ignore[union-attr]

    def encloses(definition: Definition) -> bool:
        body = definition.node.body
        end = body.end_lineno, body.end_col_offset  # type: ignore[union-attr]
        return body_start(definition) <= min(starts) and max(ends) <= end

    return sorted(filter(encloses, candidates), key=body_start)[-1:]


def has_source(function: types.FunctionType) -> bool:
    """Return whether the source of a function is available, even if its file has changed."""
    try:
        find(function)
    except ConversionError:
        return has_source_file(function) and any(candidate_texts(function))
    return True


def check_reserved_in_code(code: types.CodeType, tree: ast.AST) -> None:
    """Raise if code uses a reserved name. Most code does not, and needs no search of its tree."""
    names = (
        n for c in walk_code(code) for n in (*c.co_names, *c.co_varnames, *c.co_cellvars, *c.co_freevars)
    )
    if any(name.startswith(OPERATORS) for name in names):
        check_reserved_names(tree, code.co_filename)


def check_reserved_names(tree: ast.AST, filename: str) -> None:
    for node in ast.walk(tree):
        for name in (name for name in variable_names(node) if name.startswith(OPERATORS)):
            raise ReservedNameError(
                f"the name {name!r} is reserved for converted code",
                why=f"names that begin with {OPERATORS!r} are those of operators and temporaries",
                remedy="rename it; if this file was already converted ahead of time, do not convert it again",
                place=node_position(node, filename),
            )


def variable_names(node: ast.AST) -> list[str]:
    """Return the variables that a node itself reads, binds or declares."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return [name]
        case ast.alias(name=name, asname=bound):
            return [bound or name.partition(".")[0]]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.MatchMapping(rest=name):
            return [name or ""]
    return [getattr(node, "name", None) or ""]  # a function, class, pattern, handler or type parameter
