"""Check that trees survive printing with `ast.unparse` and, if it supports the syntax, `astunparse`."""

import ast
import sys
import warnings

import astunparse


def check_round_trip(tree: ast.AST) -> None:
    expected = ast.dump(tree)
    assert ast.dump(ast.parse(ast.unparse(tree))) == expected
    if all(astunparse_knows(node) for node in ast.walk(tree)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # astunparse uses deprecated names
            printed = astunparse.unparse(tree)
        assert ast.dump(ast.parse(printed)) == expected


def astunparse_knows(node: ast.AST) -> bool:
    """Return whether `astunparse` supports a node. It lacks syntax newer than 3.8, and prints `x[(:, 0)]`."""
    match node:
        case ast.Match() | ast.TryStar():
            return False
        case ast.JoinedStr() if sys.version_info >= (3, 12):
            return False  # astunparse does not escape quotes inside an f-string
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            return not any(isinstance(element, ast.Slice) for element in elements)
    return True
