"""Conversion of `if`, `while` and `for` to operator calls over closures.

Variables remain local to their function: a closure declares what it binds as `nonlocal`. Closures are
defined at their statement, or before the outermost loop around it. The *state* of a statement is the set of
variables that it may change and that are still read: first the *outputs*, which are read after it, then the
variables that only its own parts read. A possibly unbound name is read through `ldu`, which checks it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar

import gast

from ..analysis import Activity, Facts, activity
from ..analysis.cfg import COMPOUND, split_for_iterable
from ..analysis.facts import Names
from ..trees.builders import (
    DEFINITIONS,
    DISPLAYS,
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
    contains,
    docstring_length,
    lambda_,
    load,
    operator,
    operator_name,
    store,
)
from ..trees.python_trees import unparse
from .attempts import convert_attempt
from .base import Context, Pass
from .expressions import guard, is_plain
from .generators import consuming_statements, with_consumer_state
from .templates import (
    STATEMENT_OPERATORS,
    checked_name,
    closure,
    dotted_expression,
    loop_options,
    options_dict,
    scope_declarations,
    statement_call,
)
from .unbound_reads import check_free_reads, check_reads, names_read_in_scopes


@dataclass(frozen=True)
class State:
    """Variables that a statement changes: those read after it, then those read only inside it."""

    outputs: tuple[str, ...]
    inner: tuple[str, ...]
    unbound: frozenset[str]

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.outputs + self.inner


@dataclass(frozen=True)
class _InsertionPoint:
    """Destination of generated statements.

    In a loop, closures go to `hoisted`, and are defined before `loop`, the outermost enclosing loop.
    `accessors` are the names of the state accessors that are visible here.
    """

    in_closure: bool = False
    hoisted: list[gast.AST] | None = None
    loop: gast.AST | None = None
    accessors: dict[State, tuple[str, str]] = field(default_factory=dict)

    def in_loop(self, loop: gast.AST, out: list[gast.AST]) -> _InsertionPoint:
        return self if self.hoisted is not None else replace(self, hoisted=out, loop=loop)


class ControlFlow(Pass):
    """Converts branches and loops to operator calls, and checks reads of possibly unbound names."""

    needs: ClassVar = ("LowerJumps",)
    follows: ClassVar = ("Normalise", "LowerMatch", "Operators")

    def __init__(self, context: Context):
        super().__init__(context)
        self.closure_bindings: set[str] = set()

    def run(self, function: gast.AST) -> None:
        if isinstance(function, gast.Lambda):
            return
        self.facts = Facts(function, can_have_pinned=self.context.can_have_pinned)
        self.unconverted = self.facts.unconverted
        self.global_names = self.facts.declarations[1]
        self.consuming = consuming_statements(function)
        check_free_reads(function, self.maybe_unbound(function), self.context.functions)
        start = docstring_length(function.body)
        body = self.block(function.body[start:], _InsertionPoint())
        function.body = [*function.body[:start], *body]
        self.declare(function, self.closure_bindings)
        if self.context.namer.may_contain("locals", "vars", "dir"):
            self.fill_visible_calls(function.body)

    def maybe_unbound(self, function: gast.AST) -> set[str]:
        """Return the variables that inner scopes read and that a converted statement may leave unbound."""
        if not self.facts.body.has_inner_scopes:
            return set()
        read = names_read_in_scopes(function, self.context.functions) & self.facts.locals
        result: set[str] = set()
        for statement in self.facts.graph.exits if read else ():
            if type(statement) in _CONVERTED and not self.is_unconverted(statement):
                unbound = self.facts.exit(statement).unbound.select(read)
                result |= unbound & activity([statement]).bindings if unbound else set()
        return result

    def fill_visible_calls(self, body: list[gast.AST]) -> None:
        """Pass the names of added variables to each `ag__.visible`, which hides them from `locals()`."""
        stack = list(body)
        while stack:
            node = stack.pop()
            if operator_name(node) == "visible":
                node.args[1].elts = [constant(name) for name in sorted(self.context.namer.added)]
            if not isinstance(node, DEFINITIONS):
                stack.extend(children(node))

    def block(self, statements: list[gast.AST], point: _InsertionPoint) -> list[gast.AST]:
        out: list[gast.AST] = []
        if point.hoisted is None:
            point = replace(point, accessors={})
        names = self.context.namer
        mark = names.mark()
        for statement in statements:
            kind = type(statement)
            closures = out if point.hoisted is None else point.hoisted
            if kind in FUNCTIONS and statement.name in self.context.functions:
                closures.append(self.check_operand(statement))
            elif kind in FUNCTIONS or kind is gast.ClassDef:
                out.append(self.read(statement, point))
            elif kind in _CONVERTED and not self.is_unconverted(statement):
                out.append(_CONVERTED[kind](self, statement, point, closures))
            elif isinstance(statement, COMPOUND):
                self.convert_in_place(statement, point, out)
                out.append(statement)
            else:
                out.extend(self.simple(statement, point))
            if point.hoisted is None:
                names.release(mark, keep=chain.from_iterable(point.accessors.values()))
        return out or [gast.Pass()]

    def is_unconverted(self, statement: gast.AST) -> bool:
        if isinstance(statement, gast.With) and contains(statement.items, (gast.NamedExpr,)):
            return True
        return statement in self.unconverted or (isinstance(statement, gast.If) and is_plain(statement.test))

    # Statements left in Python

    def convert_in_place(self, statement: gast.AST, point: _InsertionPoint, out: list[gast.AST]) -> None:
        """Convert the parts of a compound statement that stays in Python."""
        self.check_header(statement, point)
        if isinstance(statement, (gast.If, gast.While)) and not is_plain(statement.test):
            construct = type(statement).__name__.lower()
            statement.test = guard(statement.test, construct, self.unconverted[statement])
        if isinstance(statement, gast.Match):
            subject = statement.subject
            if (
                not isinstance(subject, DISPLAYS)
                and getattr(subject, "id", None) not in self.context.displays
            ):
                statement.subject = guard(subject, "match", "AG004")
            for case in statement.cases:
                if case.guard is not None:
                    case.guard = self.read(case.guard, point)
                    if not is_plain(case.guard):
                        case.guard = guard(case.guard, "case if", "AG004")
        inside = point.in_loop(statement, out) if isinstance(statement, LOOPS) else point
        for block in blocks(statement):
            if block:
                block[:] = self.block(block, inside)

    def simple(self, statement: gast.AST, point: _InsertionPoint) -> list[gast.AST]:
        changed = statement.target if isinstance(statement, gast.AugAssign) else None
        targets = statement.targets if isinstance(statement, gast.Delete) else [changed]
        unbound = self.facts.unbound_before(statement)
        self.read(statement, point)
        names = [t.id for t in targets if isinstance(t, gast.Name) and t.id in unbound]
        return [
            *(at(gast.Expr(checked_name(name, point.in_closure)), statement) for name in names),
            statement,
        ]

    def check_operand(self, function: gast.AST) -> gast.AST:
        """Check the reads in a function that an earlier pass created from an operand."""
        names = self.facts.locals
        unbound = self.facts.before(function).unbound.select(names) | (self.facts.body.deletions & names)
        for statement in function.body:
            check_reads(statement, unbound, True)
        return function

    def check_header(self, statement: gast.AST, point: _InsertionPoint) -> None:
        """Check the reads in the header of a compound statement."""
        for name in ("test", "iter", "target", "subject"):
            tree = getattr(statement, name, None)
            if isinstance(tree, gast.AST):
                setattr(statement, name, self.read(tree, point))
        for item in getattr(statement, "items", ()):
            self.read(item, point)
        for handler in getattr(statement, "handlers", ()):
            if handler.type is not None:
                handler.type = self.read(handler.type, point)

    # Converted statements

    def if_(self, statement: gast.If, point: _InsertionPoint, closures: list[gast.AST]) -> gast.AST:
        changes = self.facts.changes(statement, without=statement.test)
        before, after = self.facts.entry(statement), self.facts.exit(statement)
        inner = self.facts.before(statement.test).live
        for block in filter(None, (statement.body, statement.orelse)):
            inner |= self.facts.start(block).live
        state = self.state(changes, after.live, inner, before.unbound)
        inside = replace(point, in_closure=True)
        test = self.read(statement.test, point)
        body = self.body("if_body", statement.body, inside, closures, statement)
        orelse = attribute(load(OPERATORS), "nothing")
        if statement.orelse:
            orelse = self.body("else_body", statement.orelse, inside, closures, statement)
        outputs = constant(len(state.outputs))
        arguments = self.state_arguments(state, point, closures, statement, outputs)
        return statement_call(statement, "if_stmt", test, body, orelse, *arguments)

    def while_(self, statement: gast.While, point: _InsertionPoint, closures: list[gast.AST]) -> gast.AST:
        head, after = self.facts.head(statement), self.facts.exit(statement)
        changes = self.facts.changes(statement)
        before = self.facts.entry(statement)
        live = head.live | after.live | self.facts.start(statement.body).live
        state = self.state(changes, live, None, before.unbound | head.unbound)
        inside = replace(point.in_loop(statement, closures), in_closure=True)
        body, options = self.split_loop_options(statement.body, point)
        test = self.read(statement.test, inside)
        name = self.context.function_name("loop_test")
        declarations = self.declarations(self.bound([statement.test]))
        closures.append(closure(inside.loop, name, [*declarations, gast.Return(test)]))
        loop_body = self.body("loop_body", body, inside, closures, statement)
        arguments = [*self.state_arguments(state, point, closures, statement), options_dict(options)]
        return statement_call(statement, "while_stmt", load(name), loop_body, *arguments)

    def for_(self, statement: gast.For, point: _InsertionPoint, closures: list[gast.AST]) -> gast.AST:
        source, until = split_for_iterable(statement)
        head, after = self.facts.head(statement), self.facts.exit(statement)
        changes = self.facts.changes(statement, without=source)
        before = self.facts.entry(statement)
        state = self.state(changes, head.live | after.live, None, before.unbound | head.unbound)
        inside = replace(point.in_loop(statement, closures), in_closure=True)
        body, options = self.split_loop_options(statement.body, point)
        target_source = constant(unparse(statement.target))
        source = self.read(source, point)
        test: gast.AST = constant(None)
        if until is not None:
            name = self.context.function_name("loop_test")
            closures.append(closure(inside.loop, name, [gast.Return(until)]))
            test = load(name)
        item = self.context.namer.parameter("item")
        target = self.read(statement.target, inside, self.facts.unbound_before(statement.target))
        converted = self.block(body, inside)
        declarations = self.declarations(self.bound([target, *converted]))
        name = self.context.function_name("loop_body")
        bind = gast.Assign([target], load(item), None)
        closures.append(closure(inside.loop, name, [*declarations, bind, *converted], item))
        options = [("iterate_names", target_source), *options]
        arguments = [*self.state_arguments(state, point, closures, statement), options_dict(options)]
        return statement_call(statement, "for_stmt", source, test, load(name), *arguments)

    def split_loop_options(
        self, body: list[gast.AST], point: _InsertionPoint
    ) -> tuple[list[gast.AST], list[tuple[str | None, gast.AST]]]:
        """Split a loop's body into its statements and the options that `set_loop_options(...)` sets."""
        rest: list[gast.AST] = []
        options: list[tuple[str | None, gast.AST]] = []
        for statement in body:
            keywords = loop_options(statement)
            if keywords is None:
                rest.append(statement)
            else:
                options += [(k.arg, self.read(k.value, point)) for k in keywords]
        return rest, options

    # Closures and state

    def body(
        self,
        stem: str,
        body: list[gast.AST],
        point: _InsertionPoint,
        closures: list[gast.AST],
        location: gast.AST,
    ) -> gast.AST:
        name = self.context.function_name(stem)
        converted = self.block(body, point)
        declarations = self.declarations(self.bound(converted))
        closures.append(closure(point.loop or location, name, [*declarations, *converted]))
        return load(name)

    def bound(self, converted: list[gast.AST]) -> set[str]:
        """Return the names that converted statements bind or delete outside closures."""
        names: set[str] = set()
        for statement in converted:
            step = self.facts.step(statement)
            if step is None:
                own: gast.AST = statement
                if type(statement) is gast.Expr and operator_name(statement.value) in STATEMENT_OPERATORS:
                    own = statement.value.args[0]
                elif type(statement) is gast.FunctionDef and statement.name in self.context.functions:
                    continue
                step = activity(own, captures=False)
            names |= step.bindings
            names |= step.deletions
        return names

    def declarations(self, names: set[str]) -> list[gast.AST]:
        """Return the `nonlocal` and `global` statements of a closure that binds `names`."""
        names = names - self.context.functions
        self.closure_bindings |= names - self.global_names
        return scope_declarations(names - self.global_names, names & self.global_names)

    def changed(self, changes: Activity) -> set[str]:
        """Return the variables that a statement, or a closure that it calls, may bind, delete or mutate."""
        changed = changes.bindings | changes.deletions | changes.mutations | self.facts.body.nonlocal_bindings
        return (changed & self.facts.variables) - self.context.functions

    def state(self, changes: Activity, after: Names, inside: Names | None, unbound: Names) -> State:
        facts, changed = self.facts, self.changed(changes)
        outputs = after.select(changed)
        attributes = sorted(p for p in changes.attributes if p.partition(".")[0] not in changes.bindings)
        inner = inside.select(changed) - outputs if inside is not None else set()
        symbols = outputs | inner
        missing = unbound.select(symbols) | (symbols & (facts.body.deletions | changes.nonlocal_bindings))
        return State((*sorted(outputs), *attributes), tuple(sorted(inner)), frozenset(missing))

    def state_arguments(
        self,
        state: State,
        point: _InsertionPoint,
        closures: list[gast.AST],
        location: gast.AST,
        *outputs: gast.AST,
    ) -> list[gast.AST]:
        """Return `get_state`, `set_state` and the names of the state, reusing accessors of an equal state.

        In the push form of a generator, a statement that consumes items has the consumer's state, too.
        """
        accessors: list[gast.AST] = [attribute(load(OPERATORS), n) for n in ("get_nothing", "set_nothing")]
        if state.symbols:
            if state not in point.accessors:
                if point.hoisted is None:
                    point.accessors.clear()  # only the latest accessors are reused
                point.accessors[state] = self.new_accessors(state, closures, point.loop or location)
            accessors = [load(name) for name in point.accessors[state]]
        names = gast.Tuple([constant(symbol) for symbol in state.symbols], LOAD)
        arguments = [*accessors, names, *outputs]
        return with_consumer_state(arguments) if location in self.consuming else arguments

    def new_accessors(self, state: State, closures: list[gast.AST], location: gast.AST) -> tuple[str, str]:
        names = self.context.function_name("get_state"), self.context.function_name("set_state")
        values = [
            load(symbol)
            if "." not in symbol and symbol not in state.unbound
            else operator("ldu", lambda_(dotted_expression(symbol)), constant(symbol))
            for symbol in state.symbols
        ]
        closures.append(closure(location, names[0], [gast.Return(gast.Tuple(values, LOAD))]))
        parameter = self.context.namer.parameter("values")
        variables = {symbol for symbol in state.symbols if "." not in symbol}
        targets, writes = [], []
        for symbol in state.symbols:
            name = symbol
            if symbol not in variables:
                name = self.context.namer.fresh(symbol.replace(".", "_"))
                base, _, last = symbol.rpartition(".")
                call = operator("set_attr", dotted_expression(base), constant(last), load(name))
                writes.append(gast.Expr(call))
            targets.append(store(name))
        unpacked = gast.Assign([gast.Tuple(targets, STORE)], load(parameter), None)
        body = [*self.declarations(variables), unpacked, *writes]
        closures.append(closure(location, names[1], body, parameter))
        return names

    # Reads of possibly unbound names

    def read(self, tree: gast.AST, point: _InsertionPoint, unbound: Names | None = None) -> gast.AST:
        """Check the reads of possibly unbound names in a tree."""
        if unbound is None:
            step = self.facts.graph.steps.get(tree)
            if step is None:
                return tree
            unbound = self.facts.unbound_before(tree)
        return check_reads(tree, unbound, point.in_closure) if unbound else tree


_CONVERTED = {
    gast.If: ControlFlow.if_,
    gast.While: ControlFlow.while_,
    gast.For: ControlFlow.for_,
    gast.Try: convert_attempt,
    gast.With: convert_attempt,
}
