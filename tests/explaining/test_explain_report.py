"""`explain`: what the report of a trace says of each construct, as an object and as text."""

from __future__ import annotations

import functools
import io
import json
import math

import numpy as np
import pytest

import autograph_rs as ag


def lines(f, *args, **kwargs):
    """The statements of a report by their place in the function: its first line is 0."""
    report = ag.explain(f, *args, **kwargs)
    assert report.error is None, repr(report.error)
    found = {}
    for statement in report:
        found.setdefault(statement.line - report.line, statement)
    return found


def what(f, *args, **kwargs):
    return {line: s.what for line, s in lines(f, *args, **kwargs).items()}


def conditions(x, flag):
    if x > 0:
        y = 1.0
    else:
        y = 2.0
    if flag:
        y = y + 1
    elif x > 10:
        y = 3.0
    return y


def test_conditions():
    """A staged one says what carries it; a plain one which way it went, and the other way did not run."""
    found = lines(conditions, np.float64(1), True)
    assert (found[1].what, found[1].backend, found[1].operator, found[1].state) == (
        "staged", "graph", "if_stmt", ("y",),
    )  # fmt: skip
    assert found[2].what == found[4].what == "plain"
    assert found[5].what == "plain"
    assert found[5].why == ("its test is plain: true once",)
    assert found[6].what == "staged"
    assert found[7].what == found[8].what == "not run"
    assert what(conditions, np.float64(1), False)[6] == "not run"
    assert what(conditions, np.float64(1), False)[7] == "staged"
    assert set(what(conditions, 1.0, False).values()) == {"plain", "not run"}


def loops(xs, n):
    total = 0.0
    for x in xs:
        total += x
    while total > 10:
        total = total / 2
    for i in range(n):
        total = total * i
    for _ in range(n):
        n = n + 0
    for _ in ():
        total = 3.0
    k = 0
    while k < n:
        k += 1
        total = total - k
    return total


def test_loops():
    """Staged by what is iterated or asked; else unrolled as often as it ran, or plain."""
    found = lines(loops, np.ones(4), 3)
    assert (found[2].what, found[2].operator, found[2].state) == ("staged", "for_stmt", ("total",))
    assert (found[4].what, found[4].operator, found[4].state) == ("staged", "while_stmt", ("total",))
    assert (found[6].what, found[6].times) == ("unrolled", 3)
    assert (found[8].what, found[8].times) == ("plain", 3)
    assert (found[10].what, found[10].times) == ("plain", 0)
    assert found[11].what == "not run"
    assert (found[13].what, found[13].times) == ("unrolled", 3)
    assert found[14].what == "plain"
    assert found[15].what == "staged"


def staged_later(x):
    count = 0
    while count < 2 or x > 100:
        count += 1
        x = x / 2
    return x


def test_a_loop_that_is_staged_after_some_rounds():
    found = lines(staged_later, np.float64(3))
    assert (found[2].what, found[2].times) == ("staged", 2)
    assert "2 iterations before its test was staged" in found[2].why


def nested(xs, n):
    for x in xs:
        for i in range(n):
            if i == 1:
                x = x + i
        if x > 3:
            break
    return xs


def test_what_is_in_a_staged_body():
    """Its rounds are those of one run, however often the body was traced."""
    found = lines(nested, np.ones(4), 3)
    assert found[1].what == "staged"
    assert (found[2].what, found[2].times) == ("unrolled", 3)
    assert found[3].why == ("its test is plain: true and false",)
    assert found[5].what == "staged"


def left(x):
    for step in range(2):
        if step == 0:
            await_it = yield x
        x = x + 1
    return await_it


def using_left(x):
    def inner(y):
        for step in range(2):
            if step == y:
                yield y

    return list(inner(x))


def test_what_is_left():
    """A statement that stays says why, before it runs and after."""
    static, report = ag.explain(left), ag.explain(using_left, 3)
    assert static[static.line + 2].what == "left"
    assert "it contains 'yield'" in "".join(static[static.line + 2].why)
    assert static.findings[0].code == "AG001"
    assert report[report.line + 2].what == "left"
    assert "it contains 'yield'" in "".join(report[report.line + 2].why)


