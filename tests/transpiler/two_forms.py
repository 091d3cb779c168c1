"""Converted files in two forms, for tests that import them."""

from __future__ import annotations

import importlib
import itertools
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from convert_support import convert_source

import autograph_rs as ag

Load: TypeAlias = Callable[[str], types.ModuleType]
_numbers = itertools.count()


@pytest.fixture
def converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """A function that converts the text of a module, and imports the result."""
    monkeypatch.syspath_prepend(tmp_path)

    def load_text(text: str) -> types.ModuleType:
        name = f"two_forms_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(convert_source(textwrap.dedent(text)), encoding="utf-8")
        return importlib.import_module(name)

    return load_text


def staged(function: Callable[..., Any], *arguments: float) -> Any:
    """Call a function while a graph is built, with staged arguments."""
    return ag.function(function)(*map(np.float64, arguments))
