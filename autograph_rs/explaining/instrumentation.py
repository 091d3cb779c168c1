"""Insert probes into converted code.

If an operator tests the value `x`, the last pass replaces `x` with `ag__.probe(n).method(x)`. The call
returns the value unchanged, so operators, closures and frames behave as in uninstrumented code.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast

from autograph_rs.converters import Pass, Pipeline
from autograph_rs.converters.analysis import dotted_name
from autograph_rs.converters.diagnostics.descriptions import tests_flag
from autograph_rs.converters.diagnostics.unsupported import Span
from autograph_rs.converters.trees.builders import (
    FUNCTIONS,
    at,
    attribute,
    blocks,
    constant,
    docstring_length,
    load,
    operator,
    operator_name,
)

from ..transpiler.transpiler import Transpiler
from .probes import Probe

STATEMENTS = ("if_stmt", "while_stmt", "for_stmt")
_TESTED_ARGUMENTS: dict[str, tuple[int, ...]] = {
    "if_stmt": (0,), "if_exp": (0,), "not_": (0,), "assert_stmt": (0,), "list_comp": (0,), "in_": (0, 1),
    "not_in": (0, 1), "and_": (0,), "or_": (0,), "get_item": (0, 1), "set_item": (0, 1, 2), "guard": (0,),
    "keep": (0,), "fmt": (0,), "is_": (0, 1), "is_none": (0,),
}  # fmt: skip
"""The positions of the arguments that each operator tests to decide whether to stage."""
_STATE_CLOSURES = ("get_state", "set_state")


class InstrumentingTranspiler(Transpiler):
    """A transpiler that inserts probes into the functions that it converts."""

    def __init__(self) -> None:
        self.probes: list[Probe] = []
        self.kinds: dict[tuple[int, int], Any] = {}
        """The type of the user's statement at each position."""
        self._file = ""
        self._instrumented: set[Any] = set()
        own = {"transpiler": self}
        pipeline = Pipeline().add(type("RecordKinds", (_RecordKinds,), own), before="Normalise")
        super().__init__(passes=pipeline.add(type("InsertProbes", (_InsertProbes,), own)))
        self._verifies = False  # these passes are built in and tested
        vars(self.cell.cell_contents)["probe"] = self.probes.__getitem__

    def _convert(self, f: types.FunctionType, text: str | None) -> Any:
        self._file = f.__code__.co_filename
        try:
            return super()._convert(f, text)
        finally:
            self._instrumented.clear()
            self.kinds.clear()

    def add_probe(self, span: Span, operator: str, **attributes: Any) -> int:
        self.probes.append(Probe(self._file, span, operator, **attributes))
        return len(self.probes) - 1

    def enter(self, function: gast.AST) -> set[Any]:
        """Register a function as instrumented, and return the functions registered before it."""
        self._instrumented.add(function)
        return self._instrumented - {function}

    def instrument(self, f: Callable[..., Any], source: str | None = None) -> Callable[..., Any]:
        """Convert a function and insert probes. Each call to the result first resets the probes."""
        converted = self.to_graph(f, source=source)

        def instrumented(*args: Any, **kwargs: Any) -> Any:
            for probe in self.probes:
                probe.reset()
            return converted(*args, **kwargs)

        return instrumented


class _RecordKinds(Pass):
    """Record the types of the user's statements before other passes transform them."""

    transpiler: InstrumentingTranspiler

    def run(self, function: gast.AST) -> None:
        stack = [*function.body] if isinstance(function.body, list) else []
        while stack:
            statement = stack.pop()
            self.transpiler.kinds[Span.of(statement).start] = type(statement)
            if type(statement) not in FUNCTIONS:
                stack.extend(inner for block in blocks(statement) for inner in block)


