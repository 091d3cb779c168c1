"""Rewriting of list comprehensions over staged values, which become staged maps.

`[f(x) for x in xs if c]` becomes `ag__.list_comp(xs, lambda items: [f(x) for x in items if ag__.keep(c)])`.
If `xs` is plain, the operator calls the lambda on `xs`, and Python's own comprehension runs. If `xs` is
staged, it calls the lambda on one staged element. If `xs` is plain but `c` is staged for some element, it
calls the lambda separately on that element and on each later one. A comprehension that awaits, binds a name
or reads the frame is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ..analysis import blocks_thunk
from ..passes.expressions import Rewriter, guard, is_plain
from ..trees.builders import COMPREHENSIONS, LOAD, at, constant, lambda_, load, operator


class Comprehensions(Rewriter):
    """Rewrites list comprehensions, and guards the conditions of other comprehensions."""

    rewrites = dict.fromkeys(COMPREHENSIONS, "comprehension")

    def comprehension(self, node: gast.AST) -> gast.AST:
        is_simple = not isinstance(node, gast.GeneratorExp) and len(node.generators) == 1
        if not is_simple or any(map(blocks_thunk, gast.walk(node))):
            for generator in node.generators:
                generator.ifs = [
                    c if is_plain(c) else guard(c, "if in a comprehension", "AG005") for c in generator.ifs
                ]
            source = node.generators[0]
            if isinstance(node, gast.GeneratorExp) and not isinstance(source.iter, _NEVER_STAGED):
                source.iter = at(operator("iterated", source.iter), source.iter)
            return node
        if not isinstance(node, gast.ListComp):
            name = "set_of" if isinstance(node, gast.SetComp) else "dict_of"
            item = node.elt if isinstance(node, gast.SetComp) else _pair(node.key, node.value)
            return operator(name, self.comprehension(at(gast.ListComp(item, node.generators), node)))
        [generator] = node.generators
        if generator.ifs:
            *others, condition = generator.ifs
            for other in reversed(others):
                condition = at(operator("and_", lambda_(other), lambda_(condition)), other)
            generator.ifs = [at(operator("keep", condition), condition)]
        items = self.walk.context.namer.parameter("items")
        source, generator.iter = generator.iter, at(load(items), generator.iter)
        return operator("list_comp", source, at(lambda_(node, items), node))


_NEVER_STAGED = (gast.Tuple, gast.List, gast.Constant, gast.JoinedStr, gast.GeneratorExp)


def _pair(key: gast.AST, value: gast.AST) -> gast.AST:
    return at(gast.Tuple([key, value], LOAD), key)


class Displays(Rewriter):
    """Rewrites displays of sets and dicts that may have staged members, and of lists with stars."""

    rewrites = {gast.Set: "set", gast.Dict: "dict", gast.List: "list"}

    def set(self, node: gast.Set) -> gast.AST:
        if all(isinstance(element, gast.Constant) for element in node.elts):
            return node
        return operator("set_of", self.list(at(gast.List(node.elts, LOAD), node)))

    def dict(self, node: gast.Dict) -> gast.AST:
        if None in node.keys or all(isinstance(key, gast.Constant) for key in node.keys):
            return node
        pairs = [_pair(key, value) for key, value in zip(node.keys, node.values, strict=True)]
        return operator("dict_of", at(gast.List(pairs, LOAD), node))

    def list(self, node: gast.List) -> gast.AST:
        """Rewrite a list with stars. Python iterates over one before it evaluates the next element."""
        if not isinstance(node.ctx, gast.Load):
            return node
        return _joined(node.elts) or node


class Unpacking(Rewriter):
    """Rewrites the values of unpacking assignments and starred expressions."""

    rewrites = {gast.Assign: "assignment", gast.Starred: "star"}

    def assignment(self, node: gast.Assign) -> list[gast.AST]:
        if any(isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            joined = _joined(node.value.elts) if isinstance(node.value, gast.Tuple) else None
            if joined is not None and len(node.targets) == 1:
                node.value = joined
            node.value = _unpack(node.value)
        if len(node.targets) == 1 and isinstance(node.targets[0], (gast.Tuple, gast.List)):
            targets = node.targets[0].elts
            stars = [i for i, target in enumerate(targets) if isinstance(target, gast.Starred)]
            if stars and isinstance(node.value, gast.Call):
                targets[stars[0]] = targets[stars[0]].value
                counts = stars[0], len(targets) - stars[0] - 1
                node.value.args += [at(constant(n), node.value) for n in counts]
        return [node]

    def star(self, node: gast.Starred) -> gast.AST:
        if isinstance(node.ctx, gast.Load):
            node.value = _unpack(node.value)
        return node


def _unpack(value: gast.AST) -> gast.AST:
    items = value.generators[0].iter if isinstance(value, gast.GeneratorExp) else value
    return value if isinstance(items, _NEVER_STAGED) else at(operator("unpacked", value), value)


def _joined(elements: Sequence[gast.AST]) -> gast.AST | None:
    """Return the list of some elements with stars, or None if none has a star."""
    made: list[gast.AST] = []
    plain: list[gast.AST] = []
    for element in elements:
        if isinstance(element, gast.Starred):
            before = [at(gast.List(plain, LOAD), plain[0])] if plain else []
            made, plain = [at(operator("chained", *made, *before, element.value), element)], []
        else:
            plain.append(element)
    if not made:
        return None
    return operator("chained", *made, at(gast.List(plain, LOAD), plain[0])) if plain else made[0]
