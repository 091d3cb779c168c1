"""Convert whole modules ahead of time, from text to text, without executing them."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from dataclasses import dataclass
from typing import Any

import gast

from autograph_rs import converters
from autograph_rs.converters.trees.python_trees import gast_tree, python_tree
from autograph_rs.runtime.debugging.source_maps import SourceMap
from autograph_rs.runtime.errors import SourceError

from ..source.conversion_errors import node_position
from ..source.definitions import check_reserved_names, parse
from ..source.recursion_limit import guarded_conversion
from ..transpiler import loader
from .comments import Key, comments_in, key
from .editing import EditedText, Line
from .rewriting import decorate_with_mapped, has_operators, outermost_functions, replace_function
from .two_forms import TwoForms

IMPORT = "from autograph_rs import runtime as ag__"
# Lines that must stay at the top: a `#!` line, or the encoding on the first or second line.
TOP = re.compile(r"([ \t\f]*(#.*)?\n)?[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+.*\n|#!.*\n|")


@dataclass(frozen=True)
class ConvertedModule:
    """The lines of a converted module, and the names of the functions that the passes added."""

    lines: tuple[Line, ...]
    added: frozenset[str]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def source_map(self, filename: str) -> SourceMap:
        """Return the source map from the converted text to the original in the file `filename`."""
        mappings = ((row, *m) for row, line in enumerate(self.lines, 1) for m in line.mappings)
        return SourceMap(filename, tuple(mappings), tuple(sorted(self.added)))


def convert_module(
    source: str,
    filename: str = "<string>",
    *,
    header: str = "",
    mapped: bool = False,
    staged_only: bool = False,
) -> ConvertedModule | None:
    """Convert every function of a module, or return None if there is nothing to convert.

    Code outside functions, and functions in which nothing is converted, are left unchanged. If `mapped`, the
    converted functions get their original file name and lines from a source map. `header` is a comment for
    the top of the file. If `staged_only`, functions have their staged form alone.
    """
    module = parse(source, filename)
    if is_converted(module):
        return None
    check_reserved_names(module, filename)
    with guarded_conversion("the code", module, filename):
        text, comments = EditedText(source), functools.cache(lambda: comments_in(source))
        staged: dict[Key, Any] = {}

        def keep(function: gast.AST) -> None:
            node = python_tree(function)
            staged[key(node)] = node

        added = converters.convert_tree(gast_tree(module), after_each=keep)
        if staged_only:
            for function in outermost_functions(module):
                if has_operators(staged[key(function)]):
                    if mapped:
                        decorate_with_mapped(staged[key(function)])
                    replace_function(text, function, staged[key(function)], comments, mapped=mapped)
        else:
            forms = TwoForms(text, module, staged, comments, mapped=mapped)
            for function in outermost_functions(module):
                forms.write(function)
            added |= forms.added
        lines = text.lines() if text.edits else []
        if lines:
            top = TOP.match(source)
            first = top[0].count("\n") if top is not None else 0
            import_row = _import_row(module) or first
            lines[import_row:import_row] = [Line(IMPORT)]
            lines[first:first] = [Line(header)] if header else []
        converted = ConvertedModule(tuple(lines), added)
        # The compiler has limits that the parser does not have.
        with warnings.catch_warnings(action="ignore"):
            compile(converted.text if lines else source, filename, "exec", dont_inherit=True)
        return converted if lines else None


def is_converted(module: ast.Module) -> bool:
    return any(isinstance(s, ast.ImportFrom) and ast.unparse(s) == IMPORT for s in module.body)


def _import_row(module: ast.Module) -> int:
    """Return the row after which to import the runtime: after the docstring and `__future__` imports."""
    row = 0
    for i, statement in enumerate(module.body):
        is_docstring = (
            i == 0
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        shares_line = statement.lineno <= row
        if not (is_docstring or is_future or shares_line):
            break
        row = statement.end_lineno or statement.lineno
    return row


def convert_function_source(source: str, filename: str, qualname: str) -> str:
    """Return the converted text of a module's function, such as `Model.step`, as `to_code` returns it."""
    scope: ast.AST = parse(source, filename)
    class_name = None
    for name in qualname.split("."):
        if isinstance(scope, ast.ClassDef):
            class_name = scope.name
        definitions = [n for n in ast.iter_child_nodes(scope) if isinstance(n, _DEFINITIONS)]
        matches = [n for n in definitions if n.name == name]
        if not matches:
            names = ", ".join(n.name for n in definitions)
            raise SourceError(
                f"{qualname!r} is not defined",
                why=f"{getattr(scope, 'name', 'the module')} defines {names or 'no functions'}",
                remedy="pass the qualified name of a function, such as f or Model.step",
                place=node_position(scope, filename),
            )
        scope = matches[-1]
    function = scope
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise SourceError(
            f"{qualname!r} is not a function",
            why="only functions can be converted",
            remedy=f"pass one of its methods, as in {qualname}.method",
            place=node_position(function, filename, qualname),
        )
    check_reserved_names(function, filename)
    with guarded_conversion("the code", function, filename, qualname):
        tree = gast_tree(function)
        if class_name is not None:
            converters.mangle(tree, class_name)
        converters.convert_tree(tree)
        return ast.unparse(loader.standalone_function(tree))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
