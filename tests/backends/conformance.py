"""Every sample of tests/cases on a tensor system, compared with plain Python.

    python tests/backends/conformance.py SYSTEM [--verbose] [--only TEXT] [--every N] [--column FILE]

A sample ends as "staged" (right, with all its arguments staged), "unrolled" (right, with its integers and
truth values known when it is traced), "error" (one of ours, with a reason), "differs" (as documented: it
does what the system does), "foreign" (an error of the system's) or "wrong".
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

# ruff: noqa: E402 - the path comes first
from cases_support import ALL, Outcome, Sample, check_same, run

import autograph_rs as ag
from autograph_rs.runtime.backends.texts import Text
from autograph_rs.runtime.structures import flatten, unflatten


def through(staged: Callable[[Callable], Callable], f: Callable, *, unroll: bool = False) -> Callable:
    """`f` with its NumPy arguments staged by a system, and all else as it is.

    With `unroll` integers and truth values without dimensions are not staged either.
    """

    def call(*arguments: Any) -> Any:
        leaves, spec = flatten(arguments)
        places = [i for i, leaf in enumerate(leaves) if is_number(leaf)]
        if unroll:
            places = [i for i in places if np.ndim(leaves[i]) or leaves[i].dtype.kind not in "iub"]
        shape: list[Any] = []

        def on_arrays(*arrays: Any) -> list[Any]:
            filled = list(leaves)
            for place, array in zip(places, arrays, strict=True):
                filled[place] = array
            results, shape[:] = structured(f(*unflatten(spec, filled)))
            return results

        results = staged(on_arrays)(*[leaves[i] for i in places])
        [structure, plain] = shape
        rest = list(results)
        return unflatten(structure, [known(rest.pop(0)) if p is None else p[0] for p in plain])

    return call


def is_result(leaf: Any) -> bool:
    return isinstance(leaf, Text) or (hasattr(leaf, "dtype") and getattr(leaf.dtype, "kind", "?") not in "US")


def known(result: Any) -> Any:
    if isinstance(result, list):
        return result
    return str(result) if isinstance(result, Text) else np.asarray(result)[()]


def is_number(leaf: Any) -> bool:
    return isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biufc"


def structured(value: Any) -> tuple[list[Any], list[Any]]:
    """The arrays of a result, and what the rest of it is."""
    leaves, spec = flatten(value, changeable=True)
    kept = [None if is_result(leaf) else (leaf,) for leaf in leaves]
    return [leaf for leaf, k in zip(leaves, kept, strict=True) if k is None], [spec, kept]


def outcome(sample: Sample, system: Any) -> tuple[str, str]:
    """What becomes of a sample, and why."""
    kind, why = attempt(sample, system, unroll=False)
    if kind == "wrong" and sample.id in system.DIFFERS:
        return "differs", system.DIFFERS[sample.id]
    if kind == "error" and attempt(sample, system, unroll=True)[0] == "right":
        return "unrolled", why
    return "staged" if kind == "right" else kind, why


def attempt(sample: Sample, system: Any, *, unroll: bool) -> tuple[str, str]:
    prepare = getattr(system, "prepare", ag.convert)
    for arguments in sample.staged:
        expected = run(sample.function, arguments)
        prepared = prepare(sample.function)
        if system.stage is not None:
            prepared = through(system.stage, prepared, unroll=unroll)
        made = run(prepared, arguments)
        try:
            check(made, expected)
        except AssertionError as error:
            if made.error is None or (expected.error is not None and _tells(made.error, expected.error)):
                return "wrong", str(error).splitlines()[0] if str(error) else "?"
            raises = expected.error is not None  # that the system finds a mistake before it runs is as good
            told = (ag.AutographError, *getattr(system, "REFUSALS", ()))
            kind = "error" if raises or isinstance(made.error, told) else "foreign"
            if system.__name__.removeprefix("stage_") in PEERS:
                kind = "error"  # a peer's errors are its own
            return kind, f"{type(made.error).__name__}: {made.error}"
    return "right", ""


def _tells(made: BaseException, expected: BaseException) -> bool:
    return type(expected).__name__ in str(made)


def check(made: Outcome, expected: Outcome) -> None:
    if expected.error is not None:
        assert made.error is not None, f"missing {expected.error!r}; got {made.value!r}"
        text = f"{type(made.error).__name__}: {made.error}"
        assert type(expected.error).__name__ in text, text
        assert str(expected.error) in text, text
        return
    assert made.error is None, made.error
    assert made.stdout == expected.stdout, (made.stdout, expected.stdout)
    check_same(loosened(made.value), loosened(expected.value), "value", exact=False)


def loosened(value: Any) -> Any:
    """Arrays as lists of numbers, since systems have dtypes of their own."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    leaves, spec = flatten(value, changeable=True)
    if spec.kind is None:
        return value
    return unflatten(spec, [loosened(leaf) for leaf in leaves])


SYSTEMS = {"graph": "", "jax": "jax", "tensorflow": "tensorflow", "torch": "torch"}
"""What converted functions are compiled with; the framework that each needs."""
PEERS = {"jax_alone": "jax", "tf_autograph": "tensorflow", "torch_alone": "torch", "malt": "malt"}
"""The same for functions as they are written, compiled with what the framework has."""


def results(system: str, only: str = "", every: int = 1) -> Iterator[tuple[Sample, str, str]]:
    """What becomes of each sample that can be staged, or of every second, third, ..., and why."""
    module = importlib.import_module(f"stage_{system}")
    for sample in [sample for sample in ALL if sample.staged][::every]:
        if only in sample.id:
            with contextlib.redirect_stderr(io.StringIO()):
                yield sample, *outcome(copy.copy(sample), module)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=[*SYSTEMS, *PEERS])
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one sample in so many")
    parser.add_argument("--column", type=Path, help="a file for what becomes of each sample, as JSON")
    options = parser.parse_args()
    column = {}
    for sample, kind, why in results(options.system, options.only, options.every):
        column[sample.id] = kind
        if options.verbose and kind != "staged":
            print(f"{kind:8} {sample.id}: {why.splitlines()[-1][:150] if why else ''}")
    if options.column:
        options.column.write_text(json.dumps(column), encoding="utf-8")
    print(dict(Counter(column.values())))


if __name__ == "__main__":
    main()
