"""`explain` of what is seldom given: odd errors, odd objects, functions that calls leave as they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import autograph_rs as ag


@ag.do_not_convert
def stays(x):
    return 1 if x > 0 else 2


@pytest.mark.parametrize(
    "look", [ag.explain, lambda f: ag.explain(f, 1), ag.to_code, ag.to_code.__self__.source_map]
)
def test_what_is_only_shown_is_left_as_before(look):
    """A function that calls leave as it is they leave after it was looked at, too."""
    look(stays)
    with pytest.raises(ag.StagingError, match="that was not converted"):
        ag.function(lambda x: stays(x) + 0)(np.float64(1))


@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    code: int


def circular(x):
    try:
        raise Frozen(2)
    except Frozen as error:
        raise error from error


def test_errors_that_are_odd():
    """One that is its own cause, whose attributes cannot be set, or whose text no file can hold."""
    report = ag.explain(circular, np.float64(1))
    assert report.error == Frozen(2)
    assert report.error.__traceback__ is None
    assert report.error_line == report.line + 2


def unwritable(x):
    raise ValueError("\udcff")


def test_an_error_that_cannot_be_encoded(tmp_path):
    ag.explain(unwritable, np.float64(1)).to_html(tmp_path / "page.html")
    assert "ValueError: &#56575;" in (tmp_path / "page.html").read_text(encoding="utf-8")


class Forward:
    def forward(self, x):
        return x

    def __call__(self, x):
        return self.forward(x) if x > 0 else x


def test_an_object_is_what_its_call_does():
    """`forward` is what the modules of PyTorch run, and nobody else's."""
    assert ag.explain(Forward()).name == "Forward.__call__"
    assert ag.explain(Forward(), np.float64(1)).statements[0].what == "staged"


class Unoptimised:
    @ag.function(optimise=False)
    def m(self, x):
        return x * (x + 1) + x * (x + 1)


def test_the_graph_is_that_of_the_method():
    made = Unoptimised()
    traced = made.m.get_concrete_function(np.float64(1)).graph
    assert ag.explain(made.m, np.float64(1)).graph.count("mul") == traced.count("mul") == 2


def tried(x):
    for _ in range(2):
        count = 0
        try:
            while count < 10:
                count += 1
                if count == 3:
                    raise ValueError
                x = x + 1
        except ValueError:
            pass
    return x


def test_a_while_that_is_left_by_an_exception():
    """Its next run is another one, and the round that was begun is counted."""
    report = ag.explain(tried, np.float64(1))
    assert (report[report.line + 4].what, report[report.line + 4].times) == ("unrolled", 3)


def test_a_graph_is_no_function():
    concrete = Unoptimised().m.get_concrete_function(np.float64(1))
    with pytest.raises(ag.ArgumentError, match=r"(?s)no user code.*print the graph"):
        ag.explain(concrete, np.float64(1))


def halve(x):
    return x / 2


def calls_of_inner_names(x, fs):
    def inner(halve):
        return halve(x)

    return inner(len), [halve(x) for halve in fs]


def test_a_name_of_an_inner_function_is_no_global():
    """Before it runs nobody knows what a parameter of an inner function, or of a comprehension, is."""
    found = {c.callee: c.converted for c in ag.explain(calls_of_inner_names).calls}
    assert found == {"halve": None, "inner": None}


def test_what_cannot_be_iterated_has_no_iterations():
    def f(x):
        for i in 5:
            x = x + i
        return x

    report = ag.explain(f, np.float64(1))
    assert isinstance(report.error, TypeError)
    assert "no iterations" not in str(report)


def search(x, steps):
    for step in range(steps):
        x = x / 2
        if x < 1:
            return step
    while x > 0 and not x > 50:
        x = x - 1
        if x < 30:
            break
    while x > 0:
        x = x - 1
        if x < 20:
            break
    return -1


def test_operators_that_jumps_add_are_not_shown():
    """A loop with a jump tests a flag; the report shows only the user's own `and` and `not`."""
    traced, converted = ag.explain(search, np.float64(100), np.int64(5)), ag.explain(search)
    for report in (traced, converted):
        loops = [s for s in report if s.text.startswith(("for", "while"))]
        words = [[w.partition(":")[0].removeprefix("ag__.") for w in s.why] for s in loops]
        assert [sorted({*w} & {"and_", "not_"}) for w in words] == [[], ["and_", "not_"], []]
