"""Trees go from Python's `ast` to gast and back: as gast itself takes them, with places for what has none."""

import ast
import copy
import importlib.util
import sys
from pathlib import Path

import gast
import pytest

from autograph_rs.converters.trees.python_trees import gast_tree, python_tree

MODULES = ("typing", "argparse", "asyncio.base_events", "dataclasses", "decimal", "enum")


def sources():
    found = [importlib.util.find_spec(name) for name in MODULES]
    nasty = sorted(Path(__file__).with_name("nasty").glob("*.py"))
    return [
        *(Path(spec.origin) for spec in found),
        *(path for path in nasty if version(path) <= sys.version_info),
    ]


def version(path):
    """The Python that a file needs, which `py312` in its name says."""
    _, _, digits = path.stem.partition("py3")
    return 3, int(digits or 11)


def described(node):
    """All that a gast tree says, places included."""
    if isinstance(node, gast.AST):
        names = (*node._fields, *node._attributes)
        missing = {"type_params": []}  # gast 0.6 leaves them out of classes where Python has none
        return type(node), [(name, described(getattr(node, name, missing.get(name)))) for name in names]
    return [described(item) for item in node] if isinstance(node, list) else repr(node)


@pytest.mark.slow
@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_it_is_the_tree_that_gast_makes(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    before = ast.dump(tree, include_attributes=True)
    made = gast_tree(tree)
    assert described(made) == described(gast.ast_to_gast(tree))
    assert ast.dump(tree, include_attributes=True) == before


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_there_and_back_nothing_is_lost(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    back = python_tree(gast_tree(tree))
    assert ast.dump(back, include_attributes=True) == ast.dump(tree, include_attributes=True)


def place(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def test_what_says_no_place_has_that_of_what_holds_it():
    tree = gast.parse("\nx = f(y)")
    tree.body[0].value = gast.Call(gast.Name("g", gast.Load(), None, None), [], [])
    made = python_tree(tree).body[0]
    assert place(made) == place(made.value) == place(made.value.func) == (2, 0, 2, 8)


def test_what_says_a_part_of_its_place_has_the_rest_from_what_holds_it():
    tree = gast.parse("x = f(y)")
    value = tree.body[0].value = gast.Name("g", gast.Load(), None, None)
    value.lineno, value.col_offset = 1, 4
    made = python_tree(tree).body[0]
    assert place(made.value) == (1, 4, 1, 8)
    compile(python_tree(tree), "<made>", "exec")


def test_what_a_tree_holds_twice_is_made_once_where_it_has_a_place():
    tree = gast.parse("if x: y = 1\nelse: z = 2")
    placed = tree.body[0].body[0]
    bare = gast.Pass()
    tree.body[0].body, tree.body[0].orelse = [placed, bare], [placed, bare]
    made = python_tree(tree, memo={}).body[0]
    assert made.body[0] is made.orelse[0]
    assert made.body[1] is not made.orelse[1]
    apart = python_tree(copy.deepcopy(tree)).body[0]
    assert apart.body[0] is not apart.orelse[0]
