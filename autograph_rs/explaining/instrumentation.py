"""Code that notes what its operators look at.

A last pass puts `ag__.at(n)` around the values that an operator decides by, `n` being the number of a
*site*: a place in the converted code. What is there gives each value back as it is, so operators, closures
and frames are those of any other run; only code that this transpiler made pays for it.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast

from autograph_rs.converters import Pass, Pipeline
from autograph_rs.converters.analysis import dotted
from autograph_rs.converters.places import Span
from autograph_rs.converters.trees import (
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

from ..transpiler import Transpiler
from .sites import Site

STATEMENTS = ("if_stmt", "while_stmt", "for_stmt")
ASKED: dict[str, tuple[int, ...]] = {
    "if_stmt": (0,), "if_exp": (0,), "not_": (0,), "assert_stmt": (0,), "list_comp": (0,), "in_": (0, 1),
    "not_in": (0, 1), "and_": (0,), "or_": (0,), "get_item": (0, 1), "set_item": (0, 1, 2), "guard": (0,),
    "keep": (0,), "fmt": (0,),
}  # fmt: skip
"""By which of its arguments an operator decides."""
_CLOSURES = ("get_state", "set_state", "loop_test")


class Watching(Transpiler):
    """A transpiler whose functions note what they do, in `sites`."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self._file = ""
        self._done: set[Any] = set()
        self.kinds: dict[tuple[int, int], Any] = {}
        own = {"watching": self}
        pipeline = Pipeline().add(type("Kinds", (_Kinds,), own), before="Normalise")
        super().__init__(passes=pipeline.add(type("Sites", (_Sites,), own)))
        self._verifies = False  # the passes are ours, and tested
        vars(self._cell.cell_contents)["at"] = self.sites.__getitem__

    def _convert(self, f: types.FunctionType, text: str | None) -> Any:
        self._file = f.__code__.co_filename
        try:
            return super()._convert(f, text)
        finally:
            self._done.clear()
            self.kinds.clear()

    def add(self, span: Span, operator: str, **more: Any) -> int:
        self.sites.append(Site(self._file, span, operator, **more))
        return len(self.sites) - 1

    def begins(self, function: gast.AST) -> set[Any]:
        """The functions of a tree that are done before one that holds them."""
        self._done.add(function)
        return self._done - {function}

    def watched(self, f: Callable[..., Any], source: str | None = None) -> Callable[..., Any]:
        """`f`, converted; each call forgets what was noted before."""
        converted = self.to_graph(f, source=source)

        def anew(*args: Any, **kwargs: Any) -> Any:
            for site in self.sites:
                site.forget()
            return converted(*args, **kwargs)

        return anew


class _Kinds(Pass):
    """Notes what statement of the user stands where, before the others change them."""

    watching: Watching

    def run(self, function: gast.AST) -> None:
        stack = [*function.body] if isinstance(function.body, list) else []
        while stack:
            statement = stack.pop()
            self.watching.kinds[Span.of(statement).start] = type(statement)
            if type(statement) not in FUNCTIONS:
                stack.extend(inner for block in blocks(statement) for inner in block)


