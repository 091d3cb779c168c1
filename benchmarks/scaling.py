"""Measure conversion time by function length: ten times the lines may take at most twelve times as long.

    python benchmarks/scaling.py [--lines N] [--rounds N] [NAME ...]

Each shape of code is converted with N lines and with ten times as many. The output shows the processor time
of the passes and, in the last columns, of all of `to_graph`: the best of several rounds. The latter includes
Python's compiler, whose time grows faster than linearly with the number of nested functions: for each, it
copies the enclosing names.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import linecache
import sys
import time
from collections.abc import Callable
from typing import Any

import gast
from figures import table

import autograph_rs as ag
from autograph_rs.converters import convert_tree
from autograph_rs.source.recursion_limit import deep_recursion

LIMIT = 12.0


def repeated(block: str, *, before: str = "", indent: int = 1) -> Callable[[int], str]:
    """Return a function that repeats a block up to N lines, with `#` replaced by the repetition's number."""
    height = len(block.splitlines())

    def write(lines: int) -> str:
        inside = "    " * indent
        body = [
            before,
            *(
                inside + block.replace("#", str(i)).replace("\n", "\n" + inside)
                for i in range(lines // height)
            ),
        ]
        return "def f(x, y):\n" + "\n".join(filter(None, [*body, "    return x"])) + "\n"

    return write


def chain(lines: int) -> str:
    """Write one `match` with many cases, since Python's parser fails on a few hundred `elif` clauses."""
    cases = "".join(f"        case {i}:\n            x = {i}\n" for i in range(lines // 2))
    return f"def f(x, y):\n    match y:\n{cases}    return x\n"


DEEP = "".join(f"{'    ' * i}if x > {i}:\n" for i in range(9)) + "    " * 9 + "x = y + #"
LOOP = "    for i in y:"
SHAPES: dict[str, Callable[[int], str]] = {
    "straight code": repeated("x = x + y * #"),
    "a variable per line": repeated("v# = x + #"),
    "variables with conditions": repeated("v# = x if y else #"),
    "ifs": repeated("if x > #:\n    x = x + 1"),
    "ifs with variables": repeated("if x > #:\n    v# = x + 1"),
    "elifs": repeated("if x > #:\n    x = 1\nelif x < #:\n    x = 2\nelif y:\n    x = 3\nelse:\n    y = x"),
    "a long chain": chain,
    "loops": repeated("for i in y:\n    x = x + i\nwhile x > #:\n    x = x - 1"),
    "deep nests": repeated(DEEP),
    "nested functions": repeated("def g#(z):\n    if z > x:\n        return #\n    return x"),
    "lambdas and comprehensions": repeated("x = [a for a in y if a > #]\ny = (lambda b: b and x)(#)"),
    "returns": repeated("if x == #:\n    return y"),
    "returns in a loop": repeated("if x == #:\n    return y", before=LOOP, indent=2),
    "jumps in a loop": repeated("if x == #:\n    break\nif y == #:\n    continue", before=LOOP, indent=2),
    "tries": repeated("try:\n    x = x + #\nexcept ValueError as e:\n    x = y\nfinally:\n    y = 1"),
    "withs": repeated("with y as z:\n    if z:\n        x = #"),
    "calls and items": repeated("x = abs(y[#])\ny[#] = x\ny.a = x and not y"),
}  # fmt: skip


def timed(run: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    run()
    return time.process_time() - started


def seconds(source: str, rounds: int) -> tuple[float, float]:
    """Return the best times of the passes, and of all of `to_graph`."""
    passes, whole = [], []
    for i in range(rounds):
        name = f"<scaling {i}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        namespace: dict[str, Any] = {}
        exec(compile(source, name, "exec"), namespace)  # noqa: S102 - the source is ours
        tree = gast.ast_to_gast(ast.parse(source))
        with deep_recursion():
            passes.append(timed(functools.partial(convert_tree, tree)))
        del tree
        whole.append(timed(functools.partial(ag.Transpiler().to_graph, namespace["f"])))
    return min(passes), min(whole)


def main() -> None:
    """Print a line for each shape, and the shapes for which the passes exceed the limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="shapes to measure (default: all)")
    parser.add_argument("--lines", type=int, default=1000, help="lines of the shorter function")
    parser.add_argument(
        "--rounds", type=int, default=3, help="measurements; the best one counts (default: 3)"
    )
    options = parser.parse_args()
    if unknown := set(options.names).difference(SHAPES):
        parser.error(f"unknown shape: {', '.join(sorted(unknown))}; the shapes are {', '.join(SHAPES)}")
    rows, slow = [], []
    for name in options.names or SHAPES:
        short, short_whole = seconds(SHAPES[name](options.lines), options.rounds)
        long, long_whole = seconds(SHAPES[name](10 * options.lines), options.rounds)
        rate = 10 * options.lines / long
        passes = f"{short:.3f} s", f"{long:.3f} s", f"{long / short:.1f}", f"{rate:,.0f}"
        rows.append([name, *passes, f"{long_whole:.1f} s", f"{long_whole / short_whole:.1f}"])
        print(f"{name}: {long / short:.1f}", file=sys.stderr, flush=True)
        if long > LIMIT * short:
            slow.append(name)
    heads = ["a function of", f"{options.lines:,} lines", f"{10 * options.lines:,} lines", "ratio", "lines/s"]
    print(table([*heads, "to_graph", "ratio"], rows))
    if slow:
        print(f"\nThe passes take more than {LIMIT:g} times as long: {', '.join(slow)}")


if __name__ == "__main__":
    main()
