"""Interfaces of torch that are private, each with the reason for its use, and with its fallback.

Only this module and `dynamo` import private modules of torch. An interface that has no fallback raises
ImportError or AttributeError here, and the registry then treats the installed torch as unsupported.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

# Tracers of `make_fx`, and of `export`: no public function returns the proxy of a tensor.
import torch.fx.experimental.proxy_tensor as px

# NumPy's functions on tensors, with NumPy's names and promotion; written for Dynamo.
from torch import _numpy

# The only way to trace a graph within a graph.
from torch._higher_order_ops.utils import reenter_make_fx

# Copying nodes is only right for fake tensors, which no public class identifies.
from torch._subclasses.fake_tensor import FakeTensor

# Storages of fake tensors have no address that could be compared.
from torch.multiprocessing.reductions import StorageWeakRef

# Documented with torch.export, which registers types with it; torch flattens arguments of nodes with it too.
from torch.utils import _pytree as pytree
from torch.utils.weak import WeakIdKeyDictionary

try:  # Promotion in Python: `torch.promote_types` is dispatched and adds nodes to the captured graph.
    from torch._prims_common import get_higher_dtype as promoted
except ImportError:
    from torch import promote_types as promoted

try:  # Modules that Dynamo skips; the public `disable` marks one function, but not its lookup.
    from torch._dynamo.trace_rules import add as _skip_module
except ImportError:
    _skip_module = None

__all__ = ["FakeTensor", "promoted", "pytree", "reenter_make_fx"]

SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
SymbolTable = px._SymNodeDict
numpy_of_torch = _numpy
slot_of: Callable[..., Any] = px.get_proxy_slot
untracked: Callable[[], Any] = px.disable_proxy_modes_tracing
is_fake: Callable[[Any], bool] = getattr(px, "is_fake", lambda value: isinstance(value, FakeTensor))

# The public functions with these names run Dynamo, which rejects branches that write to outer values.
COND, WHILE_LOOP, SCAN = (getattr(torch.ops.higher_order, name) for name in ("cond", "while_loop", "scan"))

ASSERT = torch.ops.aten._assert_async.msg
"""The operator behind `torch._assert`, with a text."""


# Modes that a program has entered see each call of torch; no public function lists them.
_function_modes: Callable[[], list[Any]] = getattr(torch.overrides, "_get_current_function_mode_stack", list)


def codes_of_modes() -> set[types.CodeType]:
    """Return the code of the active function modes."""
    methods = (getattr(mode.__torch_function__, "__func__", None) for mode in _function_modes())
    return {method.__code__ for method in methods if isinstance(method, types.FunctionType)}


def skip_when_compiling(*modules: str) -> None:
    """Make Dynamo break its graph at calls to runtime modules, because it cannot trace some of them."""
    if _skip_module is not None:
        for module in modules:
            _skip_module(f"{__name__.rpartition('.backends.')[0]}.{module}")


def is_capturing() -> bool:
    """Return whether a trace other than Dynamo's is under way. Dynamo traces the runtime as plain Python."""
    return not torch.compiler.is_dynamo_compiling() and px.get_proxy_mode() is not None


def current_mode() -> Any:
    """Return the mode of the current trace, which has its tracer."""
    return px.get_proxy_mode()


def is_traced(value: Any) -> bool:
    """Return whether a tensor or symbol gets its value only when the captured program runs."""
    if isinstance(value, SYMBOLS):
        return value.node.is_symbolic() and not _is_static(value.node)
    mode = None if torch.compiler.is_dynamo_compiling() else px.get_proxy_mode()
    if mode is None:
        return False
    return getattr(slot_of(value, mode.tracer, None), "constant", value) is None


def _is_static(node: Any) -> bool:
    """Return whether the guards of a trace fix the value of a symbol. Without torch's test, none is fixed."""
    evaluate = getattr(node.shape_env, "_maybe_evaluate_static", None)
    return evaluate is not None and evaluate(node.expr) is not None


def is_known(value: Any) -> bool:
    """Return whether a tensor or symbol belongs to the current trace or to an enclosing one."""
    return slot_of(value, px.get_proxy_mode().tracer, None) is not None


_fakes = WeakIdKeyDictionary()
_is_within_compile = False


def fake_of(value: Any) -> Any:
    """Return the fake tensor that stands for a real one while a call is captured, or the value itself."""
    return _fakes.get(value, value) if isinstance(value, torch.Tensor) else value


@contextlib.contextmanager
def standing_for_real_tensors() -> Iterator[Any]:
    """Give the table of the fake tensors that stand for real ones, for one capture inside `torch.compile`."""
    global _is_within_compile  # noqa: PLW0603 - Dynamo captures one function at a time
    _is_within_compile = True
    try:
        yield _fakes
    finally:
        _is_within_compile = False
        _fakes.clear()


def is_within_compile() -> bool:
    """Return whether the current trace captures a call inside `torch.compile`."""
    return _is_within_compile


def expression(size: Any) -> Any:
    """Return a size in a form that, unlike a symbol, can be compared without capturing the comparison."""
    return size.node.expr if isinstance(size, torch.SymInt) else size


def storage(tensor: torch.Tensor) -> Any:
    """Return the identity of the memory that a tensor shares with its views."""
    return fake_of(tensor).untyped_storage()._cdata  # the public data_ptr() is 0 for all fake tensors


def version(tensor: torch.Tensor) -> int:
    """Return a number that changes with each write to a tensor, which nothing else reveals."""
    return tensor._version


def assert_holds(holds: torch.Tensor, text: str) -> None:
    """Make the program raise unless a tensor is true. On the CPU, as CUDA can't go on after an assertion."""
    ASSERT(holds if holds.device.type == "cpu" else holds.cpu(), text)


def is_view(tensor: torch.Tensor) -> bool:
    return tensor._is_view()  # a fake tensor hides its base


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Compute without adding nodes to the captured graph."""
    without_modes = getattr(px, "_temp_remove_pre_dispatch_torch_function_mode", contextlib.nullcontext)
    with untracked(), without_modes():
        yield


def track(value: Any, proxy: Any, tracer: Any, constant: Any = None) -> Any:
    """Make a tracer know the proxy of a value, or of each tensor in a structure."""
    with untracked():
        return px.track_tensor_tree(value, proxy, constant=constant, tracer=tracer)


@contextlib.contextmanager
def without_write_check() -> Iterator[None]:
    """Skip torch's check for writes, which runs the graphs once more on uninitialized memory."""
    operators: Sequence[Any] = (COND, WHILE_LOOP, SCAN)
    before = [getattr(op, "_supports_training_input_mutation", False) for op in operators]
    for op in operators:
        op._supports_training_input_mutation = True
    try:
        yield
    finally:
        for op, value in zip(operators, before, strict=True):
            op._supports_training_input_mutation = value


def storage_key(tensor: torch.Tensor) -> StorageWeakRef:
    """Return a key that is equal for tensors that share memory."""
    return StorageWeakRef(tensor.untyped_storage())
