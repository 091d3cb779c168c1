"""Constructors and predicates for gast trees.

An *operator call* is a call to an attribute of `ag__`. A *thunk* is a lambda passed to an operator that runs
it in place, so its reads count as reads at the call. A *block* is a list of statements. A *scope* is a
function, lambda, class or comprehension; predicates about a statement do not look into nested scopes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import gast

OPERATORS = "ag__"
RETURN_VALUE = "ag__return_value"
"""The variable that stores what a function returns. The runtime knows it by this name."""

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
LOOPS = (gast.While, gast.For, gast.AsyncFor)
TRIES = (gast.Try, gast.TryStar)
ATTEMPTS = (gast.Try, gast.With)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
DISPLAYS = (gast.Tuple, gast.List, gast.Dict)
DEFINITIONS = (*FUNCTIONS, gast.ClassDef)
SCOPES = (*DEFINITIONS, *COMPREHENSIONS)
TEMPLATE_STRING: type | None = getattr(gast, "TemplateStr", None)  # Python 3.14's t-strings, since gast 0.7
SUSPENSIONS = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)
LOAD, STORE = gast.Load(), gast.Store()


def new_node(kind: Any, /, **fields: Any) -> Any:
    """Create a node without calling its class, whose constructor is slow because it checks each field."""
    node = kind.__new__(kind)
    node.__dict__ = fields
    return node


def load(name: str) -> gast.Name:
    return new_node(gast.Name, id=name, ctx=LOAD, annotation=None, type_comment=None)


def store(name: str) -> gast.Name:
    return new_node(gast.Name, id=name, ctx=STORE, annotation=None, type_comment=None)


def constant(value: Any) -> gast.Constant:
    return new_node(gast.Constant, value=value, kind=None)


def attribute(value: gast.AST, name: str) -> gast.Attribute:
    return new_node(gast.Attribute, value=value, attr=name, ctx=LOAD)


def assign(name: str, value: gast.AST) -> gast.Assign:
    return new_node(gast.Assign, targets=[store(name)], value=value, type_comment=None)


def arguments(*names: str) -> gast.arguments:
    params = [gast.Name(name, gast.Param(), None, None) for name in names]
    return new_node(
        gast.arguments,
        args=params, posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[],
    )  # fmt: skip


def lambda_(body: gast.AST, *parameters: str) -> gast.Lambda:
    return new_node(gast.Lambda, args=arguments(*parameters), body=body)


def operator(name: str, *args: gast.AST) -> gast.Call:
    """Build the call `ag__.name(*args)`."""
    return new_node(gast.Call, func=attribute(load(OPERATORS), name), args=list(args), keywords=[])


def operator_name(node: gast.AST) -> str | None:
    """Return the name of the operator that a node calls, or None."""
    if type(node) is gast.Call:
        func = node.func
        if type(func) is gast.Attribute and type(func.value) is gast.Name and func.value.id == OPERATORS:
            return func.attr
    return None


THUNK_TAKERS = frozenset(
    ("and_", "or_", "if_exp", "assert_stmt", "list_comp", "ldu", "until", "call", "manager")
)


def takes_thunks(node: gast.AST) -> bool:
    return operator_name(node) in THUNK_TAKERS


def function(name: str, body: list[gast.AST], *parameters: str) -> gast.FunctionDef:
    return gast.FunctionDef(name, arguments(*parameters), body, [], None, None, [])


def negation(flags: Iterable[str]) -> gast.AST:
    """Build the condition `not a and not b ...` over flags."""
    terms = [gast.UnaryOp(gast.Not(), load(flag)) for flag in flags]
    return terms[0] if len(terms) == 1 else gast.BoolOp(gast.And(), terms)


def at(node: Any, location: gast.AST) -> Any:
    """Copy the location of another node to `node`, and return it."""
    values, get = node.__dict__, location.__dict__.get
    line = get("lineno")
    if line is not None:
        values["lineno"], values["col_offset"] = line, get("col_offset")
        values["end_lineno"], values["end_col_offset"] = get("end_lineno"), get("end_col_offset")
    return node


def first_line(statement: gast.AST) -> gast.AST:
    """Return a location on a statement's first line, for a node that must not point into its blocks."""
    location = gast.Pass()
    if not hasattr(statement, "lineno"):
        return location
    test = getattr(statement, "test", None) or getattr(statement, "iter", None) or statement
    location.lineno = location.end_lineno = statement.lineno
    location.col_offset = statement.col_offset
    on_line = getattr(test, "end_lineno", None) == statement.lineno
    location.end_col_offset = test.end_col_offset if on_line else statement.col_offset + 1
    return location


