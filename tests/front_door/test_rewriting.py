"""A converted module's text: what is kept of the user's, where comments go, and the map back."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import textwrap
import traceback
import types
from collections import Counter
from pathlib import Path

import gast
import pytest
from cases_support import CASES, files

import autograph_rs as ag
from autograph_rs import converters
from autograph_rs.comments import comments_in
from autograph_rs.modules import IMPORT, convert_module, convert_source
from autograph_rs.rewriting import outermost_functions
from autograph_rs.runtime.source_maps import SUFFIX, SourceMap

NASTY = sorted((Path(__file__).parents[1] / "converters/nasty").glob("*.py"))
SOURCES = [*files(CASES), *(file for file in NASTY if not re.search(r"_py3(\d+)$", file.stem))]
each_source = pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)


def converted(text: str) -> str:
    return convert_source(textwrap.dedent(text).lstrip("\n"))


# Text ---------------------------------------------------------------------------------------------


@each_source
def test_the_text_is_that_of_the_converted_tree(file: Path) -> None:
    """Function by function; one without operators stays as its author wrote it."""
    text = file.read_text(encoding="utf-8")
    tree = gast.ast_to_gast(ast.parse(text))
    converters.convert_tree(tree)
    made = ast.parse(ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree))))
    for wanted, old, new in zip(
        *map(outermost_functions, (made, ast.parse(text), ast.parse(convert_source(text)))), strict=True
    ):
        is_converted = "ag__." in ast.unparse(wanted)
        assert ast.unparse(new) == ast.unparse(wanted if is_converted else old)


OF_DEAD_CODE = {"return_.py": ["# noqa"]}
"""Comments of statements that never run, which are not in the converted code."""


@each_source
def test_comments_are_kept(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    before, after = (Counter(c.text for c in comments_in(t)) for t in (text, convert_source(text)))
    assert after + Counter(OF_DEAD_CODE.get(file.name, ())) == before


def test_what_is_outside_of_functions_stays_as_it_is_written() -> None:
    text = '''
        #!/usr/bin/env python
        # A licence.
        """What it does."""
        from __future__ import annotations
        import os  ;  import sys

        TABLE = { "a" : 1,   # one
                  'b':2 }
        class  Model( object ) :
          size = 3        # of what
          double = lambda self: not self.size

          def same(self): return (self . size)   # as it is


          def positive(self):
            """Whether
            it is."""
            return not self.size   # or so

          other = [x  for x in TABLE if x]
        if TABLE :
        \tdef f(x) :
        \t\treturn x and TABLE
    '''
    expected = '''
        #!/usr/bin/env python
        # A licence.
        """What it does."""
        from __future__ import annotations
        from autograph_rs import runtime as ag__
        import os  ;  import sys

        TABLE = { "a" : 1,   # one
                  'b':2 }
        class  Model( object ) :
          size = 3        # of what
          double = lambda self: not self.size

          def same(self): return (self . size)   # as it is


          def positive(self):
              """Whether
            it is."""
              return ag__.not_(self.size)  # or so

          other = [x  for x in TABLE if x]
        if TABLE :
        \tdef f(x):
        \t    return ag__.and_(lambda: x, lambda: TABLE)
    '''
    assert converted(text) == textwrap.dedent(expected).lstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "# only this\n",
        "def f(x):\n    return x  # no calls\n",
        "class A:\n  def f(self): pass\n",
    ],
)
def test_a_module_in_which_nothing_is_converted_stays_as_it_is(text: str) -> None:
    assert convert_module(text) is None
    assert convert_source(text) == text


@pytest.mark.parametrize(
    "top",
    [
        "",
        '"""Text."""\n',
        '"""Text."""; import os\n',
        '"""A\nb."""; from __future__ import annotations; x = [\n1]\n',
        "from __future__ import (annotations,\n  division)\nimport os\n",
        "# coding: utf-8\n# more\n",
        "'a' 'b'\n\n\nimport os\n",
        "b'no docstring'\nimport os\n",
    ],
)
def test_the_runtime_is_imported_where_it_can_be(top: str) -> None:
    """After the docstring and what is of the future, and before all else that may need it."""
    text = f"{top}def f(x):\n    return not x\ny = f(0)\n"
    made = convert_source(text)
    names: dict[str, object] = {}
    exec(compile(made, "<made>", "exec"), names)
    assert names["y"] is True
    assert names.get("__doc__") == ast.get_docstring(ast.parse(text), clean=False)
    assert made.count(IMPORT) == 1
    assert convert_source(made) == made


# Comments -----------------------------------------------------------------------------------------

COMMENTS = {
    "above, beside and at the end of a block": (
        """
        def f(x):  # the function
            # first
            y = g(x)  # call
            if y:  # test
                # inside
                y = 1
                # end of branch
            # last
            return y
        """,
        """
        def f(x):  # the function
            # first
            y = ag__.callee(g)(x)  # call

            def if_body():
                nonlocal y
                # inside
                y = 1
                # end of branch

            def get_state():
                return (y,)

            def set_state(values):
                nonlocal y
                y, = values
            ag__.if_stmt(y, if_body, ag__.nothing, get_state, set_state, ('y',), 1)  # test
            # last
            return y
        """,
    ),
    "between the lines of one statement": (
        """
        def f(x, y):
            return g(  # why
                x,  # the first
                # alone
                y,
            )  # the end
        """,
        """
        def f(x, y):
            # why
            # the first
            # alone
            return ag__.callee(g)(x, y)  # the end
        """,
    ),
    "in the head of a function": (
        """
        @a  # once
        # twice
        @b
        def f(
            x,  # this
            y,  # that
        ):  # noqa
            # body
            return not x
        """,
        """
        # once
        # twice
        # this
        # that
        @a
        @b
        def f(x, y):  # noqa
            # body
            return ag__.not_(x)
        """,
    ),
    "by words that are no statements": (
        """
        def f(x):
            try:  # to
                g(x)
            except E:  # if it fails
                pass  # well
            else:  # or not
                h(x)
            finally:  # always
                k(x)
        """,
        """
        def f(x):
            try:  # to
                ag__.callee(g)(x)
            except E:
                # if it fails
                pass  # well
            else:
                # or not
                ag__.callee(h)(x)
            finally:
                # always
                ag__.callee(k)(x)
        """,
    ),
    "no comments": (
        """
        def f(x):
            y = "# no comment"  # one
            return g(y, '''
        # nor this''')
        """,
        """
        def f(x):
            y = '# no comment'  # one
            return ag__.callee(g)(y, '\\n# nor this')
        """,
    ),
}


@pytest.mark.parametrize("name", COMMENTS)
def test_comments_stay_with_their_statements(name: str) -> None:
    before, after = (textwrap.dedent(text).lstrip("\n") for text in COMMENTS[name])
    assert convert_source(before) == f"{IMPORT}\n{after}"


# Maps ---------------------------------------------------------------------------------------------


def loaded(folder: Path, text: str) -> types.ModuleType:
    """A module that was converted with a map, in another folder than the user's file."""
    (folder / "src").mkdir()
    (folder / "out").mkdir()
    original = folder / "src" / "program.py"
    original.write_text(text, encoding="utf-8")
    made = convert_module(text, str(original), header="# made", mapped=True)
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


