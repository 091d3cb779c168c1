"""coverage.py counts of converted code the lines and branches that it counts of the original.

Each program is written to a file and imported while coverage.py measures, with its C tracer, its Python
tracer, and by `sys.monitoring` where Python has it. What differs all the same is in docs/debugging.md.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage
import pytest
from debugging_support import ROOT, line_of, load, python

import autograph_rs as ag
from autograph_rs.testing.harness import load as load_samples
from autograph_rs.testing.harness import run

COVERED = """\
def helper(x):
    if x > 2:
        return x
    return -x


def branches(x):
    y = 0
    if x > 10:
        y = 1
        return y
    elif x > 5:
        y = 2
    elif x > 2:
        pass
    else:
        y = (
            x
            + 3
        )
    if y:
        y += 1
    return y if y > 3 else (
        -y
    )


def loops(xs, stop):
    total = 0
    for x in xs:
        if x < 0:
            continue
        if x == stop:
            break
        n = x
        while n > 0:
            n -= 1
            if n == 5:
                return total
            total += 1
        else:
            total += 100
    else:
        total += 1000  # for else
    return total


def guarded(x):
    log = []
    try:
        log.append(1 / x)
        if x > 1:
            raise KeyError(x)
    except ZeroDivisionError:
        log.append("zero")
    except KeyError:
        return log
    else:
        log.append("fine")
    finally:
        log.append("done")
    return log


def nested(xs):
    def scale(x):
        if x > 1:
            return x * 2
        return x

    total = 0
    for x in [scale(x) for x in xs if x]:
        total += helper(x)
    assert total is not None, \\
        "never"
    return sorted(
        xs,
        key=lambda x:
            -x,
    )


def matches(x):
    match x:
        case 0 | 1:
            found = "few"
        case [a, b] if a > b:
            found = "pair"
        case _:
            found = "other"
    return found
"""
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    *(("branches", (x,)) for x in (11, 6, 3, 1)),
    ("loops", ([], 0)),
    ("loops", ([0], 9)),
    ("loops", ([-1, 2, 3], 3)),
    ("loops", ([-1, 2, 3], 4)),
    ("loops", ([1, 8], 4)),
    *(("guarded", (x,)) for x in (0, 1, 2)),
    ("nested", ([],)),
    ("nested", ([1, 0, 3],)),
    *(("matches", (x,)) for x in (1, [2, 1])),  # a `case` that always matches is no line
]


TRACERS = ["ctrace", "pytrace", *(["sysmon"] if sys.version_info >= (3, 12) else [])]
SAMPLES = ("if_", "while_", "for_list", "for_jumps", "return_", "try_", "match_", "classes", "functions")
DIFFERENT = {
    # a `case` that always matches is no line
    "literals", "or_patterns", "nested", "subject_read_once", "tuple_subject", "commands",
    # a `match` that ends the function, of which no case needs to match
    "floats", "singletons", "lists_of_staged_length",
    # conditions that are too many to be nested
    "thirty_arms",
    # jumps out of a `try`
    "if_in_every_part", "break_in_try",
}  # fmt: skip
"""Samples whose branches differ: the rows of the table in docs/debugging.md."""


def measured(file: Path, use: Callable[[Any], None], *, branch: bool) -> tuple[set, set]:
    """Lines and branches that coverage.py reports while a file is imported and used."""
    measure = coverage.Coverage(data_file=None, config_file=False, include=[str(file)], branch=branch)
    measure.start()
    try:
        use(load(file))
    finally:
        measure.stop()
    report = file.with_suffix(".json")
    measure.json_report(outfile=str(report))
    [found] = json.loads(report.read_text(encoding="utf-8"))["files"].values()
    return set(found["executed_lines"]), {tuple(arc) for arc in found.get("executed_branches", ())}


@pytest.fixture
def file(tmp_path, monkeypatch):
    made = tmp_path / "user_code.py"
    made.write_text(COVERED, encoding="utf-8")
    monkeypatch.delenv("COVERAGE_CORE", raising=False)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("tracer", TRACERS)
def test_the_same_lines(file, tracer, monkeypatch):
    """Taken and untaken branches, zero-trip loops, jumps, handlers: the lines of the original."""
    monkeypatch.setenv("COVERAGE_CORE", tracer)
    for name, args in CALLS:

        def use(module, convert, name=name, args=args):
            convert(getattr(module, name))(*args)

        plain = measured(file, lambda module: use(module, lambda f: f), branch=False)
        made = measured(file, lambda module: use(module, ag.to_graph), branch=False)
        assert made == plain, (name, args)


@pytest.mark.slow
@pytest.mark.parametrize("tracer", ["ctrace", "pytrace"])
@pytest.mark.parametrize("name", sorted({name for name, _ in CALLS} - {"matches"}))
def test_the_same_branches(file, tracer, name, monkeypatch):
    """After each call, and after all of them."""
    monkeypatch.setenv("COVERAGE_CORE", tracer)
    calls = [args for other, args in CALLS if other == name]
    for some in (*([args] for args in calls), calls):

        def use(module, convert, some=some):
            for args in some:
                convert(getattr(module, name))(*args)

        plain = measured(file, lambda module: use(module, lambda f: f), branch=True)
        assert measured(file, lambda module: use(module, ag.to_graph), branch=True) == plain, some


@pytest.mark.slow
@pytest.mark.parametrize("topic", SAMPLES)
def test_the_same_branches_in_samples(topic, tmp_path, monkeypatch):
    """In each sample of a topic, but for those that the documentation tells of."""
    monkeypatch.delenv("COVERAGE_CORE", raising=False)
    source = ROOT / "tests" / "cases" / f"{topic}.py"
    copy = tmp_path / f"{topic}_.py"
    copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    samples = [sample for sample in load_samples(source) if sample.name not in DIFFERENT]

    def use(module, convert):
        for sample in samples:  # each has lines of its own
            function = convert(getattr(module, sample.name))
            for arguments in sample.plain:
                run(function, arguments)

    plain = measured(copy, lambda module: use(module, lambda f: f), branch=True)
    assert measured(copy, lambda module: use(module, ag.to_graph), branch=True) == plain


def test_traced_branches_are_both_taken(tmp_path, monkeypatch):
    """A trace runs both ways of a staged condition, and coverage.py says so: nothing is left open."""
    monkeypatch.delenv("COVERAGE_CORE", raising=False)
    import numpy as np

    file = tmp_path / "user_code.py"
    file.write_text(
        textwrap.dedent("""\
        def f(x):
            y = x
            if x.sum() > 0:
                y = x * 2
            if x.sum() > 3:
                y = y + 1
            else:
                y = y - 1
            return y
        """),
        encoding="utf-8",
    )
    lines, branches = measured(file, lambda m: ag.function(m.f)(np.ones(2)), branch=True)
    assert lines == {1, 2, 3, 4, 5, 6, 8, 9}
    assert branches == {(3, 4), (3, 5), (5, 6), (5, 8)}


LOCALS = """\
def names(x):
    for i in range(2):
        if i > x:
            x = i
    return sorted(locals())
