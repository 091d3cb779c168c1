"""Errors of a user's own pass through converted code as they are: type, arguments, causes, notes, groups."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pages import errors

import autograph_rs as ag
from autograph_rs.runtime.debugging.positions import CodePosition


class Refused(Exception):
    """Needs arguments, and keeps more than those."""

    def __init__(self, code: int, *, reason: str):
        super().__init__(code)
        self.reason = reason


def plain(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def staged(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function in a graph, where its condition on `x` is a plain one of the argument `n`."""
    return ag.function(f)


ways = pytest.mark.parametrize("way", [plain, ag.to_graph, ag.convert, staged], ids=lambda way: way.__name__)


def raising(x: Any, n: int) -> Any:
    if n > 0:
        raise Refused(n, reason="too big")
    return x


@ways
def test_custom_exceptions_keep_type_arguments_and_attributes(way: Any) -> None:
    with pytest.raises(Refused) as caught:
        way(raising)(np.float64(1), 3)
    assert type(caught.value) is Refused
    assert caught.value.args == (3,)
    assert caught.value.reason == "too big"


@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    code: int


def freezing(x: Any, n: int) -> Any:
    if n > 0:
        raise Frozen(n)
    return x


@ways
def test_an_exception_whose_attributes_cannot_be_set(way: Any) -> None:
    with pytest.raises(Frozen) as caught:
        way(freezing)(np.float64(1), 3)
    assert caught.value == Frozen(3)


def translating(x: Any, table: dict[str, int]) -> Any:
    try:
        scale = table["scale"]
    except KeyError as error:
        raise Refused(1, reason="no scale") from error
    return x * scale


def in_a_handler(x: Any, table: dict[str, int]) -> Any:
    try:
        return x * table["scale"]
    except KeyError:
        raise Refused(1, reason="no scale")  # noqa: B904 - the context is what is tried


def hiding(x: Any, table: dict[str, int]) -> Any:
    try:
        return x * table["scale"]
    except KeyError:
        raise Refused(1, reason="no scale") from None


@ways
def test_causes_are_kept(way: Any) -> None:
    for f, has_cause, hides in (
        (translating, True, True),
        (in_a_handler, False, False),
        (hiding, False, True),
    ):
        with pytest.raises(Refused) as caught:
            way(f)(np.float64(1), {})
        error = caught.value
        assert isinstance(error.__context__, KeyError)
        assert error.__context__.args == ("scale",)
        assert (error.__cause__ is error.__context__) is has_cause
        assert error.__suppress_context__ is hides


def under_a_condition(x: Any) -> Any:
    try:
        int("many")
    except ValueError as error:
        if x > 0:
            raise TypeError("no number") from error
    return x


@ways
def test_a_raise_under_a_staged_condition(way: Any) -> None:
    """The graph raises it when it runs: with its own type and arguments."""
    with pytest.raises(TypeError) as caught:
        way(under_a_condition)(np.float64(1))
    assert caught.value.args == ("no number",)
    assert way(under_a_condition)(np.float64(-1)) == -1


def both(x: Any, n: int) -> Any:
    found = []
    for kind in (ValueError, KeyError)[:n]:
        try:
            raise kind("inner")
        except (ValueError, KeyError) as error:
            error.add_note("a note")
            found.append(error)
    if found:
        raise ExceptionGroup("several", [*found, ExceptionGroup("deeper", [OSError("disk")])])
    return x


@ways
def test_groups_pass_with_what_is_in_them(way: Any) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        way(both)(np.float64(1), 2)
    group = caught.value
    assert group.message == "several"
    assert [type(e) for e in group.exceptions] == [ValueError, KeyError, ExceptionGroup]
    assert [e.__notes__ for e in group.exceptions[:2]] == [["a note"], ["a note"]]
    assert group.subgroup(OSError).exceptions[0].exceptions[0].args == ("disk",)


def sorted_out(x: Any, n: int) -> Any:
    seen = []
    try:
        both(x, n)
    except* (ValueError, KeyError) as group:
        seen = [type(error).__name__ for error in group.exceptions]
    except* OSError as group:
        seen.append(group.message)
    return seen


def partly(x: Any, n: int) -> Any:
    try:
        both(x, n)
    except* ValueError:
        x = x + 1
    return x


@ways
def test_except_star(way: Any) -> None:
    """Each clause gets its part; what none takes goes on, as a group with the same message and notes."""
    assert way(sorted_out)(np.float64(1), 2) == ["ValueError", "KeyError", "several"]
    assert way(sorted_out)(np.float64(1), 0) == []
    with pytest.raises(ExceptionGroup) as caught:
        way(partly)(np.float64(1), 2)
    assert caught.value.message == "several"
    assert [type(e) for e in caught.value.exceptions] == [KeyError, ExceptionGroup]
    assert caught.value.exceptions[0].__notes__ == ["a note"]


# Errors of ours


def test_ours_are_chained_too() -> None:
    """A user's `raise ... from` of an error of ours, and one of ours from Python's."""
    with pytest.raises(ag.SourceSyntaxError) as caught:
        ag.to_graph(lambda x: x, source="lambda x: (")
    assert isinstance(caught.value.__cause__, SyntaxError)

    @ag.function
    def f(x):
        try:
            return float(x)  # no error: a staged float
        except ag.StagingError as error:
            raise Refused(1, reason="staged") from error

    assert f(np.float64(2)) == 2.0


HERE = CodePosition("model.py", 3, 3, 4, 9, "f", "Model.f", "y = x + 1")


@pytest.mark.parametrize("kind", errors(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_copies_say_the_same(kind: type[ag.AutographError], copied: Any) -> None:
    error = kind("what", why="why", remedy="remedy", rows=["x: int"], sites=[("there", HERE)], place=HERE)
    error.add_note("a note")
    other = copied(error)
    assert type(other) is kind
    assert str(other) == str(error)
    parts = ("args", "why", "remedy", "rows", "sites", "place", "__notes__")
    assert [getattr(other, part) for part in parts] == [getattr(error, part) for part in parts]


@pytest.mark.parametrize("kind", errors(), ids=lambda kind: kind.__name__)
def test_text_never_raises(kind: type[ag.AutographError]) -> None:
    """Whatever stands in it: no arguments, text that is none, files that cannot be."""
    assert str(kind()).splitlines()[-1] == f"  see: docs/errors/{kind.__name__}.md"
    odd = CodePosition("a\0b.py", 10**9, 1, 50, 2, "f", "f", "\ud800 = 1")
    said = str(kind(3, rows=[1], sites=[("", odd)], place=odd))  # type: ignore[arg-type, list-item]
    assert said.startswith("3\n")
    bare = kind.__new__(kind)
    assert isinstance(str(bare), str)


class Narrower(ag.StateError):
    """A class of a user's own, below one of ours."""


def test_a_class_of_a_user_has_the_page_of_ours() -> None:
    assert str(Narrower("what", place=None)).splitlines()[-1] == "  see: docs/errors/StateError.md"
    assert Narrower.__module__ == __name__


def test_an_error_is_of_the_builtin_kind() -> None:
    """`except TypeError` means what its author expects."""
    for kind in errors():
        assert any(base.__module__ == "builtins" and base is not object for base in kind.__mro__)
    with pytest.raises(TypeError):
        ag.to_code(3)
    with pytest.raises(FileNotFoundError) as caught:
        ag.load("nowhere.json")
    assert caught.value.filename == "nowhere.json"
    with pytest.raises(ValueError, match="no optimization"):
        ag.function(lambda x: x, optimise=["no such"])
