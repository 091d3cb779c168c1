"""Operators of statements, opened: what they do on plain values stands in the place of their call.

`if_stmt(test, ...)` becomes a `match` that runs the branch itself where the test is `True` or `False`, and
calls the operator, over closures that are made only then, where it is anything else. So a plain run makes few
closures and few calls, and a staged one is the operators' as ever.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Set
from typing import Any

import gast

from .trees import (
    COMPREHENSIONS,
    FUNCTIONS,
    assign,
    at,
    children,
    header,
    load,
    operator,
    operator_name,
    store,
)

TEST = "ag__test"
ITEMS = "ag__items_"
LEFT = "ag__left"
MAX_NESTED = 3
Closures = dict[str, gast.FunctionDef]
Known = ChainMap[str, gast.FunctionDef]


def opened(tree: gast.AST, added: Set[str]) -> gast.AST:
    """A new tree of a converted function, which shares what is the same in both."""
    if type(tree) not in FUNCTIONS:
        return tree
    return _Opening(added).function(tree)


class _Opening:
    def __init__(self, added: Set[str]):
        self.added = added
        self.loops = 0  # around what is opened
        self.nested = 0  # choices around an expression
        self.choices: set[gast.AST] = set()  # the statements that are made of an `if`

    def function(self, node: Any) -> gast.AST:
        return _with(node, body=self.block(node.body, ChainMap(), 0))

    def block(self, statements: list[Any], known: Known, depth: int) -> list[gast.AST]:
        """Statements; `known` are the closures that are made by then, `depth` counts branches around."""
        out: list[gast.AST] = []
        known = ChainMap({}, *known.maps)
        pending: Closures = {}
        sunk: set[str] = set()  # those among them that are made where an operator is called
        for statement in statements:
            kind = type(statement)
            if kind is gast.FunctionDef and statement.name in self.added:
                pending[statement.name] = known[statement.name] = statement
                sunk.discard(statement.name)
                continue
            name = operator_name(statement.value) if kind is gast.Expr else None
            if name == "if_stmt" and depth < MAX_NESTED:
                used = {arg.id for arg in statement.value.args[1:] if type(arg) is gast.Name}
                if pending.keys() - used - sunk:
                    self.make(pending, [statement.value.args[0]], out)
                out.append(self.if_(statement, known, {n: c for n, c in pending.items() if n in used}, depth))
                sunk |= pending.keys() & used
                continue
            if pending:
                self.make(pending, [statement], out)
            if name in _LOOPS:
                out += _LOOPS[name](self, statement, known) or [statement]
            elif kind in _SIMPLE:
                out.append(self.simple(statement))
            else:
                out.append(self.inside(statement, known, depth))
        if len(out) > 1 and type(out[-1]) is gast.Return:
            self.give_back(out[:-1], out[-1])
        return out or [gast.Pass()]

    def give_back(self, block: list[gast.AST], returned: gast.Return) -> None:
        """Return at once what branches at the end of a block would leave for a `return` that follows it."""
        name = returned.value.args[0] if operator_name(returned.value) == "ld" else returned.value
        last = block[-1]
        if not _is_flag(name):
            return
        if type(last) is gast.Assign and type(last.targets[0]) is gast.Name and last.targets[0].id == name.id:
            block[-1] = at(gast.Return(last.value), last)
        elif last in self.choices:
            for case in last.cases[:2]:
                self.give_back(case.body, returned)

    def go_on(self, block: list[gast.AST], place: gast.AST) -> None:
        """Go on with the next round where a path ends, so that what interrupts it there finds a line."""
        last: Any = block[-1]
        if last in self.choices:
            for case in last.cases:
                self.go_on(case.body, last)
        elif not isinstance(last, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            where = last if hasattr(last, "lineno") else place
            if (
                isinstance(last, (gast.While, gast.Assign)) and last.col_offset < 0
            ):  # of a loop that ends there
                where = at(gast.Pass(), last)
                where.col_offset, where.end_col_offset = 0, 1
            block.append(at(gast.Continue(), where))

    def make(self, pending: Closures, users: list[gast.AST], out: list[gast.AST]) -> None:
        """Make the closures here that something refers to, by itself or by others."""
        closures = [*pending.items()]
        while users:
            users = [pending.pop(name) for name in _mentioned(users, pending)]
        out += [closure for name, closure in closures if name not in pending]

    def inside(self, statement: Any, known: Known, depth: int) -> gast.AST:
        """A statement that is no operator, with those that it holds opened."""
        kind = type(statement)
        if kind in FUNCTIONS:
            return self.function(statement)
        if kind is gast.ClassDef:
            return _with(statement, body=[self.inside(s, ChainMap(), 0) for s in statement.body])
        changed: dict[str, Any] = {}
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list) and block:
                changed[field] = self.block(block, known, depth)
        for field in ("handlers", "cases"):
            parts = getattr(statement, field, None)
            if parts:
                changed[field] = [_with(part, body=self.block(part.body, known, depth)) for part in parts]
        return _with(statement, **changed) if changed else statement

    def run(self, closure: gast.AST, known: Known, depth: int) -> list[gast.AST]:
        """What a closure does, in its place."""
        if type(closure) is gast.Attribute:  # ag__.nothing
            return [gast.Pass()]
        return self.block(_own(known[closure.id]), known, depth)

    def if_(self, statement: gast.Expr, known: Known, pending: Closures, depth: int) -> gast.AST:
        call = statement.value
        test, body, orelse, *rest = call.args
        inner = depth + 1 if pending else depth
        then, other = self.run(body, known, inner), self.run(orelse, known, inner)
        return self.match(
            statement,
            test,
            then,
            other,
            lambda value: [*pending.values(), operator("if_stmt", value, body, orelse, *rest)],
        )

    def while_(self, statement: gast.Expr, known: Known) -> list[gast.AST] | None:
        call = statement.value
        test, body, *rest = call.args
        found = known.get(test.id)
        if rest[-1].keys or found is None:
            return None
        [*_, returned] = _own(found)
        run = self.run(body, known, 0)
        self.go_on(run, statement)
        inner = self.match(
            statement,
            returned.value,
            run,
            [gast.Break()],
            lambda value: [operator("while_rest", value, test, body, *rest)],
        )
        inner.cases[-1].body.append(gast.Break())
        return [at(gast.While(gast.Constant(True, None), [inner], []), _hidden(statement))]

    def for_(self, statement: gast.Expr, known: Known) -> list[gast.AST] | None:
        call = statement.value
        _, until, body, *rest = call.args
        found = known.get(body.id)
        if len(rest[-1].keys) != 1 or found is None:
            return None
        bind, *statements = _own(found)
        self.loops += 1
        run = self.block(statements, known, 0)
        self.loops -= 1
        items: gast.AST = at(operator("for_items", *call.args), call)
        forget: list[gast.AST] = []
        if type(until) is gast.Name:
            name = f"{ITEMS}{self.loops}"
            [*_, returned] = _own(known[until.id])
            items = at(gast.NamedExpr(store(name), items), items)
            run.append(
                self.match(
                    statement,
                    returned.value,
                    [gast.Pass()],
                    [gast.Break()],
                    lambda value: [operator("for_rest", value, load(name), *call.args[1:-1])],
                )
            )
            run[-1].cases[-1].body.append(gast.Break())
            forget.append(at(assign(name, gast.Constant(None, None)), _hidden(statement)))
        return [at(gast.For(bind.targets[0], items, run, [], None), header(statement)), *forget]

    def match(
        self,
        place: gast.AST,
        test: gast.AST,
        true: list[gast.AST],
        false: list[gast.AST],
        other: Callable[[gast.AST], list[gast.AST]],
    ) -> gast.AST:
        """What is done for `True`, for `False` and for any other value, which `other` is told how to read."""
        subject, value, is_not = _unnegated(test, load(TEST))
        if is_not:
            true, false = false, true
        head = shown = header(place)
        if _is_flag(subject):  # no test of the user's
            shown = _hidden(head)
        forget = assign(TEST, gast.Constant(None, None))
        rest = [at(gast.Expr(n) if isinstance(n, gast.expr) else n, head) for n in [*other(value), forget]]
        cases = [
            gast.match_case(at(gast.MatchSingleton(True), shown), None, true),
            gast.match_case(at(gast.MatchSingleton(False), shown), None, false),
            gast.match_case(at(gast.MatchAs(None, TEST), shown), None, rest),
        ]
        asked = self.expression(subject)
        if not (_is_flag(subject) or _is_truth(subject)):
            asked = _truth(asked)
        made = at(gast.Match(asked, cases), shown)
        self.choices.add(made)
        return made

    # Expressions

    def simple(self, statement: gast.AST) -> gast.AST:
        value = statement.value and self.expression(statement.value)
        return statement if value is statement.value else _with(statement, value=value)

    def expression(self, node: gast.AST) -> gast.AST:
        """An expression with `and_`, `or_` and `if_exp` opened, but for those in what it defines."""
        if type(node) in _CLOSED:
            return node
        name = operator_name(node)
        if name in _CHOICES:
            if self.nested == MAX_NESTED:
                return node
            self.nested += 1
            chosen = self.choice(name, node)
            self.nested -= 1
            return chosen
        changed: dict[str, Any] = {}
        made: Any
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, gast.expr):
                made = self.expression(value)
                if made is not value:
                    changed[field] = made
            elif isinstance(value, list):
                made = [self.expression(item) if isinstance(item, gast.AST) else item for item in value]
                if any(new is not old for new, old in zip(made, value, strict=True)):
                    changed[field] = made
        return _with(node, **changed) if changed else node

    def choice(self, name: str, node: gast.Call) -> gast.AST:
        """What comes of a value that is `True`, of one that is `False`, and of any other by the operator."""
        first, *thunks = node.args
        if name != "if_exp":
            if type(first) is not gast.Lambda:
                return node
            first = first.body
        subject, value, is_not = _unnegated(first, load(LEFT))
        if type(subject) is gast.Name:
            asked, again = subject, subject
            value = first
        elif type(subject) is gast.Compare or operator_name(subject) in _TRUTHS:
            asked, again = at(gast.NamedExpr(store(LEFT), self.expression(subject)), subject), load(LEFT)
        else:
            asked, again = at(gast.NamedExpr(store(LEFT), self.expression(subject)), subject), load(LEFT)
            value = _forgotten(LEFT, value)
        if any(type(thunk) is not gast.Lambda for thunk in thunks[: 2 if name == "if_exp" else 1]):
            return node
        ends = [self.expression(thunk.body) for thunk in thunks if type(thunk) is gast.Lambda]
        if name == "if_exp":
            rest = operator(name, value, *thunks)
        else:
            ends.insert(name == "and_", gast.Constant(name == "or_", None))
            rest = operator(f"{name}rest", value, *thunks)
        chosen = [(True, ends[0]), (False, ends[1])]
        if is_not:
            chosen = [(False, ends[0]), (True, ends[1])]
        (one, then), (two, other) = chosen
        inner = gast.IfExp(_is(again, two), other, rest)
        return at(gast.IfExp(_is(asked, one), then, at(inner, node)), node)


def _is_flag(node: gast.AST) -> bool:
    """Whether it is a variable that the converter added, where that reads it."""
    return type(node) is gast.Name and not hasattr(node, "lineno")


def _is_truth(node: gast.AST) -> bool:
    """Whether what an expression gives of plain values is most likely True or False."""
    name = operator_name(node)
    if name in ("and_", "or_"):
        return all(type(arg) is gast.Lambda and _is_truth(arg.body) for arg in node.args)
    return type(node) is gast.Compare or name in _TRUTHS or name == "not_"


def _truth(node: gast.AST) -> gast.AST:
    """An expression, or where that is neither True nor False what the operator says of it.

    The call is in a tuple: CPython 3.12 shows a line once more where a call returns to what a test jumps to.
    """
    asked, again = node, node
    rest: list[gast.AST] = []
    if type(node) is not gast.Name:
        asked, again = at(gast.NamedExpr(store(TEST), node), node), load(TEST)
        rest = [_forget(TEST)]
    is_known = gast.BoolOp(gast.Or(), [_is(asked, True), _is(again, False)])
    return at(gast.IfExp(is_known, again, _first(operator("truth", again), *rest)), node)


def _forgotten(name: str, value: gast.AST) -> gast.AST:
    """The value of an expression of a variable, which then holds no object of the user's any longer."""
    return _first(value, _forget(name))


