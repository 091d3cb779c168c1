"""Tests of `examples/array_api_programs.py`: programs on each system, and the table in docs/array-api.md."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required
from breadth import some
from test_house import ROOT

EXAMPLE = ROOT / "examples" / "array_api_programs.py"
PAGE = ROOT / "docs" / "array-api.md"
SELECTED = [  # for the systems that compile slowly, in a plain run
    "hits",
    "elliptic",
    "kepler",
    "bessel_j",
    "erfinv",
    "integrate",
]


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def table() -> dict[tuple[str, str], tuple[str, str]]:
    """Return what the page says of each program and system: the system with this package, and alone."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    found = {}
    for name, cells in rows:
        numpy, jax, jax_alone, tensorflow, tensorflow_alone, torch, torch_alone = (
            cell.strip(" `") for cell in cells.split("|")
        )
        found |= {
            ("numpy", name): (numpy, "works"), ("jax", name): (jax, jax_alone),
            ("tensorflow", name): (tensorflow, tensorflow_alone), ("torch", name): (torch, torch_alone),
        }  # fmt: skip
    return found


@pytest.mark.parametrize("system", ["numpy", "jax", "tensorflow", "torch"])
def test_programs_are_what_the_page_says(system: str, example: dict[str, Any], tmp_path: Path) -> None:
    """Each program is staged and equal to plain NumPy, and the system alone does what the table says."""
    required(system)
    if system == "torch":
        required("array_api_compat")
    every = list(example["RUNS"])
    names = some(SELECTED, every) if system in ("tensorflow", "torch") else every
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), system, *names], cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = re.findall(
        r"^(\w+): (\w+): (staged), equal to plain NumPy; alone: (\w+)$", done.stdout, re.MULTILINE
    )
    assert {(place, name): (staged, alone) for place, name, staged, alone in said} == {
        place: cells for place, cells in table().items() if place[0] == system and place[1] in names
    }
    assert [name for _, name, _, _ in said] == names


def test_programs_are_what_scipy_computes(example: dict[str, Any]) -> None:
    """Programs for which SciPy has a function agree with it."""
    required("scipy")
    from scipy import special
    from scipy.integrate import tanhsinh
    from scipy.optimize.elementwise import find_minimum, find_root

    def elliptic(kc: Any, p: Any, a: Any, b: Any) -> Any:
        first, third = special.elliprf(0, kc**2, 1), special.elliprj(0, kc**2, 1, p)
        return a * first + (b - p * a) / 3 * third

    def lowest(low: Any) -> Any:
        bracket, tolerances = (low, low + 2, low + 5), {"xatol": 1e-9}
        return find_minimum(lambda x: np.cos(x) + x / 4, bracket, tolerances=tolerances).x

    def root(c: Any) -> Any:
        return find_root(lambda x, c: x * x - c, (0 * c, c + 1), args=(c,)).x

    def bell(high: Any) -> Any:
        return tanhsinh(lambda x: np.exp(-x * x) * np.cos(x), 0 * high, high).integral

    references = {
        "elliptic": elliptic, "lambertw": lambda x: special.lambertw(x).real, "log_gamma": special.gammaln,
        "gammainc": special.gammainc, "betainc": special.betainc, "bessel_j": lambda x: special.jv(3, x),
        "erfinv": special.erfinv, "find_minimum": lowest,
        "find_root": root, "integrate": bell,
    }  # fmt: skip
    for name, reference in references.items():
        program, arguments = example["RUNS"][name]
        tolerance = 1e-7 if name == "find_minimum" else 1e-12
        np.testing.assert_allclose(
            program(np, *arguments), reference(*arguments), rtol=tolerance, err_msg=name
        )


def test_the_other_programs_solve_their_equations(example: dict[str, Any]) -> None:
    """Hubs and authorities are the singular vectors of the links, and Kepler's equation holds."""
    program, (links,) = example["RUNS"]["hits"]
    hubs, authorities = program(np, links)
    left, _, right = np.linalg.svd(links)
    np.testing.assert_allclose(hubs, left[:, 0] / left[:, 0].sum(), atol=1e-9)
    np.testing.assert_allclose(authorities, right[0] / right[0].sum(), atol=1e-9)
    program, (mean, eccentricity) = example["RUNS"]["kepler"]
    angle = program(np, mean, eccentricity)
    np.testing.assert_allclose(angle - eccentricity * np.sin(angle), mean, rtol=1e-12)


def test_a_wrong_result_is_seen(example: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The example fails if a system gives another result than plain NumPy."""
    monkeypatch.setitem(example["SYSTEMS"], "numpy", lambda program, arguments, convert: arguments[0] + 1)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        example["check"]("numpy", "kepler")