class _InsertProbes(Pass):
    """Insert probes before statements, and around their values and the tested arguments of operators."""

    transpiler: InstrumentingTranspiler

    def run(self, function: gast.AST) -> None:
        self.instrumented = self.transpiler.enter(function)
        self.closures: dict[str, gast.AST] = {}
        self.span = Span(0, 0, 0, 0)
        if isinstance(function.body, list):
            self._block(function.body, function)
        else:
            function.body = self._expression(function.body)

    def _add(self, node: gast.AST, operator: str, **attributes: Any) -> int:
        """Add a probe at a node, or at the current statement if the conversion added the node."""
        return self.transpiler.add_probe(self._span_of(node), operator, **attributes)

    def _span_of(self, node: gast.AST) -> Span:
        return Span.of(node) if hasattr(node, "lineno") else self.span

    # Statements

    def _block(self, body: list[gast.AST], owner: gast.AST) -> None:
        start = docstring_length(body) if isinstance(owner, (*FUNCTIONS, gast.ClassDef)) else 0
        instrumented = body[:start]
        for statement in body[start:]:
            self.span = self._span_of(statement)
            if self._is_user_statement(statement):
                number = self._add(statement, "", text=type(statement).__name__)
                instrumented.append(at(gast.Expr(at(_probe(number, "start"), statement)), statement))
                self._value(statement)
            self._statement(statement)
            instrumented.append(statement)
        body[:] = instrumented

    def _is_user_statement(self, statement: gast.AST) -> bool:
        """Return whether the user wrote a statement or the one that it replaces, such as a `return`."""
        kind = type(statement)
        if kind is gast.Expr and operator_name(statement.value) in STATEMENTS:
            return False
        if kind in (gast.Global, gast.Nonlocal) or not hasattr(statement, "lineno"):
            return False
        if getattr(statement, "name", None) in self.context.functions:
            return False
        if kind is gast.AnnAssign and statement.value is None:
            return False
        original = self.transpiler.kinds.get(Span.of(statement).start)
        if original is None or (kind is gast.Return and original is not kind):
            return False
        return kind is original or not {"body", "cases"} & {*original._fields}

    def _statement(self, statement: gast.AST) -> None:
        if type(statement) in FUNCTIONS:
            if statement.name in self.context.functions:
                self.closures[statement.name] = statement
                self._closure(statement)
            statement.decorator_list = [self._expression(d) for d in statement.decorator_list]
            return
        inner_blocks = [*blocks(statement)]
        for name in statement._fields:
            value = getattr(statement, name, None)
            if isinstance(value, gast.expr):
                setattr(statement, name, self._expression(value))
            elif isinstance(value, list) and not any(value is block for block in inner_blocks):
                setattr(statement, name, [self._part(v) for v in value])
        self._python_control_flow(statement)
        for block in inner_blocks:
            self._block(block, statement)

    def _closure(self, closure: gast.AST) -> None:
        """Instrument a function that the conversion added."""
        if closure.name.startswith("loop_test"):
            for statement in closure.body:
                if type(statement) is gast.Return and statement.value is not None:
                    statement.value = self._expression(statement.value)
        elif not closure.name.startswith(_STATE_CLOSURES):
            self._block(closure.body, closure)

    def _part(self, part: Any) -> Any:
        """Instrument the expressions of a `with` item, exception handler or `match` case."""
        if isinstance(part, gast.expr):
            return self._expression(part)
        for name in getattr(part, "_fields", ()):
            value = getattr(part, name, None)
            if isinstance(value, gast.expr) and name != "pattern":
                setattr(part, name, self._expression(value))
        return part

    def _python_control_flow(self, statement: gast.AST) -> None:
        """Instrument a conditional or loop that the conversion left unconverted."""
        kind = type(statement)
        if kind is gast.If or kind is gast.While:
            number = self._add(statement, kind.__name__)
            method = "test" if kind is gast.If else "test_while"
            statement.test = at(_probe(number, method, statement.test), statement.test)
        elif kind is gast.For:
            number = self._add(statement, "For")
            statement.iter = at(_probe(number, "iterate", statement.iter, constant(False)), statement.iter)

    def _value(self, statement: gast.AST) -> None:
        kind, value = type(statement), getattr(statement, "value", None)
        kinds = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.Return, gast.Expr)
        if value is None or kind not in kinds:
            return
        number = self._add(statement, "value")
        previous = []
        if kind is gast.AugAssign and isinstance(statement.target, gast.Name):
            previous = [at(load(statement.target.id), statement.target)]
        statement.value = at(_probe(number, "value", value, *previous), value)

    # Expressions

    def _expression(self, node: gast.AST) -> gast.AST:
        """Instrument the operator calls of an expression, innermost first."""
        if isinstance(node, gast.Lambda) and node in self.instrumented:
            return node
        is_user_test = not tests_flag(node, self.context.namer.added)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, [self._expression(v) if isinstance(v, gast.AST) else v for v in value])
            elif isinstance(value, gast.AST):
                setattr(node, name, self._expression(value))
        name = operator_name(node)
        if name is not None:
            self._operator(name, node, is_user_test=is_user_test)
        elif type(node) is gast.Call and _is_print(node.func):
            number = self._add(node, "value")
            node.args = [
                a if type(a) is gast.Starred else at(_probe(number, "value", a), a) for a in node.args
            ]
        return node

    def _operator(self, name: str, call: gast.Call, *, is_user_test: bool) -> None:
        args = call.args
        if name == "callee":
            number = self._add(call, name, text=_callee_text(args[0]))
            args[0] = at(_probe(number, "callee", args[0]), args[0])
        elif name == "while_stmt":
            number = self._add_control_flow(name, call)
            test = self.closures[args[0].id].body[-1]
            test.value = at(_probe(number, "test_while", test.value), test.value)
            args[-1] = at(_probe(number, "start_while", args[-1]), args[-1])
        elif name == "for_stmt":
            number = self._add_control_flow(name, call)
            has_options = constant(len(args[-1].keys) > 1)
            args[0] = at(_probe(number, "iterate", args[0], has_options), args[0])
        elif name in _TESTED_ARGUMENTS:
            if name == "if_stmt":
                number = self._add_control_flow(name, call)
            else:
                number = self._add(call, name, is_user_test=is_user_test)
            for i in _TESTED_ARGUMENTS[name]:
                tested = args[i]
                if isinstance(tested, gast.Lambda):
                    tested.body = at(_probe(number, "test", tested.body), tested.body)
                elif not isinstance(tested, gast.Starred):
                    args[i] = at(_probe(number, "test", tested), tested)

    def _add_control_flow(self, name: str, call: gast.Call) -> int:
        test, names, added_names = call.args[0], call.args[-2], self.context.namer.added
        if type(names) is gast.Call:  # with those of the loop that consumes a generator
            [names] = names.args
        state = tuple(c.value for c in names.elts if c.value not in added_names)
        test_start = (getattr(test, "lineno", 0), getattr(test, "col_offset", 0))
        is_user_test = test_start != self._span_of(call).start
        return self._add(call, name, state=state, is_user_test=is_user_test)


def _is_print(function: gast.AST) -> bool:
    """Return whether a callee is a `print` that the backend may stage."""
    callee = function.args[0] if operator_name(function) == "callee" else function
    return type(callee) is gast.Call and _callee_text(callee.args[-1]) == "print"


def _probe(number: int, method: str, *values: gast.AST) -> gast.Call:
    """Build `ag__.probe(number).method(*values)`."""
    return gast.Call(attribute(operator("probe", constant(number)), method), [*values], [])


def _callee_text(function: gast.AST) -> str:
    if operator_name(function) == "framed":
        function = function.args[0]
    return dotted_name(function) or ""
