"""Draw `docs/assets/profile.svg`: the share of conversion time that each step takes.

    python benchmarks/steps.py [--rounds N]

Converts fresh copies of the benchmark functions, with a timer around each step.
"""

from __future__ import annotations

import argparse
import functools
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from functions import CASES
from worker import CONVERTERS, Worker

import autograph_rs as ag
from autograph_rs.converters import PIPELINE
from autograph_rs.source import definitions
from autograph_rs.transpiler import loader, transpiler

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "assets" / "profile.svg"
STEPS: list[tuple[Any, str, str]] = [
    (definitions, "find", "find and check the source"),
    (transpiler, "gast_tree", "ast to gast"),
    *((kind, "run", f"pass {kind.__name__}") for kind in PIPELINE),
    (loader, "inline_operators", "inline operators"),
    (loader, "python_tree", "gast to ast"),
    (loader, "compile", "compile"),
    (loader._Renamer, "__call__", "rename code objects and map lines"),  # noqa: SLF001 - a profile looks inside
]
WIDTH, ROW, LABEL = 760, 24, 220


class Clock:
    """Seconds by step. Recursive calls of a step are counted only once."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.running: set[str] = set()

    def around(self, step: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(step)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if name in self.running:
                return step(*args, **kwargs)
            self.running.add(name)
            started = time.perf_counter()
            try:
                return step(*args, **kwargs)
            finally:
                self.seconds[name] += time.perf_counter() - started
                self.running.discard(name)

        return timed


def profile(rounds: int) -> dict[str, float]:
    """Return the share of each step, and of the rest."""
    clock = Clock()
    for holder, attribute, name in STEPS:
        step = getattr(holder, attribute, None) or compile  # `loader` uses the builtin `compile`
        setattr(holder, attribute, clock.around(step, name))
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(CONVERTERS["ours"], Path(folder))
        copies = [worker.fresh(case) for _ in range(rounds) for case in CASES]
        for copy in copies:
            started = time.perf_counter()
            ag.to_graph(copy)
            total += time.perf_counter() - started
    shares = {name: clock.seconds[name] / total for _, _, name in STEPS}
    return {**shares, "the rest": 1 - sum(shares.values())}


def picture(shares: dict[str, float]) -> str:
    """Return an SVG with a bar for each step."""
    scale = (WIDTH - LABEL - 60) / max(shares.values())
    rows = []
    for number, (name, share) in enumerate(shares.items()):
        top = number * ROW
        rows.append(
            f'<text x="{LABEL - 8}" y="{top + 16}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{LABEL}" y="{top + 4}" width="{share * scale:.1f}" height="{ROW - 8}"/>'
            f'<text x="{LABEL + share * scale + 6:.1f}" y="{top + 16}">{share:.1%}</text>'
        )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(shares) * ROW}" role="img" '
        'font-family="sans-serif" font-size="13">\n<title>Where the time of a conversion goes</title>\n'
        "<style>text { fill: #333 } rect { fill: #3f6ea8 }\n"
        "@media (prefers-color-scheme: dark) { text { fill: #ddd } rect { fill: #7fa8d8 } }</style>\n"
    )
    return head + "\n".join(rows) + "\n</svg>\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50, help="copies of each function")
    shares = profile(parser.parse_args().rounds)
    for name, share in shares.items():
        print(f"{name:28} {share:6.1%}")
    PICTURE.write_text(picture(shares), encoding="utf-8")


if __name__ == "__main__":
    main()