def test_tracebacks_name_the_users_lines(tmp_path: Path) -> None:
    """File, line, function and the text of the line, as those of `to_graph` do."""
    module = loaded(tmp_path, PROGRAM)
    for call, line, text in (
        (lambda: module.scaled([1, -1, 2], 0), "x / by,", "scaled"),
        (lambda: module.Model().run([1, 5]), "raise ValueError(", "check"),
    ):
        with pytest.raises((ZeroDivisionError, ValueError)) as caught:
            call()
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.line, last.name) == (str(tmp_path / "src/program.py"), line, text)


def test_code_has_the_lines_that_to_graph_gives(tmp_path: Path) -> None:
    """And the names of functions: those that were added do not show."""
    module = loaded(tmp_path, PROGRAM)
    original: dict[str, object] = {"__name__": "program"}
    file = str(tmp_path / "src/program.py")
    exec(compile(PROGRAM, file, "exec"), original)
    for name in ("scaled", "Model.run", "Model.one"):
        holder, _, last = name.rpartition(".")
        one, two = (
            getattr(space[holder], last) if holder else space[last].__wrapped__  # type: ignore[attr-defined,index]
            for space in (vars(module), original)
        )
        made = ag.to_graph(two)
        names = {qualname for qualname, _ in lines(one.__code__)}
        assert names == {qualname for qualname, _ in lines(made.__code__)}
        body = two.__code__.co_firstlineno + 1 + (name == "scaled")
        rows = [{line for _, line in lines(f.__code__) if line > body} for f in (one, made)]
        assert rows[0] == rows[1]
        assert one.__code__.co_firstlineno == two.__code__.co_firstlineno
        assert one.__code__.co_filename == file


def test_a_map_that_is_lost_or_broken(tmp_path: Path) -> None:
    """Without one, lines are those of the converted file; a broken one is warned of."""
    module = loaded(tmp_path, PROGRAM)
    target = Path(str(module.__file__))
    beside = target.with_name(target.name + SUFFIX)
    for content in (None, "{", '{"version": 2, "sources": ["a"], "mappings": ""}', '{"version": 3}'):
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
            with pytest.warns(RuntimeWarning, match="no source map of revision 3"):
                spec.loader.exec_module(made)
        assert made.scaled.__wrapped__.__code__.co_filename == str(copy)
        assert made.Model().run([1, 2]) == [1, 2]
    assert beside.exists()


@each_source
def test_a_map_survives_its_text(file: Path) -> None:
    """And each kept line is mapped to itself."""
    text = file.read_text(encoding="utf-8")
    made = convert_module(text, str(file), header="# made", mapped=True)
    if made is None:
        return
    source_map = made.source_map(file.name)
    assert SourceMap.from_json(source_map.to_json("made.py")) == source_map
    wanted = text.split("\n")
    for number, line in enumerate(made.lines, 1):
        if line.row:
            assert line.text == wanted[line.row - 1]
            assert source_map.original(number)[1] == line.row
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
