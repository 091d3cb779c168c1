"""`if`, `while` and `for` become operator calls over closures.

The variables of a function stay variables of that function: what a closure binds it declares
`nonlocal`. Closures are made where their statement stands, or, inside a loop, once before the
outermost loop. A statement's *state* is what it may change and what is still read: first the
*outputs*, which are read after it, then what only its own parts read. A name that may be unbound is
read through `ldu`, which tells it from a bound one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar

import gast

from ..analysis import Activity, Facts, activity
from ..analysis.cfg import COMPOUND, for_parts
from ..analysis.facts import Names
from ..trees import (
    FUNCTIONS,
    LOAD,
    LOOPS,
    OPERATORS,
    STORE,
    at,
    attribute,
    blocks,
    children,
    constant,
    docstring_length,
    lambda_,
    load,
    operator,
    operator_name,
    store,
)
from .base import Context, Pass
from .expressions import guard, is_plain
from .reads import check_free, checked, free_names
from .spelling import (
    STATEMENTS,
    checked_name,
    closure,
    directive,
    dotted,
    options_dict,
    scope_declarations,
    staged,
    strings,
    target_text,
)


@dataclass(frozen=True)
class State:
    """What a statement changes: names and attributes that are read after it, then names that are not."""

    outputs: tuple[str, ...]
    inner: tuple[str, ...]
    unbound: frozenset[str]

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.outputs + self.inner


@dataclass(frozen=True)
class _Place:
    """Where statements go.

    Inside a loop, `sink` takes the closures that are made before it and `origin` is the loop.
    `states` are the accessors that can be used here.
    """

    in_closure: bool = False
    sink: list[gast.AST] | None = None
    origin: gast.AST | None = None
    states: dict[State, tuple[str, str]] = field(default_factory=dict)

    def in_loop(self, loop: gast.AST, out: list[gast.AST]) -> _Place:
        return self if self.sink is not None else replace(self, sink=out, origin=loop)


class ControlFlow(Pass):
    """Statements that branch or loop, as operator calls; reads of names that may be unbound."""

    needs: ClassVar = ("LowerJumps",)
    follows: ClassVar = ("Normalise", "LowerMatch", "Operators")

    def __init__(self, context: Context):
        super().__init__(context)
        self.bound_inside: set[str] = set()

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        self.facts = Facts(function, may_anchor=self.context.may_anchor)
        self.staying = self.facts.staying
        self.global_names = self.facts.outer[1]
        check_free(function, self.doubtful(function), self.context.functions)
        start = docstring_length(function.body)
        body = self.block(function.body[start:], _Place())
        function.body = [*function.body[:start], *body]
        self.declare(function, self.bound_inside)
        if self.context.namer.may_hold("locals", "vars", "dir"):
            self.hide_added(function.body)

    def doubtful(self, function: gast.AST) -> set[str]:
        """The variables that some staged statement may leave without a value, and inner scopes read."""
        if not self.facts.body.defines:
            return set()
        read = free_names(function, self.context.functions) & self.facts.locals
        found: set[str] = set()
        for statement in self.facts.graph.exits if read else ():
            if type(statement) in _CONVERTED and not self.stays(statement):
                unbound = self.facts.exit(statement).unbound.of(read)
                found |= unbound & activity([statement]).binds if unbound else set()
        return found

    def hide_added(self, body: list[gast.AST]) -> None:
        """Tell each `locals()` what names were added; a comprehension may be part of the function."""
        stack = list(body)
        while stack:
            node = stack.pop()
            if operator_name(node) == "visible":
                node.args[1].elts = [constant(name) for name in sorted(self.context.namer.added)]
            if not isinstance(node, (*FUNCTIONS, gast.ClassDef)):
                stack.extend(children(node))

    def block(self, statements: list[gast.AST], place: _Place) -> list[gast.AST]:
        out: list[gast.AST] = []
        if place.sink is None:
            place = replace(place, states={})
        names = self.context.namer
        mark = names.mark()
        for statement in statements:
            kind = type(statement)
            defs = out if place.sink is None else place.sink
            if kind in FUNCTIONS and statement.name in self.context.functions:
                defs.append(self.operand(statement))
            elif kind in FUNCTIONS or kind is gast.ClassDef:
                out.append(self.read(statement, place))
            elif kind in _CONVERTED and not self.stays(statement):
                out.append(_CONVERTED[kind](self, statement, place, defs))
            elif isinstance(statement, COMPOUND):
                self.native(statement, place, out)
                out.append(statement)
            else:
                out.extend(self.simple(statement, place))
            if place.sink is None:
                names.release(mark, keep=chain.from_iterable(place.states.values()))
        return out or [gast.Pass()]

    def stays(self, statement: gast.AST) -> bool:
        return statement in self.staying or (isinstance(statement, gast.If) and is_plain(statement.test))

    # What stays in Python

    def native(self, statement: gast.AST, place: _Place, out: list[gast.AST]) -> None:
        """A compound statement that stays: what it holds is converted in its place."""
        self.headers(statement, place)
        if isinstance(statement, (gast.If, gast.While)) and not is_plain(statement.test):
            statement.test = guard(statement.test, type(statement).__name__.lower(), self.staying[statement])
        if isinstance(statement, gast.Match):
            statement.subject = guard(statement.subject, "match", "AG004")
            for case in statement.cases:
                if case.guard is not None:
                    case.guard = self.read(case.guard, place)
                    if not is_plain(case.guard):
                        case.guard = guard(case.guard, "case if", "AG004")
        inside = place.in_loop(statement, out) if isinstance(statement, LOOPS) else place
        for block in blocks(statement):
            if block:
                block[:] = self.block(block, inside)

    def simple(self, statement: gast.AST, place: _Place) -> list[gast.AST]:
        changed = statement.target if isinstance(statement, gast.AugAssign) else None
        targets = statement.targets if isinstance(statement, gast.Delete) else [changed]
        unbound = self.facts.unbound_before(statement)
        self.read(statement, place)
        names = [t.id for t in targets if isinstance(t, gast.Name) and t.id in unbound]
        return [
            *(at(gast.Expr(checked_name(name, place.in_closure)), statement) for name in names),
            statement,
        ]

    def operand(self, function: gast.AST) -> gast.AST:
        """An operand that a pass made a function of, which stands before the statement that calls it."""
        names = self.facts.locals
        unbound = self.facts.before(function).unbound.of(names) | (self.facts.body.deletes & names)
        for statement in function.body:
            checked(statement, unbound, True)
        return function

    def headers(self, statement: gast.AST, place: _Place) -> None:
        """Reads in the parts of a compound statement that it evaluates itself."""
        for name in ("test", "iter", "target", "subject"):
            tree = getattr(statement, name, None)
            if isinstance(tree, gast.AST):
                setattr(statement, name, self.read(tree, place))
        for item in getattr(statement, "items", ()):
            self.read(item, place)
        for handler in getattr(statement, "handlers", ()):
            if handler.type is not None:
                handler.type = self.read(handler.type, place)

    # Statements

    def if_(self, statement: gast.If, place: _Place, defs: list[gast.AST]) -> gast.AST:
        changes = self.facts.changes(statement, without=statement.test)
        entry, leave = self.facts.entry(statement), self.facts.exit(statement)
        branches = [self.facts.start(block).live for block in (statement.body, statement.orelse) if block]
        inner = self.facts.before(statement.test).live
        for live in branches:
            inner |= live
        state = self.state(changes, leave.live, inner, entry.unbound)
        inside = replace(place, in_closure=True)
        test = self.read(statement.test, place)
        body = self.body("if_body", statement.body, inside, defs, statement)
        orelse = attribute(load(OPERATORS), "nothing")
        if statement.orelse:
            orelse = self.body("else_body", statement.orelse, inside, defs, statement)
        get_state, set_state = self.accessors(state, place, defs, statement)
        names, outputs = strings(state.symbols), constant(len(state.outputs))
        return staged(statement, "if_stmt", test, body, orelse, get_state, set_state, names, outputs)

    def while_(self, statement: gast.While, place: _Place, defs: list[gast.AST]) -> gast.AST:
        head, leave = self.facts.head(statement), self.facts.exit(statement)
        changes = self.facts.changes(statement)
        entry = self.facts.entry(statement)
        live = head.live | leave.live | self.facts.start(statement.body).live
        state = self.state(changes, live, None, entry.unbound | head.unbound)
        inside = replace(place.in_loop(statement, defs), in_closure=True)
        body, options = self.directives(statement.body, place)
        test = self.read(statement.test, inside)
        name = self.context.function_name("loop_test")
        declarations = self.declarations(self.bound([statement.test]))
        defs.append(closure(inside.origin, name, [*declarations, gast.Return(test)]))
        loop_body = self.body("loop_body", body, inside, defs, statement)
        get_state, set_state = self.accessors(state, place, defs, statement)
        names, opts = strings(state.symbols), options_dict(options)
        return staged(statement, "while_stmt", load(name), loop_body, get_state, set_state, names, opts)

    def for_(self, statement: gast.For, place: _Place, defs: list[gast.AST]) -> gast.AST:
        source, until = for_parts(statement)
        head, leave = self.facts.head(statement), self.facts.exit(statement)
        changes = self.facts.changes(statement, without=source)
        entry = self.facts.entry(statement)
        state = self.state(changes, head.live | leave.live, None, entry.unbound | head.unbound)
        inside = replace(place.in_loop(statement, defs), in_closure=True)
        body, options = self.directives(statement.body, place)
        shown = constant(target_text(statement.target))
        source = self.read(source, place)
        test: gast.AST = constant(None)
        if until is not None:
            name = self.context.function_name("loop_test")
            defs.append(closure(inside.origin, name, [gast.Return(until)]))
            test = load(name)
        item = self.context.namer.parameter("item")
        target = self.read(statement.target, inside, self.facts.unbound_before(statement.target))
        converted = self.block(body, inside)
        declarations = self.declarations(self.bound([target, *converted]))
        name = self.context.function_name("loop_body")
        bind = gast.Assign([target], load(item), None)
        defs.append(closure(inside.origin, name, [*declarations, bind, *converted], item))
        get_state, set_state = self.accessors(state, place, defs, statement)
        names, opts = strings(state.symbols), options_dict([("iterate_names", shown), *options])
        return staged(statement, "for_stmt", source, test, load(name), get_state, set_state, names, opts)

    def directives(
        self, body: list[gast.AST], place: _Place
    ) -> tuple[list[gast.AST], list[tuple[str | None, gast.AST]]]:
        """The loop's body without `set_loop_options(...)`, and the options that it set."""
        kept: list[gast.AST] = []
        options: list[tuple[str | None, gast.AST]] = []
        for statement in body:
            keywords = directive(statement)
            if keywords is None:
                kept.append(statement)
            else:
                options += [(k.arg, self.read(k.value, place)) for k in keywords]
        return kept, options

    # Closures and state

    def body(
        self, stem: str, body: list[gast.AST], place: _Place, defs: list[gast.AST], origin: gast.AST
    ) -> gast.AST:
        name = self.context.function_name(stem)
        converted = self.block(body, place)
        declarations = self.declarations(self.bound(converted))
        defs.append(closure(place.origin or origin, name, [*declarations, *converted]))
        return load(name)

    def bound(self, converted: list[gast.AST]) -> set[str]:
        """The names that converted statements bind or delete themselves, and not in closures."""
        names: set[str] = set()
        for statement in converted:
            step = self.facts.step(statement)
            if step is None:
                own: gast.AST = statement
                if type(statement) is gast.Expr and operator_name(statement.value) in STATEMENTS:
                    own = statement.value.args[0]
                elif type(statement) is gast.FunctionDef and statement.name in self.context.functions:
                    continue
                step = activity(own, captures=False)
            names |= step.binds
            names |= step.deletes
        return names

    def declarations(self, names: set[str]) -> list[gast.AST]:
        """What a closure must declare that binds these names."""
        names = names - self.context.functions
        self.bound_inside |= names - self.global_names
        return scope_declarations(names - self.global_names, names & self.global_names)

    def state(self, changes: Activity, after: Names, inside: Names | None, unbound: Names) -> State:
        facts = self.facts
        changed = (changes.binds | changes.deletes | changes.mutates | facts.body.rebinds) & facts.variables
        changed = changed - self.context.functions  # `-=` would go through all of these
        outputs = after.of(changed)
        places = sorted(p for p in changes.places if p.partition(".")[0] not in changes.binds)
        inner = inside.of(changed) - outputs if inside is not None else set()
        symbols = outputs | inner
        missing = unbound.of(symbols) | (symbols & facts.body.deletes) | (symbols & changes.rebinds)
        return State((*sorted(outputs), *places), tuple(sorted(inner)), frozenset(missing))

    def accessors(
        self, state: State, place: _Place, defs: list[gast.AST], origin: gast.AST
    ) -> tuple[gast.AST, gast.AST]:
        """`get_state` and `set_state`, shared by statements of one place with one state."""
        if not state.symbols:
            get_nothing = attribute(load(OPERATORS), "get_nothing")
            return get_nothing, attribute(load(OPERATORS), "set_nothing")
        if state not in place.states:
            if place.sink is None:
                place.states.clear()  # the names of the latest are enough to keep
            place.states[state] = self.new_accessors(state, defs, place.origin or origin)
        get_name, set_name = place.states[state]
        return load(get_name), load(set_name)

    def new_accessors(self, state: State, defs: list[gast.AST], origin: gast.AST) -> tuple[str, str]:
        names = self.context.function_name("get_state"), self.context.function_name("set_state")
        values = [self.state_value(symbol, state) for symbol in state.symbols]
        defs.append(closure(origin, names[0], [gast.Return(gast.Tuple(values, LOAD))]))
        parameter = self.context.namer.parameter("values")
        variables = {symbol for symbol in state.symbols if "." not in symbol}
        self.bound_inside |= variables - self.global_names
        targets, restored = [], []
        for symbol in state.symbols:
            name = symbol
            if symbol not in variables:
                name = self.context.namer.fresh(symbol.replace(".", "_"))
                base, _, last = symbol.rpartition(".")
                call = operator("set_attr", dotted(base), constant(last), load(name))
                restored.append(gast.Expr(call))
            targets.append(store(name))
        unpacked = gast.Assign([gast.Tuple(targets, STORE)], load(parameter), None)
        declarations = scope_declarations(variables - self.global_names, variables & self.global_names)
        defs.append(closure(origin, names[1], [*declarations, unpacked, *restored], parameter))
        return names

    def state_value(self, symbol: str, state: State) -> gast.AST:
        if "." not in symbol and symbol not in state.unbound:
            return load(symbol)
        return operator("ldu", lambda_(dotted(symbol)), constant(symbol))

    # Reads of names that may be unbound

    def read(self, tree: gast.AST, place: _Place, unbound: Names | None = None) -> gast.AST:
        """`tree` with its reads of names that may be unbound checked."""
        if unbound is None:
            step = self.facts.graph.steps.get(tree)
            if step is None:
                return tree
            unbound = self.facts.unbound_before(tree)
        return checked(tree, unbound, place.in_closure) if unbound else tree


_CONVERTED = {gast.If: ControlFlow.if_, gast.While: ControlFlow.while_, gast.For: ControlFlow.for_}
