"""A converted module's text in its staged form: what is kept of the user's, and where comments go."""

from __future__ import annotations

import ast
import functools
import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import gast
import pytest
from breadth import some
from cases_support import CASES
from convert_support import convert_source

from autograph_rs import converters
from autograph_rs.ahead_of_time.comments import comments_in
from autograph_rs.ahead_of_time.modules import IMPORT, convert_module
from autograph_rs.ahead_of_time.rewriting import outermost_functions
from autograph_rs.testing.harness import files

NASTY = sorted((Path(__file__).parents[1] / "converters/nasty").glob("*.py"))
SOURCES = [*files(CASES), *(file for file in NASTY if not re.search(r"_py3(\d+)$", file.stem))]
each_source = pytest.mark.parametrize("file", SOURCES[:: some(3, 1)], ids=lambda f: f.name, scope="module")


def converted(text: str) -> str:
    return convert_source(textwrap.dedent(text).lstrip("\n"), staged_only=True)


@functools.cache
def converted_file(file: Path) -> tuple[str, str]:
    """The text of a file, as it is and in its staged form."""
    text = file.read_text(encoding="utf-8")
    return text, convert_source(text, staged_only=True)


# Text ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@each_source
def test_the_text_is_that_of_the_converted_tree(file: Path) -> None:
    """Function by function; one without operators stays as its author wrote it."""
    text, converted_text = converted_file(file)
    tree = gast.ast_to_gast(ast.parse(text))
    converters.convert_tree(tree)
    made = ast.parse(ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree))))
    for wanted, old, new in zip(
        *map(outermost_functions, (made, ast.parse(text), ast.parse(converted_text))), strict=True
    ):
        is_converted = "ag__." in ast.unparse(wanted)
        assert ast.unparse(new) == ast.unparse(wanted if is_converted else old)


OF_DEAD_CODE = {"return_.py": ["# noqa"]}  # comments of statements that never run, which are dropped


@each_source
def test_comments_are_kept(file: Path) -> None:
    before, after = (Counter(c.text for c in comments_in(text)) for text in converted_file(file))
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


@pytest.mark.parametrize("staged_only", [False, True])
@pytest.mark.parametrize("mapped", [False, True])
def test_a_line_that_goes_on_as_a_function(mapped: bool, staged_only: bool) -> None:
    """The indentation is that of its first line, for each line that is made."""
    text = "class A:\n \\\n   @staticmethod\n def f(x):\n   return not x\n y = f(0)\n"
    made = convert_module(text, mapped=mapped, staged_only=staged_only)
    assert made is not None
    names: dict[str, Any] = {}
    exec(compile(made.text, "<made>", "exec"), names)
    assert names["A"].y is True


@pytest.mark.parametrize(
    "text",
    ["", "x = 1", "# only this\n", "def f(x):\n    return x  # no calls\n", "class A:\n  def f(self): 3\n"],
)
def test_a_module_in_which_nothing_is_converted_stays_as_it_is(text: str) -> None:
    assert convert_module(text) is None


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
    "beside the first statement of a function": (
        """
        def f(x):
            if x:  # test
                return 1
            return 2

        def g(x):
            y = 1  # one
            if x:
                z = y
            return z
        """,
        """
        def f(x):
            ag__return_value: ...

            def if_body():
                nonlocal ag__return_value
                ag__return_value = 1

            def else_body():
                nonlocal ag__return_value
                ag__return_value = 2

            def get_state():
                return (ag__.ldu(lambda: ag__return_value, 'ag__return_value'),)

            def set_state(values):
                nonlocal ag__return_value
                ag__return_value, = values
            ag__.if_stmt(x, if_body, else_body, get_state, set_state, ('ag__return_value',), 1)  # test
            return ag__return_value

        def g(x):
            z: ...
            y = 1  # one

            def if_body():
                nonlocal z
                z = y

            def get_state():
                return (ag__.ldu(lambda: z, 'z'),)

            def set_state(values):
                nonlocal z
                z, = values
            ag__.if_stmt(x, if_body, ag__.nothing, get_state, set_state, ('z',), 1)
            return ag__.ld(z)
        """,
    ),
    "at a decorator in parentheses": (
        """
        class A:
            @(
                # why
                deco
            )
            def f(self):
                return not self
        """,
        """
        class A:
            # why
            @deco
            def f(self):
                return ag__.not_(self)
        """,
    ),
    "by words that are no statements": (
        """
        def f(x):
            try:  # to
                g(x)
            finally:  # always
                k(x)
        """,
        """
        def f(x):

            def try_body():
                try:
                    ag__.attempt()
                    ag__.callee(g)(x)
                finally:
                    # always
                    ag__.callee(k)(x)
            ag__.try_stmt(try_body, lambda: (), (), ag__.get_nothing, ag__.set_nothing, (), 0)  # to
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
    assert convert_source(before, staged_only=True) == f"{IMPORT}\n{after}"


def test_comments_stand_beside_what_does_the_work() -> None:
    """Not beside the flags and declarations that a statement needs besides."""
    text = """
        def f(x):
            y: int = 0  # start
            while x:  # going
                y += 1  # count
                if y > 3:  # enough
                    break  # off
            else:  # never
                return x  # so
            if y:  # both
                return 1  # one
            return 2  # two
    """
    lines = [line.strip() for line in converted(text).splitlines() if "#" in line]
    work = dict(line.split("  # ") for line in lines if not line.startswith("#"))
    found = {comment: re.match(r"ag__\.\w+|[^(]*", code)[0] for code, comment in work.items()}
    assert found == {
        "start": "y = 0",
        "going": "ag__.while_stmt",
        "count": "y += 1",
        "enough": "ag__.if_stmt",
        "off": "broken = True",
        "so": "ag__return_value = x",
        "both": "ag__.if_stmt",
        "one": "ag__return_value = 1",
        "two": "ag__return_value = 2",
    }
    assert [line for line in lines if line.startswith("#")] == ["# never"]
