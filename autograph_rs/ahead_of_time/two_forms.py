"""Write functions in two forms: the user's own body, and the staged form, which runs while a graph is built.

    def f(x):
        if ag__.STAGING:
            def ag__f(x):
                ...  # with operators
            return ag__f(x)
        ...  # the user's body

The staged form is a function inside the user's function, so both see the same closure cells, `super` and
globals, and the user's local variables stay local. A function chooses when its body begins to run, so a
generator does at its first `next`. A lambda has both forms in a conditional expression, and so do the parts
of a generator expression that may run after its function has returned.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from autograph_rs import converters
from autograph_rs.converters.trees.python_trees import gast_tree, python_tree

from ..source.definitions import OPERATORS, variable_names
from .comments import Comment, Key, key
from .editing import EditedText, Line
from .rewriting import (
    FunctionStatement,
    decorate_with_mapped,
    first_row,
    has_operators,
    replace_function,
    statement_lines,
)

FLAG = "STAGING"
"""The attribute of the runtime that is true while a graph is built."""
CONSUMERS = frozenset(
    ("all", "any", "bytearray", "bytes", "dict", "frozenset", "list", "max", "min", "next", "set", "sorted",
     "sum", "tuple")
)  # fmt: skip
"""Builtins that use up a generator expression at once."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TEXTS = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr") if hasattr(ast, name))


class TwoForms:
    """Writer of functions in two forms. `staged` contains the converted form of each function of the module.

    `added` collects the names of the functions that hold staged forms.
    """

    def __init__(
        self,
        text: EditedText,
        module: ast.Module,
        staged: Mapping[Key, FunctionStatement],
        comments: Callable[[], Sequence[Comment]],
        *,
        mapped: bool,
    ) -> None:
        self.text, self.staged, self.comments, self.mapped = text, staged, comments, mapped
        self.added: set[str] = set()
        self.module, self.source = module, "\n".join(text.rows)

    def write(self, function: FunctionStatement) -> None:
        """Write a function that is not inside another one."""
        before, staged = self.text.edits, self.staged[key(function)]
        is_replaced = _is_async_generator(function)
        if self.mapped and is_replaced and has_operators(staged):
            decorate_with_mapped(staged)
        self._write(function)
        if self.mapped and self.text.edits > before and not is_replaced:
            row = first_row(self.text, function) if not function.decorator_list else function.lineno
            decorator = f"{self.text.indentation(row)}@{OPERATORS}.mapped"
            mapping = len(self.text.indentation(row)), function.lineno, function.col_offset
            self.text.insert_lines(row, [Line(decorator, 0, (mapping,))])

    def _write(self, function: FunctionStatement) -> None:
        staged = self.staged[key(function)]
        if not has_operators(staged):
            return
        if _is_async_generator(function):  # which cannot delegate to another one
            replace_function(self.text, function, staged, self.comments, mapped=self.mapped)
            return
        if _has_own_operators(staged.body):
            self._add_staged_form(function, staged)
        self._write_inner(function.body)

    def _write_inner(self, body: Iterable[ast.AST]) -> None:
        """Write the functions, lambdas and generator expressions in the body of a function."""
        consumed: set[ast.AST] = set()
        for node in _inner_nodes(body):
            consumed.update(self._consumed(node))
            if isinstance(node, _FUNCTIONS):
                self._write(node)
            elif isinstance(node, ast.Lambda):
                self._choose([(node.body, _converted_lambda(node).body)])
            elif isinstance(node, ast.GeneratorExp) and node not in consumed:
                self._choose(_delayed_parts(node))

    @functools.cached_property
    def _consumers(self) -> frozenset[str]:
        """The names in `CONSUMERS` that the module does not bind."""
        nodes = (
            node for node in ast.walk(self.module) if not isinstance(getattr(node, "ctx", None), ast.Load)
        )
        return CONSUMERS.difference(name for node in nodes for name in variable_names(node))

    def _consumed(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the children of a node that it uses up at once, if they are generator expressions."""
        if isinstance(node, ast.Call):
            is_consumer = isinstance(node.func, ast.Name) and node.func.id in self._consumers
            is_join = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)
            if is_consumer or is_join:
                yield from node.args[:1]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
            yield node.generators[0].iter
        elif isinstance(node, ast.For):
            yield node.iter

    def _choose(self, forms: Iterable[tuple[ast.expr, ast.expr]]) -> None:
        """Replace expressions by conditional expressions that choose between two forms."""
        for plain, staged in forms:
            if _has_own_operators([staged]):
                text = ast.unparse(staged)
                text = text if isinstance(staged, ast.Call) else f"({text})"
                self.text.wrap(plain, f"({text} if {OPERATORS}.{FLAG} else (", "))")

    def _add_staged_form(self, function: FunctionStatement, staged: FunctionStatement) -> None:
        own = function.body[_docstring_length(function) :]
        name = f"{OPERATORS}{function.name}"
        while name in self.source:
            name += "_"
        self.added.add(name)
        block = _staged_block(function, staged, name, own[0])
        text, first = self.text, function.body[0]
        row, column = first_row(text, own[0]), own[0].col_offset
        starts_line = not text.row(row).encode()[: column if row == own[0].lineno else 0].strip()
        if starts_line and not self._continues(row):
            header_end = function.lineno if own[0] is first else first.end_lineno or first.lineno
            indentation = text.indentation(row)
            while row - 1 > header_end and text.row(row - 1).strip()[:1] in ("", "#"):
                row -= 1
            text.insert_lines(row, statement_lines(block, {}, indentation, mapped=self.mapped))
            return
        if own[0] is not first and not text.row(first.lineno).encode()[: first.col_offset].strip():
            indentation = text.indentation(first.lineno)
        else:
            indentation = text.indentation(function.lineno) + "    "
            if own[0] is not first:
                text.break_line(first.lineno, first.col_offset, indentation)
        lines = statement_lines(block, {}, indentation, mapped=self.mapped)
        text.break_line(own[0].lineno, own[0].col_offset, indentation, lines)

    def _continues(self, row: int) -> bool:
        """Return whether a row continues the one above, which ends with a backslash outside a comment."""
        return (
            row > 1
            and self.text.row(row - 1).endswith("\\")
            and all(comment.row != row - 1 for comment in self.comments())
        )


def _staged_block(
    function: FunctionStatement, staged: FunctionStatement, name: str, first: ast.stmt
) -> ast.If:
    """Return the statement that defines and calls a staged form, with the position of the body's `first`."""
    position = getattr(first, "decorator_list", None) or [first]
    names = [parameter.arg for parameter in _parameters(function.args)]
    parameters = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    body = staged.body[_docstring_length(staged) :]
    definition = type(function)(name, parameters, body, [])
    definition.__dict__["type_params"] = []
    call: ast.expr = ast.Call(ast.Name(name, ast.Load()), [ast.Name(name, ast.Load()) for name in names], [])
    if isinstance(function, ast.AsyncFunctionDef):
        call = ast.Await(call)
    elif any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in _own_nodes(function.body)):
        call = ast.YieldFrom(call)
    ast.copy_location(definition, function)
    flag = ast.Attribute(ast.Name(OPERATORS, ast.Load()), FLAG, ast.Load())
    block = ast.If(flag, [definition, ast.copy_location(ast.Return(call), position[0])], [])
    return ast.fix_missing_locations(ast.copy_location(block, position[0]))


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from filter(None, [*positional, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg])


