"""A module's text with its converted functions in it: what is outside of them stays as it was written."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograph_rs.runtime.source_maps import Segment

from .comments import Attached, Comment, Key, attach, comments_in, first_row, key, placed
from .maps import segments, statements_of
from .source import OPERATORS


@dataclass(frozen=True)
class Line:
    """One line of a converted text.

    `row` is the line of the user's text that it is, from 1; 0 if it was generated. `places` are where on it
    something begins that came from elsewhere: the column here, row and column there.
    """

    text: str
    row: int = 0
    places: tuple[tuple[int, int, int], ...] = ()


def outermost_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module that are in no other, in the order of the text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif not isinstance(node, ast.expr):
            yield from outermost_functions(node)


def rewritten(source: str, original: ast.Module, made: ast.Module, *, mapped: bool) -> list[Line]:
    """The lines of a module with its converted functions; none where nothing is converted.

    Args:
        source: the module's text, with plain ends of lines.
        original: its tree.
        made: the converted tree, whose nodes have the places of what they stand for.
        mapped: whether the functions get the user's lines from a map, so that places are kept too.
    """
    text = source.split("\n")
    out: list[Line] = []
    comments: list[Comment] | None = None
    place = changed = 0
    for old, new in zip(outermost_functions(original), outermost_functions(made), strict=True):
        if not _is_converted(new):
            continue
        changed += 1
        start, end = first_row(old) - 1, old.end_lineno or old.lineno
        while old.decorator_list and not text[start].lstrip().startswith("@"):  # `@(`, and the rest below
            start -= 1
        while start > place and text[start - 1].strip() == "\\":  # where the indentation is
            start -= 1
        out += _kept(text, place, start)
        attached: dict[Key, Attached] = {}
        if any("#" in line for line in text[start:end]):
            comments = comments_in(source) if comments is None else comments
            attached = attach((c for c in comments if start < c.row <= end), old)
        if mapped:
            decorator = ast.Attribute(ast.Name(OPERATORS, ast.Load()), "mapped", ast.Load())
            new.decorator_list.append(ast.fix_missing_locations(ast.copy_location(decorator, new)))
        indent = text[start][: len(text[start]) - len(text[start].lstrip())]
        out += _function_lines(new, attached, indent, with_places=mapped)
        place = end
    return out + _kept(text, place, len(text)) if changed else []


def _is_converted(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == OPERATORS for node in ast.walk(function))


def _kept(text: Sequence[str], start: int, stop: int) -> list[Line]:
    return [Line(text[row], row + 1, ((0, row + 1, 0),)) for row in range(start, stop)]


def _function_lines(
    made: ast.stmt, attached: dict[Key, Attached], indent: str, *, with_places: bool
) -> list[Line]:
    """The lines of one converted function at its indentation, with its comments."""
    code = ast.unparse(made)
    is_literal = "'''" in code or '"""' in code
    parsed = ast.parse(code).body[0] if attached or with_places or (indent and is_literal) else ast.Pass()
    literal = _literal_rows(parsed) if is_literal else set()
    above, beside, below = placed(attached, _pairs(parsed, made) if attached else {})
    places: defaultdict[int, list[Segment]] = defaultdict(list)
    for segment in segments(parsed, made) if with_places else ():
        places[segment[0]].append(segment)
    out: list[Line] = []
    for row, text in enumerate(code.split("\n"), 1):
        space = indent + text[: len(text) - len(text.lstrip())]
        shift = "" if row in literal or not text else indent
        tail = "".join(f"  {comment}" for comment in beside.get(row, ()))
        out += [Line(space + comment) for comment in above.get(row, ())]
        here = tuple((at + len(shift.encode()), there, column) for _, at, there, column in places[row])
        out.append(Line(shift + text + tail, 0, here))
        out += [Line(space + comment) for comment in below.get(row, ())]
    return out


def _pairs(parsed: ast.stmt, made: ast.stmt) -> dict[Key, list[ast.stmt]]:
    """What each statement of the user's text became, as it stands in the generated one."""
    found: dict[Key, list[ast.stmt]] = {}
    for new, old in zip(statements_of(parsed), statements_of(made), strict=True):
        found.setdefault(key(old), []).append(new)
    return found


def _literal_rows(tree: ast.stmt) -> set[int]:
    """The rows that begin inside a text, where no space may be added."""
    texts = (node for node in ast.walk(tree) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return {row for text in texts for row in range(text.lineno + 1, (text.end_lineno or 0) + 1)}