def guarded(x):
    for step in range(2):
        try:
            pass
        finally:
            if x > step:
                break  # noqa: B012 - it is what keeps the condition in Python
    return x


def test_an_error_is_part_of_the_report():
    """Up to there it says what happened; the frames are let go."""
    report = ag.explain(guarded, np.float64(1))
    assert isinstance(report.error, ag.StagingError)
    assert report.error.__traceback__ is None
    assert report.error_line == report.line + 5
    assert report.graph is None
    assert report[report.line + 7].what == "not run"
    assert "UnsupportedPlaceError" in str(report)
    assert f"> {report.error_line}" in str(report)


def expressions(x, xs, flag):
    y = x if x > 0 else -x
    z = x > 0 and flag
    w = not z
    v = xs[xs.argmax()]
    u = [item for item in xs if item > 2]
    assert x > -100
    s = f"{x}"
    a = 1 if flag else 3
    print(x)
    return y, z, w, v, u, s, a


def test_expressions():
    found = lines(expressions, np.float64(1), np.ones(3), True)
    operators = {line: s.operator for line, s in found.items() if s.what == "staged"}
    named = {1: "if_exp", 2: "and_", 3: "not_", 4: "get_item", 5: "list_comp", 6: "assert_stmt"}
    assert operators == {**named, 7: "", 9: "", 10: ""}
    assert found[8].what == "plain"


def matched(x, kind):
    match kind:
        case "double":
            return x * 2
        case "half":
            return x / 2
    return x


def test_match():
    found = lines(matched, np.float64(1), "half")
    assert found[3].what == "not run"
    assert found[5].what == "staged"


def test_lambdas_and_inner_functions():
    def outer(x):
        def inner(y):
            if y > 0:
                return y
            return -y

        return inner(x)

    found = lines(outer, np.float64(1))
    assert (found[2].what, found[2].depth) == ("staged", 1)
    report = ag.explain(lambda x: x if x > 0 else -x, np.float64(1))
    [statement] = report
    assert (statement.what, statement.operator) == ("staged", "if_exp")
    assert statement.text == "x if x > 0 else -x"


class Model:
    scale = 2.0

    def plain(self, x):
        if x > 0:
            self.seen = x
        return x * self.scale

    @ag.function
    def staged(self, x):
        return x if x > 0 else self.scale

    def __call__(self, x):
        return self.plain(x)


def test_what_can_be_explained():
    """Methods, objects, partials, what `convert` and `function` made; each is the function of the user."""
    one = np.float64(1)
    assert ag.explain(Model().plain, one).name == "Model.plain"
    assert ag.explain(Model().staged, one)[ag.explain(Model.staged).line + 2].what == "staged"
    assert ag.explain(Model(), one).calls[0].callee.endswith("Model.plain")
    assert ag.explain(functools.partial(conditions, flag=True), one).name == "conditions"
    for made in (ag.convert(conditions), ag.to_graph(conditions), ag.function(conditions)):
        assert ag.explain(made, one, False) == ag.explain(conditions, one, False)
    with pytest.raises(TypeError):
        ag.explain(3)
    with pytest.raises(ag.ConversionError):
        ag.explain(eval("lambda x: x"), 1)


def test_an_input_signature_and_a_source_that_was_given():
    made = ag.function(conditions, input_signature=[ag.TensorSpec(()), ag.TensorSpec((), "bool")])
    assert lines(made, np.float64(1), np.True_)[5].what == "staged"
    text = "def twice(x):\n    if x > 0:\n        x = x * 2\n    return x\n"
    scope = {}
    exec(compile(text, "<nowhere>", "exec"), scope)
    report = ag.explain(ag.convert(scope["twice"], source=text), np.float64(1))
    assert [s.what for s in report] == ["staged", "staged", "staged"]
    assert report.source == tuple(text.splitlines())


def helper(x):
    return x + 1


@ag.do_not_convert
def marked(x):
    return x


class Made:
    def __init__(self, x):
        self.x = x


class Inherited(list):
    pass


def calling(x, given):
    helper(x)
    marked(x)
    np.tanh(x)
    math.floor(2.5)
    json.dumps({})
    Made(x)
    Inherited()
    given(x)
    with ag.do_not_convert():
        helper(x)
    if given is None:
        len([])
    return functools.partial(helper, x)()


