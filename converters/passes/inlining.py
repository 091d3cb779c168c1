"""Inlining of the fast paths of operators, for code that is compiled in memory.

`if_stmt(test, ...)` becomes a `match` that runs a branch directly if the test is `True` or `False`. Otherwise
it defines the closures and calls the operator. A plain run then creates fewer closures and makes fewer
calls; a staged run still goes through the operators.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Set
from typing import Any

import gast

from ..trees.builders import (
    COMPREHENSIONS,
    FUNCTIONS,
    assign,
    at,
    children,
    first_line,
    load,
    new_node,
    operator,
    operator_name,
    store,
)

TEST = "ag__test"
ITEMS = "ag__items_"
LEFT = "ag__left"
MAX_DEPTH = 3
Closures = dict[str, gast.FunctionDef]
Scope = ChainMap[str, gast.FunctionDef]


def inline_operators(tree: gast.AST, added: Set[str]) -> gast.AST:
    """Return a copy of a converted function with operators inlined; unchanged nodes are shared."""
    if type(tree) not in FUNCTIONS:
        return tree
    return _Inliner(added).function(tree)


class _Inliner:
    def __init__(self, added: Set[str]):
        self.added = added
        self.loop_depth = 0
        self.expression_depth = 0
        self.matches: set[gast.AST] = set()  # the `match` statements that inlining created

    def function(self, node: Any) -> gast.AST:
        return _replace(node, body=self.block(node.body, ChainMap(), 0))

    def block(self, statements: list[Any], closures: Scope, depth: int) -> list[gast.AST]:
        """Inline a block; `closures` are those in scope, and `depth` counts the enclosing branches."""
        out: list[gast.AST] = []
        closures = ChainMap({}, *closures.maps)
        pending: Closures = {}
        sunk: set[str] = set()  # pending closures that are defined at an operator call
        for statement in statements:
            kind = type(statement)
            if kind is gast.FunctionDef and statement.name in self.added:
                pending[statement.name] = closures[statement.name] = statement
                sunk.discard(statement.name)
                continue
            name = operator_name(statement.value) if kind is gast.Expr else None
            if name in _BRANCHING and depth < MAX_DEPTH:
                used = {arg.id for arg in statement.value.args if type(arg) is gast.Name}
                if pending.keys() - used - sunk:
                    self.define_closures(pending, statement.value.args[:1] if name == "if_stmt" else [], out)
                own = {name: closure for name, closure in pending.items() if name in used}
                out.append(_BRANCHING[name](self, statement, closures, own, depth))
                sunk |= own.keys()
                continue
            if pending:
                self.define_closures(pending, [statement], out)
            if name in _LOOPS:
                out += _LOOPS[name](self, statement, closures) or [statement]
            elif kind in _SIMPLE:
                out.append(self.simple(statement))
            else:
                out.append(self.inline_nested(statement, closures, depth))
        if len(out) > 1 and type(out[-1]) is gast.Return:
            self.return_early(out[:-1], out[-1])
        return out or [gast.Pass()]

    def return_early(self, block: list[gast.AST], returned: gast.Return) -> None:
        """Return directly from the branches at the end of a block if they assign the returned variable."""
        name = returned.value.args[0] if operator_name(returned.value) == "ld" else returned.value
        last = block[-1]
        if not _is_flag(name):
            return
        if type(last) is gast.Assign and type(last.targets[0]) is gast.Name and last.targets[0].id == name.id:
            block[-1] = at(gast.Return(last.value), last)
        elif last in self.matches:
            for case in last.cases[:2]:
                self.return_early(case.body, returned)

    def append_continue(self, block: list[gast.AST], location: gast.AST) -> None:
        """End each path of a loop body with `continue`, so that an interrupt there has a line number."""
        last: Any = block[-1]
        if last in self.matches:
            for case in last.cases:
                self.append_continue(case.body, last)
        elif not isinstance(last, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            end = last if hasattr(last, "lineno") else location
            is_inner_loop_end = isinstance(last, (gast.While, gast.Assign)) and last.col_offset < 0
            if is_inner_loop_end:
                end = at(gast.Pass(), last)
                end.col_offset, end.end_col_offset = 0, 1
            block.append(at(gast.Continue(), end))

    def define_closures(self, pending: Closures, users: list[gast.AST], out: list[gast.AST]) -> None:
        """Define the pending closures that `users` refer to, directly or through other closures."""
        closures = [*pending.items()]
        while users:
            users = [pending.pop(name) for name in _referenced(users, pending)]
        out += [closure for name, closure in closures if name not in pending]

    def inline_nested(self, statement: Any, closures: Scope, depth: int) -> gast.AST:
        """Inline the operators inside a statement that is not an operator call."""
        kind = type(statement)
        if kind in FUNCTIONS:
            return self.function(statement)
        if kind is gast.ClassDef:
            return _replace(statement, body=[self.inline_nested(s, ChainMap(), 0) for s in statement.body])
        changed: dict[str, Any] = {}
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list) and block:
                changed[field] = self.block(block, closures, depth)
        for field in ("handlers", "cases"):
            if parts := getattr(statement, field, None):
                changed[field] = [_replace(p, body=self.block(p.body, closures, depth)) for p in parts]
        return _replace(statement, **changed) if changed else statement

    def inline_closure(self, closure: gast.AST, closures: Scope, depth: int) -> list[gast.AST]:
        if type(closure) is gast.Attribute:  # ag__.nothing
            return [gast.Pass()]
        return self.block(_own_statements(closures[closure.id]), closures, depth)

    def if_(self, statement: gast.Expr, closures: Scope, pending: Closures, depth: int) -> gast.AST:
        test, body, orelse, *rest = statement.value.args
        inner = depth + 1 if pending else depth
        then, other = self.inline_closure(body, closures, inner), self.inline_closure(orelse, closures, inner)

        def call(value: gast.AST) -> list[gast.AST]:
            return [*pending.values(), operator("if_stmt", value, body, orelse, *rest)]

        return self.match(statement, test, then, other, call)

    def try_(self, statement: gast.Expr, closures: Scope, pending: Closures, depth: int) -> gast.AST:
        """Return the user's own `try` or `with` for plain runs, beside the call of the operator."""
        [tried] = _own_statements(closures[statement.value.args[0].id])
        fields: dict[str, Any] = {"body": tried.body[1:]}  # without `ag__.attempt()`
        if type(tried) is gast.With:
            managers = [_replace(i, context_expr=i.context_expr.args[0].body) for i in tried.items]
            fields["items"] = managers
        own = self.inline_nested(_replace(tried, **fields), closures, depth + 1)
        hidden = _hidden_location(first_line(statement))
        return at(gast.If(at(operator("is_plain"), hidden), [own], [*pending.values(), statement]), hidden)

    def while_(self, statement: gast.Expr, closures: Scope) -> list[gast.AST] | None:
        test, body, *rest = statement.value.args
        test_closure = closures.get(test.id)
        if rest[-1].keys or test_closure is None:
            return None
        [*_, returned] = _own_statements(test_closure)
        inlined = self.inline_closure(body, closures, 0)
        self.append_continue(inlined, statement)

        def call(value: gast.AST) -> list[gast.AST]:
            return [operator("while_rest", value, test, body, *rest)]

        inner = self.match(statement, returned.value, inlined, [gast.Break()], call)
        inner.cases[-1].body.append(gast.Break())
        return [at(gast.While(gast.Constant(True, None), [inner], []), _hidden_location(statement))]

    def for_(self, statement: gast.Expr, closures: Scope) -> list[gast.AST] | None:
        args = statement.value.args
        _, until, body, *rest = args
        body_closure = closures.get(body.id)
        if len(rest[-1].keys) != 1 or body_closure is None:
            return None
        bind, *statements = _own_statements(body_closure)
        self.loop_depth += 1
        inlined = self.block(statements, closures, 0)
        self.loop_depth -= 1
        items: gast.AST = at(operator("for_items", *args), statement.value)
        clear: list[gast.AST] = []
        if type(until) is gast.Name:
            name = f"{ITEMS}{self.loop_depth}"
            [*_, returned] = _own_statements(closures[until.id])
            items = at(gast.NamedExpr(store(name), items), items)

            def call(value: gast.AST) -> list[gast.AST]:
                return [operator("for_rest", value, load(name), *args[1:-1])]

            test = self.match(statement, returned.value, [gast.Pass()], [gast.Break()], call)
            test.cases[-1].body.append(gast.Break())
            inlined.append(test)
            clear.append(at(assign(name, gast.Constant(None, None)), _hidden_location(statement)))
        return [at(gast.For(bind.targets[0], items, inlined, [], None), first_line(statement)), *clear]

    def match(
        self,
        location: gast.AST,
        test: gast.AST,
        true: list[gast.AST],
        false: list[gast.AST],
        call: Callable[[gast.AST], list[gast.AST]],
    ) -> Any:
        """Return a `match` on a test; `call` returns the statements for a value that is not a bool."""
        subject, value, is_not = _strip_not(test, load(TEST))
        if is_not:
            true, false = false, true
        head = arm = first_line(location)
        if _is_flag(subject):  # the user wrote no such test
            arm = _hidden_location(head)
        clear = assign(TEST, gast.Constant(None, None))
        rest = [at(gast.Expr(n) if isinstance(n, gast.expr) else n, head) for n in [*call(value), clear]]
        cases = [
            gast.match_case(at(gast.MatchSingleton(True), arm), None, true),
            gast.match_case(at(gast.MatchSingleton(False), arm), None, false),
            gast.match_case(at(gast.MatchAs(None, TEST), arm), None, rest),
        ]
        tested = self.expression(subject)
        if not (_is_flag(subject) or _is_likely_bool(subject)):
            tested = _truth_test(tested)
        result = at(gast.Match(tested, cases), arm)
        self.matches.add(result)
        return result

    # Expressions

    def simple(self, statement: gast.AST) -> gast.AST:
        value = statement.value and self.expression(statement.value)
        return statement if value is statement.value else _replace(statement, value=value)

    def expression(self, node: gast.AST) -> gast.AST:
        """Inline `and_`, `or_` and `if_exp` in an expression, outside nested scopes."""
        if type(node) in _LEAVES:
            return node
        name = operator_name(node)
        if name in _CONDITIONALS:
            if self.expression_depth == MAX_DEPTH:
                return node
            self.expression_depth += 1
            result = self.conditional(name, node)
            self.expression_depth -= 1
            return result
        changed: dict[str, Any] = {}
        new: Any
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, gast.expr):
                new = self.expression(value)
                if new is not value:
                    changed[field] = new
            elif isinstance(value, list):
                new = [self.expression(item) if isinstance(item, gast.AST) else item for item in value]
                if any(after is not before for after, before in zip(new, value, strict=True)):
                    changed[field] = new
        return _replace(node, **changed) if changed else node

    def conditional(self, name: str, node: gast.Call) -> gast.AST:
        """Return nested conditional expressions for an operand that is `True`, `False`, or anything else."""
        first, *thunks = node.args
        if name != "if_exp":
            if type(first) is not gast.Lambda:
                return node
            first = first.body
        subject, value, is_not = _strip_not(first, load(LEFT))
        if type(subject) is gast.Name:
            tested, tested_again, value = subject, subject, first
        else:
            tested = at(gast.NamedExpr(store(LEFT), self.expression(subject)), subject)
            tested_again = load(LEFT)
            if type(subject) is not gast.Compare and operator_name(subject) not in _BOOLS:
                value = _first_of(value, _clear(LEFT))  # release the user's object
        if any(type(thunk) is not gast.Lambda for thunk in thunks[: 2 if name == "if_exp" else 1]):
            return node
        ends = [self.expression(thunk.body) for thunk in thunks if type(thunk) is gast.Lambda]
        if name == "if_exp":
            rest = operator(name, value, *thunks)
        else:
            ends.insert(name == "and_", gast.Constant(name == "or_", None))
            rest = operator(f"{name}rest", value, *thunks)
        then, orelse = ends[:2]
        inner = gast.IfExp(_is_identical(tested_again, is_not), orelse, rest)
        return at(gast.IfExp(_is_identical(tested, not is_not), then, at(inner, node)), node)


