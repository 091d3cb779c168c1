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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers, the names that `__getattr__` imports
    from .explaining.api import explain as explain
    from .explaining.report import Report as Report
    from .expressions.graphs import GraphOperators as GraphOperators
    from .expressions.operators import ExpressionOperators as ExpressionOperators
    from .expressions.symbols import SymbolOperators as SymbolOperators
    from .frameworks.torch_modules import convert_module as convert_module
    from .functions.concrete_function import ConcreteFunction as ConcreteFunction
    from .functions.decorator import function as function
    from .functions.engine_report import EngineReport as EngineReport
    from .functions.function import Function as Function
    from .functions.retracing import RetraceWarning as RetraceWarning
    from .gradients.tape import GradientTape as GradientTape
    from .gradients.transforms import grad as grad
    from .gradients.transforms import value_and_grad as value_and_grad
    from .gradients.vjp import vjp as vjp
    from .logging.verbosity import set_verbosity as set_verbosity
    from .profiling.api import profile as profile
    from .profiling.profile import Profile as Profile
    from .runtime.backends import Backend as Backend
    from .runtime.backends import register_backend as register_backend
    from .runtime.core.undefined import Undefined as Undefined
    from .runtime.errors import AliasError as AliasError
    from .runtime.errors import AmbiguousSourceError as AmbiguousSourceError
    from .runtime.errors import ArgumentError as ArgumentError
    from .runtime.errors import AssignmentError as AssignmentError
    from .runtime.errors import AutographError as AutographError
    from .runtime.errors import ConversionError as ConversionError
    from .runtime.errors import DamagedFileError as DamagedFileError
    from .runtime.errors import FormatError as FormatError
    from .runtime.errors import GradientError as GradientError
    from .runtime.errors import LeakError as LeakError
    from .runtime.errors import MismatchError as MismatchError
    from .runtime.errors import MissingFileError as MissingFileError
    from .runtime.errors import MissingFrameworkError as MissingFrameworkError
    from .runtime.errors import MissingValueError as MissingValueError
    from .runtime.errors import NestingError as NestingError
    from .runtime.errors import NumericsError as NumericsError
    from .runtime.errors import OptionError as OptionError
    from .runtime.errors import PassError as PassError
    from .runtime.errors import RaiseInTryError as RaiseInTryError
    from .runtime.errors import ReservedNameError as ReservedNameError
    from .runtime.errors import SaveError as SaveError
    from .runtime.errors import SignatureError as SignatureError
    from .runtime.errors import SourceError as SourceError
    from .runtime.errors import SourceSyntaxError as SourceSyntaxError
    from .runtime.errors import SpecError as SpecError
    from .runtime.errors import StagedRecursionError as StagedRecursionError
    from .runtime.errors import StagingError as StagingError
    from .runtime.errors import StaleSourceError as StaleSourceError
    from .runtime.errors import StaleValueError as StaleValueError
    from .runtime.errors import StateError as StateError
    from .runtime.errors import UnrolledLoopError as UnrolledLoopError
    from .runtime.errors import UnsupportedFunctionError as UnsupportedFunctionError
    from .runtime.errors import UnsupportedPlaceError as UnsupportedPlaceError
    from .runtime.errors import ValueNeededError as ValueNeededError
    from .runtime.errors import VersionError as VersionError
    from .runtime.graph import Graph as Graph
    from .runtime.graph import TensorSpec as TensorSpec
    from .runtime.graph import Variable as Variable
    from .runtime.graph import check_numerics as check_numerics
    from .runtime.graph import data as data
    from .runtime.graph import init_scope as init_scope
    from .runtime.graph import print as print  # noqa: A004 - stands in for Python's
    from .runtime.graph import py_function as py_function
    from .runtime.graph.tracing.modes import run_functions_eagerly as run_functions_eagerly
    from .runtime.staging.loop_options import set_loop_options as set_loop_options
    from .runtime.staging.state.side_effects import SideEffectWarning as SideEffectWarning
    from .saving.load import LoadedFunction as LoadedFunction
    from .saving.load import load as load
    from .saving.save import save as save
    from .transpiler.default import convert as convert
    from .transpiler.default import do_not_convert as do_not_convert
    from .transpiler.default import to_code as to_code
    from .transpiler.default import to_graph as to_graph
    from .transpiler.transpiler import Transpiler as Transpiler

_NAMES = {
    "autograph_rs.transpiler.default": ("convert", "to_graph", "to_code", "do_not_convert"),
    "autograph_rs.transpiler.transpiler": ("Transpiler",),
    "autograph_rs.expressions.graphs": ("GraphOperators",),
    "autograph_rs.expressions.operators": ("ExpressionOperators",),
    "autograph_rs.expressions.symbols": ("SymbolOperators",),
    "autograph_rs.functions.decorator": ("function",),
    "autograph_rs.functions.function": ("Function",),
    "autograph_rs.functions.retracing": ("RetraceWarning",),
    "autograph_rs.gradients.vjp": ("vjp",),
    "autograph_rs.gradients.transforms": ("grad", "value_and_grad"),
    "autograph_rs.gradients.tape": ("GradientTape",),
    "autograph_rs.logging.verbosity": ("set_verbosity",),
    "autograph_rs.runtime.staging.state.side_effects": ("SideEffectWarning",),
    "autograph_rs.runtime.staging.loop_options": ("set_loop_options",),
    "autograph_rs.functions.concrete_function": ("ConcreteFunction",),
    "autograph_rs.functions.engine_report": ("EngineReport",),
    "autograph_rs.explaining.api": ("explain",),
    "autograph_rs.explaining.report": ("Report",),
    "autograph_rs.profiling.api": ("profile",),
    "autograph_rs.profiling.profile": ("Profile",),
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
    "autograph_rs.runtime.core.undefined": ("Undefined",),
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


def _load_public_name(name: str) -> Any:
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
    return sorted({*globals(), *_load_public_name("__all__")})


if not TYPE_CHECKING:  # for type checkers, it would give every misspelled name the type Any
    __getattr__ = _load_public_name
