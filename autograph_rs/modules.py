"""Whole modules, converted ahead of time, as text in and text out. Nothing of the input is run."""

from __future__ import annotations

import ast
import warnings

import gast

from autograph_rs import converters
from autograph_rs.runtime.errors import ConversionError

from . import loader
from .depth import converting
from .source import parse, refuse_own_name

IMPORT = "from autograph_rs import runtime as ag__"


def convert_source(source: str, filename: str = "<string>") -> str:
    r"""The text of a module with every function converted; it imports the runtime and nothing else of ours.

    Args:
        source: the module's text.
        filename: what to call it in errors.

    Raises:
        ConversionError: the text is no Python, or too deeply nested to be converted.

    >>> print(convert_source("def f(x):\n    return not x\n"))
    from autograph_rs import runtime as ag__
    <BLANKLINE>
    def f(x):
        return ag__.not_(x)
    <BLANKLINE>
    """
    module = parse(source, filename)
    if any(isinstance(s, ast.ImportFrom) and ast.unparse(s) == IMPORT for s in module.body):
        return source
    refuse_own_name(module, filename)
    with converting(f"{filename}: the code"):
        tree = gast.ast_to_gast(module)
        converters.convert_tree(tree)
        text = _with_import(gast.gast_to_ast(tree)) + "\n"
        with warnings.catch_warnings(action="ignore"):
            compile(text, filename, "exec", dont_inherit=True)  # limits that a tree has not
        return text


def _with_import(tree: ast.Module) -> str:
    place = 0
    for i, statement in enumerate(tree.body):
        is_docstring = (
            i == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_docstring or is_future):
            break
        place = i + 1
    tree.body[place:place] = ast.parse(IMPORT).body
    return ast.unparse(ast.fix_missing_locations(tree))


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
            raise ConversionError(f"{filename}: there is no {qualname!r}")
        holder = found[-1]
    if not isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise ConversionError(f"{filename}:{holder.lineno}: {qualname!r} is no function")  # type: ignore[attr-defined]
    refuse_own_name(holder, filename)
    with converting(f"{filename}: the code"):
        tree = gast.ast_to_gast(holder)
        if class_name is not None:
            converters.mangle(tree, class_name)
        converters.convert_tree(tree)
        return ast.unparse(ast.fix_missing_locations(loader.detached(tree)))
