"""Rewriting of tail calls as a loop: before and after."""

import ast
import textwrap

import pytest

from autograph_rs.converters import loop_tail_calls
from autograph_rs.converters.trees.python_trees import gast_tree, python_tree


def rewritten(text, *, is_method=False):
    """Return a function after the rewriting, or None if it is left as it is."""
    tree = gast_tree(ast.parse(textwrap.dedent(text)).body[0])
    return ast.unparse(python_tree(tree)) if loop_tail_calls(tree, is_method=is_method) else None


def check(before, after, **options):
    assert rewritten(before, **options) == ast.unparse(ast.parse(textwrap.dedent(after)))


def test_a_return_of_a_call():
    check(
        """
        def gcd(a, b):
            if b == 0:
                return a
            return gcd(b, a % b)
        """,
        """
        def gcd(a, b):
            while True:
                if b == 0:
                    return a
                a, b = (b, a % b)
                continue
        """,
    )


def test_a_conditional_expression_and_a_default():
    check(
        """
        def f(n, k=1):
            "text"
            return k if n == 0 else f(n - 1)
        """,
        """
        def f(n, k=1):
            "text"
            while True:
                if n == 0:
                    return k
                else:
                    n, k = (n - 1, 1)
                    continue
                return None
        """,
    )


def test_a_method_and_a_parameter_that_stays():
    check(
        """
        def run(self, k, *, total):
            if k > 0:
                return self.run(k - 1, total=total)
        """,
        """
        def run(self, k, *, total):
            while True:
                if k > 0:
                    k = k - 1
                    continue
                return None
        """,
        is_method=True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(n): return n * f(n - 1)",
        "def f(n): return n",
        "def f(n): return f(f(n - 1))",
        "def f(*n): return f(*n)",
        "def f(n, k): return f(n - 1)",
        "def f(n, k): return f(n - 1, k, z=1)",
        "def f(n):\n for i in n:\n  return f(i)",
        "def f(n):\n try:\n  return f(n - 1)\n finally:\n  n = 0",
        "def f(n):\n g = lambda: n\n return f(n - 1)",
        "def f(n):\n f = g\n return f(n - 1)",
        "def f(n):\n if n:\n  y = 1\n else:\n  return y\n return f(n - 1)",
        "def f(n):\n yield n\n return f(n - 1)",
        "async def f(n): return f(n - 1)",
    ],
)
def test_others_are_left_as_they_are(text):
    assert rewritten(text) is None


@pytest.mark.parametrize(
    "text",
    ["def f(self, n): return self.g.f(n - 1)", "def f(self, n):\n self = n\n return self.f(n - 1)"],
)
def test_calls_of_another_object_are_left_as_they_are(text):
    assert rewritten(text, is_method=True) is None
