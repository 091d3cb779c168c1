"""Whole modules, converted ahead of time, as text in and text out. Nothing of the input is run."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from autograph_rs import converters
from autograph_rs.converters.python_trees import gast_tree, python_tree
from autograph_rs.runtime.errors import SourceError
from autograph_rs.runtime.source_maps import SourceMap

from . import loader
from .depth import converting
from .refusals import node_place
from .rewriting import Line, rewritten
from .source import parse, refuse_own_name

IMPORT = "from autograph_rs import runtime as ag__"
# The lines at the top that mean something by being there: the encoding, below a comment or not, or `#!`.
TOP = re.compile(r"([ \t\f]*(#.*)?\n)?[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+.*\n|#!.*\n|")


@dataclass(frozen=True)
class Converted:
    """A converted module: its lines, some of them the user's own, and the names of added functions."""

    lines: tuple[Line, ...]
    added: frozenset[str]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def source_map(self, filename: str) -> SourceMap:
        """The map from the converted text to the user's, which is in a file of this name."""
        found = ((row, *place) for row, line in enumerate(self.lines, 1) for place in line.places)
        return SourceMap(filename, tuple(found), tuple(sorted(self.added)))


def convert_source(source: str, filename: str = "<string>") -> str:
    r"""The text of a module with every function converted; it imports the runtime and nothing else of ours.

    Args:
        source: the module's text.
        filename: what to call it in errors.

    Raises:
        ConversionError: the text is no Python, or too deeply nested to be converted.

    >>> print(convert_source("def f(x):\n    return not x  # really\n"))
    from autograph_rs import runtime as ag__
    def f(x):
        return ag__.not_(x)  # really
    <BLANKLINE>
    """
    made = convert_module(source, filename)
    return source if made is None else made.text


def convert_module(
    source: str, filename: str = "<string>", *, header: str = "", mapped: bool = False
) -> Converted | None:
    """The lines of a module with every function converted; None where there is nothing to convert.

    What is outside of functions stays as it is written, and so does a function in which nothing is converted.

    Args:
        source: the module's text, with plain ends of lines.
        filename: what to call it in errors.
        header: a comment for the top.
        mapped: whether the functions get the user's file and lines from a map beside the file.

    Raises:
        ConversionError: the text is no Python, or too deeply nested to be converted.
    """
    module = parse(source, filename)
    if any(isinstance(s, ast.ImportFrom) and ast.unparse(s) == IMPORT for s in module.body):
        return None
    refuse_own_name(module, filename)
    with converting("the code", lambda: node_place(module, filename)):
        tree = gast_tree(module)
        added = converters.convert_tree(tree)
        made = python_tree(tree)
        lines = rewritten(source, module, made, mapped=mapped)
        if lines:
            top = TOP.match(source)
            first = top[0].count("\n") if top is not None else 0
            place = _place_of_import(module) or first
            lines[place:place] = [Line(IMPORT)]
            lines[first:first] = [Line(header)] if header else []
        converted = Converted(tuple(lines), added)
        with warnings.catch_warnings(action="ignore"):  # Python's compiler has limits that a tree has not
            compile(converted.text if lines else source, filename, "exec", dont_inherit=True)
        return converted if lines else None


def _place_of_import(module: ast.Module) -> int:
    """After which line the runtime can be imported: the docstring and what is of the future come first."""
    place = 0
    for i, statement in enumerate(module.body):
        is_docstring = (
            i == 0
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if is_docstring or is_future or statement.lineno <= place:  # on the same line as the one before
            place = statement.end_lineno or statement.lineno
        else:
            break
    return place


def convert_function_source(source: str, filename: str, qualname: str) -> str:
    """The converted text of one function of a module, as `to_code` would show it.

    Args:
        source: the module's text.
        filename: what to call it in errors.
        qualname: the function's name, with those of its classes before it (`Model.step`).

    Raises:
        ConversionError: the text is no Python, or has no such function.
    """
    holder: ast.AST = parse(source, filename)
    class_name = None
    for name in qualname.split("."):
        if isinstance(holder, ast.ClassDef):
            class_name = holder.name
        found = [n for n in ast.iter_child_nodes(holder) if getattr(n, "name", None) == name]
        if not found:
            defined = [n.name for n in ast.iter_child_nodes(holder) if isinstance(n, _NAMED)]
            raise SourceError(
                f"there is no {qualname!r}",
                why=f"{_name(holder)} defines {', '.join(defined) or 'no function'}",
                remedy="give the name of a function, with those of its classes before it",
                place=node_place(holder, filename),
            )
        holder = found[-1]
    function = holder
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise SourceError(
            f"{qualname!r} is no function",
            why="a function is what can be converted",
            remedy=f"give one of its methods: {qualname}.method",
            place=node_place(function, filename, qualname),
        )
    refuse_own_name(function, filename)
    with converting("the code", lambda: node_place(function, filename, qualname)):
        tree = gast_tree(function)
        if class_name is not None:
            converters.mangle(tree, class_name)
        converters.convert_tree(tree)
        return ast.unparse(loader.detached(tree))


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _name(holder: ast.AST) -> str:
    return getattr(holder, "name", "the module")
