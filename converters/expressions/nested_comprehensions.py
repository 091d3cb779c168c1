"""Comprehensions with several `for` become loops of a function, which the other passes convert.

    pairs = [(a, b) for a in xs if a > 0 for b in ys]

becomes

    def comprehension(xs):
        items = []
        for a in xs:
            if a > 0:
                for b in ys:
                    items.append((a, b))
        return items
    pairs = comprehension(xs)

A generator expression has such a function beside it, which calls the consumer of the items with each:

    ag__.generated(lambda iterated: (... for a in iterated for b in ys), comprehension, xs)

A comprehension that contains such a one is rewritten, too. Others have operators of their own. What stands in
a lambda stays, as no statement can stand before it, and so do comprehensions that await, bind a name or read
their frame.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

import gast

from ..analysis import blocks_thunk
from ..passes.expressions import is_plain
from ..passes.generators import to_push_form
from ..trees.builders import (
    COMPREHENSIONS,
    DEFINITIONS,
    FUNCTIONS,
    LOAD,
    assign,
    at,
    attribute,
    blocks,
    first_line,
    function,
    lambda_,
    load,
    operator,
)
from ..trees.names import Namer


def loop_nested_comprehensions(functions: Iterable[gast.AST], namer: Namer) -> bool:
    """Rewrite comprehensions in the bodies of functions in place; return whether there were any."""
    step = _Lifting(namer)
    for node in functions:
        if isinstance(node, FUNCTIONS):
            node.body = step.block(node.body)
    return bool(namer.added)


class _Lifting:
    """Moves comprehensions into functions; `before` are the functions to put before the current statement."""

    def __init__(self, namer: Namer):
        self.namer = namer
        self.before: list[gast.AST] = []

    def block(self, statements: list[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for statement in statements:
            if not isinstance(statement, DEFINITIONS):
                for inner in blocks(statement):
                    inner[:] = self.block(inner)
                outer, self.before = self.before, []
                self.replace_in(statement)
                out += self.before
                self.before = outer
            out.append(statement)
        return out

    def replace_in(self, node: gast.AST) -> None:
        """Replace the comprehensions in the expressions of a node, but not those in blocks and lambdas."""
        for field, value in gast.iter_fields(node):
            if isinstance(value, gast.AST):
                setattr(node, field, self.replaced(value))
            elif isinstance(value, list):
                value[:] = [v if isinstance(v, gast.stmt) else self.replaced(v) for v in value]

    def replaced(self, node: gast.AST) -> gast.AST:
        if not isinstance(node, gast.AST) or isinstance(node, gast.Lambda):
            return node
        if isinstance(node, COMPREHENSIONS):
            source = node.generators[0]
            source.iter = self.replaced(source.iter)
            return self.call(node) if _becomes_loops(node) else node
        self.replace_in(node)
        return node

    def call(self, node: gast.AST) -> gast.AST:
        """Return a call of a function that does what a comprehension does."""
        name = self.namer.fresh("comprehension")
        source = self.namer.fresh("iterated")
        iterated, node.generators[0].iter = node.generators[0].iter, at(load(source), node.generators[0].iter)
        if isinstance(node, gast.GeneratorExp):
            self.before.append(self.push_form(node, name, source))
            return at(operator("generated", at(lambda_(node, source), node), load(name), iterated), node)
        self.before.append(at(function(name, self.body(node), source), first_line(node)))
        call = at(gast.Call(load(name), [iterated], []), node)
        kind = {gast.SetComp: "set_of", gast.DictComp: "dict_of"}.get(type(node))
        return call if kind is None else at(operator(kind, call), node)

    def push_form(self, node: gast.AST, name: str, source: str) -> gast.AST:
        copied = copy.deepcopy(node)
        loops = _loops(copied, at(gast.Yield(copied.elt), copied.elt))
        push = at(function(name, [loops], source), first_line(node))
        to_push_form(push, ends=True)
        push.body = self.block(push.body)
        return push

    def body(self, node: gast.AST) -> list[gast.AST]:
        element = _element(node)
        item = element
        if isinstance(node, gast.DictComp):
            item = at(gast.Tuple([node.key, node.value], LOAD), element)
        items = self.namer.fresh("items")
        append = at(gast.Call(at(attribute(load(items), "append"), element), [item], []), element)
        made = at(assign(items, at(gast.List([], LOAD), node)), node)
        return [made, *self.block([_loops(node, append)]), at(gast.Return(load(items)), node)]


def _element(node: gast.AST) -> gast.AST:
    return node.key if isinstance(node, gast.DictComp) else node.elt


def _loops(node: gast.AST, innermost: gast.AST) -> gast.AST:
    """Return the loops and branches of a comprehension around what is done with each element."""
    statement: gast.AST = at(gast.Expr(innermost), _element(node))
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            statement = at(gast.If(condition, [statement], []), condition)
        statement = at(gast.For(generator.target, generator.iter, [statement], [], None), generator.iter)
    return statement


def _becomes_loops(node: gast.AST) -> bool:
    """Return whether a comprehension, or one in it, has several `for` over what may be staged."""
    if any(map(blocks_thunk, gast.walk(node))):
        return False
    inner = (n for n in gast.walk(node) if isinstance(n, COMPREHENSIONS) and len(n.generators) > 1)
    return any(not all(map(_is_known, n.generators)) for n in inner)


def _is_known(generator: gast.AST) -> bool:
    """Return whether the number of items of one `for` is known: it is over a range, without conditions."""
    source = generator.iter
    is_range = isinstance(source, gast.Call) and getattr(source.func, "id", "") == "range"
    return is_range and all(map(is_plain, generator.ifs))
