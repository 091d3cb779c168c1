"""Long functions convert, stay shallow and compute the right thing; whole modules convert."""

from __future__ import annotations

import ast
import importlib.util
from concurrent.futures import ThreadPoolExecutor

import gast
import pytest

import autograph_rs as ag
from autograph_rs import converters

MODULES = """
    argparse bisect calendar colorsys configparser csv difflib fractions heapq ipaddress
    json.decoder random shlex statistics textwrap typing dataclasses inspect asyncio.tasks tokenize
""".split()


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_standard_library_verified(name: str):
    with open(importlib.util.find_spec(name).origin, encoding="utf-8") as file:
        module = ast.parse(file.read())
    bodies = [module.body, *(node.body for node in module.body if isinstance(node, ast.ClassDef))]
    functions = [n for body in bodies for n in body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    assert functions
    for function in functions:
        converters.convert_tree(gast.ast_to_gast(function), verify=True)


def converted(source: str):
    """The function `f` of a text, as it is and converted; its converted text is checked to be shallow."""
    namespace: dict = {}
    exec(source, namespace)
    f = namespace["f"]
    made = ag.to_graph(f, source=source)
    text = ag.to_code(f, source=source)
    ast.parse(text)
    deepest = max((len(line) - len(line.lstrip())) // 4 for line in text.splitlines())
    assert deepest < 90
    return f, made


ELIF = "def f(x):\n" + "".join(
    f"    {'el' if i else ''}if x == {i}:\n        y = {i * 2}\n" for i in range(200)
)
LONG = {
    "elif": ELIF + "    else:\n        y = -1\n    return y\n",
    "elif without else": ELIF + "    return y\n",
    "elif that returns": ELIF.replace("y = ", "return ") + "    return -1\n",
    "else if": "def f(x):\n    y = 0\n"
    + "".join(f"{'    ' * (i + 1)}if x > {i}:\n{'    ' * (i + 2)}y += {i}\n" for i in range(40))
    + "    return y\n",
    "early returns": "def f(x):\n"
    + "".join(f"    if x == {i}:\n        return {i * 2}\n    x += 0\n" for i in range(100))
    + "    return -1\n",
    "returns in a loop": "def f(x):\n    for i in range(3):\n        x += 1\n"
    + "".join(f"        if x == {i}:\n            return i, {i}\n" for i in range(100))
    + "    return -1\n",
    "continues in a loop": "def f(x):\n    out = []\n    while x > 0:\n        x -= 7\n"
    + "".join(
        f"        if x == {i}:\n            out.append({i})\n            continue\n" for i in range(100)
    )
    + "        out.append(x)\n    return out\n",
    "match": "def f(x):\n    match x:\n"
    + "".join(f"        case {i}:\n            return {i * 2}\n" for i in range(100))
    + "        case y if y > 150:\n            return y\n    return -1\n",
    "ifs in a row": "def f(x):\n    y = 0\n"
    + "".join(f"    if x > {i}:\n        y += {i}\n" for i in range(300))
    + "    return y\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_functions(name: str):
    f, made = converted(LONG[name])
    for x in (0, 1, 7, 8, 9, 50, 88, 97, 98, 99, 100, 150, 198, 199, -4):
        assert outcome(made, x) == outcome(f, x)


def outcome(f, x):
    try:
        return f(x)
    except UnboundLocalError as error:
        return str(error)


@pytest.mark.parametrize("form", [" and ", " or ", " < ", " + ", " is ", " if x0 else "])
def test_long_expressions(form: str):
    """Expressions as long as people, and what they generate, write."""
    source = f"def f(x0, x1, x2):\n    return {form.join(f'x{i % 3}' for i in range(150))}\n"
    namespace: dict = {}
    exec(source, namespace)
    f = namespace["f"]
    made = ag.to_graph(f, source=source)
    assert made(1, 2, 3) == f(1, 2, 3)
    assert made(0, 0, 0) == f(0, 0, 0)


def test_conversion_from_deep_in_a_program():
    """A function can be converted at any stack depth."""
    source = LONG["elif that returns"]
    namespace: dict = {}
    exec(source, namespace)

    def dive(depth: int):
        return dive(depth - 1) if depth else ag.to_graph(namespace["f"], source=source)

    assert dive(500)(7) == 14


def test_conversion_on_a_thread():
    """A thread's C stack is small."""
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: converted(LONG["elif that returns"])[1](9)).result() == 18