def _is_flag(node: gast.AST) -> bool:
    """Return whether a node reads a variable that the converter added."""
    return type(node) is gast.Name and not hasattr(node, "lineno")


def _is_likely_bool(node: gast.AST) -> bool:
    """Return whether an expression over plain values most likely evaluates to True or False."""
    name = operator_name(node)
    if name in ("and_", "or_"):
        return all(type(arg) is gast.Lambda and _is_likely_bool(arg.body) for arg in node.args)
    return type(node) is gast.Compare or name in _BOOLS or name == "not_"


def _truth_test(node: gast.AST) -> gast.AST:
    """Return an expression whose value is that of `node` if this is a bool, otherwise the result of `truth`.

    The call is in a tuple because CPython 3.12 traces a line twice if a call returns to a jump target.
    """
    tested, tested_again = node, node
    rest: list[gast.AST] = []
    if type(node) is not gast.Name:
        tested, tested_again = at(gast.NamedExpr(store(TEST), node), node), load(TEST)
        rest = [_clear(TEST)]
    is_bool = gast.BoolOp(gast.Or(), [_is_identical(tested, True), _is_identical(tested_again, False)])
    truth = _first_of(operator("truth", tested_again), *rest)
    return at(gast.IfExp(is_bool, tested_again, truth), node)