"""


def test_what_is_added_is_not_seen(tmp_path, monkeypatch):
    """Not by `locals()`, and not at all in code that was converted before coverage.py measures."""
    monkeypatch.delenv("COVERAGE_CORE", raising=False)
    file = tmp_path / "user_code.py"
    file.write_text(LOCALS, encoding="utf-8")
    shown = []

    def use(module):
        shown.append((ag.to_graph(module.names), module.names))

    use(load(file))
    measured(file, use, branch=True)
    (before, plain), (made, _) = shown
    assert made(0) == before(0) == plain(0) == ["i", "x"]
    assert made.__code__.co_code != before.__code__.co_code


def test_a_test_suite_measured_on_the_command_line(tmp_path):
    """`coverage run --branch` of a suite over converted code reports what it reports of the plain one."""
    (tmp_path / "user_code.py").write_text(COVERED, encoding="utf-8")
    suite = """\
        import sys

        import autograph_rs as ag
        import user_code

        convert = ag.to_graph if sys.argv[1:] else (lambda f: f)
        assert convert(user_code.branches)(11) == 1
        assert convert(user_code.branches)(6) == -3 or True
        assert convert(user_code.loops)([-1, 2, 3], 3) is not None
        assert convert(user_code.guarded)(0) == ["zero", "done"]
        """
    (tmp_path / "suite.py").write_text(textwrap.dedent(suite), encoding="utf-8")
    reports = []
    for arguments in ([], ["converted"]):
        done = python("-m", "coverage", "run", "--branch", "suite.py", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        report = python("-m", "coverage", "report", "-m", "--include=user_code.py", cwd=tmp_path)
        reports.append(report.stdout)
    assert "user_code.py" in reports[0]
    assert reports[0] == reports[1]


@pytest.mark.slow
def test_converted_files_count_the_users_lines(tmp_path):
    """A file that was converted ahead of time, beside its source map: the lines of the original."""
    original = tmp_path / "user_code.py"
    original.write_text(COVERED, encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    made = str(out / "made_code.py")
    done = python("-m", "autograph_rs", "convert", "--source-map", "-o", made, str(original), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    use = "import user_code\nuser_code.branches(11)\nuser_code.loops([-1, 2, 3], 3)\nuser_code.guarded(0)\n"
    (tmp_path / "plain_use.py").write_text(use, encoding="utf-8")
    (out / "made_use.py").write_text(use.replace("user_code", "made_code"), encoding="utf-8")
    found = []
    for script in (tmp_path / "plain_use.py", out / "made_use.py"):
        environ = {"PYTHONPATH": os.pathsep.join([str(script.parent), *sys.path])}
        done = python(
            "-m", "coverage", "run", f"--include={original}", str(script), cwd=tmp_path, **environ
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        done = python("-m", "coverage", "json", "-o", "-", cwd=tmp_path)
        [counted] = json.loads(done.stdout)["files"].values()
        found.append(set(counted["executed_lines"]))
    inside = {n for n in found[0] if not COVERED.splitlines()[n - 1].startswith("def ")}
    assert inside
    assert found[1] >= inside
    body_of_else = {line_of(COVERED, "for else")}
    assert found[1] - inside <= body_of_else
