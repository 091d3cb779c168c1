"""AutoGraph for every tensor system: Python control flow becomes functional operator calls.

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

Public names are loaded at their first use, so that code converted ahead of time, which needs
`autograph_rs.runtime` alone, does not load the converters.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

_HOMES = {
    "autograph_rs.api": ("convert", "to_graph", "to_code", "do_not_convert"),
    "autograph_rs.transpiler": ("Transpiler",),
    "autograph_rs.functions": (
        "function",
        "Function",
        "RetraceWarning",
    ),
    "autograph_rs.gradients.pullback": ("vjp",),
    "autograph_rs.gradients.transforms": ("grad", "value_and_grad"),
    "autograph_rs.gradients.tape": ("GradientTape",),
    "autograph_rs.verbosity": ("set_verbosity",),
    "autograph_rs.runtime.side_effects": ("SideEffectWarning",),
    "autograph_rs.runtime.staging.options": ("set_loop_options",),
    "autograph_rs.concrete": ("ConcreteFunction",),
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
    "autograph_rs.runtime.graph.modes": ("run_functions_eagerly",),
    "autograph_rs.neural": ("convert_module",),
    "autograph_rs.saving": ("save",),
    "autograph_rs.loading": ("LoadedFunction", "load"),
    "autograph_rs.runtime.errors": (
        "AliasError",
        "AmbiguousSourceError",
        "ArgumentError",
        "AssignmentError",
        "AutographError",
        "ConversionError",
        "DamagedFileError",
        "FormatError",
        "GradientError",
        "LeakError",
        "MismatchError",
        "MissingFileError",
        "MissingFrameworkError",
        "MissingValueError",
        "NestingError",
        "NumericsError",
        "OptionError",
        "PassError",
        "RaiseInTryError",
        "ReservedNameError",
        "SaveError",
        "SignatureError",
        "SourceError",
        "SourceSyntaxError",
        "SpecError",
        "StagedRecursionError",
        "StagingError",
        "StaleSourceError",
        "StaleValueError",
        "StateError",
        "UnrolledLoopError",
        "UnsupportedFunctionError",
        "UnsupportedPlaceError",
        "ValueNeededError",
        "VersionError",
    ),
    "autograph_rs.runtime.backends": ("Backend", "register_backend"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF)]  # noqa: PLE0604
__version__ = "0.1.0"

# In a checkout the other rooms lie beside this one, not below it.
_checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_checkout, "pyproject.toml")):
    __path__.append(_checkout)

if os.environ.get("AUTOGRAPH_RS_LOG"):
    from .verbosity import set_from_environment

    set_from_environment(os.environ["AUTOGRAPH_RS_LOG"])


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        told = f"module 'autograph_rs' has no attribute {name!r}"
        raise AttributeError(told, name=name, obj=sys.modules[__name__])
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