def _clear(name: str) -> gast.AST:
    return gast.NamedExpr(store(name), gast.Constant(None, None))


def _first_of(*values: gast.AST) -> gast.AST:
    """Return an expression that evaluates all `values` and returns the first."""
    return gast.Subscript(gast.Tuple([*values], gast.Load()), gast.Constant(0, None), gast.Load())


def _hidden_location(location: Any) -> gast.AST:
    """Return a location without columns, which the loader removes from the line table."""
    result = gast.Pass()
    if hasattr(location, "lineno"):
        result.lineno = result.end_lineno = location.lineno
        result.col_offset = result.end_col_offset = -1
    return result


def _strip_not(test: gast.AST, value: gast.AST) -> tuple[gast.AST, gast.AST, bool]:
    """Move the leading `not`s of a test to `value`. Return both, and whether the number of `not`s is odd."""
    is_not = False
    while operator_name(test) == "not_":
        test, value, is_not = test.args[0], at(operator("not_", value), test), not is_not
    return test, value, is_not


def _is_identical(node: gast.AST, value: bool) -> gast.AST:
    return gast.Compare(node, [gast.Is()], [gast.Constant(value, None)])


_SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return)
_CONDITIONALS = frozenset(("and_", "or_", "if_exp"))
_BOOLS = frozenset(("in_", "is_", "is_none", "not_in"))
"""Operators that return a bool for plain values."""
_LEAVES = (gast.Name, gast.Constant, gast.Lambda, *COMPREHENSIONS)
_BRANCHING = {"if_stmt": _Inliner.if_, "try_stmt": _Inliner.try_}
_LOOPS = {"while_stmt": _Inliner.while_, "for_stmt": _Inliner.for_}


def _own_statements(closure: gast.FunctionDef) -> list[Any]:
    """Return the statements of a closure without its declarations."""
    return [s for s in closure.body if type(s) not in (gast.Nonlocal, gast.Global)]


def _replace(node: gast.AST, **changed: Any) -> gast.AST:
    return new_node(type(node), **{**node.__dict__, **changed})


def _referenced(trees: list[gast.AST], names: Iterable[str]) -> set[str]:
    """Return the closures among `names` that trees refer to.

    Only operator calls refer to closures of statements, so other simple statements are not searched for them.
    """
    names = set(names)
    everywhere = any("operand" in name for name in names)
    result = set()
    stack = list(trees)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is gast.Name:
            if node.id in names:
                result.add(node.id)
        elif everywhere or kind not in _SIMPLE:
            stack += children(node)
        elif kind is gast.Expr and operator_name(node.value) is not None:
            stack += node.value.args
    return result
