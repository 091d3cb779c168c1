"""The pipeline keeps its promises and names a pass that does not; names."""

from __future__ import annotations

import inspect
import textwrap
from typing import ClassVar

import gast
import pytest
from cases_support import ALL

from autograph_rs import converters
from autograph_rs.converters.passes.normalise import Normalise
from autograph_rs.converters.trees.names import Namer, summarize
from autograph_rs.testing import Sample

# All of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [pytest.param(sample, id=sample.id) for sample in ALL])
def test_samples_verified(sample: Sample):
    tree = gast.parse(textwrap.dedent(inspect.getsource(sample.function))).body[0]
    converters.convert_tree(tree, verify=True)


class KeepsAssert(Normalise):
    """A bad pass: it says that it removes what it leaves."""

    removes: ClassVar = (gast.Assert,)

    def run(self, function: gast.AST) -> None:
        pass


class BreaksTree(converters.Pass):
    """A bad pass: what it makes does not compile."""

    removes: ClassVar = ()

    def run(self, function: gast.AST) -> None:
        function.body = [gast.Break()]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (KeepsAssert, "KeepsAssert left Assert in place at line 2"),
        (BreaksTree, "BreaksTree produced a tree that does not compile: 'break' outside loop"),
    ],
)
def test_a_bad_pass_is_named(bad: type, message: str):
    tree = gast.parse("def f(x):\n  assert x").body[0]
    with pytest.raises(converters.PassError, match=message):
        converters.convert_tree(tree, passes=(bad,), verify=True)


def test_a_pass_says_how_it_runs():
    tree = gast.parse("def f(): pass").body[0]
    with pytest.raises(TypeError, match="Pass does not define run"):
        converters.convert_tree(tree, passes=(converters.Pass,))


# Names -------------------------------------------------------------------------------------


def test_namer_keeps_clear_of_what_is_taken():
    namer = Namer({"a", "a_1", "b"})
    assert [namer.fresh(s) for s in ("a", "a", "b", "c", "c")] == ["a_2", "a_3", "b_1", "c", "c_1"]


def test_survey_finds_names_in_every_role():
    source = """
def f(a, *b, c=d, **e):
    global g
    import h.i as j
    k.l(m=n)
    class o: pass
    try: pass
    except p as q: pass
    match r:
        case s(t=u, **v): pass
"""
    source = source.replace("s(t=u, **v)", "{'z': s, **v}")
    expected = {"f", "a", "b", "c", "d", "e", "g", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "v"}
    assert expected <= summarize(gast.parse(source)).names