def test_calls():
    """Each call with what it called, whether that is converted, and by which rule."""
    report = ag.explain(calling, np.float64(1), ag.convert(helper))
    found = {c.line - report.line: (c.converted, c.rule) for c in report.calls if c.line - report.line != 13}
    assert found == {
        1: (True, "it is user code"),
        2: (False, "it is marked do_not_convert"),
        3: (False, "it belongs to NumPy, and is recorded if an argument is staged"),
        4: (False, "it is not written in Python"),
        5: (False, "it belongs to the standard library"),
        6: (True, "it is user code"),
        7: (False, "the class has no Python __init__, or has its own __new__ or metaclass"),
        8: (True, "ag.convert returned it"),
        9: (False, "it is part of autograph_rs"),
        10: (False, "the call is in a do_not_convert() block"),
        12: (None, "it was not reached"),
    }
    assert report.calls[0].callee == f"{__name__}.helper"
    static = ag.explain(calling)
    before = {c.line - static.line: (c.converted, c.rule) for c in static.calls}
    assert before[1] == (True, "it is user code")
    assert before[8] == (None, "the callee is known only when the call runs")
    assert before[12] == (False, "it is a builtin, whose staged form handles staged arguments")
    assert ag.explain(marked).left == "it is marked do_not_convert"
    assert ag.explain(helper).left == ""


def test_calls_of_converted_code():
    """What `to_graph` returned, and functions that converted code defines, are converted."""
    outer = ag.to_graph(lambda x: lambda y: x if x > 0 else y)
    inner = outer(1)
    report = ag.explain(lambda x, given: outer(x)(given(x)), np.float64(1), inner)
    assert {(c.converted, c.rule) for c in report.calls} == {(True, "it is part of converted code")}


def made_once(x):
    if made_once.counter is None:
        made_once.counter = ag.Variable(0.0)
    made_once.counter.assign_add(x)
    return made_once.counter.read_value() if hasattr(made_once.counter, "read_value") else x


made_once.counter = None


def test_a_function_that_is_traced_twice_is_noted_once():
    """One that makes a Variable; the report is of the trace that stays."""
    report = ag.explain(made_once, np.float64(1))
    assert report.error is None, repr(report.error)
    assert report[report.line + 2].what == "not run"
    made_once.counter = None


def test_before_it_runs():
    """Without arguments nothing runs; the conversion says what was made."""
    report = ag.explain(loops)
    assert report.backend == ""
    assert report.graph is None
    assert [s.what for s in report][:3] == ["plain", "converted", "plain"]
    assert report[report.line + 2].operator == "for_stmt"
    assert report[report.line + 2].state == ("total",)


def test_a_report_is_data():
    report = ag.explain(conditions, np.float64(1), True)
    assert report == ag.explain(conditions, np.float64(1), True)
    assert report != ag.explain(conditions, np.float64(1), False)
    assert hash(report[report.line + 1]) == hash(report.statements[0])
    assert len(report) == len(report.statements) == 8
    data = json.loads(report.to_json())
    assert data == report.to_dict()
    assert data["statements"][0]["what"] == "staged"
    assert data["graph"] == str(report.graph)
    assert repr(report).startswith("Report(name='conditions', file=")
    with pytest.raises(KeyError, match="conditions has no statement on line 1"):
        report[1]
    text = "\n".join(
        report.converted.split("\n")[i] for i, o in enumerate(report.origins) if report.line + 6 in o
    )
    assert "y = y + 1" in text


def test_with_rich():
    rich = pytest.importorskip("rich.console")
    console = rich.Console(width=100, record=True, file=io.StringIO())
    console.print(ag.explain(guarded, np.float64(1)))
    text = console.export_text()
    assert "result" in text
    assert "unrolled" in text or "plain" in text
    assert "UnsupportedPlaceError" in text


def test_what_is_made_is_let_go():
    """The next call of the function runs the code that it ran before."""
    before = ag.to_graph(conditions).__code__
    ag.explain(conditions, np.float64(1), True)
    assert ag.to_graph(conditions).__code__ is before
    assert "at(" not in ag.to_code(conditions)
