"""Maps of converted modules: tracebacks and code that speak of the user's file, lines and functions."""

from __future__ import annotations

import importlib.util
import inspect
import shutil
import sys
import traceback
import types
from pathlib import Path

import pytest
from test_rewriting import each_source

import autograph_rs as ag
from autograph_rs.ahead_of_time.modules import convert_module
from autograph_rs.runtime.debugging.source_maps import SUFFIX, SourceMap

each_form = pytest.mark.parametrize("staged_only", [False, True])


def loaded(folder: Path, text: str, *, staged_only: bool = False) -> types.ModuleType:
    """A module that was converted with a map, in another folder than the user's file."""
    (folder / "src").mkdir()
    (folder / "out").mkdir()
    original = folder / "src" / "program.py"
    original.write_text(text, encoding="utf-8")
    made = convert_module(text, str(original), header="# made", mapped=True, staged_only=staged_only)
    assert made is not None
    target = folder / "out" / "program.py"
    target.write_text(made.text, encoding="utf-8")
    source_map = made.source_map("../src/program.py")
    target.with_name(target.name + SUFFIX).write_text(source_map.to_json("program.py"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mapped_program", target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(code: types.CodeType) -> set[tuple[str, int]]:
    """The lines of a function's code and of what it holds, by the names of the functions."""
    own = {(code.co_qualname, line) for _, _, line in code.co_lines() if line is not None}
    return own.union(*(lines(c) for c in code.co_consts if isinstance(c, types.CodeType)))


PROGRAM = '''
import functools


def kept(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner


@kept
def scaled(xs, by):
    """Divides.

    Each."""
    out = []
    for x in xs:
        if x < 0:  # no
            continue
        out.append(
            sum([
                x,
                x / by,
            ])
        )
    return out


class Model:
    def run(self, xs):
        if xs:
            return [
                self.one(x) for x in xs
            ]
        return None

    def one(self, x):
        def check():
            if x > 3:
                raise ValueError(
                    x
                )
            return x
        return check()
'''


@each_form
def test_tracebacks_name_the_users_lines(tmp_path: Path, staged_only: bool) -> None:
    """File, line, function and the text of the line, as those of `to_graph` do."""
    module = loaded(tmp_path, PROGRAM, staged_only=staged_only)
    for call, line, text in (
        (lambda: module.scaled([1, -1, 2], 0), "x / by,", "scaled"),
        (lambda: module.Model().run([1, 5]), "raise ValueError(", "check"),
    ):
        with pytest.raises((ZeroDivisionError, ValueError)) as caught:
            call()
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.line, last.name) == (str(tmp_path / "src/program.py"), line, text)


@each_form
def test_code_has_the_lines_that_to_graph_gives(tmp_path: Path, staged_only: bool) -> None:
    """And the names of functions: those that were added do not show. The user's own body has its own."""
    module = loaded(tmp_path, PROGRAM, staged_only=staged_only)
    original: dict[str, object] = {"__name__": "program"}
    file = str(tmp_path / "src/program.py")
    exec(compile(PROGRAM, file, "exec"), original)
    for name in ("scaled", "Model.run", "Model.one"):
        holder, _, last = name.rpartition(".")
        one, two = (
            getattr(space[holder], last) if holder else space[last].__wrapped__  # type: ignore[attr-defined,index]
            for space in (vars(module), original)
        )
        expected = lines(ag.to_graph(two).__code__) | (set() if staged_only else lines(two.__code__))
        assert {qualname for qualname, _ in lines(one.__code__)} == {qualname for qualname, _ in expected}
        body = two.__code__.co_firstlineno + 1 + (name == "scaled")
        rows = [{line for _, line in found if line > body} for found in (lines(one.__code__), expected)]
        assert rows[0] == rows[1]
        assert one.__code__.co_firstlineno == two.__code__.co_firstlineno
        assert one.__code__.co_filename == file


def test_the_choice_of_a_form_is_on_the_first_line_of_the_body() -> None:
    """So neither a debugger nor coverage.py sees a line that the user's body lacks."""
    made = convert_module(PROGRAM, "program.py", mapped=True)
    assert made is not None
    source_map = made.source_map("program.py")
    rows = [number for number, line in enumerate(made.lines, 1) if line.text.strip() == "if ag__.STAGING:"]
    texts = [PROGRAM.splitlines()[source_map.original(row)[1] - 1].strip() for row in rows]
    assert texts == [
        "@functools.wraps(f)",
        "return f(*args)",
        "out = []",
        "if xs:",
        "def check():",
        "if x > 3:",
    ]


def test_an_asynchronous_generator_without_operators_stays() -> None:
    """Beside one that is replaced, since it has its staged form alone."""
    text = "async def plain(xs):\n    async for x in xs: yield x\nasync def f(x):\n    yield not x\n"
    made = convert_module(text, "program.py", mapped=True)
    assert made is not None
    assert text[: text.index("async def f")] in made.text
    assert made.text.count("@ag__.mapped") == 1


def test_a_map_that_is_lost_or_broken(tmp_path: Path) -> None:
    """Without one, lines are those of the converted file; a broken one is warned of."""
    module = loaded(tmp_path, PROGRAM)
    target = Path(str(module.__file__))
    beside = target.with_name(target.name + SUFFIX)
    empty = '{"version": %d, "sources": [%s], "mappings": "%s"}'
    broken = ["{", '{"version": 3}', empty % (2, '"a"', ""), empty % (3, "3", "AAAA")]
    of_another = [empty % (3, '"src/program.py"', mappings) for mappings in ("", "AAZA", "AAgggggggggggC")]
    for content in (None, *broken, *of_another):
        copy = tmp_path / f"copy{hash(content)}.py"
        copy.write_bytes(target.read_bytes())
        spec = importlib.util.spec_from_file_location("copied_program", copy)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        if content is None:
            spec.loader.exec_module(made)
        else:
            copy.with_name(copy.name + SUFFIX).write_text(content)
            with pytest.warns(
                RuntimeWarning, match="not a source map of revision 3|another version of its file"
            ):
                spec.loader.exec_module(made)
        assert made.scaled.__wrapped__.__code__.co_filename == str(copy)
        assert made.Model().run([1, 2]) == [1, 2]
    assert beside.exists()


def test_a_file_that_has_moved_without_the_users(tmp_path: Path) -> None:
    """Lines of a file that is not there would be read in another one."""
    module = loaded(tmp_path, PROGRAM)
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "src").rename(tmp_path / "elsewhere")
    target = tmp_path / "moved" / "program.py"
    spec = importlib.util.spec_from_file_location("moved_program", target)
    assert spec is not None
    assert spec.loader is not None
    moved = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(moved)
    assert moved.Model.run.__code__.co_filename == str(target)
    assert "ag__." in inspect.getsource(moved.Model.run)
    assert module.Model.run.__code__.co_filename != str(target)


