"""From the graph of a region to linked machine code, by way of the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...ir.graph import Graph, Node
from ...ir.types import ArrayType
from ..assembly.statuses import Mode
from ..codegen.region import RegionCode, compile_region
from . import cache
from .calls import NativeCode
from .llvm import Library, object_code, target_name


def build(
    graph: Graph,
    mode: Mode,
    recover: Callable[..., tuple],
    targets: Sequence[ArrayType] = (),
    *,
    backs_up: bool = True,
    keeps_arguments: bool = False,
) -> tuple[NativeCode, bool]:
    """Return the machine code of a region, and whether it was in the cache.

    Raises:
        UnsupportedError: an operation of the region cannot be compiled.
    """
    code = compile_region(graph, mode, targets, backs_up=backs_up, keeps_arguments=keeps_arguments)
    library, is_cached = _library(code)
    parameters = [*graph.arguments, *(Node("argument", (), {}, t) for t in targets)]
    if keeps_arguments:  # those of a user's call, who may pass an array without dimensions
        parameters = [Node("argument", (), {"may_vary": True}, a.type) for a in graph.arguments]
    return NativeCode(code, library, parameters, recover), is_cached


def _library(code: RegionCode) -> tuple[Library, bool]:
    key = cache.key_of(code.text, target_name())
    binary = cache.load(key)
    is_cached = binary is not None
    if binary is None:
        binary = object_code(code.text)
        cache.store(key, binary)
    return Library(binary, code.symbols), is_cached