def _forget(name: str) -> gast.AST:
    return gast.NamedExpr(store(name), gast.Constant(None, None))


def _first(*values: gast.AST) -> gast.AST:
    return gast.Subscript(gast.Tuple([*values], gast.Load()), gast.Constant(0, None), gast.Load())


def _hidden(place: Any) -> gast.AST:
    """A place on the line of another, without columns, for which the loader leaves the line out as well."""
    made = gast.Pass()
    if not hasattr(place, "lineno"):
        return made
    made.lineno = made.end_lineno = place.lineno
    made.col_offset = made.end_col_offset = -1
    return made


def _unnegated(test: gast.AST, value: gast.AST) -> tuple[gast.AST, gast.AST, bool]:
    """What is negated again and again, how its value is read, negated as often, and whether that is odd."""
    is_not = False
    while operator_name(test) == "not_":
        test, value, is_not = test.args[0], at(operator("not_", value), test), not is_not
    return test, value, is_not


def _is(node: gast.AST, value: bool) -> gast.AST:
    return gast.Compare(node, [gast.Is()], [gast.Constant(value, None)])


_SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return)
_CHOICES = frozenset(("and_", "or_", "if_exp"))
_TRUTHS = frozenset(("in_", "not_in"))
"""Operators that give a truth value of plain values."""
_CLOSED = (gast.Name, gast.Constant, gast.Lambda, *COMPREHENSIONS)
_LOOPS = {"while_stmt": _Opening.while_, "for_stmt": _Opening.for_}


def _own(closure: gast.FunctionDef) -> list[Any]:
    """The statements of a closure without its declarations."""
    return [s for s in closure.body if type(s) not in (gast.Nonlocal, gast.Global)]


def _with(node: gast.AST, **changed: Any) -> gast.AST:
    """A node like another, but for some fields."""
    kind: Any = type(node)
    made: gast.AST = kind.__new__(kind)
    made.__dict__.update(node.__dict__, **changed)
    return made


def _mentioned(trees: list[gast.AST], names: Iterable[str]) -> set[str]:
    """Which of some names of closures trees hold. Those of statements stand in operators' calls only."""
    names = set(names)
    everywhere = any("operand" in name for name in names)
    found = set()
    stack = list(trees)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is gast.Name:
            if node.id in names:
                found.add(node.id)
        elif everywhere or kind not in _SIMPLE:
            stack += children(node)
        elif kind is gast.Expr and operator_name(node.value) is not None:
            stack += node.value.args
    return found