class _Fields(dict[type, tuple[str, ...]]):
    """Fields that may contain nodes, by kind of node, without contexts (`Load`)."""

    _NON_NODE_FIELDS = frozenset(
        ("id", "ctx", "attr", "arg", "kind", "type_comment", "asname", "module", "level")
    )

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = self[kind] = tuple(field for field in kind._fields if field not in self._NON_NODE_FIELDS)
        return fields


_FIELDS = _Fields()


def children(node: gast.AST) -> list[gast.AST]:
    """Return the child nodes in the order of their fields, without contexts."""
    result: list[gast.AST] = []
    values = node.__dict__
    for field in _FIELDS[type(node)]:
        value = values.get(field)
        if type(value) is list:
            result += [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            result.append(value)
    return result


_CLAUSES = ("handlers", "cases")


class _Blocks(dict[type, tuple[str, ...]]):
    """Fields that contain a block, or clauses with blocks, by kind of statement."""

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = tuple(f for f in ("body", "orelse", "finalbody", *_CLAUSES) if f in kind._fields)
        self[kind] = fields
        return fields


_BLOCKS = _Blocks()


def blocks(node: gast.AST) -> Iterator[list[gast.AST]]:
    """Yield the blocks of a statement."""
    for field in _BLOCKS[type(node)]:
        block = getattr(node, field)
        if type(block) is list:
            if field in _CLAUSES:
                for part in block:
                    yield part.body
            else:
                yield block


def is_endless(loop: gast.AST) -> bool:
    """Return whether only a jump can end a loop, such as `while True`."""
    return isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)


def walk_scope(roots: gast.AST | Iterable[gast.AST], opaque: Container[gast.AST] = ()) -> Iterator[gast.AST]:
    """Yield the nodes of trees, without the bodies of nested functions, lambdas and classes.

    The decorators, defaults and bases of a definition are included. Nodes in `opaque` are not entered.
    """
    stack = [roots] if isinstance(roots, gast.AST) else list(roots)
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if node in opaque:
            continue
        if kind in FUNCTIONS or kind is gast.Lambda:
            stack.extend(evaluated_at_definition(node))
        elif kind is gast.ClassDef:
            stack.extend((*node.decorator_list, *node.bases, *node.keywords))
        elif takes_thunks(node):
            stack.extend(arg.body if type(arg) is gast.Lambda else arg for arg in node.args)
        else:
            stack.extend(children(node))


def evaluated_at_definition(node: gast.AST) -> list[gast.AST]:
    """Return the expressions that a `def` or `lambda` evaluates when it is defined."""
    args = node.args
    parts = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    if type(node) is not gast.Lambda:
        parts += node.decorator_list
        parts += [p.annotation for p in parameters(node) if p.annotation is not None]
        if node.returns is not None:
            parts.append(node.returns)
    return parts


def parameters(node: gast.AST) -> list[gast.Name]:
    args = node.args
    return [p for p in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg) if p]


def contains(roots: gast.AST | Iterable[gast.AST], kinds: tuple[type, ...]) -> bool:
    """Return whether trees contain a node of the given kinds, outside nested scopes."""
    return any(isinstance(node, kinds) for node in walk_scope(roots))


def docstring_length(body: list[gast.AST]) -> int:
    """Return 1 if a body starts with a docstring, otherwise 0."""
    value = getattr(body[0], "value", None) if body and isinstance(body[0], gast.Expr) else None
    return int(isinstance(value, gast.Constant) and isinstance(value.value, str))