def test_a_map_that_has_changed(tmp_path: Path) -> None:
    """A module that is converted and loaded again has the lines of now."""
    module = loaded(tmp_path, PROGRAM)
    before = module.Model.run.__code__.co_firstlineno
    for folder in ("src", "out"):
        shutil.rmtree(tmp_path / folder)
    again = loaded(tmp_path, "\n" * 7 + PROGRAM)
    assert again.Model.run.__code__.co_firstlineno == before + 7


@pytest.mark.slow
@each_source
@each_form
def test_a_map_survives_its_text(file: Path, staged_only: bool) -> None:
    """And each kept line is mapped to itself."""
    text = file.read_text(encoding="utf-8")
    made = convert_module(text, str(file), header="# made", mapped=True, staged_only=staged_only)
    if made is None:
        return
    source_map = made.source_map(file.name)
    assert SourceMap.from_json(source_map.to_json("made.py")) == source_map
    wanted = text.split("\n")
    for number, line in enumerate(made.lines, 1):
        if line.original_row:
            assert line.text == wanted[line.original_row - 1]
            assert source_map.original(number)[1] == line.original_row
    rows = [row for _, _, row, _ in source_map.segments]
    assert all(1 <= row <= len(wanted) for row in rows)


if sys.version_info >= (3, 12):

    def test_functions_with_type_parameters(tmp_path: Path) -> None:
        module = loaded(
            tmp_path, "def f[T: int](x: T) -> T:\n    if x:\n        return 1 / x\n    return 1 / 0\n"
        )
        with pytest.raises(ZeroDivisionError) as caught:
            module.f(0)
        assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 4
