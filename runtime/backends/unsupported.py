"""The backend of a framework whose version is unsupported: it raises `VersionError` when it has to stage.

Values that the framework does not trace are plain, and so are all other values inside its traces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..errors import VersionError
from .protocol import Backend
from .versions import Problem

_STAGED_TYPES = {
    "jax": ("Tracer",),
    "pytensor": ("Variable",),
    "tensorflow": ("Tensor", "Variable", "ResourceVariable", "RaggedTensor", "SparseTensor"),
    "torch": ("Tensor", "SymInt", "SymFloat", "SymBool"),
}
"""The classes, by name, whose instances may be staged during a trace."""


def _is_tracing_jax() -> bool:
    core = sys.modules.get("jax._src.core")
    is_clean: Callable[[], bool] | None = getattr(core, "trace_state_clean", None)
    return is_clean is not None and not is_clean()


def _is_tracing_tensorflow() -> bool:
    is_eager: Callable[[], bool] | None = getattr(sys.modules.get("tensorflow"), "executing_eagerly", None)
    return is_eager is not None and not is_eager()


def _is_tracing_torch() -> bool:
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")
    mode: Callable[[], Any] | None = getattr(proxies, "get_proxy_mode", None)
    return mode is not None and mode() is not None


_IS_TRACING: dict[str, Callable[[], bool]] = {
    "jax": _is_tracing_jax,
    "pytensor": lambda: True,  # its variables are symbols everywhere
    "tensorflow": _is_tracing_tensorflow,
    "torch": _is_tracing_torch,
}


class UnsupportedFramework:
    """A stand-in for the backend of an unsupported framework."""

    def __init__(self, problem: Problem):
        self.name = problem.framework
        self.problem = problem
        self.is_tracing = _IS_TRACING[problem.framework]
        """Return whether the framework is tracing, so that converted code runs and meets its values."""

    def owns(self, kind: type) -> bool:
        return any(
            str(base.__module__).partition(".")[0] == self.name and base.__name__ in _STAGED_TYPES[self.name]
            for base in kind.__mro__
        )

    def is_staged(self, value: Any) -> bool:
        return self.is_tracing()

    def staging(self) -> bool:
        return False  # never the active backend, to which Python's own values would be passed

    def error(self) -> VersionError:
        return VersionError(
            f"converted code cannot stage values of {self.problem.found}",
            rows=[f"found: {self.problem.found}", f"needed: {self.problem.needed}"],
            why=self.problem.why,
            remedy=self.problem.remedy,
        )


def _raiser(name: str) -> Callable[..., Any]:
    def member(self: UnsupportedFramework, *args: Any, **kwargs: Any) -> Any:
        raise self.error()

    member.__name__ = name
    return member


for _name in (*vars(Backend), "staged_list"):
    if not _name.startswith("_") and not hasattr(UnsupportedFramework, _name):
        setattr(UnsupportedFramework, _name, _raiser(_name))
