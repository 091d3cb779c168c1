"""Converted code for coverage.py, which is to count the branches that the user's code takes.

A branch is counted where one frame comes from a line to another: from an `if` to the first line of its body.
In converted code the body is a frame of its own. So code that is converted while coverage.py measures says
once more, where a closure begins, from which line control came; where a statement is left in the other way,
to which line it goes, by expressions without effect. Other code has none of them.
"""

from __future__ import annotations

import ast
import itertools
import sys
import types
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from .codes import codes_in
from .source import OPERATORS

Statements = list[ast.stmt]
EXIT = 0
"""Where control goes that leaves the function."""


def is_measured() -> bool:
    """Whether coverage.py traces this thread."""
    tracer = sys.gettrace()
    modules = (getattr(owner, "__module__", None) or "" for owner in (type(tracer), tracer))
    return any(module.partition(".")[0] == "coverage" for module in modules)


@dataclass
class Arcs:
    """Adds to a converted function the lines that tell of its branches; `added` are names of new closures."""

    original: types.CodeType
    generated: Set[str]
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        code = self.original
        self.users = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.added: set[str] = set()
        self.exits: dict[str, int] = {}
        self.closures: dict[str, ast.FunctionDef] = {}

    def run(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        ast.fix_missing_locations(function)
        self.block(function.body, EXIT)
        for node in ast.walk(function):
            if _called(node) == "visible":  # `locals()` shows none of what was added
                hidden: Any = node.args[1]  # type: ignore[attr-defined]
                hidden.elts += [_at(hidden.lineno, ast.Constant(name)) for name in sorted(self.added)]

    def block(self, body: Statements, follow: int | None) -> None:
        """Statements of one frame.

        Args:
            body: the statements.
            follow: the line that comes after them, where that is another frame's; None: it is this one's.
        """
        todo = list(enumerate(body))
        body.clear()
        everything = [statement for _, statement in todo]
        for place, statement in todo:
            name, args = _operator(statement)
            after = self.line_after(everything[place + 1 :], follow)
            if isinstance(statement, ast.FunctionDef) and statement.name in self.generated:
                self.closures[statement.name] = statement
                body.append(statement)
            elif name == "if_stmt":
                self.branch(statement, args, after, body)
            elif name in ("while_stmt", "for_stmt"):
                self.loop(statement, args, after, body)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.inner(statement)
                body.append(statement)
            elif isinstance(statement, ast.ClassDef):
                for method in ast.walk(statement):
                    if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.inner(method)
                body.append(statement)
            else:
                if isinstance(statement, ast.Return) and self.is_added(statement.value):
                    _nowhere(statement)
                for inner in _blocks(statement):
                    self.block(inner, None)
                body.append(statement)

    def branch(self, statement: ast.stmt, args: list[ast.expr], after: int | None, out: Statements) -> None:
        line = statement.lineno
        if self.is_flags(args[0]):
            self.closure(args[1], None, after)
            self.closure(args[2], None, after)
            _nowhere(statement)
            out.append(statement)
            return
        self.closure(args[1], line, after)
        if isinstance(args[2], ast.Name):
            self.closure(args[2], line, after)
            out.append(statement)
        elif after is None:
            out.append(statement)
        else:
            name = f"missed_{next(self.numbers)}"
            empty = ast.arguments([], [], None, [], [], None, [])
            missed = ast.FunctionDef(name, empty, _marks(line, after), [])
            if sys.version_info >= (3, 12):
                missed.type_params = []
            args[2] = ast.copy_location(ast.Name(name, ast.Load()), statement)
            self.added.add(name)
            self.closed(missed, args[2], after)
            out += [ast.copy_location(missed, statement), statement, *_marks(self.original.co_firstlineno)]

    def loop(self, statement: ast.stmt, args: list[ast.expr], after: int | None, out: Statements) -> None:
        line = statement.lineno
        name, _ = _operator(statement)
        body = self.closure(args[1] if name == "while_stmt" else args[2], line, line)
        if body is not None:
            body.body += _marks(line)
        out.append(statement)
        test = args[0] if name == "while_stmt" else args[1]
        made = self.closures.get(test.id) if isinstance(test, ast.Name) else None
        flags = sorted(set(self.flags(made))) if made is not None else []
        left = _marks(line, after) if after else _marks(line)
        if flags:
            first = self.original.co_firstlineno
            going: list[ast.expr] = [
                ast.Compare(ast.Name(flag, ast.Load()), [ast.IsNot()], [ast.Constant(True)]) for flag in flags
            ]
            out.append(_at(first, ast.If(ast.BoolOp(ast.And(), [*going, *going]), left, _marks(first))))
        elif after:
            out += left

    def closure(self, name: ast.expr, line: int | None, follow: int | None) -> ast.FunctionDef | None:
        """A closure that comes after a line, and is followed by another."""
        found = self.closures.pop(name.id, None) if isinstance(name, ast.Name) else None
        if found is not None:
            around = dict(self.closures)  # names may be given again inside
            self.block(found.body, follow)
            self.closures = around
            if line is not None:
                declared = sum(isinstance(s, (ast.Nonlocal, ast.Global)) for s in found.body)
                found.body[declared:declared] = _marks(line)
            self.closed(found, name, follow)
        return found

    def closed(self, closure: ast.FunctionDef, name: ast.expr, follow: int | None) -> None:
        """What leaves such a closure leaves the function: it gets a name of its own, by which it is found."""
        if follow == EXIT and isinstance(name, ast.Name):
            name.id = closure.name = f"{closure.name}_{1000 + next(self.numbers)}"
            self.added.add(name.id)
            self.exits[name.id] = self.original.co_firstlineno

    def inner(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function of the user's in this one."""
        line = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        for code in codes_in(self.original):
            if (code.co_name, code.co_firstlineno) == (function.name, line):
                arcs = Arcs(code, self.generated, self.numbers)
                arcs.run(function)
                self.added |= arcs.added
                self.exits |= arcs.exits
                return

    def line_after(self, rest: Sequence[ast.stmt], follow: int | None) -> int | None:
        for statement in rest:
            name, args = _operator(statement)
            if isinstance(statement, ast.FunctionDef) and statement.name in self.generated:
                self.closures.setdefault(statement.name, statement)
            elif name == "if_stmt" and self.is_flags(args[0]):
                body = args[1]
                held = next(
                    (s for s in rest if isinstance(s, ast.FunctionDef) and s.name == getattr(body, "id", "")),
                    None,
                ) or self.closures.get(getattr(body, "id", ""))
                return self.line_after(held.body, follow) if held is not None else None
            elif isinstance(statement, ast.Return) and self.is_added(statement.value):
                return EXIT
            elif not self.is_silent(statement):
                return statement.lineno
        return follow

    # What the conversion wrote

    def is_silent(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Assign):
            [target, *_], value = statement.targets, statement.value
            is_flag = isinstance(value, ast.Constant) and isinstance(value.value, bool)
            return (
                is_flag
                and isinstance(target, ast.Name)
                and target.id not in self.users
                and (not target.id.startswith("return_value"))
            )
        is_declaration = isinstance(statement, ast.AnnAssign) and statement.value is None
        return is_declaration or isinstance(statement, (ast.Nonlocal, ast.Global))

    def is_added(self, value: ast.expr | None) -> bool:
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value is not None else set()
        return (
            bool(names - {OPERATORS})
            and not names & self.users
            and all(name not in self.original.co_names for name in names)
        )

    def is_flags(self, test: ast.expr) -> bool:
        return self.is_added(test) and bool(list(self.flags(test)))

    def flags(self, tree: ast.AST) -> Iterator[str]:
        for node in ast.walk(tree):
            if _called(node) == "not_":
                [value] = node.args  # type: ignore[attr-defined]
                if isinstance(value, ast.Name) and self.is_added(value):
                    yield value.id


def _called(node: ast.AST) -> str | None:
    """The operator that a node calls."""
    func: Any = node.func if isinstance(node, ast.Call) else None
    is_ours = (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == OPERATORS
    )
    return func.attr if is_ours else None


def _operator(statement: ast.stmt) -> tuple[str | None, list[ast.expr]]:
    value = statement.value if isinstance(statement, ast.Expr) else None
    name = _called(value) if value is not None else None
    return name, value.args if isinstance(value, ast.Call) else []


def _blocks(statement: ast.stmt) -> Iterator[Statements]:
    for name in ("body", "orelse", "finalbody"):
        yield from (b for b in [getattr(statement, name, None)] if b)
    for holder in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield holder.body


def _at(line: int, node: Any) -> Any:
    found: Any
    for found in ast.walk(node):
        if not hasattr(found, "lineno"):
            found.lineno = found.end_lineno = line
            found.col_offset = found.end_col_offset = 0
    return node


def _marks(*lines: int) -> Statements:
    """What has no effect, on each of some lines; Python may drop a `pass`."""
    return [_at(line, ast.Expr(ast.Name(OPERATORS, ast.Load()))) for line in lines if line != EXIT]


def _nowhere(tree: ast.AST) -> None:
    """Let a statement be where control comes from; its lambdas stay."""
    if hasattr(tree, "lineno"):
        for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            setattr(tree, name, -1)
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Lambda):
            _nowhere(node)
