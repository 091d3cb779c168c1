"""AutoGraph for every tensor system: convert Python control flow to functional operator calls.

>>> import autograph_rs as ag
>>> def sign(x):
...     if x > 0:
...         return 1
...     return -1
>>> @ag.function
... def staged_sign(x):
...     return sign(x)
>>> import numpy as np
>>> staged_sign(np.float64(-2.0))
-1

Public names are imported on first use. Code converted ahead of time needs only `autograph_rs.runtime` and
does not load the converters.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

_NAMES = {
    "autograph_rs.transpiler.default": ("convert", "to_graph", "to_code", "do_not_convert"),
    "autograph_rs.transpiler.transpiler": ("Transpiler",),
    "autograph_rs.functions.function": ("function", "Function"),
    "autograph_rs.functions.retracing": ("RetraceWarning",),
    "autograph_rs.gradients.vjp": ("vjp",),
    "autograph_rs.gradients.transforms": ("grad", "value_and_grad"),
    "autograph_rs.gradients.tape": ("GradientTape",),
    "autograph_rs.logging.verbosity": ("set_verbosity",),
    "autograph_rs.runtime.staging.state.side_effects": ("SideEffectWarning",),
    "autograph_rs.runtime.staging.loop_options": ("set_loop_options",),
    "autograph_rs.functions.concrete_function": ("ConcreteFunction",),
    "autograph_rs.explaining.api": ("explain",),
    "autograph_rs.explaining.report": ("Report",),
    "autograph_rs.runtime.graph": (
        "Graph",
        "TensorSpec",
        "Variable",
        "check_numerics",
        "data",
        "init_scope",
        "print",
        "py_function",
    ),
    "autograph_rs.runtime.graph.tracing.modes": ("run_functions_eagerly",),
    "autograph_rs.frameworks.torch_modules": ("convert_module",),
    "autograph_rs.saving.save": ("save",),
    "autograph_rs.saving.load": ("LoadedFunction", "load"),
    "autograph_rs.runtime.backends": ("Backend", "register_backend"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__version__ = "0.1.0"

# In a checkout, `converters` and `runtime` are siblings of this package.
_checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_checkout, "pyproject.toml")):
    __path__.append(_checkout)

if os.environ.get("AUTOGRAPH_RS_LOG"):
    from .logging.verbosity import set_from_environment

    set_from_environment(os.environ["AUTOGRAPH_RS_LOG"])


def __getattr__(name: str) -> Any:
    if name == "__all__":
        value: Any = sorted({*_MODULE_OF, *_error_classes()})
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    elif not name.endswith("Error") or (value := _error_classes().get(name)) is None:
        message = f"module 'autograph_rs' has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    globals()[name] = value
    return value


def _error_classes() -> dict[str, Any]:
    errors = importlib.import_module("autograph_rs.runtime.errors")
    return {name: getattr(errors, name) for name in errors.__all__ if name.endswith("Error")}


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
