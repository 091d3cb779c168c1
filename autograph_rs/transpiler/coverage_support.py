"""Make coverage.py count branches of converted code as in the original.

coverage.py counts a branch when one frame moves from a line to another, such as from an `if` to the first
line of its body. In converted code the body is a closure with its own frame. While coverage.py is active,
conversion therefore adds *markers*: expression statements without effect. A closure begins with a marker on
the line that control comes from. A path without a closure has a marker on the line that control goes to.
"""

from __future__ import annotations

import ast
import itertools
import sys
import types
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.runtime.core.undefined import RETURN_VALUE

from ..source.code_objects import walk_code
from ..source.definitions import OPERATORS, first_line

Block = list[ast.stmt]
EXIT = 0
"""The line number that stands for leaving the function."""


def is_coverage_active() -> bool:
    tracer = sys.gettrace()
    modules = (getattr(owner, "__module__", None) or "" for owner in (type(tracer), tracer))
    return any(module.partition(".")[0] == "coverage" for module in modules)


@dataclass
class BranchMarkers:
    """Coverage markers for a converted function."""

    original: types.CodeType
    generated: Set[str]
    """The names of the functions that the passes added."""
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        code = self.original
        self.user_names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.added: set[str] = set()
        """The names of closures that this class adds or renames."""
        self.returning: dict[str, int] = {}
        """The first line of the function, by the name of each closure after which the function returns."""
        self.closures: dict[str, ast.FunctionDef] = {}
        """The latest definition of each closure."""

    def add_to(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        ast.fix_missing_locations(function)
        self._block(function.body, EXIT)
        for node in ast.walk(function):
            if _called_operator(node) == "visible":  # so that `locals()` does not show the added names
                hidden: Any = node.args[1]  # type: ignore[attr-defined]
                hidden.elts += [_place(hidden.lineno, ast.Constant(name)) for name in sorted(self.added)]

    def _block(self, body: Block, follow: int | None) -> None:
        """Add markers to the statements of one frame. `follow` is the line that runs next, or None."""
        statements = list(body)
        body.clear()
        for index, statement in enumerate(statements):
            operator, args = _operator_call(statement)
            after = self._line_after(statements[index + 1 :], follow)
            if isinstance(statement, ast.FunctionDef) and statement.name in self.generated:
                self.closures[statement.name] = statement
                body.append(statement)
            elif operator == "if_stmt":
                self._branch(statement, args, after, body)
            elif operator == "try_stmt":
                self._closure(args[0], None, None)
                body.append(statement)
            elif operator == "while_stmt":
                self._loop(statement, args[0], args[1], after, body)
            elif operator == "for_stmt":
                self._loop(statement, args[1], args[2], after, body)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                is_class = isinstance(statement, ast.ClassDef)
                for inner in ast.walk(statement) if is_class else (statement,):
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self._inner_function(inner)
                body.append(statement)
            else:
                if isinstance(statement, ast.Return) and self._is_generated(statement.value):
                    _remove_lines(statement)
                for block in _blocks(statement):
                    self._block(block, None)
                body.append(statement)

    def _branch(self, statement: ast.stmt, args: list[ast.expr], after: int | None, out: Block) -> None:
        line = statement.lineno
        if self._tests_flags(args[0]):
            self._closure(args[1], None, after)
            self._closure(args[2], None, after)
            _remove_lines(statement)
            out.append(statement)
            return
        self._closure(args[1], line, after)
        if isinstance(args[2], ast.Name):
            self._closure(args[2], line, after)
            out.append(statement)
        elif after is None:
            out.append(statement)
        else:  # without an else branch: add one that goes to the next statement
            name = f"missed_{next(self.numbers)}"
            empty = ast.arguments([], [], None, [], [], None, [])
            missed = ast.FunctionDef(name, empty, _markers(line, after), [])
            if sys.version_info >= (3, 12):
                missed.type_params = []
            args[2] = ast.copy_location(ast.Name(name, ast.Load()), statement)
            self.added.add(name)
            self._rename_if_returning(missed, args[2], after)
            out += [ast.copy_location(missed, statement), statement, *_markers(self.original.co_firstlineno)]

    def _loop(
        self, statement: ast.stmt, test: ast.expr, body_name: ast.expr, after: int | None, out: Block
    ) -> None:
        line = statement.lineno
        body = self._closure(body_name, line, line)
        if body is not None:
            body.body += _markers(line)
        out.append(statement)
        test_closure = self.closures.get(test.id) if isinstance(test, ast.Name) else None
        flags = sorted(set(self._flags(test_closure))) if test_closure is not None else []
        exits = _markers(line, after) if after else _markers(line)
        if flags:  # a jump that sets a flag has its own marker
            first = self.original.co_firstlineno
            unset: list[ast.expr] = [
                ast.Compare(ast.Name(flag, ast.Load()), [ast.IsNot()], [ast.Constant(True)]) for flag in flags
            ]
            out.append(_place(first, ast.If(ast.BoolOp(ast.And(), [*unset, *unset]), exits, _markers(first))))
        elif after:
            out += exits

    def _closure(self, name: ast.expr, line: int | None, follow: int | None) -> ast.FunctionDef | None:
        """Mark a closure that control enters from `line` and leaves to `follow`."""
        closure = self.closures.pop(name.id, None) if isinstance(name, ast.Name) else None
        if closure is not None:
            outer = dict(self.closures)  # the closures inside may reuse names
            self._block(closure.body, follow)
            self.closures = outer
            if line is not None:
                declarations = sum(isinstance(s, (ast.Nonlocal, ast.Global)) for s in closure.body)
                closure.body[declarations:declarations] = _markers(line)
            self._rename_if_returning(closure, name, follow)
        return closure

    def _rename_if_returning(self, closure: ast.FunctionDef, name: ast.expr, follow: int | None) -> None:
        """Rename a closure after which the function returns, so that a unique name identifies its code."""
        if follow == EXIT and isinstance(name, ast.Name):
            name.id = closure.name = f"{closure.name}_{1000 + next(self.numbers)}"
            self.added.add(name.id)
            self.returning[name.id] = self.original.co_firstlineno

    def _inner_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Add markers to a function that the user defined inside this one."""
        line = first_line(function)
        for code in walk_code(self.original):
            if (code.co_name, code.co_firstlineno) == (function.name, line):
                inner = BranchMarkers(code, self.generated, self.numbers)
                inner.add_to(function)
                self.added |= inner.added
                self.returning |= inner.returning
                return

    def _line_after(self, rest: Sequence[ast.stmt], follow: int | None) -> int | None:
        """Return the line of the first statement of `rest` that the user wrote, or `follow`."""
        for statement in rest:
            operator, args = _operator_call(statement)
            if isinstance(statement, ast.FunctionDef) and statement.name in self.generated:
                self.closures.setdefault(statement.name, statement)
            elif operator == "if_stmt" and self._tests_flags(args[0]):
                body_name = getattr(args[1], "id", "")
                definitions = (s for s in rest if isinstance(s, ast.FunctionDef) and s.name == body_name)
                body = next(definitions, None) or self.closures.get(body_name)
                return self._line_after(body.body, follow) if body is not None else None
            elif isinstance(statement, ast.Return) and self._is_generated(statement.value):
                return EXIT
            elif not self._is_silent(statement):
                return statement.lineno
        return follow

    def _is_silent(self, statement: ast.stmt) -> bool:
        """Return whether a statement is not a step of the user's code: it declares names or sets a flag."""
        if isinstance(statement, ast.Assign):
            [target, *_], value = statement.targets, statement.value
            return (
                isinstance(value, ast.Constant)
                and isinstance(value.value, bool)
                and isinstance(target, ast.Name)
                and target.id not in self.user_names
                and not target.id.startswith(RETURN_VALUE)
            )
        is_declaration = isinstance(statement, ast.AnnAssign) and statement.value is None
        return is_declaration or isinstance(statement, (ast.Nonlocal, ast.Global))

    def _is_generated(self, value: ast.expr | None) -> bool:
        """Return whether an expression reads variables that the conversion added, and no others."""
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value is not None else set()
        return bool(names - {OPERATORS}) and names.isdisjoint({*self.user_names, *self.original.co_names})

    def _tests_flags(self, test: ast.expr) -> bool:
        return self._is_generated(test) and any(self._flags(test))

    def _flags(self, tree: ast.AST) -> Iterator[str]:
        """Yield the flags of jumps that an expression tests."""
        for node in ast.walk(tree):
            if _called_operator(node) == "not_":
                [value] = node.args  # type: ignore[attr-defined]
                if isinstance(value, ast.Name) and self._is_generated(value):
                    yield value.id


def _called_operator(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if module == OPERATORS:
            return name
    return None


def _operator_call(statement: ast.stmt) -> tuple[str | None, list[ast.expr]]:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return (_called_operator(value), value.args) if isinstance(value, ast.Call) else (None, [])


def _blocks(statement: ast.stmt) -> Iterator[Block]:
    for name in ("body", "orelse", "finalbody"):
        yield from (block for block in [getattr(statement, name, None)] if block)
    for holder in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield holder.body


def _place(line: int, node: Any) -> Any:
    """Give every node without a position the line `line`, and return the tree."""
    inner: Any
    for inner in ast.walk(node):
        if not hasattr(inner, "lineno"):
            inner.lineno = inner.end_lineno = line
            inner.col_offset = inner.end_col_offset = 0
    return node


def _markers(*lines: int) -> Block:
    """Return a marker for each line: an expression statement, since Python may drop a `pass`."""
    return [_place(line, ast.Expr(ast.Name(OPERATORS, ast.Load()))) for line in lines if line != EXIT]


def _remove_lines(tree: ast.AST) -> None:
    """Remove the position of a statement, but not the positions of lambdas in it."""
    if hasattr(tree, "lineno"):
        for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            setattr(tree, name, -1)
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Lambda):
            _remove_lines(node)
