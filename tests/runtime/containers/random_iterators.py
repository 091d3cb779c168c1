"""Random programs that take items of iterators over arrays, ranges, lists and generators."""

from __future__ import annotations

import random

HELPERS = """
from itertools import *
import numpy as np

def large(x, n):
    k = 0
    while k < n:
        if x[k] > 2:
            yield x[k]
        k += 1

def twice(items):
    for v in items:
        yield v
        yield v

def until_large(items):
    for v in items:
        if flat(v) > 3:
            return
        yield v

def flat(v):
    if isinstance(v, tuple):
        total = 0.0
        for part in v:
            total += 0.5 if part is None else flat(part)
        return total
    return v

def total(items):
    result = 0.0
    for v in items:
        result += flat(v)
    return result
"""
SOURCES = (
    "iter(x)", "iter(x[:n])", "iter([x[0], x[1], x[2]])", "large(x, n)", "(v * 2 for v in x)", "count(1)",
    "cycle([1, 2])", "x", "[x[2], x[0]]", "range(n)", "(v for v in large(x, n) if v < 5)",
)  # fmt: skip
WRAPPERS = (
    "{}", "islice({}, 2)", "islice({}, n)", "islice({}, 1, None)", "takewhile(lambda v: flat(v) < 3, {})",
    "dropwhile(lambda v: flat(v) < 2, {})", "map(lambda v: flat(v) + 1, {})",
    "filter(lambda v: flat(v) > 1, {})", "chain({}, [7])", "twice({})", "until_large({})", "enumerate({})",
    "zip({}, x)", "zip(x, {})", "zip(range(n), {})", "zip({}, [1, 2])", "accumulate(map(flat, {}))",
    "pairwise({})", "(v for v in {})", "zip_longest({}, [1])",
)  # fmt: skip
ENDS = ("if result > 3: break", "if result > n: break", "if v > 2: continue", "pass")


def iterator_program(seed: int) -> str:
    """Return the source of a function `f(x, n)`."""
    rng = random.Random(seed)
    names: list[str] = []
    lines: list[str] = []
    for _ in range(rng.randint(2, 4)):
        if not names or rng.random() < 0.45:
            source = rng.choice(names) if names and rng.random() < 0.5 else rng.choice(SOURCES)
            text = rng.choice(WRAPPERS).format(source)
            if rng.random() < 0.3:
                text = rng.choice(WRAPPERS).format(text)
            if text not in SOURCES or text.startswith(("iter", "large", "count")):
                names.append(f"i{len(names)}")
                lines.append(f"{names[-1]} = {text}")
            continue
        name, kind = rng.choice(names), rng.random()
        if kind < 0.3:
            lines.append(f"found.append(next({name}, -1.0))")
        elif kind < 0.45:
            lines.append(f"found.append(list(islice({name}, 3)))")
        elif kind < 0.6:
            lines.append(f"found.append(total(islice({name}, 5)))")
        else:
            is_endless = rng.random() < 0.3
            items, end = (
                (name, rng.choice(ENDS[:2])) if is_endless else (f"islice({name}, 6)", rng.choice(ENDS))
            )
            lines += [
                "result = 0.0",
                f"for v in {items}:",
                "    v = flat(v)",
                "    result += v",
                f"    {end}",
            ]
            lines.append("found.append(result)")
    lines += [f"found.append(next({name}, -2.0))" for name in names[-2:] if rng.random() < 0.4]
    body = "".join(f"    {line}\n" for line in ("found = []", *lines, "return found"))
    return f"{HELPERS}\ndef f(x, n):\n{body}"
