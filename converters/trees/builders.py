"""Small builders and questions about gast trees.

An *operator call* is a call of an attribute of the name `ag__`. A *thunk* is a lambda that
stands as an argument of an operator call: it runs there, so its reads are those of its place.
A *block* is a list of statements. A *scope* is what a function, lambda, class or comprehension
opens; questions about a statement do not look into the scopes that it defines.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import gast

OPERATORS = "ag__"

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
LOOPS = (gast.While, gast.For, gast.AsyncFor)
TRIES = (gast.Try, gast.TryStar)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
SUSPENSIONS = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)


LOAD, STORE = gast.Load(), gast.Store()


def made(kind: Any, /, **fields: Any) -> Any:
    """A node of some kind; its class would look at each field by itself."""
    node = kind.__new__(kind)
    node.__dict__ = fields
    return node


def load(name: str) -> gast.Name:
    return made(gast.Name, id=name, ctx=LOAD, annotation=None, type_comment=None)


def store(name: str) -> gast.Name:
    return made(gast.Name, id=name, ctx=STORE, annotation=None, type_comment=None)


def constant(value: Any) -> gast.Constant:
    return made(gast.Constant, value=value, kind=None)


def attribute(value: gast.AST, name: str) -> gast.Attribute:
    return made(gast.Attribute, value=value, attr=name, ctx=LOAD)


def assign(name: str, value: gast.AST) -> gast.Assign:
    return made(gast.Assign, targets=[store(name)], value=value, type_comment=None)


def arguments(*names: str) -> gast.arguments:
    params = [gast.Name(name, gast.Param(), None, None) for name in names]
    return made(
        gast.arguments,
        args=params, posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[],
    )  # fmt: skip


def lambda_(body: gast.AST, *parameters: str) -> gast.Lambda:
    return made(gast.Lambda, args=arguments(*parameters), body=body)


def operator(name: str, *args: gast.AST) -> gast.Call:
    """`ag__.name(*args)`"""
    return made(gast.Call, func=attribute(load(OPERATORS), name), args=list(args), keywords=[])


def operator_name(node: gast.AST) -> str | None:
    """The operator that a call calls, if it is an operator call."""
    if type(node) is gast.Call:
        func = node.func
        if type(func) is gast.Attribute and type(func.value) is gast.Name and func.value.id == OPERATORS:
            return func.attr
    return None


THUNK_TAKERS = frozenset(("and_", "or_", "if_exp", "assert_stmt", "list_comp", "ldu", "until", "call"))


def takes_thunks(node: gast.AST) -> bool:
    """Whether a node is a call of an operator that runs the lambdas among its arguments in their place."""
    return operator_name(node) in THUNK_TAKERS


def function(name: str, body: list[gast.AST], *parameters: str) -> gast.FunctionDef:
    return gast.FunctionDef(name, arguments(*parameters), body, [], None, None, [])


def negation(flags: Iterable[str]) -> gast.AST:
    """`not a and not b ...`"""
    terms = [gast.UnaryOp(gast.Not(), load(flag)) for flag in flags]
    return terms[0] if len(terms) == 1 else gast.BoolOp(gast.And(), terms)


def at(node: Any, place: gast.AST) -> Any:
    """`node`, said to stand where `place` stands."""
    values, get = node.__dict__, place.__dict__.get
    line = get("lineno")
    if line is not None:
        values["lineno"], values["col_offset"] = line, get("col_offset")
        values["end_lineno"], values["end_col_offset"] = get("end_lineno"), get("end_col_offset")
    return node


def header(statement: gast.AST) -> gast.AST:
    """A place on the first line of a statement: what stands for the whole must not point into its blocks."""
    place = gast.Pass()
    if not hasattr(statement, "lineno"):
        return place
    test = getattr(statement, "test", None) or getattr(statement, "iter", None) or statement
    place.lineno = place.end_lineno = statement.lineno
    place.col_offset = statement.col_offset
    on_line = getattr(test, "end_lineno", None) == statement.lineno
    place.end_col_offset = test.end_col_offset if on_line else statement.col_offset + 1
    return place


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes; a context (`Load`) says nothing by itself."""

    _OTHERS = frozenset(("id", "ctx", "attr", "arg", "kind", "type_comment", "asname", "module", "level"))

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = self[kind] = tuple(field for field in kind._fields if field not in self._OTHERS)
        return fields


_FIELDS = _Fields()


def children(node: gast.AST) -> list[gast.AST]:
    """The nodes right below a node, in the order of its fields, without contexts."""
    found: list[gast.AST] = []
    values = node.__dict__
    for field in _FIELDS[type(node)]:
        value = values.get(field)
        if type(value) is list:
            found += [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            found.append(value)
    return found


_PARTS = ("handlers", "cases")


class _Blocks(dict[type, tuple[str, ...]]):
    """The fields of each kind of statement that may be blocks, or parts that have one each."""

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = tuple(f for f in ("body", "orelse", "finalbody", *_PARTS) if f in kind._fields)
        self[kind] = fields
        return fields


_BLOCKS = _Blocks()


def blocks(node: gast.AST) -> Iterator[list[gast.AST]]:
    """The lists of statements right below a statement."""
    for field in _BLOCKS[type(node)]:
        block = getattr(node, field)
        if type(block) is list:
            if field in _PARTS:
                for part in block:
                    yield part.body
            else:
                yield block


def is_endless(loop: gast.AST) -> bool:
    """Whether a loop ends by a jump only."""
    return isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)


def within(roots: gast.AST | Iterable[gast.AST], known: Container[gast.AST] = ()) -> Iterator[gast.AST]:
    """Every node of the trees, but nothing inside the functions, lambdas and classes that they define.

    What a definition evaluates at its own place (decorators, defaults, bases) belongs to it. Nor does
    anything inside the nodes that are `known` come.
    """
    stack = [roots] if isinstance(roots, gast.AST) else list(roots)
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if node in known:
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
    """What a `def` or `lambda` evaluates where it stands."""
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


def contains(
    roots: gast.AST | Iterable[gast.AST], kinds: tuple[type, ...] | Callable[[gast.AST], bool]
) -> bool:
    if isinstance(kinds, tuple):
        return any(isinstance(node, kinds) for node in within(roots))
    return any(kinds(node) for node in within(roots))


def docstring_length(body: list[gast.AST]) -> int:
    """1 where a body opens with a docstring, else 0."""
    first = body[0] if body else None
    is_text = (
        isinstance(first, gast.Expr)
        and isinstance(first.value, gast.Constant)
        and isinstance(first.value.value, str)
    )
    return int(is_text)