def _converted_lambda(node: ast.Lambda) -> ast.Lambda:
    tree = gast_tree(node)
    converters.convert_tree(tree)
    converted: ast.Lambda = python_tree(tree)
    return converted


def _delayed_parts(node: ast.GeneratorExp) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the parts of a generator expression that it evaluates for each item, in two forms."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    staged = _converted_lambda(ast.copy_location(ast.Lambda(nothing, node), node)).body
    assert isinstance(staged, ast.GeneratorExp)
    yield node.elt, staged.elt
    for index, (old, new) in enumerate(zip(node.generators, staged.generators, strict=True)):
        yield from zip(old.ifs, new.ifs, strict=True)
        if index:
            yield old.iter, new.iter


def _inner_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, outer ones first, and those of lambdas in it.

    Nested functions are yielded, but not their bodies, nor the expressions that a class body evaluates.
    Python runs a class body itself. Text in braces has no exact positions, and its value is used at once.
    """
    stack: list[ast.AST] = [*body]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *node.keywords, *_functions_in(node)]
        elif isinstance(node, _FUNCTIONS):
            stack += _evaluated_at_definition(node)
        elif not isinstance(node, _TEXTS):
            stack += ast.iter_child_nodes(node)


def _own_nodes(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of statements or expressions, without the bodies of nested functions and classes."""
    stack: list[ast.AST] = [*roots]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *node.keywords]
        elif isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            stack += _evaluated_at_definition(node)
        else:
            stack += ast.iter_child_nodes(node)


def _evaluated_at_definition(node: FunctionStatement | ast.Lambda) -> Iterator[ast.expr]:
    yield from (default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None)
    yield from getattr(node, "decorator_list", ())


def _functions_in(node: ast.ClassDef) -> Iterator[ast.AST]:
    """Yield the functions in a class body, without those inside other functions."""
    stack: list[ast.AST] = [*node.body]
    while stack:
        inner = stack.pop()
        if isinstance(inner, _FUNCTIONS):
            yield inner
        elif not isinstance(inner, ast.expr):
            stack += ast.iter_child_nodes(inner)


def _has_own_operators(roots: Iterable[ast.AST]) -> bool:
    return any(isinstance(node, ast.Name) and node.id == OPERATORS for node in _own_nodes(roots))


def _is_async_generator(function: FunctionStatement) -> bool:
    return isinstance(function, ast.AsyncFunctionDef) and any(
        isinstance(node, ast.Yield) for node in _own_nodes(function.body)
    )


def _docstring_length(function: FunctionStatement) -> int:
    return int(ast.get_docstring(function, clean=False) is not None)
