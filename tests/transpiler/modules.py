"""Modules made for a test: texts on disk or in linecache, and functions of them."""

from __future__ import annotations

import importlib.util
import linecache
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest):
    """A function that writes a module and imports it; it is forgotten after the test."""
    made: list[str] = []

    def make(text: str, *, encoding: str = "utf-8", raw: bytes | None = None) -> ModuleType:
        name = f"made_{request.node.name.partition('[')[0]}_{len(made)}"
        path = tmp_path / f"{name}.py"
        path.write_bytes(text.encode(encoding) if raw is None else raw)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield make
    for name in made:
        sys.modules.pop(name, None)


def executed(text: str, filename: str = "<executed>", *, keep: bool = True) -> SimpleNamespace:
    """The names of a text that was executed; with `keep`, linecache has the text."""
    if keep:
        linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    namespace: dict = {}
    exec(compile(text, filename, "exec"), namespace)
    return SimpleNamespace(**{k: v for k, v in namespace.items() if not k.startswith("__")})
