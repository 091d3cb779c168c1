"""Run one converter in its own process, and time what `run.py` requests.

    python worker.py CONVERTER FOLDER

Requests and answers are JSON, one per line. Separate processes isolate the converters: none pays for the
modules, hooks and heap of another.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import importlib.metadata
import importlib.util
import inspect
import itertools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from functions import CASES, Case

BURST = 3  # the least number of conversions in a row
BURST_SECONDS = 0.1  # a burst fills this time, so that each converter gets an equal share
SAMPLE_SECONDS = 0.004  # long compared with the clock's resolution, short compared with the scheduler's
Function = Callable[..., Any]


@dataclass(frozen=True)
class Converter:
    """A package to measure, and its ways to convert a function.

    The conversion time is measured for the first way.
    """

    package: str
    distribution: str
    ways: dict[str, str] = field(default_factory=dict)

    def way(self, name: str) -> Callable[[Function], Function]:
        module, _, attribute = self.ways[name].partition(":")
        made: Callable[[Function], Function] = getattr(importlib.import_module(module), attribute)
        return made


CONVERTERS = {
    "ours": Converter(
        "autograph_rs",
        "autograph_rs",
        {"to_graph": "autograph_rs:to_graph", "convert": "autograph_rs:convert"},
    ),
    "malt": Converter("malt", "diastatic-malt", {"to_graph": "malt:to_graph"}),
    "tf.autograph": Converter("tensorflow", "tensorflow", {"to_graph": "tensorflow.autograph:to_graph"}),
}


class Worker:
    """Measures the conversions and runs of one converter."""

    def __init__(self, converter: Converter, folder: Path) -> None:
        self.converter = converter
        self.folder = folder
        self.copies = itertools.count(1)
        self.cases = {case.name: case for case in CASES}
        self.bursts: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], tuple[Function, Function]] = {}

    def fresh(self, case: Case) -> Function:
        """Return a new copy of the function, in a new file and at a new line.

        Converters cache by code object, and code objects that differ only in their file are equal, so each
        copy starts one line further down.
        """
        number = next(self.copies)
        name = f"copy_{number}"
        file = self.folder / f"{name}.py"
        file.write_text("\n" * number + case.source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function: Function = getattr(module, case.name)
        return function

    def convert(self, case: str) -> dict[str, list[float]]:
        """Return seconds to convert each of a few fresh copies, and to parse and compile their text.

        The first conversion of a burst runs with cold caches, because another converter ran before it.
        """
        burst = self.bursts.get(case, BURST)
        convert = self.converter.way("to_graph")
        text = inspect.getsource(self.cases[case].function)
        copies = [self.fresh(self.cases[case]) for _ in range(burst)]
        gc.collect()
        times = [elapsed(functools.partial(convert, copy)) for copy in copies]
        self.bursts[case] = max(BURST, int(burst * BURST_SECONDS / sum(times)))
        return {
            "convert": times,
            "compile": [elapsed(lambda: compile(ast.parse(text), "<copy>", "exec")) for _ in copies],
        }

    def run(self, case: str, way: str) -> dict[str, float]:
        """Return seconds per call of the original and of its conversion by `way`.

        The order is original, made, made, original, so that a steady drift of the machine's speed affects
        both equally.
        """
        args = self.cases[case].args
        original, made = self.pair(case, way)
        times = [seconds(f, args) for f in (original, made, made, original)]
        return {"original": (times[0] + times[3]) / 2, "made": (times[1] + times[2]) / 2}

    def pair(self, case: str, way: str) -> tuple[Function, Function]:
        """Return the original and its conversion by `way`, after checking that their results agree."""
        if (case, way) not in self.pairs:
            original = self.fresh(self.cases[case])
            made = self.converter.way(way)(original)
            args = self.cases[case].args
            for _ in range(3):
                if made(*args) != original(*args):
                    raise AssertionError(f"{way} of {case} returns a different result")
            self.pairs[case, way] = original, made
        return self.pairs[case, way]


def elapsed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def seconds(function: Function, args: tuple[Any, ...]) -> float:
    """Return seconds per call, averaged over the calls that fill a sample."""
    was_enabled = gc.isenabled()
    gc.collect(0)
    gc.disable()
    try:
        number = 1
        while True:
            calls = itertools.repeat(None, number)
            start = time.perf_counter()
            for _ in calls:
                function(*args)
            taken = time.perf_counter() - start
            if taken >= SAMPLE_SECONDS:
                return taken / number
            number = max(2 * number, int(1.2 * number * SAMPLE_SECONDS / max(taken, 1e-7)))
    finally:
        if was_enabled:
            gc.enable()


def greeting(converter: Converter) -> dict[str, Any]:
    """Return the converter's version, or that it is not installed."""
    if importlib.util.find_spec(converter.package) is None:
        return {"missing": "not installed"}
    for way in converter.ways:
        converter.way(way)
    module = importlib.import_module(converter.package)
    try:
        version = importlib.metadata.version(converter.distribution)
    except importlib.metadata.PackageNotFoundError:
        version = getattr(module, "__version__", "?")
    return {"version": version}


def answers(name: str, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a greeting, then an answer to each request from stdin."""
    converter = CONVERTERS[name]
    worker = Worker(converter, folder)
    actions: dict[str, Callable[..., dict[str, Any]]] = {
        "convert": worker.convert,
        "run": worker.run,
    }
    try:
        hello = greeting(converter)
    except Exception:
        hello = {"missing": "failed", "error": traceback.format_exc()}
    yield hello
    for line in sys.stdin:
        request = json.loads(line)
        try:
            yield actions[request.pop("do")](**request)
        except Exception:
            yield {"error": traceback.format_exc()}


def main() -> None:
    # Output of the packages must not mix with the answers, so it goes to stderr.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        for answer in answers(sys.argv[1], Path(sys.argv[2])):
            out.write(json.dumps(answer) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
