"""Load the backend of a framework when its compiler of bytecode is imported.

Such a compiler reads the code of functions before any of it runs, so the first call of a converted function
is too late to register what captures the call.
"""

from __future__ import annotations

import importlib.machinery
import sys
import threading
import types
from collections.abc import Sequence
from typing import Any

from .registry import is_initializing, load_backends

_COMPILERS = {"torch._dynamo": "torch"}
"""The modules of compilers, each with its framework."""
_lock = threading.Lock()


class _CompilerFinder:
    """A finder of these modules, after whose import it loads the backend."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in _COMPILERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        loader: Any = spec and spec.loader
        if loader is not None:
            run = loader.exec_module

            def run_and_load(module: types.ModuleType) -> None:
                run(module)
                framework = _COMPILERS[name]
                backend = sys.modules.get(f"{__package__}.{framework}")
                if not is_initializing(backend):  # else it imports the compiler
                    load_backends(framework)

            loader.exec_module = run_and_load
        return spec


_finder = _CompilerFinder()


def watch_compilers() -> None:
    """Load the backends of compilers that are imported, now and from now on."""
    if _finder in sys.meta_path:
        return
    with _lock:
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
    for name, framework in _COMPILERS.items():
        if name in sys.modules:
            load_backends(framework)
