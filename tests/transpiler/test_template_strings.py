"""Template strings of Python 3.14 where Python and gast have them, and a clear error elsewhere."""

import ast
import sys
import textwrap

import gast
import pytest

import autograph_rs as ag
from autograph_rs.converters import convert_tree
from autograph_rs.converters.analysis import Facts
from autograph_rs.converters.trees import python_trees
from autograph_rs.converters.trees.python_trees import UnknownNodeError, gast_tree, python_tree

knows_templates = pytest.mark.skipif(not hasattr(gast, "TemplateStr"), reason="gast 0.7 has template strings")
python_has_templates = pytest.mark.skipif(
    sys.version_info < (3, 14), reason="template strings of Python 3.14"
)

CODE = """
    def f(x, name):
        greeting = "none"
        if x > 0:
            y = -x
            greeting = f"{x > 0 and y}{name!r:>{x}}"
        return greeting
"""


def tree_with_template() -> gast.FunctionDef:
    """The tree of `CODE` with `t` in front of the string in place of `f`."""
    tree = gast_tree(ast.parse(textwrap.dedent(CODE)).body[0])
    assignment = tree.body[1].body[1]
    parts = assignment.value.values
    values = [
        gast.Interpolation(
            part.value, ast.unparse(python_tree(part.value)), part.conversion, part.format_spec
        )
        for part in parts
    ]
    assignment.value = gast.TemplateStr(values)
    return tree


def templates(tree: gast.AST) -> list[gast.AST]:
    return [node for node in gast.walk(tree) if isinstance(node, gast.TemplateStr)]


@knows_templates
def test_a_template_stays_as_written():
    """Statements around a template are converted; its expressions keep the text that the template stores."""
    tree = tree_with_template()
    before = [gast.dump(node) for node in templates(tree)]
    assert "if_body" in convert_tree(tree)
    assert [gast.dump(node) for node in templates(tree)] == before


@knows_templates
def test_names_in_a_template_are_read():
    """The analyses see what a template reads."""
    tree = tree_with_template()
    body = tree.body[1].body
    assert "y" in Facts(tree).before(body[1]).live
    assert "name" in Facts(tree).entry(tree.body[1]).live


@knows_templates
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python 3.14 has template strings")
def test_a_python_without_templates_says_so():
    with pytest.raises(UnknownNodeError, match=r"Python 3\.\d+\.\d+ has no syntax TemplateStr"):
        python_tree(tree_with_template())


def test_syntax_that_gast_lacks(monkeypatch, module):
    """A function with syntax newer than gast cannot be converted, and the error names both."""
    made = module("def f(x):\n    return f'{x}' if x else x\n")
    monkeypatch.delattr(gast, "JoinedStr")
    monkeypatch.setattr(python_trees, "_GAST_KINDS", python_trees._GastKinds())
    message = (
        r"(?s)'f' cannot be converted.*why: gast .* does not know the syntax JoinedStr.*fix: pip install"
    )
    with pytest.raises(ag.ConversionError, match=message):
        ag.to_graph(made.f)


@python_has_templates
def test_templates_run(module):
    text = textwrap.dedent(CODE).replace('f"', 't"')
    made = module(text)
    expected, actual = made.f(3, "n"), ag.to_graph(made.f)(3, "n")
    assert actual.strings == expected.strings
    assert [(i.value, i.expression, i.conversion, i.format_spec) for i in actual.interpolations] == [
        (i.value, i.expression, i.conversion, i.format_spec) for i in expected.interpolations
    ]
    assert 't"' in ag.to_code(made.f) or "t'" in ag.to_code(made.f)
