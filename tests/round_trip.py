"""A tree means the same however it is printed: by `ast.unparse`, and by `astunparse` where that knows it."""

import ast
import sys
import warnings

import astunparse


def check_round_trip(tree: ast.AST) -> None:
    expected = ast.dump(tree)
    assert ast.dump(ast.parse(ast.unparse(tree))) == expected
    if all(astunparse_knows(node) for node in ast.walk(tree)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # astunparse uses names of Python 3.7
            printed = astunparse.unparse(tree)
        assert ast.dump(ast.parse(printed)) == expected


def astunparse_knows(node: ast.AST) -> bool:
    """astunparse ended at Python 3.8: it has no `match`, no `except*`, and writes `x[(:, 0)]`."""
    match node:
        case ast.Match() | ast.TryStar():
            return False
        case ast.JoinedStr() if sys.version_info >= (3, 12):
            return False  # quotes inside an f-string are written as they are
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            return not any(isinstance(element, ast.Slice) for element in elements)
    return True