class _Sites(Pass):
    """Puts a site around whatever an operator looks at, before each statement, and around its value."""

    watching: Watching

    def run(self, function: gast.AST) -> None:
        self.known = self.watching.begins(function)
        self.closures: dict[str, gast.AST] = {}
        self.place = Span(0, 0, 0, 0)
        if isinstance(function.body, list):
            self._block(function.body, function)
        else:
            function.body = self._expression(function.body)

    def _add(self, node: gast.AST, operator: str, **more: Any) -> int:
        """A site where a node stands; one that the conversion added without a place is in its statement's."""
        return self.watching.add(Span.of(node) if hasattr(node, "lineno") else self.place, operator, **more)

    def _block(self, body: list[gast.AST], owner: gast.AST) -> None:
        start = docstring_length(body) if isinstance(owner, (*FUNCTIONS, gast.ClassDef)) else 0
        made = body[:start]
        for statement in body[start:]:
            if hasattr(statement, "lineno"):
                self.place = Span.of(statement)
            if self._is_users(statement):
                number = self._add(statement, "", text=type(statement).__name__)
                made.append(at(gast.Expr(at(_note(number, "ran"), statement)), statement))
                self._value(statement)
            self._statement(statement)
            made.append(statement)
        body[:] = made

    def _is_users(self, statement: gast.AST) -> bool:
        """Whether a statement stands for one of the user's, as an assignment may for a `return`."""
        kind = type(statement)
        if kind is gast.Expr and operator_name(statement.value) in STATEMENTS:
            return False
        if kind in (gast.Global, gast.Nonlocal) or not hasattr(statement, "lineno"):
            return False
        if getattr(statement, "name", None) in self.context.functions:
            return False
        if kind is gast.AnnAssign and statement.value is None:
            return False
        users = self.watching.kinds.get(Span.of(statement).start)
        if users is None or (kind is gast.Return and users is not kind):
            return False
        return kind is users or not {"body", "cases"} & {*users._fields}

    def _statement(self, statement: gast.AST) -> None:
        if type(statement) in FUNCTIONS:
            if statement.name in self.context.functions:
                self.closures[statement.name] = statement
                if not statement.name.startswith(_CLOSURES[:2]):
                    self._added(statement)
            elif statement not in self.known:
                raise AssertionError("an inner function comes before the one that holds it")
            statement.decorator_list = [self._expression(d) for d in statement.decorator_list]
            return
        held = [*blocks(statement)]
        for name in statement._fields:
            value = getattr(statement, name, None)
            if isinstance(value, gast.expr):
                setattr(statement, name, self._expression(value))
            elif isinstance(value, list) and not any(value is block for block in held):
                setattr(statement, name, [self._part(v) for v in value])
        self._python(statement)
        for block in held:
            self._block(block, statement)

    def _added(self, closure: gast.AST) -> None:
        if closure.name.startswith(_CLOSURES):
            for statement in closure.body:
                if type(statement) is gast.Return and statement.value is not None:
                    statement.value = self._expression(statement.value)
        else:
            self._block(closure.body, closure)

    def _part(self, part: Any) -> Any:
        """An item, a handler or a case of a statement; what is an expression in it."""
        if isinstance(part, gast.expr):
            return self._expression(part)
        for name in getattr(part, "_fields", ()):
            value = getattr(part, name, None)
            if isinstance(value, gast.expr) and name != "pattern":
                setattr(part, name, self._expression(value))
        return part

    def _python(self, statement: gast.AST) -> None:
        """Conditions and loops that are left to Python."""
        kind = type(statement)
        if kind is gast.If or kind is gast.While:
            number = self._add(statement, kind.__name__)
            asked = "asked" if kind is gast.If else "asked_again"
            statement.test = at(_note(number, asked, statement.test), statement.test)
        elif kind is gast.For:
            number = self._add(statement, "For")
            statement.iter = at(_note(number, "iterated", statement.iter, constant(False)), statement.iter)

    def _value(self, statement: gast.AST) -> None:
        kind, value = type(statement), getattr(statement, "value", None)
        values = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.Return, gast.Expr)
        if value is None or kind not in values:
            return
        number = self._add(statement, "value")
        before = [load(statement.target.id)] if _is_augmented(statement) else []
        for read in before:
            at(read, statement.target)
        statement.value = at(_note(number, "made", value, *before), value)

    # Expressions

    def _expression(self, node: gast.AST) -> gast.AST:
        """An expression whose operator calls have sites, the innermost first."""
        if isinstance(node, gast.Lambda) and node in self.known:
            return node
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, [self._expression(v) if isinstance(v, gast.AST) else v for v in value])
            elif isinstance(value, gast.AST):
                setattr(node, name, self._expression(value))
        name = operator_name(node)
        if name is not None:
            self._operator(name, node)
        elif type(node) is gast.Call and _is_print(node.func):
            number = self._add(node, "value")
            node.args = [a if type(a) is gast.Starred else at(_note(number, "made", a), a) for a in node.args]
        return node

    def _operator(self, name: str, call: gast.Call) -> None:
        args = call.args
        if name == "callee":
            number = self._add(call, name, text=_shown(args[0]))
            args[0] = at(_note(number, "called", args[0]), args[0])
        elif name == "while_stmt":
            number = self._control(name, call)
            test = self.closures[args[0].id].body[-1]
            test.value = at(_note(number, "asked_again", test.value), test.value)
            args[-1] = at(_note(number, "begun", args[-1]), args[-1])
        elif name == "for_stmt":
            number = self._control(name, call)
            options = constant(len(args[-1].keys) > 1)
            args[0] = at(_note(number, "iterated", args[0], options), args[0])
        elif name in ASKED:
            number = self._control(name, call) if name == "if_stmt" else self._add(call, name)
            for place in ASKED[name]:
                taken = args[place]
                if isinstance(taken, gast.Lambda):
                    taken.body = at(_note(number, "asked", taken.body), taken.body)
                elif not isinstance(taken, gast.Starred):
                    args[place] = at(_note(number, "asked", taken), taken)

    def _control(self, name: str, call: gast.Call) -> int:
        test, added = call.args[0], self.context.namer.added
        here = Span.of(call) if hasattr(call, "lineno") else self.place
        state = tuple(c.value for c in call.args[-2].elts if c.value not in added)
        is_flag = (getattr(test, "lineno", 0), getattr(test, "col_offset", 0)) == here.start
        return self._add(call, name, state=state, is_own=not is_flag)


def _is_augmented(statement: gast.AST) -> bool:
    return type(statement) is gast.AugAssign and isinstance(statement.target, gast.Name)


def _is_print(function: gast.AST) -> bool:
    """Whether a call is one of the `print` that is an effect of what a backend builds."""
    called = function.args[0] if operator_name(function) == "callee" else function
    return type(called) is gast.Call and _shown(called.args[-1]) == "print"


def _note(number: int, method: str, *values: gast.AST) -> gast.Call:
    """`ag__.at(number).method(*values)`"""
    place = attribute(operator("at", constant(number)), method)
    return gast.Call(place, [*values], [])


def _shown(function: gast.AST) -> str:
    if operator_name(function) == "framed":
        function = function.args[0]
    return dotted(function) or ""
